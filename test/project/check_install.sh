#!/bin/sh
# The installed libraries, shared and static, are usable by pkg-config, by CMake and from C++, every header compiles alone,
# and the installed tool runs.
set -u
cd "$(dirname "$0")/../.."
. test/support/consumer.sh

check "pkg-config finds cardan" pkg-config --exists cardan
check "include folder of pkg-config" test "$(pkg-config --variable=includedir cardan | xargs realpath)" = "$(realpath "$prefix/include")"
check "version of the installed tool" test "$(cardan version)" = "cardan $(pkg-config --modversion cardan)"

check "static library" test -e "$libdir/libcardan.a"
check "shared library" test -e "$libdir/libcardan.so"

cp examples/*.c examples/*.cpp "$scratch"
cp -r models/double_pendulum "$scratch"

# The command of the first comment of an example compiles and runs it; its output is that of examples/NAME.txt.
example()
{
    (cd "$scratch" && eval "$(sed -n '1s,^// ,,p' "$1".c*)" >"$1.out") && diff "$scratch/$1.out" "examples/$1.txt"
}
cp models/double_pendulum/double_pendulum.yaml "$scratch"
for source in examples/*.c examples/*.cpp; do
    name=$(basename "${source%.*}")
    check "$name by pkg-config" example "$name"
    check "$name uses the shared library" sh -c "ldd '$scratch/$name' | grep -q '$libdir/libcardan.so'"
done

# The static library, which needs the foreign libraries: C and C++.
static_example() # COMPILER SOURCE
{
    # shellcheck disable=SC2046
    (cd "$scratch" && $1 "$2" $(pkg-config --cflags cardan) "$libdir/libcardan.a" \
        $(pkg-config --libs --static cardan | sed 's/-lcardan\b//') -o "static_$2.out" && "./static_$2.out" >static.out) &&
        ! ldd "$scratch/static_$2.out" | grep libcardan && diff "$scratch/static.out" "examples/${2%.*}.txt"
}
check "static library in C" static_example cc 01_pendulum.c
check "static library in C++" static_example "c++ -std=c++17" 03_parameters.cpp

# A model with a loop: coordinates of the cut joint are computed. The four angles of the loop add up to zero.
loop()
{
    cp models/four_bar/four_bar.yaml "$scratch" && (cd "$scratch" && ./02_simulate four_bar.yaml >loop.out) &&
        grep -q '^11 samples' "$scratch/loop.out" &&
        awk '/^t = / {for (i = 4; i + 2 <= NF; i += 3) if ($i ~ /^[ABCD]$/) {sum[NR] += $(i + 1); ++n}}
             END {for (r in sum) if (sum[r] > 1e-4 || sum[r] < -1e-4) exit 1; exit n != 44}' "$scratch/loop.out"
}
check "02_simulate with a loop" loop

mkdir "$scratch/consumer"
cat >"$scratch/consumer/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.22)
project(consumer LANGUAGES C CXX)
find_package(cardan 0.1 REQUIRED)
add_executable(pendulum ../01_pendulum.c)
target_link_libraries(pendulum PRIVATE cardan::cardan)
add_executable(pendulum_shared ../01_pendulum.c)
target_link_libraries(pendulum_shared PRIVATE cardan::cardan_shared)
add_executable(parameters ../03_parameters.cpp)
target_compile_features(parameters PRIVATE cxx_std_17)
target_link_libraries(parameters PRIVATE cardan::cardan)
add_executable(parameters_shared ../03_parameters.cpp)
target_compile_features(parameters_shared PRIVATE cxx_std_17)
target_link_libraries(parameters_shared PRIVATE cardan::cardan_shared)
END
consumer()
{
    CC=$(cached CMAKE_C_COMPILER) CFLAGS=$(cached CMAKE_C_FLAGS) CXX=$cxx CXXFLAGS=$(cached CMAKE_C_FLAGS) \
        cmake -S "$scratch/consumer" -B "$scratch/consumer/build" -DCMAKE_PREFIX_PATH="$prefix" &&
        cmake --build "$scratch/consumer/build"
}
prints() { "$scratch/consumer/build/$1" >"$scratch/consumer/out" && diff "$scratch/consumer/out" "examples/$2.txt"; }
check "find_package(cardan)" consumer
check "cardan::cardan in C" prints pendulum 01_pendulum
check "cardan::cardan_shared in C" prints pendulum_shared 01_pendulum
check "cardan::cardan in C++" prints parameters 03_parameters
check "cardan::cardan_shared in C++" prints parameters_shared 03_parameters

for header in "$prefix"/include/cardan/*.h; do
    name=$(basename "$header")
    echo "#include <cardan/$name>" | tee "$scratch/one.c" >"$scratch/one.cpp"
    check "$name compiles alone" cc -std=c17 -pedantic -fsyntax-only -I"$prefix/include" "$scratch/one.c"
    check "$name compiles alone in C++" c++ -std=c++11 -pedantic -fsyntax-only -I"$prefix/include" "$scratch/one.cpp"
    [ "$name" = cardan.h ] ||
        check "cardan.h includes $name" grep -q "#include <cardan/$name>" "$prefix/include/cardan/cardan.h"
done

# C++: the functions of the library have C linkage.
cat >"$scratch/fall.cpp" <<'END'
#include <cardan/cardan.h>
#include <cstdio>
#include <vector>
int main()
{
    static cardan_report report;
    cardan_description*  description = nullptr;
    cardan_model*        model       = nullptr;
    cardan_data*         data        = nullptr;
    const int            f           = cardan_formulation_find("auto");
    if (cardan_description_load("double_pendulum.yaml", nullptr, &description, &report) ||
        cardan_model_compile(description, cardan_formulation_tree_policy(f), &model, &report) ||
        cardan_data_create(model, f, &data, &report))
        return std::puts(report.message[0].text), 1;
    const cardan_model_view view = cardan_model_get_view(model);
    std::vector<double>     a(static_cast<std::size_t>(view.nv));
    if (cardan_data_set_state(data, 0, view.q_start, view.v_start, view.state_start) ||
        cardan_data_accelerate(data, a.data(), nullptr, &report))
        return std::puts(report.message[0].text), 1;
    std::printf("%s %s %d\n", cardan_version(), cardan_formulation_name(cardan_data_formulation(data)), view.nv);
    cardan_data_destroy(data);
    cardan_model_destroy(model);
    cardan_description_destroy(description);
    return cardan_dynamics_form_name(0) ? 0 : 1;
}
END
in_cxx()
{
    # shellcheck disable=SC2046
    (cd "$scratch" && c++ -std=c++11 -pedantic fall.cpp $(pkg-config --cflags --libs --static cardan) -o fall_cxx && ./fall_cxx)
}
check "a program in C++" in_cxx

# Every public function is tested with wrong arguments in test_arguments*.c.
sed 's,//.*,,; s,cardan_[a-z_0-9]*(void),,' include/cardan/*.h | grep -oE '\bcardan_[a-z_0-9]+ *\(' | tr -d ' (' | sort -u |
    grep -vE '^cardan_(status|nowhere)$' >"$scratch/functions"
for function in $(cat "$scratch/functions"); do
    check "$function in test_arguments*.c" grep -qE "\\b$function\\b" test/api/test_arguments*.c
done

finish
