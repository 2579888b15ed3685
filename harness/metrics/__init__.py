"""Figures over many runs: rates with their intervals, comparisons of models, tables."""
