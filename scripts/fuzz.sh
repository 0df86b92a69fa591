#!/bin/sh
# Run the fuzz targets of a build folder, two at a time, for the given minutes in total. They start from test/fuzz/corpus and from the
# inputs of earlier runs (BUILD/corpus). Inputs that crash, hang or take too much memory are saved in BUILD/findings/READER, and the exit
# code is 1: fix the cause, and add the input to test/fuzz/corpus/READER. Usage: scripts/fuzz.sh build-folder minutes
set -eu
cd "$(dirname "$0")/.."
build=$1
minutes=$2
jobs=2
readers=$(for target in test/fuzz/fuzz_*.c; do basename "$target" .c | sed 's/^fuzz_//'; done)
count=$(echo "$readers" | wc -l)
rounds=$(((count + jobs - 1) / jobs))
seconds=$(awk "BEGIN {s = int($minutes * 60 / $rounds); print s < 1 ? 1 : s}")
export OPENBLAS_NUM_THREADS=1 ASAN_OPTIONS="${ASAN_OPTIONS:-detect_leaks=1:allocator_may_return_null=1}"

mkdir -p "$build/dictionary" "$build/findings"
words() { cat "$@" | grep -oE '"[A-Za-z_$=.*()-]{1,24}"' | sort -u; }
words src/io/schema/schema.def src/io/yaml/read_*.c src/model/signal_calls.c src/formulation/formulations.def >"$build/dictionary/model"
sed -n 's/^CD_FUNCTION(\([a-z0-9]*\),.*/"\1("/p' src/expression/builtin_functions.def >"$build/dictionary/formula"
cat "$build/dictionary/formula" >>"$build/dictionary/model"
cp "$build/dictionary/model" "$build/dictionary/run"
cp "$build/dictionary/formula" "$build/dictionary/set"
words src/cli/support/state_file.c >"$build/dictionary/state"
words src/optimize/task/*.def src/optimize/task/read_*.c >"$build/dictionary/task"
words src/study/*.c >"$build/dictionary/study"
words src/io/results/results_read.c src/io/yaml/read_table.c >"$build/dictionary/csv"
words src/io/urdf/urdf*.c >"$build/dictionary/urdf"
words src/view/view_protocol.c >"$build/dictionary/view"
words src/io/mesh/mesh_stl.c >"$build/dictionary/stl"
printf '"v "\n"f "\n"//"\n"-1"\n' >"$build/dictionary/obj"
for reader in $readers; do [ -s "$build/dictionary/$reader" ] || echo '"0"' >"$build/dictionary/$reader"; done # libFuzzer refuses empty files

# Run one target: its output goes to a file, one line reports the outcome.
one() {
    reader=$1
    mkdir -p "$build/corpus/$reader" "$build/findings/$reader" "test/fuzz/corpus/$reader"
    if "$build/fuzz/fuzz_$reader" -max_total_time="$seconds" -max_len=8192 -timeout=100 -rss_limit_mb=2048 -print_final_stats=1 \
        -dict="$build/dictionary/$reader" -artifact_prefix="$build/findings/$reader/" "$build/corpus/$reader" "test/fuzz/corpus/$reader" \
        >"$build/fuzz/$reader.log" 2>&1; then
        echo "ok     $reader ($(sed -n 's/^stat::number_of_executed_units: *//p' "$build/fuzz/$reader.log") inputs)"
    else
        echo "FAILED $reader: see $build/fuzz/$reader.log and $build/findings/$reader"
        grep -E 'ERROR|SUMMARY|runtime error|ALARM' "$build/fuzz/$reader.log" | head -n 4
        return 1
    fi
}

echo "Fuzzing $count readers, $jobs at a time, $seconds s each"
failed=0
set -- $readers
while [ $# -gt 0 ]; do
    one "$1" &
    first=$!
    second=
    if [ $# -gt 1 ]; then
        one "$2" &
        second=$!
        shift
    fi
    shift
    wait "$first" || failed=$((failed + 1))
    [ -z "$second" ] || wait "$second" || failed=$((failed + 1))
done
echo "$((count - failed)) passed, $failed failed"
[ "$failed" -eq 0 ]
