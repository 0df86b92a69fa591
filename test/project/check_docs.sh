#!/bin/sh
# Commands and examples of the documents are run in a temporary folder and their output is compared; documents.py
# describes the format of pages. `test/project/check_docs.sh --update [page ...]` writes the output into the pages, to
# be reviewed before a commit.
set -u
cd "$(dirname "$0")/../.."
. test/support/consumer.sh
update=
if [ "${1:-}" = --update ]; then
    update=--update
    shift
fi
pages=${*:-README.md docs/README.md docs/tutorial.md docs/statics-and-modes.md docs/suspension.md docs/generate.md docs/optimize.md docs/task-file.md docs/sweep.md docs/commands.md docs/benchmarks.md docs/papers.md docs/limitations.md docs/glossary.md $(echo docs/theory/*.md) ARCHITECTURE.md CHANGELOG.md $(echo models/*/README.md models/robots/*/README.md)}

# shellcheck disable=SC2086
python3 test/support/documents.py "$scratch" $update $pages >"$scratch/pages.log"
sed '$d' "$scratch/pages.log"
line=$(tail -n 1 "$scratch/pages.log")
case "$line" in
*passed,*failed)
    passed=$((passed + $(echo "$line" | cut -d' ' -f1)))
    failed=$((failed + $(echo "$line" | cut -d' ' -f3)))
    ;;
*)
    echo "documents.py did not finish"
    failed=$((failed + 1))
    ;;
esac

# Equations are numbered (1), (2), ... on every theory page.
for page in docs/theory/*.md; do
    numbers=$(grep -oE '\([0-9]+\)$' "$page" | tr -d '()')
    check "equation numbers of $page" test "$(echo $numbers)" = "$(echo $(seq 1 "$(echo "$numbers" | wc -l)"))"
done

# Pages that sources cite exist.
for page in $(grep -rhoE 'docs/[a-z/_-]+\.md' src include | sort -u); do
    check "cited page $page" test -f "$page"
done

# Formulations, commands, integrators, force elements and constraints of the tool are documented.
names() { cardan list "$1" | sed -n 's/^  \([a-z0-9-]*\) .*/\1/p'; }
# A reference implementation may have a heading on the page of the formulation that is compared with it.
for name in $(names formulations); do check "theory of $name" sh -c "[ -f docs/theory/$name.md ] || grep -q '^## .$name.:' docs/theory/*.md"; done
for name in $(names commands); do check "command $name" grep -qx "## $name" docs/commands.md; done
for name in $(names integrators); do check "integrator $name" grep -q "$name" docs/theory/integrators.md; done
for name in $(names forces); do check "force element $name" grep -q "\*\*$name\*\*" docs/theory/forces.md; done
for name in $(cardan list constraints | sed -n 's/^  \([a-z_]*\) .*/\1/p'); do check "constraint $name" grep -q "\*\*$name\*\*" docs/theory/constraints.md; done
check "README of 40 to 80 lines" sh -c 'n=$(wc -l <README.md); [ "$n" -ge 40 ] && [ "$n" -le 80 ]'

finish
