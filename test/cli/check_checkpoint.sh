#!/bin/sh
# Checkpoints of runs: a run that is stopped and continued by another process ends with the bits of a run that was not
# stopped; files that do not belong to the run are rejected.
. "$(dirname "$0")/../support/tool.sh"

# stopped NAME MODEL DURATION SAMPLES [OPTION...]: stop a run after SAMPLES samples, by closing its output; continue it from
# its last checkpoint; compare the checkpoints at the end, which contain state, energy balance and statistics.
stopped() {
    name=$1 model=$root/$2 duration=$3 samples=$4
    shift 4
    code "$name, whole" 0 cardan run "$model" -d "$duration" "$@" --checkpoint whole.json --quiet -o -
    cardan run "$model" -d "$duration" "$@" --checkpoint stopped.json --quiet -o - 2>/dev/null | head -n "$samples" >/dev/null
    true_of "$name, stopped before the end" stopped.json "0 < d['t'][0] < $duration"
    code "$name, continued" 0 cardan run "$model" -d "$duration" "$@" --continue stopped.json --checkpoint stopped.json --quiet -o -
    if cmp -s whole.json stopped.json; then pass; else fail "$name: the continued run has other bits"; fi
}
stopped "four-bar, dopri5" models/four_bar 50 1000
stopped "slider-crank, generalized-alpha" models/slider_crank 10 1500 -i generalized-alpha
stopped "vehicle, rk4" models/hmmwv/bump.yaml 3 500 -i rk4 --output-interval 0.001 -c all

code "checkpoint" 0 cardan run "$root/models/four_bar" -d 0.2 --checkpoint four_bar.json --quiet -o -
code "another model" 1 cardan run "$root/models/slider_crank" -d 1 --continue four_bar.json -o -
message "another model" checkpoint_invalid four_bar.json "'four-bar'" "'slider-crank'"
code "another integrator" 1 cardan run "$root/models/four_bar" -i rk4 -d 1 --continue four_bar.json -o -
message "another integrator" checkpoint_invalid four_bar.json "'dopri5'" "'rk4'"
code "a shorter run" 1 cardan run "$root/models/four_bar" -d 0.1 --continue four_bar.json -o -
message "a shorter run" checkpoint_invalid four_bar.json "0.2 s" "0.1 s"
echo '{"q": [1]}' >state.json
code "another file" 1 cardan run "$root/models/four_bar" -d 1 --continue state.json -o -
message "another file" checkpoint_invalid state.json cardan_checkpoint
code "missing file" 1 cardan run "$root/models/four_bar" -d 1 --continue none.json -o -
message "missing file" file_not_readable none.json
code "a folder that does not exist and cannot be made" 1 cardan run "$root/models/four_bar" -d 1 --checkpoint /dev/null/x.json -o -
ends
