# `make demo` needs Python 3.11 or newer and git; everything else is put into .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet --no-deps --require-hashes

.DEFAULT_GOAL := help
.PHONY: help demo test bench lint lock clean

help: ## Show the targets
	@grep -E '^[a-z]+:.*##' Makefile | sed 's/:.*## /\t/' | expand -t 12

demo: $(VENV)/.runtime ## Make the environment and run the check on a small repository
	$(BIN)/kodus-check demo

test: $(VENV)/.dev ## Make the environment and run all tests
	$(BIN)/coverage erase
	$(BIN)/pytest -n auto --cov --cov-report=term --durations=10

bench: $(VENV)/.dev ## Measure the speed goals as ratios (downloads two wheels once)
	$(BIN)/python -m bench.pe_1_rules_only .bench
	$(BIN)/python -m bench.pe_2_reads_and_start .bench
	$(BIN)/python -m bench.pe_3_guides
	$(BIN)/python -m bench.pe_4_model .bench
	$(BIN)/python -m bench.pe_5_growth .bench

lint: $(VENV)/.dev ## Format, linter, types, layers
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

LOCK := uv pip compile --universal --generate-hashes --no-header --no-annotate --quiet

lock: ## Write the lock files anew from pyproject.toml and requirements-tools.in (needs uv on PATH)
	$(LOCK) pyproject.toml --output-file requirements.txt
	$(LOCK) --group pyproject.toml:build --output-file requirements-build.txt
	$(LOCK) --constraint requirements.txt --group pyproject.toml:dev --output-file requirements-dev.txt
	$(LOCK) requirements-tools.in --output-file requirements-tools.txt

clean: ## Remove what the other targets made
	rm -rf $(VENV) build dist .coverage* .hypothesis .mypy_cache .pytest_cache .ruff_cache .import_linter_cache

$(VENV)/.made:
	$(PYTHON) -c 'import sys; sys.exit("kodus-check needs Python 3.11 or newer") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.runtime: $(VENV)/.made requirements.txt requirements-build.txt pyproject.toml
	$(PIP) -r requirements.txt -r requirements-build.txt
	$(BIN)/python -m pip --disable-pip-version-check install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.runtime requirements-dev.txt
	$(PIP) -r requirements-dev.txt
	@touch $@
