#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Paper 003 (Docquier, Bruels, Fisette), Table 4: operations of the generated code for the arm with pendulum in four forms; and the number of
# joints of a chain from which the order-N form has fewer operations than the factored one.
#
#   papers/003_table4.sh OUTPUT [--small]      writes OUTPUT/003_table4.md, .csv, .svg
#
# CARDAN is the path of the tool, default build/cardan.
set -eu
output=${1:?usage: papers/003_table4.sh OUTPUT}
root=$(cd "$(dirname "$0")/.." && pwd)
cardan=${CARDAN:-$root/build/cardan}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$output"

"$cardan" generate "$root/models/arm_pendulum" --form impl,semi,exp1,exp2 --count --json >"$scratch/regrouped.json"
"$cardan" generate "$root/models/arm_pendulum" --form impl,semi,exp1,exp2 --count --json --no-regrouping >"$scratch/plain.json"
for n in 2 3 4 5 6 7 8 9 10 11 12 16 20; do
    "$cardan" make chain $n -o "$scratch/chain.yaml" --force --quiet
    "$cardan" generate "$scratch/chain.yaml" --form exp1,exp2 --count --json >"$scratch/chain-$n.json"
done
python3 - "$scratch" "$output" <<'END'
import json, sys
scratch, output = sys.argv[1:]
read = lambda name: {f['form']: f for f in json.load(open(f'{scratch}/{name}.json'))['forms']}
plain, regrouped = read('plain'), read('regrouped')
paper = {'impl': (460, 114), 'semi': (830, 264), 'exp1': (991, 328), 'exp2': (1784, 395)}
sizes = [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 16, 20]
chain = {n: read(f'chain-{n}') for n in sizes}
with open(f'{output}/003_table4.csv', 'w') as f:
    f.write('joints [1],exp1 [1],exp2 [1]\n')
    for n in sizes:
        f.write(f"{n},{chain[n]['exp1']['total']},{chain[n]['exp2']['total']}\n")
less = lambda n: chain[n]['exp2']['total'] < chain[n]['exp1']['total']
cheaper = [n for n in sizes if all(less(k) for k in sizes if k >= n)]
with open(f'{output}/003_table4.md', 'w') as f:
    f.write('| form | operations, paper | inertias as described | regrouped | equations, paper | here |\n|---|---|---|---|---|---|\n')
    for form, (operations, equations) in paper.items():
        f.write(f"| {form.upper()} | {operations} | {plain[form]['total']} | {regrouped[form]['total']} | {equations} | {regrouped[form]['equations']} |\n")
    f.write('\n![operations over the number of joints](003_table4.svg)\n')
    f.write('\nOperations are + - * / sqrt of the written code; sines and cosines, 10 in every form, are not included.\n')
    f.write('On chains with hinges about z, y, x in turn the order-N form has fewer operations than the factored form '
            + (f'from {cheaper[0]} joints on.\n' if cheaper else f'for no chain of up to {sizes[-1]} joints.\n'))
END
"$cardan" plot "$output/003_table4.csv" -x joints --title 'Operations of EXP1 and EXP2 on chains' -o "$output/003_table4.svg" --force --quiet
