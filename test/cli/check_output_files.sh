#!/bin/sh
# Result files after a killed run, on a full disk, and with two runs in one folder: every file that the report lists
# exists and is complete. Mounts of this script exist only in its mount namespace.
if [ -z "${CARDAN_OWN_MOUNTS:-}" ] && unshare -m true 2>/dev/null; then
    exec env CARDAN_OWN_MOUNTS=1 unshare -m "$0" "$@"
fi
. "$(dirname "$0")/../support/tool.sh"
models=$root/models
partial() { find "${1:-results}" -name '*.part' | wc -l; }
count() { if [ "$2" -eq "$3" ]; then pass; else fail "$1: $2, not $3: $(ls -la results)"; fi; }

# ---- a killed run: the next run deletes its partial files, but not those of running processes
start_run() { # NAME: a long run in the background
    cardan run "$models/pendulum" -d 1e9 --output-interval 1 --generated never -o "results/$1.csv" --quiet 2>"$1.err" &
    process=$!
    for i in $(seq 200); do
        [ "$(find results -name "$1.csv.*.part" -size +0 2>find.err | wc -l)" -gt 0 ] && break
        sleep 0.05
    done
}
mkdir results
start_run living
living=$process
start_run killed
count "two running processes" "$(partial)" 2
kill -9 "$process"
wait "$process" 2>wait.err
count "one killed process" "$(partial)" 2
[ ! -e results/killed.csv ] && pass || fail "a killed run writes results/killed.csv"
ln -s "$models/pendulum/pendulum.yaml" results/link.csv.cardan-0123abcd-12-0.part
echo mine >results/mine.csv.part
code "the next run" 0 cardan run "$models/pendulum" -d 0.1 -o results/next.csv --quiet
count "after the next run" "$(find results -type f -name '*.cardan-*.part' | wc -l)" 1
[ -L results/link.csv.cardan-0123abcd-12-0.part ] && [ -s "$models/pendulum/pendulum.yaml" ] && pass || fail "a link is deleted as a partial file"
[ "$(cat results/mine.csv.part)" = mine ] && pass || fail "a file of the user is deleted as a partial file"
kill -0 "$living" && pass || fail "the other run ended: $(cat living.err)"
kill -TERM "$living"
wait "$living"
got=$?
[ "$got" -eq 130 ] && pass || fail "the other run: exit code $got"
exists results/living.csv
count "at the end" "$(find results -type f -name '*.cardan-*.part' | wc -l)" 0

# a file that is created during the run is not overwritten; the note names the options
start_run late
echo mine >results/late.csv
kill -TERM "$process"
wait "$process"
got=$?
[ "$got" -eq 1 ] && pass || fail "a file created during the run: exit code $got"
errors=late.err
message "a file created during the run" file_exists "results/late.csv: error"
errors=err
says "a file created during the run" "note: 'results/late.csv'" late.err
says "a file created during the run" "--force" late.err
says "a file created during the run" "--output" late.err
[ "$(cat results/late.csv)" = mine ] && pass || fail "a file created during the run is overwritten"
rm -r results

# ---- a full disk: a file system of 64 kB where one can be mounted, else files that may not grow
mkdir disk
if [ -n "${CARDAN_OWN_MOUNTS:-}" ] && mount -t tmpfs -o size=64k tmpfs disk 2>mount.err; then
    trap 'umount "$scratch/disk"; rm -rf "$scratch" "$golden"*' EXIT
    limited() { "$@"; }
    reason="No space left on device"
else
    limited() { (ulimit -f 64 && "$@"); } # blocks of 512 bytes
    reason="File too large"
fi
code "an earlier run" 0 cardan run "$models/pendulum" -d 0.1 --generated never -o disk/r.csv --quiet
cp disk/r.csv earlier.csv
code "a full disk" 1 limited cardan run "$models/pendulum" -d 100 --output-interval 0.001 --generated never -o disk/r.csv --force
message "a full disk" file_not_writable "disk/r.csv: error" "$reason"
lacks "a full disk" "disk/r" out
cmp -s earlier.csv disk/r.csv && pass || fail "the earlier results are changed"
[ "$(ls disk)" = "$(printf 'r.csv\nr.manifest.json\nr.svg')" ] && pass || fail "a full disk holds $(ls disk)"
code "a full disk, new" 1 limited cardan run "$models/pendulum" -d 100 --output-interval 0.001 --generated never -o disk/new.csv
lacks "a full disk, new" "disk/new" out
[ -z "$(ls disk | grep new)" ] && pass || fail "a full disk holds $(ls disk)"
code "a full disk as JSON" 1 limited cardan run "$models/pendulum" -d 100 --output-interval 0.001 --generated never -o disk/new.csv --json
true_of "a full disk as JSON" out "d['status'] == 'file_error'"

# enough space for results but not for curves: listed files exist, and no curves of an earlier run remain
if [ "$reason" = "No space left on device" ]; then
    rm disk/*
    code "an earlier run" 0 cardan run "$models/pendulum" -d 0.1 --generated never -o disk/r.csv --quiet --draw
    head -c 45000 /dev/zero >disk/ballast 2>head.err
    for rows in 20 40 60 80; do
        cardan run "$models/pendulum" -d 1 --output-interval "0.0$((100 / rows + 1))" --generated never -o disk/r.csv --force --draw >out 2>err </dev/null
        got=$?
        [ $got -eq 0 ] || message "little space, $rows samples" file_not_writable "$reason"
        for file in $(grep -o 'disk/[^ ]*' out); do exists "$file"; done
        for file in disk/r.svg disk/r-mechanism.svg; do
            if [ -e $file ] && [ $got -ne 0 ] && grep -q 'disk/r.csv' out && ! grep -q $file out; then fail "$file is that of an earlier run"; else pass; fi
        done
        head -c 5000 /dev/zero >>disk/ballast 2>head.err
    done
    rm disk/*
fi

# ---- inverse dynamics
code "a motion" 0 cardan run "$models/pendulum" -d 20 --output-interval 0.001 --generated never -c default,accelerations -o motion.csv --quiet
code "inverse on a full disk" 1 limited cardan inverse "$models/pendulum" --motion motion.csv -o disk/inverse.csv
message "inverse on a full disk" file_not_writable "disk/inverse.csv: error" "$reason"
lacks "inverse on a full disk" "disk/inverse" out
[ -z "$(ls disk | grep inverse)" ] && pass || fail "inverse dynamics creates $(ls disk)"

# ---- links, long names, and an address space smaller than the linear algebra library
ln -s nowhere dangling.csv
code "a link to a file that does not exist" 1 cardan run "$models/pendulum" -d 0.1 --generated never -o dangling.csv
message "a link to a file that does not exist" file_exists "'dangling.csv'"
[ ! -e nowhere ] && pass || fail "the link is followed"
python3 -c "print('cardan: 1\nname: ' + 'n' * 250 + '\nbodies: {b: {mass: 1, inertia: [1, 1, 1]}}\njoints: {a: {free: [ground, b]}}')" >named.yaml
code "a long name" 0 cardan run named.yaml -d 0.1 --generated never
[ "$(ls results | awk '{print length($0)}' | sort -n | tail -n 1)" -lt 160 ] && pass || fail "names of results are long"
if ! grep -q __asan_init "$build/cardan"; then
    for limit in 150000 300000; do
        code "ulimit -v $limit" 1 sh -c "ulimit -v $limit; exec timeout 20 cardan modes '$models/double_pendulum'"
        message "ulimit -v $limit" out_of_memory
    done
fi
ends
