# The front door. Everything real is in CMakeLists.txt and scripts/.
.PHONY: all build install-packages test test-asan test-clang bench papers install format clean

all: build

install-packages:
	@scripts/install.sh

build: install-packages
	@cmake --preset release >/dev/null
	@scripts/build.sh build

test: build
	@test/run.sh build

test-asan: install-packages
	@cmake --preset asan >/dev/null && scripts/build.sh build-asan && test/run.sh build-asan

test-clang: install-packages
	@cmake --preset clang >/dev/null && scripts/build.sh build-clang && test/run.sh build-clang

bench: install-packages
	@cmake --preset release -B build-bench -DCARDAN_BENCH=ON -DCARDAN_TESTS=OFF >/dev/null
	@scripts/build.sh build-bench --target bench_speed bench_generated bench_scaling bench_ldl bench_step bench_loops bench_threads bench_stiff cardan_tool
	@bench/run.sh build-bench

# What can be reproduced of the papers, ours beside theirs: build/papers/README.md
papers: build
	@papers/run.sh build

# make install PREFIX=$$HOME/.local; without PREFIX into /usr/local, as root
install: build
	@cmake --install build $(if $(PREFIX),--prefix "$(PREFIX)")

format: install-packages
	@find src include test bench papers examples -name '*.[ch]' -exec clang-format -i {} +

clean:
	rm -rf build build-*
