"""Capture: what a model wrote becomes a scenario and a cassette, so that it is played again by every run from now on.

A source (`stored`: a run of a results store, `outputs`: raw outputs, `payload`: a payload of a node) gives a
`Behaviour`. `make` plays it on a node through the recorder and proposes what has to hold, `place` writes both files or
neither, `accept` takes the mark of a proposal away.
"""
