# `make` alone says what there is. Everything installs into .venv; slow builds go to
# ${LIGHTMEM_CACHE:-~/.cache/lightmem}, outside the clone.
SHELL := bash
.ONESHELL:
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

PYTHON ?= $(shell command -v python3.11 || command -v python3)
BIN := .venv/bin
PACKAGES := src services/controller services/selector services/writer services/consolidator gateway evaluation training

.PHONY: help setup demo test check lint types imports generated format protos openapi settings lock

help: ## what there is
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

setup: .venv/.ready ## .venv with the system, its drivers and the tools of development

.venv/.ready: requirements/dev.txt pyproject.toml
	@echo "Setting up .venv (about a minute; nothing outside this folder is changed)"
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --require-hashes -r requirements/dev.txt
	$(BIN)/pip install --quiet --no-deps --no-build-isolation -e .
	@touch $@

demo: setup ## remember a real conversation and recall from it, in one process
	@$(BIN)/lightmem demo

check: lint types imports generated ## everything that needs no server and no test

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: setup
	$(BIN)/mypy $(PACKAGES) tests

imports: setup
	$(BIN)/lint-imports --no-cache

generated: setup
	scripts/protos --check
	$(BIN)/python scripts/openapi.py --check
	$(BIN)/python scripts/settings.py --check

format: setup ## rewrite the code as the linter wants it
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

protos: setup ## generate the gRPC code from proto/
	scripts/protos

settings: setup ## generate docs/settings.md from the settings
	$(BIN)/python scripts/settings.py

openapi: setup ## generate docs/openapi.json from the gateway
	$(BIN)/python scripts/openapi.py

lock: setup ## resolve pyproject.toml into requirements/
	scripts/lock

test: check ## every check and every suite, over the real servers
	@echo "Starting the real servers (the first time they are installed and built)"
	scripts/servers start
	trap 'scripts/servers stop' EXIT
	set -a; source .lightmem/servers.env; set +a
	$(BIN)/pytest
	@echo "Everything passed. Next: 'make demo' to see it work, 'make stack' to run it as services."

-include deploy/local.mk
-include evaluation/local.mk
-include training/local.mk
