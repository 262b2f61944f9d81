# `make test` is all it takes on a machine that has Python >= 3.11 and make.
# PYTHON=  the interpreter for the environment     WORKERS=      test processes (default 3)
# ARGS=    more arguments for pytest, the demo or the benchmarks, as ARGS="-k slice"
# ARRAY_API_TESTS=  a checkout of github.com/data-apis/array-api-tests, its requirements installed
# BENCH=   the benchmark scripts to run (default all), as BENCH=benchmarks/image_job.py

# On two cores: one computes where another waits for a cluster or a process.
WORKERS ?= 3
EXAMPLES ?= 20
HELPERS := $(patsubst %,benchmarks/%.py,bars fresh history peers report)
BENCH ?= $(filter-out $(HELPERS),$(sort $(wildcard benchmarks/[a-z]*.py)))
BIN := .venv/bin
# The tests of a file run in one process, and so share clusters, compiled kernels and values.
PYTEST := $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder

.DEFAULT_GOAL := help
.PHONY: help venv test format lint types layers pytest quick exhaustive demo bench gpu array-api docs docs-check figures screenshots slurm clean

help:
	@echo "make venv        the environment in .venv, made again when its requirements change"
	@echo "make test        every check: format, lint, types, layers, site, tests and examples"
	@echo "make quick       the tests without the long fuzzers"
	@echo "make exhaustive  every combination, and properties on other and many examples: hours"
	@echo "make demo        the image job, end to end on this machine"
	@echo "make bench       the benchmarks"
	@echo "make gpu         on a device: bits beside the CPU's, times beside CuPy, JAX, PyTorch and Dask"
	@echo "make array-api   the conformance tests of the array API standard, EXAMPLES=20 of each"
	@echo "make figures     the tables of the pages, measured again; on a machine that does nothing else"
	@echo "make slurm       the image job on a real Slurm, killed and resumed; needs its programs"
	@echo "make docs        the site, in build/docs; a warning is an error"
	@echo "make docs-check  the examples and links of the pages, and the changelog to be"
	@echo "make screenshots the pictures of pages in docs, by a browser that is installed"
	@echo "make clean       remove what tools and runs leave behind; .venv stays"

venv:
	@PYTHON="$(PYTHON)" .ci/venv

test: format lint types layers docs pytest

format: venv
	$(BIN)/ruff format --check .

lint: venv
	$(BIN)/ruff check .

types: venv
	$(BIN)/python -m mypy

layers: venv
	$(BIN)/lint-imports

pytest: venv
	$(PYTEST) $(ARGS)

quick: venv
	$(PYTEST) -m "not slow and not exhaustive" $(ARGS)

exhaustive: venv
	$(PYTEST) --dist load -m "exhaustive or hypothesis" --hypothesis-profile=nightly $(ARGS)

demo: venv
	$(BIN)/python examples/image_job.py $(ARGS)

bench: venv
	@set -e; for script in $(BENCH); do echo "== $$script"; $(BIN)/python $$script $(ARGS); done

gpu: venv
	$(BIN)/python -m tests.gpu $(ARGS)

array-api: venv
	@test -d "$(ARRAY_API_TESTS)" || { echo "ARRAY_API_TESTS= is to name a checkout"; exit 2; }
	cd $(ARRAY_API_TESTS) && PYTHONPATH=$(CURDIR):$(CURDIR)/kernels:$$PYTHONPATH \
	  ARRAY_API_TESTS_MODULE=dask_tapestry $(CURDIR)/$(BIN)/python -m pytest array_api_tests \
	  --max-examples=$(EXAMPLES) --disable-deadline -p no:cacheprovider \
	  --xfails-file=$(CURDIR)/tests/array_api_xfails.txt $(ARGS)

figures: venv
	$(BIN)/python docs/figures.py $(ARGS)

screenshots: venv
	$(BIN)/python docs/screenshots.py

slurm: venv
	$(BIN)/python tests/slurm/image_job.py $(ARGS)

docs: venv
	$(BIN)/sphinx-build -E -W --keep-going -q -b html -d build/doctrees docs build/docs

docs-check: venv
	$(BIN)/python -m pytest docs README.md tests/test_*.py $(ARGS)
	$(BIN)/towncrier build --draft

clean:
	rm -rf docs/api
	rm -rf build dist .*_cache .hypothesis .coverage htmlcov *.egg-info kernels/*.egg-info
	rm -rf demo-output dask-worker-space dask-scratch-space *.zarr examples/*.zarr
	find . -name .venv -prune -o -name __pycache__ -type d -exec rm -rf {} +
