# Every target sets itself up in .venv: a machine needs Python 3.11+, make and, for the native core, a C compiler.
# PYTHON is python3 if that is new enough, else the newest other one; `make demo PYTHON=…` names one.
NEW_ENOUGH := import sys; sys.exit(sys.version_info < (3, 11))
PYTHON ?= $(shell for name in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$name -c '$(NEW_ENOUGH)' >/dev/null 2>&1 && echo $$name && break; done)
BIN := .venv/bin
SYNC := $(if $(filter output-sync,$(.FEATURES)),--output-sync=target)
SOURCES := pyproject.toml setup.py $(addprefix src/adjoint/engine/,ops.py rule.py) \
	$(wildcard src/adjoint/engine/mathematics/*.py src/adjoint/engine/_native/*)
INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check --editable
CHROMIUMS := chromium chromium-browser google-chrome

.PHONY: demo learn lab pictures test fuzz smoke test-lab test-arrays test-compile test-see test-rest test-long test-site test-python test-course browser web bench docs site lint stubs mutations programs proof stress sanitize versions clean

# Trains a network on two moons and draws the result into moons.png.
demo: .venv/demo
	@$(BIN)/adjoint train moons --plot moons.png

# The course in the terminal: writes the exercises into adjoint-course/, and checks them whenever one is saved.
learn: .venv/demo
	@$(BIN)/adjoint learn $(OPTIONS)

# Opens the lab in the browser, until Ctrl-C. Options: make lab OPTIONS="--port 0 --no-browser"
lab: .venv/lab
	@$(BIN)/adjoint lab $(OPTIONS)

# Each part is one process. Four run side by side, the longest first, because browser tests often wait. If one fails, the
# others still run. With FULL=yes, as in continuous integration, it takes twice as long: it measures coverage, which must
# reach 95 %, runs the tests marked `full`, such as walks through the whole course, and records in the file CLOSENESS how
# much of its tolerance each comparison of numbers uses, which must stay below half.
FULL ?=
export CLOSENESS ?= $(if $(FULL),$(CURDIR)/build/closeness.txt)
test: .venv/test browser
	@$(if $(FULL),mkdir -p build && rm -f "$(CLOSENESS)" && $(BIN)/coverage erase)
	@$(MAKE) --no-print-directory --jobs=4 --keep-going $(SYNC) \
		$(if $(FULL),test-site test-proof) test-lab test-arrays test-long test-rest lint test-python test-see test-compile test-course
	@$(if $(FULL),$(BIN)/coverage combine --quiet && $(BIN)/coverage report)
	@$(if $(FULL),$(BIN)/python tests/outside/closest.py "$(CLOSENESS)")

# The parts on the native core, by the layers that they test. The last part takes all other folders.
PARTS := lab see arrays compile rest
test-lab: TESTS := tests/lab
test-arrays: TESTS := tests/arrays tests/transforms
test-compile: TESTS := tests/compile tests/nn tests/optim
test-see: TESTS := tests/see src
OTHERS := outside support golden lab arrays transforms compile nn optim see stories
test-rest: TESTS := $(filter-out $(addprefix tests/,$(OTHERS)),$(patsubst %/,%,$(wildcard tests/*/))) $(wildcard tests/test_*.py)

# Long tests on the native core run without coverage, which would slow them down several times.
test-long: TESTS := tests/stories tests/arrays tests/engine tests/see tests/transforms tests/learn tests/lab tests/compile/test_random_numbers.py
test-long: export ADJOINT_PURE :=
test-long: RUN := $(BIN)/pytest -m "long and not site$(if $(FULL),, and not full)"

# The tests of the lab in a browser once more, on the static site and without a network. They need Node.js.
test-site: TESTS := tests/lab/browser
test-site: export ADJOINT_PURE :=
test-site: RUN := $(BIN)/pytest -m site

# The Python engine runs the tests of the modules that have a second implementation in C. All other code is the same on
# both engines.
test-python: TESTS := tests/engine tests/errors tests/transforms $(wildcard tests/arrays/test_*.py) \
	$(addprefix tests/arrays/functions/test_,indexing.py products.py reductions.py shaping.py) tests/nn/test_scalar.py \
	$(addprefix tests/stories/test_,accumulation.py arrays.py compiled_numbers.py derivatives.py expressions.py) \
	tests/compile/test_random_numbers.py tests/compile/numbers tests/compile/fast/test_contents.py
test-python: export ADJOINT_PURE := 1
test-python: RUN := $(BIN)/pytest $(if $(FULL),,-m "not full") -k "not jax and not xla and not engines_with_each_other and not coverage \
	and (not compile or numbers or contents)"

$(addprefix test-,$(PARTS)): export ADJOINT_PURE :=
$(addprefix test-,$(PARTS)): RUN := $(BIN)/$(if $(FULL),coverage run -m )pytest -m "not long$(if $(FULL),, and not full)"
$(addprefix test-,$(PARTS) long python site): .venv/test
	$(RUN) --durations=30 $(TESTS)

# The shares of docs/proof.md must not have fallen.
test-proof: .venv/proof
	$(BIN)/python tests/proof --check

# Every stub of the course fails, every solution passes, and every wrong answer gets its message, in full on both engines.
test-course: .venv/test
	$(BIN)/adjoint learn verify
	$(if $(FULL),ADJOINT_PURE=1 $(BIN)/adjoint learn verify)

# The tests of the lab need Chromium. If it is missing, root on Debian installs it; otherwise these tests are skipped.
browser:
	@for name in $(CHROMIUMS); do command -v $$name >/dev/null && exit 0; done; \
	if command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; then \
		echo "installing chromium, for the tests of the lab"; export DEBIAN_FRONTEND=noninteractive; \
		apt-get update -qq && apt-get install -qq --yes --no-install-recommends chromium >/dev/null && exit 0; fi; \
	echo "Chromium was not found; the browser tests of the lab are skipped. Install chromium to run them."

# Random tests with new examples at each run, and TIMES times as many as `make test` draws; 10,000 of the random array
# programs and 2,000 of the random scalar programs for TIMES=20. `make programs SEED=N` repeats those of a seed.
TIMES ?= 20
fuzz: .venv/test
	FUZZ=$(TIMES) $(BIN)/pytest $$(grep -rl --include='test_*.py' -e 'import examples' -e 'import claims' -e '@given' -e 'import TIMES' tests)

# The random programs of `make fuzz` alone: 10,000 on arrays, and 2,000 on numbers, fewer of them on the Python engine.
programs: .venv/test
	FUZZ=$(TIMES) $(BIN)/pytest tests/arrays/test_random_programs.py tests/compile/test_random_numbers.py
	FUZZ=$(TIMES) ADJOINT_PURE=1 $(BIN)/pytest tests/compile/test_random_numbers.py

# The heart of the engine, in ten seconds. This installs pytest, and none of the libraries that `make test` compares with.
smoke: .venv/smoke
	$(BIN)/pytest -x tests/engine/test_value.py tests/engine/test_rule.py tests/engine/mathematics/test_symbols.py

lint: .venv/test
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	@$(BIN)/python tests/support/user_programs.py
	$(BIN)/pyright

# The types of the methods of a Value, from the functions that they are. A test fails if they are stale.
stubs: .venv/test
	$(BIN)/python tests/support/method_stubs.py

# The page of the lab, from web/ into the package. The types of its messages are generated from adjoint.lab.protocol, and
# its rules from adjoint.engine.ops. All of it is committed, so that Node.js is needed only to change the page; tests fail
# if it is stale.
web: .venv/test
	$(BIN)/python -m adjoint.lab.protocol.typescript
	$(BIN)/python -m adjoint.engine.mathematics.javascript
	@cd web && npm install --no-audit --no-fund --silent && npm run --silent build

# The film and the pictures of the lab in README and docs, from a running lab and from the static site.
pictures: .venv/test browser site
	$(BIN)/python docs/lab_pictures.py

bench: .venv/bench browser site
	$(BIN)/python benchmarks/scalar.py
	$(BIN)/python benchmarks/arrays.py
	$(BIN)/python benchmarks/training.py
	$(BIN)/python benchmarks/lab.py
	$(BIN)/python benchmarks/gpu.py

# The README and the pages of docs/ as pages in site/docs, which can be opened as files; a link that leads nowhere is an
# error. Material's note about another program's next version is none.
docs: .venv/docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "wrote site/docs/index.html"

# The static site in site/: the lab and the course with Python in the page, and the documentation in site/docs. It needs
# Node.js. `make site WHEELS=folder` adds wheels for Pyodide, such as NumPy's, so that the page has arrays.
WHEELS ?=
site: .venv/docs
	@$(BIN)/python docs/build_site.py $(if $(WHEELS),--wheels "$(WHEELS)")

# Threads, signals, forks and failing allocations at random moments, on both engines, for MINUTES in all.
MINUTES ?= 2
SEED ?= 0
stress: .venv/test
	$(BIN)/python tests/outside/stress.py --minutes $(MINUTES) --seed $(SEED)

# Puts known bugs back into a copy of the package, one at a time: the random programs must find each of them.
mutations: .venv/test
	$(BIN)/python tests/outside/put_back.py

# Compares adjoint with tests and problems that other people wrote, and writes docs/proof.md.
proof: .venv/proof
	$(BIN)/python tests/proof

sanitize: .venv/test
	$(BIN)/python tests/outside/sanitize.py

# On every Python that is found, or on those named: make versions PYTHONS="python3.12 /opt/python3.13/bin/python3"
versions: .venv/bin/python
	$(BIN)/python tests/outside/versions.py $(PYTHONS)

clean:
	rm -rf .venv build src/*.egg-info src/adjoint/engine/_core*.so

# If a source is newer than the stamp, the package is installed and the core is built again. Dependency groups need a newer
# pip than Python 3.11 comes with.
.venv/demo .venv/lab .venv/smoke .venv/test .venv/bench .venv/docs .venv/proof: $(SOURCES) | .venv/bin/python
	@$(BIN)/python -c '$(NEW_ENOUGH)' || { \
		echo "adjoint needs Python 3.11 or later, and .venv was made with $$($(BIN)/python --version): run \`make clean\` first" >&2; exit 1; }
	@echo "installing adjoint and $(NEEDED_$(@F)) into .venv; the first time this takes $(TIME_$(@F))"
	@$(if $(GROUP_$(@F)),$(BIN)/python -m pip install --quiet --disable-pip-version-check 'pip>=25.1')
	@$(INSTALL) '.$(EXTRAS_$(@F))' $(if $(GROUP_$(@F)),--group $(@F))
	@ADJOINT_PURE= $(BIN)/python -c 'import adjoint; adjoint.accelerated or print("The native core was not built (is there a C compiler?): the slower Python engine runs.")'
	@touch $@ $(if $(filter test,$(@F)),.venv/demo .venv/lab .venv/smoke)

EXTRAS_demo := [plot]
EXTRAS_lab := [lab]
GROUP_smoke := yes
GROUP_test := yes
GROUP_bench := yes
GROUP_docs := yes
GROUP_proof := yes
NEEDED_demo := matplotlib
NEEDED_lab := a small web server
NEEDED_smoke := pytest
NEEDED_test := all that the tests compare with (PyTorch, JAX, JupyterLab and others, 2.7 GB)
NEEDED_bench := its peers (PyTorch, JAX, MyGrad, micrograd)
NEEDED_docs := MkDocs
NEEDED_proof := all that the tests compare with, and the problems of CUTEst
TIME_demo = a minute
TIME_lab = a minute
TIME_smoke = a minute
TIME_test = five minutes
TIME_bench = three minutes
TIME_docs = a minute
TIME_proof = five minutes

.venv/bin/python:
	@test -n "$(PYTHON)" || { echo "adjoint needs Python 3.11 or later, and here is $$(python3 --version 2>&1 || echo none)." \
		"Install a newer one, or name it: make demo PYTHON=/path/to/python3.12" >&2; exit 1; }
	@$(PYTHON) -c '$(NEW_ENOUGH)' || { echo "adjoint needs Python 3.11 or later, not $$($(PYTHON) --version 2>&1)" >&2; exit 1; }
	@echo "creating a virtual environment in .venv, with $$($(PYTHON) --version)"
	@$(PYTHON) -m venv .venv || { rm -rf .venv; exit 1; }
