# Python 3.11 or newer and make are all that is needed; everything else is installed into .venv.
PYTHON ?= python3
BIN := .venv/bin
REPORT ?= reports/run.html
RESULTS := build/results.jsonl
PUBLISHED := reports/scorecard.html

.PHONY: run test check mutants mutation bench results reports check-reports clean

run: .venv/runtime ## replay the suite and write the scorecard of this run
	$(BIN)/react-harness run --report $(REPORT)

test: .venv/development ## pass the tests
	$(BIN)/python -m pytest

check: .venv/development ## style, types, the suite's own files, and the coverage of the requirements
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/react-harness lint
	$(BIN)/react-harness coverage > /dev/null

mutants: .venv/runtime ## break the node in many ways, and see every broken one caught
	$(BIN)/react-harness mutants

mutation: .venv/mutation ## change the node wherever a tool can, and see what the scenarios do not notice (half an hour)
	rm -rf mutants
	$(BIN)/mutmut run
	$(BIN)/python tests/mutation/survivors.py

bench: .venv/development ## the benchmarks, with their tables
	$(BIN)/python -m pytest tests/benchmarks --benchmark-enable --benchmark-only -s

results: .venv/runtime
	mkdir -p $(dir $(RESULTS))
	rm -f $(RESULTS)
	$(BIN)/react-harness run --results $(RESULTS)

reports: results ## write the published scorecard and its badges anew
	rm -rf reports/badges
	$(BIN)/react-harness report $(RESULTS) -o $(PUBLISHED) --badges reports/badges

check-reports: results ## see that the published scorecard and its badges are what this code makes
	$(BIN)/react-harness report $(RESULTS) --check $(PUBLISHED) --badges reports/badges

clean:
	rm -rf .venv build dist mutants .pytest_cache .mypy_cache .ruff_cache .hypothesis .benchmarks

.venv/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Python 3.11 or newer is needed: make PYTHON=python3.11")'
	$(PYTHON) -m venv .venv

.venv/runtime: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	touch $@

.venv/development: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@ .venv/runtime

.venv/mutation: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[mutation]'
	touch $@ .venv/runtime
