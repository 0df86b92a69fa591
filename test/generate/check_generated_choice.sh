#!/bin/sh
# Automatic use of generated code in a run: model and settings decide, not the cache; result files are identical with an
# empty and with a full cache; reference implementations never use it.
. "$(dirname "$0")/../support/tool.sh"
CARDAN_CACHE=$scratch/cache
export CARDAN_CACHE
models=$root/models

# a long run, with an empty and with a full cache
long="-d 2000 --output-interval 20 --tolerance 1e-8 -f augmented"
code "long, empty cache" 0 cardan run "$models/four_bar" $long -o cold.csv --force --json
true_of "long, empty cache" out "d['generated']['used'] and not d['generated']['cached']"
code "long, full cache" 0 cardan run "$models/four_bar" $long -o warm.csv --force --json
true_of "long, full cache" out "d['generated']['used'] and d['generated']['cached']"
if cmp -s cold.csv warm.csv; then pass; else fail "results differ with the cache"; fi

# a shorter run whose code is in the cache: the code is not used, and results are identical bit for bit
short="-d 600 --output-interval 20 --tolerance 1e-8 -f augmented"
code "short, full cache" 0 cardan run "$models/four_bar" $short -o short.csv --force --json
true_of "short, full cache" out "not d['generated']['used'] and d['generated']['reason']"
code "short, never" 0 cardan run "$models/four_bar" $short --generated never -o never.csv --force --quiet
if cmp -s short.csv never.csv; then pass; else fail "results of a short run differ with the cache"; fi

# generated code by option, on a mechanism that passes ten singular configurations: identical files with an empty and a
# full cache
code "make" 0 cardan make n-four-bar 40 -o n40.yaml
for formulation in augmented embedding reduction order-n; do
    rm -rf "$CARDAN_CACHE"
    for cache in empty full; do
        code "$formulation, $cache cache" 0 cardan run n40.yaml -f $formulation --generated always --output-interval 0.5 -o $cache.csv --force --json
        true_of "$formulation, $cache cache" out "d['generated']['used'] and d['generated']['cached'] == ('$cache' == 'full')"
    done
    if cmp -s empty.csv full.csv; then pass; else fail "$formulation: results differ with the cache"; fi
done

# reference implementations solve their own equations
for formulation in augmented-last augmented-dense penalty; do
    for choice in auto always; do
        code "$formulation, $choice" 0 cardan run "$models/four_bar" -d 0.2 -f $formulation --generated $choice -o r.csv --force --json
        true_of "$formulation, $choice" out "not d['generated']['used'] and '$formulation' in d['generated']['reason']"
    done
    message "$formulation" generated_code_not_used "'$formulation'"
done
ends
