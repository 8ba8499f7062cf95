# Every target sets itself up in .venv: a machine needs Python 3.11+, make and, for the native core, a C compiler.
# PYTHON is python3 if that is new enough, else the newest other one; `make demo PYTHON=…` names one.
NEW_ENOUGH := import sys; sys.exit(sys.version_info < (3, 11))
PYTHON ?= $(shell for name in python3 python3.15 python3.14 python3.13 python3.12 python3.11; do \
	$$name -c '$(NEW_ENOUGH)' >/dev/null 2>&1 && echo $$name && break; done)
BIN := .venv/bin
SOURCES := pyproject.toml setup.py $(addprefix src/adjoint/engine/,ops.py rule.py) \
	$(wildcard src/adjoint/engine/mathematics/*.py src/adjoint/engine/_native/*)
SHELL := bash
# pip without its many lines: large downloads, what is compiled, and errors.
PIP = set -o pipefail; $(BIN)/python -m pip install --disable-pip-version-check --progress-bar off
SHORT = 2>&1 | awk '/Downloading .*([0-9][0-9](\.[0-9]+)? MB|GB)/ { sub(/^ */, "  "); print; fflush() } \
	/^ *Building / { sub(/^ */, "  "); print; fflush() } /Installing collected/ { print "  unpacking"; fflush() } \
	/(ERROR|error:|adjoint:)/ { print; fflush() }'
TORCH := 2.13.0
CHROMIUMS := chromium chromium-browser google-chrome

.PHONY: demo learn lab check test browser fuzz programs lint stubs web pictures bench docs site stress mutations proof sanitize versions machines clean

# Trains a network on two moons and draws the result into moons.png.
demo: .venv/demo
	@$(BIN)/adjoint train moons --plot moons.png

# The course in the terminal: writes the exercises into adjoint-course/, and checks them whenever one is saved.
learn: .venv/demo
	@$(BIN)/adjoint learn $(OPTIONS)

# Opens the lab in the browser, until Ctrl-C. Options: make lab OPTIONS="--port 0 --no-browser"
lab: .venv/lab
	@$(BIN)/adjoint lab $(OPTIONS)

# The first command after a change, in a minute and without PyTorch and JAX: lint, types, the tests of the engine, and those
# of the files that were changed since the last commit but one, or since BASE.
BASE ?= HEAD~1
check: .venv/check
	@$(BIN)/python tests --check $(BASE)

# Everything: tests/__main__.py says what runs. With FULL=yes, as in continuous integration, also coverage, which must reach
# 95 %, the tests marked `full`, the proof from outside, other machines, and the tolerances.
FULL ?=
test: .venv/test $(if $(FULL),.venv/proof) browser
	@$(BIN)/python tests $(if $(FULL),--full)

# The tests of the lab need Chromium. If it is missing, root on Debian installs it; otherwise these tests are skipped.
browser:
	@for name in $(CHROMIUMS); do command -v $$name >/dev/null && exit 0; done; \
	if command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; then \
		echo "installing chromium, for the tests of the lab"; export DEBIAN_FRONTEND=noninteractive; \
		apt-get update -qq && apt-get install -qq --yes --no-install-recommends chromium >/dev/null && exit 0; fi; \
	echo "Chromium was not found; the browser tests of the lab are skipped. Install chromium to run them."

# Random tests with new examples at each run, and TIMES times as many as `make test FULL=yes` draws; 10,000 of the random array
# programs and 2,000 of the random scalar programs for TIMES=20. `make programs SEED=N` repeats those of a seed.
TIMES ?= 20
fuzz: .venv/test
	FUZZ=$(TIMES) $(BIN)/pytest $$(grep -rl --include='test_*.py' -e 'import examples' -e 'import claims' -e '@given' -e 'from fuzzing' tests)

# The random programs of `make fuzz` alone: 10,000 on arrays, and 2,000 on numbers, fewer of them on the Python engine.
programs: .venv/test
	FUZZ=$(TIMES) $(BIN)/pytest tests/arrays/test_random_programs.py tests/compile/test_random_numbers.py
	FUZZ=$(TIMES) ADJOINT_PURE=1 $(BIN)/pytest tests/compile/test_random_numbers.py

lint: .venv/test
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	@$(BIN)/python tests/support/user_programs.py
	$(BIN)/pyright

# The types of the methods of a Value, from the functions that they are. A test fails if they are stale.
stubs: .venv/test
	$(BIN)/python tests/support/method_stubs.py

# The page of the lab, from web/ into the package. The types of its messages are generated from adjoint_lab.protocol, and
# its rules from adjoint.engine.ops. All of it is committed, so that Node.js is needed only to change the page; tests fail
# if it is stale.
web: .venv/test
	$(BIN)/python -m adjoint_lab.protocol.typescript
	$(BIN)/python -m adjoint.compile.numbers.page_table
	@cd web && npm install --no-save --no-audit --no-fund --silent && npm run --silent build

# The film and the pictures of the lab in README and docs, from a running lab and from the static site.
pictures: .venv/test browser site
	$(BIN)/python docs/lab_pictures.py

bench: .venv/bench browser site
	$(BIN)/python benchmarks/scalar.py
	$(BIN)/python benchmarks/arrays.py
	$(BIN)/python benchmarks/loops.py
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

# The numeric tests as other machines would run them. `make machines ONLY="old random"` takes two of the environments.
machines: .venv/test
	$(BIN)/python tests/outside/machines.py $(if $(ONLY),--only $(ONLY)) $(if $(QUICK),--quick)

# On every Python that is found, or on those named: make versions PYTHONS="python3.12 /opt/python3.13/bin/python3"
versions: .venv/bin/python
	$(BIN)/python tests/outside/versions.py $(PYTHONS)

clean:
	rm -rf .venv build src/*.egg-info src/adjoint/engine/_core*.so

# The native core is compiled once for all targets, and again if a source is newer than its stamp. Dependency groups need a
# newer pip than Python 3.11 comes with.
.venv/core: $(SOURCES) | .venv/bin/python
	@$(BIN)/python -c '$(NEW_ENOUGH)' || { \
		echo "adjoint needs Python 3.11 or later, and .venv was made with $$($(BIN)/python --version): run \`make clean\` first" >&2; exit 1; }
	@echo "installing adjoint into .venv, and compiling its native core: half a minute"
	@$(PIP) 'pip>=25.1' $(SHORT)
	@$(PIP) --editable . $(SHORT)
	@ADJOINT_PURE= $(BIN)/python -c 'import adjoint; adjoint.accelerated or print("The native core was not built (is there a C compiler?): the slower Python engine runs.")'
	@touch $@

.venv/demo .venv/lab .venv/check .venv/test .venv/bench .venv/docs .venv/proof: .venv/core
	@echo "installing $(NEEDED_$(@F)) into .venv; the first time this takes $(TIME_$(@F))"
	@$(if $(filter test bench proof,$(@F)),$(TORCH_WITHOUT_CUDA))
	@$(PIP) $(if $(EXTRAS_$(@F)),'adjoint-autograd[$(EXTRAS_$(@F))]') $(if $(GROUP_$(@F)),--group $(@F)) $(SHORT)
	@touch $@ $(if $(filter test,$(@F)),.venv/demo .venv/lab .venv/check .venv/docs)

# On Linux, PyTorch brings CUDA's libraries, which no test uses. A build without them is taken where pip finds one.
TORCH_WITHOUT_CUDA = $(BIN)/python -m pip show --quiet torch 2>/dev/null || \
	$(BIN)/python -m pip install --quiet --disable-pip-version-check 'torch==$(TORCH)+cpu' 2>/dev/null || \
	[ "$$(uname)" != Linux ] || echo "  pip finds no build of PyTorch without CUDA here, so its libraries are downloaded too: 2.7 GB more"

EXTRAS_demo := plot
EXTRAS_lab := lab
GROUP_check := yes
GROUP_test := yes
GROUP_bench := yes
GROUP_docs := yes
GROUP_proof := yes
NEEDED_demo := matplotlib
NEEDED_lab := a small web server
NEEDED_check := pytest, Hypothesis, ruff and pyright (100 MB)
NEEDED_test := all that the tests compare with (PyTorch, JAX, JupyterLab and others, 2.9 GB on disk)
NEEDED_bench := its peers (PyTorch, JAX, MyGrad, micrograd)
NEEDED_docs := MkDocs
NEEDED_proof := all that the tests compare with, and the problems of CUTEst
TIME_demo = a minute
TIME_lab = a minute
TIME_check = a minute
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
