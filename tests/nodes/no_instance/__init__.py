"""A package that forgot its IInstance."""
