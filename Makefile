# The house's front door. `make run` on a Debian machine that has git and make: packages, build, a model, an answer.
#
#   make run                      chat with the default model      make run PROMPT="…"   answer on standard output, then end
#   make run MODEL=NAME           another model: a catalogue name, a path, hf:org/repo
#   make build                    build/puna                       make packages         what building and testing need
#   make test                     every test (≤ 15 min)            make test-full        long sweeps too
#   make test-sanitize            asan, ubsan, tsan (≤ 15 min)     make fuzz             all fuzz targets (≤ 4 min)
#   make test-arm                 kernels for 64-bit ARM, under qemu (≤ 6 min)
#   make bench                    measures the kernels             make format           clang-format on every source
#   make bench PEER=PYTHON        … and puna beside llama.cpp, from a Python that has llama-cpp-python (PEER_IK=PYTHON:
#                                 ik-llama-cpp-python)
#   make clean                    removes the build folders

SHELL := /bin/bash
.SHELLFLAGS := -o pipefail -c
.DEFAULT_GOAL := build
.PHONY: build run test test-full test-sanitize test-arm fuzz bench format clean packages

# As they were typed: a prompt may hold dollar signs and quotes, so make and the shell get no chance to read it.
override PROMPT := $(value PROMPT)
override MODEL := $(value MODEL)
export PROMPT MODEL

JOBS := $(shell nproc)
FUZZ_SECONDS ?= 100
GREETING := Hello! In two sentences: who are you, and what can you do for me?

# $(call ninja,FOLDER,TARGETS): builds; all chatter goes to standard error, and there is none where nothing is to do.
ninja = ninja -C $(1) $(2) | sed -u -e '/^ninja: Entering/d' -e '/^ninja: no work/d' -e '/Re-checking globbed/d' >&2
# $(call configure,PRESET,OPTIONS)
configure = cmake --preset $(1) $(2) >&2

build/.packages: tools/install_packages.sh
	@tools/install_packages.sh build
	@mkdir -p build && touch $@

build/.all-packages: tools/install_packages.sh
	@tools/install_packages.sh all
	@mkdir -p build && touch $@ build/.packages

packages:
	@tools/install_packages.sh all

build/build.ninja: | build/.packages
	@$(call configure,release,-DPUNA_TESTS=OFF)

build: build/build.ninja | build/.packages
	@$(call ninja,build,puna)

run: build
	@build/puna pull $${MODEL:+"$$MODEL"} >/dev/null
	@if [ -n "$$PROMPT" ]; then build/puna run $${MODEL:+-m "$$MODEL"} -p "$$PROMPT"; \
	elif [ -t 0 ] && [ -t 1 ]; then set -m; build/puna chat $${MODEL:+-m "$$MODEL"} -p '$(GREETING)'; \
	else echo '> $(GREETING)' >&2; build/puna run $${MODEL:+-m "$$MODEL"} -p '$(GREETING)' </dev/null; fi

# The three models that the tests of the whole program speak to.
models := smollm2-135m gemma3-270m qwen2.5-coder-1.5b

build-tests: | build/.all-packages
	@grep -qs 'PUNA_TESTS:BOOL=ON' build/CMakeCache.txt && [ -f build/build.ninja ] || $(call configure,release,-DPUNA_TESTS=ON)
	@$(call ninja,build,all)
	@for model in $(models); do build/puna pull $$model >/dev/null || exit 1; done
.PHONY: build-tests

test: build-tests
	@cd build && PUNA_NEED_MODELS=1 ctest --output-on-failure -j$(JOBS) -LE full

# Torch, transformers and the other oracles of the long sweeps, in a Python of their own.
build/oracles/.installed: tools/oracles.txt
	python3 -m venv build/oracles
	build/oracles/bin/pip install -q -r tools/oracles.txt
	@touch $@

test-full: build-tests build/oracles/.installed
	@cd build && PUNA_NEED_MODELS=1 PUNA_FULL=1 ctest --output-on-failure -j$(JOBS)

# Addresses and undefined behaviour in every unit test; data races in the rooms that have threads.
test-sanitize: | build/.all-packages
	@[ -f build-asan-ubsan/build.ninja ] || $(call configure,asan-ubsan,)
	@$(call ninja,build-asan-ubsan,unit_tests)
	@[ -f build-tsan/build.ninja ] || $(call configure,tsan,)
	@$(call ninja,build-tsan,test_base test_engine)
	@cd build-asan-ubsan && ctest --output-on-failure -j$(JOBS) -LE 'script|e2e'
	@cd build-tsan && TSAN_OPTIONS=halt_on_error=1 ctest --output-on-failure -j$(JOBS) -LE 'script|e2e' -R '^(base|engine)\.'

# The lowest rooms and the kernels, cross-compiled; processors of several ages are qemu's.
test-arm: | build/.all-packages
	@[ -f build-aarch64/build.ninja ] || $(call configure,aarch64,)
	@$(call ninja,build-aarch64,unit_tests)
	@tools/run_arm_tests.sh build-aarch64

fuzz: | build/.all-packages
	@[ -f build-asan-ubsan/build.ninja ] || $(call configure,asan-ubsan,)
	@$(call ninja,build-asan-ubsan,fuzzers)
	@tools/run_fuzzers.sh build-asan-ubsan $(FUZZ_SECONDS)

bench: | build/.all-packages
	@grep -qs 'PUNA_BENCH:BOOL=ON' build/CMakeCache.txt || $(call configure,release,-DPUNA_BENCH=ON)
	@$(call ninja,build,all)
	@for program in build/bench/bench_*; do [ ! -x "$$program" ] || "$$program" || exit 1; done
	@python3 bench/compare_tokenizers.py $(if $(PEER),--peer "$(PEER)") $(models)
	@[ -z "$(PEER)$(PEER_IK)" ] || python3 bench/compare.py $(if $(PEER),--peer "$(PEER)") $(if $(PEER_IK),--peer-ik "$(PEER_IK)") $(models)

format:
	@git ls-files '*.h' '*.cpp' | xargs clang-format-19 -i

clean:
	@rm -rf build build-debug build-asan-ubsan build-tsan build-aarch64
