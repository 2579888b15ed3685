"""How runs are shown to people: lines on a terminal, counts, transcripts, texts made visible."""
