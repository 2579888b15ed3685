"""Verdicts about the model: how its turns were written, and how its runs ended."""
