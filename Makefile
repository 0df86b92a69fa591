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

clean:
	rm -rf build build-*
