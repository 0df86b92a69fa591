# The front door. Everything real is in CMakeLists.txt and scripts/.
.PHONY: all build install-packages test test-asan test-clang bench install format clean

all: build

install-packages:
	@scripts/install.sh

build: install-packages
	@cmake --preset release >/dev/null
	@cmake --build build

test: build
	@test/run.sh build

test-asan: install-packages
	@cmake --preset asan >/dev/null && cmake --build build-asan && test/run.sh build-asan

test-clang: install-packages
	@cmake --preset clang >/dev/null && cmake --build build-clang && test/run.sh build-clang

bench: install-packages
	@cmake --preset release -B build-bench -DCARDAN_BENCH=ON -DCARDAN_TESTS=OFF >/dev/null
	@cmake --build build-bench --target bench_speed bench_scaling
	@bench/run.sh build-bench

clean:
	rm -rf build build-*
