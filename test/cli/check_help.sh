#!/bin/sh
# Every example of every `--help` that needs no file of the reader: the command succeeds.
. "$(dirname "$0")/../support/tool.sh"

ln -s "$root/models" models
for command in $(sed -n 's/^COMMAND(\(.*\))$/\1/p' "$root/src/cli/commands/commands.def"); do
    cardan "$command" --help | sed -n 's/^  \(cardan .*\)$/\1/p'
done >examples
examined=0
while IFS= read -r example; do
    case $example in
    "cardan view "*--html*) ;;
    "cardan view "*) continue ;; # a server that does not end
    *" models/"* | *" results/pendulum.csv"* | "cardan make "* | "cardan schema"* | "cardan list"* | "cardan version"* | "cardan help"*) ;;
    *) continue ;; # files of the reader
    esac
    examined=$((examined + 1))
    rm -rf results code # examples are independent
    case $example in *" results/pendulum.csv"*) code "results to plot" 0 cardan run models/pendulum ;; esac
    code "$example" 0 sh -c "$example"
done <examples
[ "$examined" -ge 30 ] && pass || fail "only $examined examples"
ends
