# Every target sets itself up in .venv: a machine needs Python 3.11+, make and, for the native core, a C compiler.
PYTHON ?= python3
BIN := .venv/bin
SYNC := $(if $(filter output-sync,$(.FEATURES)),--output-sync=target)
SOURCES := pyproject.toml setup.py src/adjoint/engine/ops.py $(wildcard src/adjoint/engine/mathematics/*.py src/adjoint/engine/_native/*)
INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check --editable
SERVING := $(addprefix lab/,browser test_assets.py test_command.py test_gate.py test_outbox.py test_server.py test_session.py)
CHROMIUMS := chromium chromium-browser google-chrome

.PHONY: demo lab test smoke test-native test-rooms test-python browser web bench docs lint sanitize versions clean

# A network learns two moons; what it has learned is drawn into moons.png.
demo: .venv/demo
	@$(BIN)/adjoint train moons --plot moons.png

# The lab in the browser, until Ctrl-C; options as in: make lab OPTIONS="--port 0 --no-browser"
lab: .venv/lab
	@$(BIN)/adjoint lab $(OPTIONS)

test: lint browser
	@$(BIN)/coverage erase
	@$(MAKE) --no-print-directory --jobs=2 $(SYNC) test-native test-rooms test-python
	@$(BIN)/coverage combine --quiet
	@$(BIN)/coverage report

# The same tests on either engine, side by side; those on the native core in two parts, so that two processors have
# about as much to do. What XLA compiles, what compares the engines, and the server of the lab are the same for both:
# once is enough. So is measuring the coverage, which takes a third of the time.
test-native test-rooms: export ADJOINT_PURE :=
test-native: RUN := $(BIN)/coverage run -m pytest $(wildcard tests/test_*.py)
test-rooms: RUN := $(BIN)/coverage run -m pytest $(patsubst %/,%,$(filter-out tests/outside/,$(wildcard tests/*/))) src
test-python: export ADJOINT_PURE := 1
test-python: RUN := $(BIN)/pytest $(addprefix --ignore=tests/,test_jit.py test_native.py $(SERVING)) \
	-k "not jax and not xla and not compile and not engines_with_each_other and not make_demo"
test-native test-rooms test-python: .venv/test
	$(RUN) --durations=3

# Tests of the lab drive Chromium. Where there is none, Debian's is installed if this user may; else they are skipped.
browser:
	@for name in $(CHROMIUMS); do command -v $$name >/dev/null && exit 0; done; \
	if command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; then \
		echo "installing chromium, for the tests of the lab"; export DEBIAN_FRONTEND=noninteractive; \
		apt-get update -qq && apt-get install -qq --yes --no-install-recommends chromium >/dev/null && exit 0; fi; \
	echo "no Chromium is here: the tests of the lab in the browser need it; install chromium"

# Ten seconds, for while you work.
smoke: .venv/test
	$(BIN)/pytest -x tests/test_value.py tests/test_rules.py tests/test_symbols.py tests/stories/test_expressions.py

lint: .venv/test
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/pyright

# The page of the lab, from web/ into the package. It is committed, so that nobody else needs Node.js; a test says when
# it is stale.
web:
	@cd web && npm install --no-audit --no-fund --silent && npm run --silent build

bench: .venv/bench browser
	$(BIN)/python benchmarks/scalar.py
	$(BIN)/python benchmarks/arrays.py
	$(BIN)/python benchmarks/training.py
	$(BIN)/python benchmarks/lab.py

# The README and the pages of docs/ as a site in site/; a link that leads nowhere is an error. Material's note about
# another program's next version is none.
docs: .venv/docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "wrote site/index.html"

sanitize: .venv/test
	$(BIN)/python tests/outside/sanitize.py

# On every Python that is found, or on those named: make versions PYTHONS="python3.12 /opt/python3.13/bin/python3"
versions: .venv/bin/python
	$(BIN)/python tests/outside/versions.py $(PYTHONS)

clean:
	rm -rf .venv build src/*.egg-info src/adjoint/_core*.so

# Sources newer than a stamp mean installing again, and building the core again.
.venv/demo .venv/lab .venv/test .venv/bench .venv/docs: $(SOURCES) | .venv/bin/python
	@$(INSTALL) '.[$(@F)]'
	@touch $@ $(if $(filter test,$(@F)),.venv/demo .venv/lab)

.venv/bin/python:
	@$(PYTHON) -m venv .venv
