# Targets for development; they call cmake (CMakeLists.txt, CMakePresets.json) and the scripts of scripts/, test/, bench/ and papers/.
.PHONY: all build minimal install-develop test test-fast test-sanitized test-all test-asan test-clang fuzz bench papers install format clean

all: build

# Library and tool
build:
	@scripts/install.sh minimal full
	@cmake --preset release >/dev/null
	@scripts/build.sh build --target installed

# Library and tool without optional parts (cardan version --parts), in the folder build-minimal
minimal:
	@scripts/install.sh minimal
	@cmake --preset minimal >/dev/null
	@scripts/build.sh build-minimal --target installed

install-develop:
	@scripts/install.sh minimal full develop

test: install-develop
	@cmake --preset release >/dev/null
	@scripts/build.sh build
	@test/run.sh build

# The tests that are not listed in test/slow.list
test-fast: install-develop
	@cmake --preset release >/dev/null
	@scripts/build.sh build
	@test/run.sh build --label fast

# A subset of the tests (test/sanitized.list) with clang, AddressSanitizer, LeakSanitizer and UBSan
test-sanitized: install-develop
	@cmake --preset sanitized >/dev/null
	@scripts/build.sh build-sanitized --target $$(test/support/programs.sh test/sanitized.list)
	@test/run.sh build-sanitized --list test/sanitized.list

# All tests with gcc, with clang and with the sanitizers; the tests in test/threads.list with ThreadSanitizer
test-all: install-develop
	@test/all.sh

test-asan: install-develop
	@cmake --preset asan >/dev/null && scripts/build.sh build-asan && test/run.sh build-asan

test-clang: install-develop
	@cmake --preset clang >/dev/null && scripts/build.sh build-clang && test/run.sh build-clang

# make fuzz MINUTES=30: all fuzz targets, for that time in total
MINUTES ?= 10
fuzz: install-develop
	@cmake --preset fuzz >/dev/null && scripts/build.sh build-fuzz && scripts/fuzz.sh build-fuzz $(MINUTES)

bench:
	@scripts/install.sh minimal full develop bench
	@cmake --preset release -B build-bench -DCARDAN_BENCH=ON -DCARDAN_TESTS=OFF >/dev/null
	@scripts/build.sh build-bench --target bench_speed bench_generated bench_scaling bench_ldl bench_step bench_loops bench_threads bench_stiff cardan_tool
	@bench/run.sh build-bench

# Reproducible results of the papers, with computed and published values: build/papers/README.md
papers: install-develop
	@cmake --preset release >/dev/null
	@scripts/build.sh build
	@papers/run.sh build

# make install PREFIX=$$HOME/.local; the default is /usr/local and needs root
install: build
	@cmake --install build $(if $(PREFIX),--prefix "$(PREFIX)")

format: install-develop
	@find src include test bench papers examples -name '*.[ch]' -exec clang-format -i {} +

clean:
	rm -rf build build-*
