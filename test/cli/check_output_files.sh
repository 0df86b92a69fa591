#!/bin/sh
# Files of results when a run is killed, when the disk is full, and when two runs write in one folder: what is listed is there, and whole.
# mounts are those of this script alone, and end with it
if [ -z "${CARDAN_OWN_MOUNTS:-}" ] && unshare -m true 2>/dev/null; then
    exec env CARDAN_OWN_MOUNTS=1 unshare -m "$0" "$@"
fi
. "$(dirname "$0")/../support/tool.sh"
models=$root/models
partial() { find "${1:-results}" -name '*.part' | wc -l; }
count() { if [ "$2" -eq "$3" ]; then pass; else fail "$1: $2, not $3: $(ls -la results)"; fi; }

# ---- killed in the middle of a run; the next run tidies, and leaves files of runs that live
begun() { # NAME: a run without end, in the background
    cardan run "$models/pendulum" -d 1e9 --output-interval 1 --generated never -o "results/$1.csv" --quiet 2>"$1.err" &
    process=$!
    for i in $(seq 200); do
        [ "$(find results -name "$1.csv.*.part" -size +0 2>find.err | wc -l)" -gt 0 ] && break
        sleep 0.05
    done
}
mkdir results
begun living
living=$process
begun killed
count "two that write" "$(partial)" 2
kill -9 "$process"
wait "$process" 2>wait.err
count "one that was killed" "$(partial)" 2
[ ! -e results/killed.csv ] && pass || fail "a run that was killed leaves results/killed.csv"
ln -s "$models/pendulum/pendulum.yaml" results/link.csv.cardan-0123abcd-12-0.part
echo mine >results/mine.csv.part
code "the next run" 0 cardan run "$models/pendulum" -d 0.1 -o results/next.csv --quiet
count "after the next run" "$(find results -type f -name '*.cardan-*.part' | wc -l)" 1
[ -L results/link.csv.cardan-0123abcd-12-0.part ] && [ -s "$models/pendulum/pendulum.yaml" ] && pass || fail "a link was taken for a partial file"
[ "$(cat results/mine.csv.part)" = mine ] && pass || fail "a file of the user was taken for a partial one"
kill -0 "$living" && pass || fail "the other run ended: $(cat living.err)"
kill -TERM "$living"
wait "$living"
got=$?
[ "$got" -eq 130 ] && pass || fail "the other run: exit code $got"
exists results/living.csv
count "at the end" "$(find results -type f -name '*.cardan-*.part' | wc -l)" 0

# a file that appears while the run goes on is not overwritten; the tool says which options help
begun late
echo mine >results/late.csv
kill -TERM "$process"
wait "$process"
got=$?
[ "$got" -eq 1 ] && pass || fail "a file that appears: exit code $got"
says "a file that appears" "results/late.csv: error: is already there and is not overwritten" late.err
says "a file that appears" "note: 'results/late.csv' exists; --force overwrites it, --output names another" late.err
[ "$(cat results/late.csv)" = mine ] && pass || fail "a file that appears is overwritten"
rm -r results

# ---- a full disk: a file system of 64 kB where one can be mounted, else files that may not grow
mkdir disk
if [ -n "${CARDAN_OWN_MOUNTS:-}" ] && mount -t tmpfs -o size=64k tmpfs disk 2>mount.err; then
    trap 'umount "$scratch/disk"; rm -rf "$scratch"' EXIT
    tight() { "$@"; }
    reason="No space left on device"
else
    tight() { (ulimit -f 64 && "$@"); } # blocks of 512 bytes
    reason="File too large"
fi
code "an earlier run" 0 cardan run "$models/pendulum" -d 0.1 --generated never -o disk/r.csv --quiet
cp disk/r.csv earlier.csv
code "a full disk" 1 tight cardan run "$models/pendulum" -d 100 --output-interval 0.001 --generated never -o disk/r.csv --force
says "a full disk" "disk/r.csv: error: cannot be written: $reason" err
lacks "a full disk" "disk/r" out
cmp -s earlier.csv disk/r.csv && pass || fail "the earlier results are lost"
[ "$(ls disk)" = "$(printf 'r.csv\nr.manifest.json\nr.svg')" ] && pass || fail "a full disk holds $(ls disk)"
code "a full disk, new" 1 tight cardan run "$models/pendulum" -d 100 --output-interval 0.001 --generated never -o disk/new.csv
lacks "a full disk, new" "disk/new" out
[ -z "$(ls disk | grep new)" ] && pass || fail "a full disk holds $(ls disk)"
code "a full disk as JSON" 1 tight cardan run "$models/pendulum" -d 100 --output-interval 0.001 --generated never -o disk/new.csv --json
true_of "a full disk as JSON" out "d['status'] == 'no_file'"

# results that fit, curves that do not: what is listed is there, and no file of an earlier run is left beside
if [ "$reason" = "No space left on device" ]; then
    rm disk/*
    code "an earlier run" 0 cardan run "$models/pendulum" -d 0.1 --generated never -o disk/r.csv --quiet --draw
    head -c 45000 /dev/zero >disk/ballast 2>head.err
    for rows in 20 40 60 80; do
        cardan run "$models/pendulum" -d 1 --output-interval "0.0$((100 / rows + 1))" --generated never -o disk/r.csv --force --draw >out 2>err </dev/null
        got=$?
        [ $got -eq 0 ] || says "little room, $rows rows" "cannot be written: $reason" err
        for file in $(grep -o 'disk/[^ ]*' out); do exists "$file"; done
        for file in disk/r.svg disk/r-mechanism.svg; do
            if [ -e $file ] && [ $got -ne 0 ] && grep -q 'disk/r.csv (' out && ! grep -q $file out; then fail "$file is that of an earlier run"; else pass; fi
        done
        head -c 5000 /dev/zero >>disk/ballast 2>head.err
    done
    rm disk/*
fi

# ---- inverse dynamics
code "a motion" 0 cardan run "$models/pendulum" -d 20 --output-interval 0.001 --generated never -c default,accelerations -o motion.csv --quiet
code "inverse on a full disk" 1 tight cardan inverse "$models/pendulum" --motion motion.csv -o disk/inverse.csv
says "inverse on a full disk" "disk/inverse.csv: error: cannot be written: $reason" err
lacks "inverse on a full disk" "disk/inverse" out
[ -z "$(ls disk | grep inverse)" ] && pass || fail "inverse dynamics leave $(ls disk)"

# ---- links, long names, and an address space that the linear algebra library does not fit into
ln -s nowhere dangling.csv
code "a link to nothing" 1 cardan run "$models/pendulum" -d 0.1 --generated never -o dangling.csv
says "a link to nothing" "'dangling.csv' is a symbolic link to a file that does not exist" err
[ ! -e nowhere ] && pass || fail "the link was followed"
python3 -c "print('cardan: 1\nname: ' + 'n' * 250 + '\nbodies: {b: {mass: 1, inertia: [1, 1, 1]}}\njoints: {a: {free: [ground, b]}}')" >named.yaml
code "a long name" 0 cardan run named.yaml -d 0.1 --generated never
[ "$(ls results | awk '{print length($0)}' | sort -n | tail -n 1)" -lt 160 ] && pass || fail "names of results are long"
if ! grep -q __asan_init "$build/cardan"; then
    for limit in 150000 300000; do
        code "ulimit -v $limit" 1 sh -c "ulimit -v $limit; exec timeout 20 cardan modes '$models/double_pendulum'"
        says "ulimit -v $limit" "out of memory" err
    done
fi
ends
