# Two commands set everything up on a fresh Debian: `make demo` and `make test`.
# Needs: apt install make git python3-venv gcc openjdk-17-jdk-headless

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
DEMO := out/demo
export PYTHONDONTWRITEBYTECODE :=

.PHONY: help demo install system test check golden docs bench verdicts scoreboard clean

help: ## what there is
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "leakmend needs Python 3.11 or newer: apt install python3-venv" >&2; exit 2; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { echo "the venv module is missing: apt install python3-venv" >&2; exit 2; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test,check,scale]'
	@touch $@

install: $(STAMP) ## make the environment in .venv

demo: $(STAMP) ## review a sample pull request (Java and C), print it, write the HTML report
	@rm -rf $(DEMO) && mkdir -p $(DEMO)
	@$(BIN)/python docs/demo/make_sample.py $(DEMO)/sample
	@$(BIN)/leakmend review --repo $(DEMO)/sample --base main --head change --fail-on never
	@$(BIN)/leakmend review --repo $(DEMO)/sample --base main --head change --fail-on never --format html --output $(DEMO)/report.html
	@echo "The same review as a page: $(DEMO)/report.html"

system: ## install what the tests need from Debian (root, or sudo)
	@.ci/system.sh

test: $(STAMP) ## all tests; a missing tool is named, under CI it fails
	@.ci/test.sh

check: $(STAMP) ## format, types, import contracts, then the tests
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	@.ci/test.sh

golden: $(STAMP) ## write the expected texts of the tests anew
	LEAKMEND_GOLDEN=write $(BIN)/pytest -q -k golden

docs: $(STAMP) ## write docs/rules and docs/modules.md from the code's own texts
	$(BIN)/python -m benchmarks.make_rule_pages docs/rules
	$(BIN)/python -m benchmarks.make_module_page docs/modules.md

bench: $(STAMP) ## speed of scans of TREES (folders), and of reviews in REPOSITORY (git) with its branch analysed before
	$(BIN)/python -m benchmarks.speed $(TREES)
	$(if $(REPOSITORY),$(BIN)/python -m benchmarks.warm $(REPOSITORY))

verdicts: $(STAMP) ## re-run the reports that were judged by hand (REPOS: folder of checkouts or bare repositories)
	$(BIN)/python -m benchmarks.verdicts docs/verdicts --repos $(REPOS)

clean: ## remove what the other targets made
	rm -rf $(VENV) out build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
