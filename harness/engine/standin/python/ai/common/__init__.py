"""Configuration, schema and small helpers, under the platform's own names."""
