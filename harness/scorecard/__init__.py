"""The scorecard: one HTML file that compares models and explains every number down to the text that caused it."""
