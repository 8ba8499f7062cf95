# Every target sets itself up in .venv: a machine needs Python 3.11+, make and, for the native core, a C compiler.
PYTHON ?= python3
BIN := .venv/bin
SOURCES := pyproject.toml setup.py $(wildcard src/adjoint/*.py src/adjoint/_native/*)

.PHONY: demo test bench lint sanitize clean

demo: .venv/demo
	@$(BIN)/python examples/demo.py

test: .venv/test lint
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest
	ADJOINT_PURE=1 $(BIN)/coverage run -m pytest
	$(BIN)/coverage combine -q
	$(BIN)/coverage report

bench: .venv/bench
	$(BIN)/python benchmarks/scalar.py

lint: .venv/test
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/pyright

sanitize: .venv/test
	$(BIN)/python tests/sanitize.py

clean:
	rm -rf .venv build src/*.egg-info src/adjoint/_core*.so

# What each set-up installs; a stamp that is older than the sources is made again, and the core with it.
.venv/demo: EXTRAS :=
.venv/test: EXTRAS := [test]
.venv/bench: EXTRAS := [bench]
.venv/demo .venv/test .venv/bench: $(SOURCES)
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.$(EXTRAS)'
	@touch $@
