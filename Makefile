# SPDX-License-Identifier: BSD-3-Clause
# A thin front of CMake: everything it knows is in CMakeLists.txt.
PREFIX    ?= /usr/local
BUILD     ?= build
BUILDTYPE ?= RelWithDebInfo
JOBS      ?= $(shell nproc 2>/dev/null || echo 2)
MAKEFLAGS += --no-print-directory

.PHONY: all deps deps-test deps-lint demo check check-asan bench install uninstall clean lint

all: $(BUILD)/Makefile
	@cmake --build $(BUILD) --parallel $(JOBS)

# CMake writes this last: a configuration that failed is tried again.
$(BUILD)/Makefile: | deps
	@cmake -S . -B $(BUILD) -DCMAKE_BUILD_TYPE=$(BUILDTYPE) -DCMAKE_INSTALL_PREFIX=$(PREFIX) -DWEFT_TESTS=OFF

deps:
	@tools/install-deps.sh build

deps-test:
	@tools/install-deps.sh build test lint

deps-lint:
	@tools/install-deps.sh build lint

demo: all
	@examples/demo.sh $(BUILD)

check: deps-test check-asan
	@cmake -S . -B $(BUILD) -DCMAKE_BUILD_TYPE=$(BUILDTYPE) -DWEFT_TESTS=ON >/dev/null
	@cmake --build $(BUILD) --parallel $(JOBS)
	@cd $(BUILD) && ctest --output-on-failure --parallel $(JOBS)

# Everything outside MPI processes with AddressSanitizer and UBSan, the libraries inside them with UBSan.
check-asan: deps-test
	@cmake -S . -B $(BUILD)-asan -DCMAKE_BUILD_TYPE=Debug -DWEFT_TESTS=ON -DWEFT_SANITIZE=ON >/dev/null
	@cmake --build $(BUILD)-asan --parallel $(JOBS)
	@cd $(BUILD)-asan && ctest --output-on-failure --parallel $(JOBS)

bench: deps-test all
	@bench/run.sh $(BUILD)

# Part of check, too: tests/lint.
lint: deps-lint all
	@tools/lint.sh $(BUILD)

install: all
	@cmake --install $(BUILD) --prefix $(PREFIX)

# What make install of the same PREFIX has put there.
uninstall:
	@cmake -DPREFIX="$(PREFIX)" -P cmake/Uninstall.cmake

clean:
	@rm -rf $(BUILD) $(BUILD)-asan
