#!/bin/sh
# The installed library serves others: by pkg-config, by CMake, header by header; and the installed tool runs.
set -u
cd "$(dirname "$0")/.."
. test/consumer.sh

check "pkg-config knows cardan" pkg-config --exists cardan
check "pkg-config points into the prefix" test "$(pkg-config --variable=includedir cardan | xargs realpath)" = "$(realpath "$prefix/include")"
check "the installed tool is of the same version" test "$(cardan version)" = "cardan $(pkg-config --modversion cardan)"

cp examples/*.c "$scratch"
cp -r models/double_pendulum "$scratch"

# The command of the first comment, and the output the examples promise.
example()
{
    (cd "$scratch" && eval "$(sed -n '1s,^// ,,p' "$1.c")" >"$1.out") && diff "$scratch/$1.out" "examples/$1.txt"
}
check "01_pendulum by pkg-config" example 01_pendulum
cp models/double_pendulum/double_pendulum.yaml "$scratch"
check "02_simulate by pkg-config" example 02_simulate

mkdir "$scratch/consumer"
cat >"$scratch/consumer/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.22)
project(consumer LANGUAGES C)
find_package(cardan 0.1 REQUIRED)
add_executable(pendulum ../01_pendulum.c)
target_link_libraries(pendulum PRIVATE cardan::cardan)
END
consumer()
{
    CC=$(cached CMAKE_C_COMPILER) CFLAGS=$(cached CMAKE_C_FLAGS) \
        cmake -S "$scratch/consumer" -B "$scratch/consumer/build" -DCMAKE_PREFIX_PATH="$prefix" &&
        cmake --build "$scratch/consumer/build" && "$scratch/consumer/build/pendulum" >"$scratch/consumer/out" &&
        diff "$scratch/consumer/out" examples/01_pendulum.txt
}
check "01_pendulum by find_package(cardan)" consumer

for header in "$prefix"/include/cardan/*.h; do
    name=$(basename "$header")
    echo "#include <cardan/$name>" >"$scratch/one.c"
    check "$name stands alone" cc -std=c17 -pedantic -fsyntax-only -I"$prefix/include" "$scratch/one.c"
done

finish
