"""Stand-in for the small part of the platform's `ai` package that a node may import."""
