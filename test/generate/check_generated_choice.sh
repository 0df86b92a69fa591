#!/bin/sh
# Whether a run uses generated code by itself: model and settings decide, not the cache; results are the same files with an empty and with a full cache;
# baselines never use it.
. "$(dirname "$0")/../support/tool.sh"
CARDAN_CACHE=$scratch/cache
export CARDAN_CACHE
models=$root/models

# a run that is long enough, with an empty cache and with a full one
long="-d 2000 --output-interval 20 --tolerance 1e-8 -f augmented"
code "long, empty cache" 0 cardan run "$models/four_bar" $long -o cold.csv --force --json
true_of "long, empty cache" out "d['generated']['used'] and not d['generated']['cached']"
code "long, full cache" 0 cardan run "$models/four_bar" $long -o warm.csv --force --json
true_of "long, full cache" out "d['generated']['used'] and d['generated']['cached']"
if cmp -s cold.csv warm.csv; then pass; else fail "results differ with the cache"; fi

# a shorter one, for which the code is in the cache: it is not used, and no bit differs
short="-d 600 --output-interval 20 --tolerance 1e-8 -f augmented"
code "short, full cache" 0 cardan run "$models/four_bar" $short -o short.csv --force --json
true_of "short, full cache" out "not d['generated']['used'] and d['generated']['reason'] == 'the run is short'"
code "short, never" 0 cardan run "$models/four_bar" $short --generated never -o never.csv --force --quiet
if cmp -s short.csv never.csv; then pass; else fail "results of a short run differ with the cache"; fi

# forced, on a mechanism that passes ten singular poses: the same files with an empty cache and a full one
code "make" 0 cardan make n-four-bar 40 -o n40.yaml
for formulation in augmented embedding reduction order-n; do
    rm -rf "$CARDAN_CACHE"
    for cache in empty full; do
        code "$formulation, $cache cache" 0 cardan run n40.yaml -f $formulation --generated always --output-interval 0.5 -o $cache.csv --force --json
        true_of "$formulation, $cache cache" out "d['generated']['used'] and d['generated']['cached'] == ('$cache' == 'full')"
    done
    if cmp -s empty.csv full.csv; then pass; else fail "$formulation: results differ with the cache"; fi
done

# baselines are compared with by their own equations
for formulation in augmented-last augmented-dense penalty; do
    for wish in auto always; do
        code "$formulation, $wish" 0 cardan run "$models/four_bar" -d 0.2 -f $formulation --generated $wish -o r.csv --force --json
        true_of "$formulation, $wish" out "not d['generated']['used'] and 'is a reference implementation' in d['generated']['reason']"
    done
    says "$formulation" "without generated code: '$formulation' is a reference implementation" err
done
ends
