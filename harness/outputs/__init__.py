"""The outcome of a suite in the formats that CI servers read: JUnit XML, SARIF, and what GitHub Actions takes.

Every format is a pure function from the summary to text; `write.py` and `github.py` are the edge.
"""
