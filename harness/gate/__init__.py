"""The gate: what the runs of a suite come to, alone and against a baseline, and what differs between two stores."""
