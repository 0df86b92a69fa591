#!/bin/sh
# Every example of every `--help` does what it says, those of models that are here and those that need no file.
. "$(dirname "$0")/../support/tool.sh"

ln -s "$root/models" models
for command in $(sed -n 's/^COMMAND(\(.*\))$/\1/p' "$root/src/cli/commands/commands.def"); do
    cardan "$command" --help | sed -n '/^examples/,$s/^  \(cardan .*\)$/\1/p'
done >examples
tried=0
while IFS= read -r example; do
    case $example in
    *" models/"* | *" results/pendulum.csv"* | "cardan make "* | "cardan schema"* | "cardan list"* | "cardan version"* | "cardan help"*) ;;
    *) continue ;; # of files that readers have
    esac
    tried=$((tried + 1))
    rm -rf results code # each is an example by itself
    case $example in *" results/pendulum.csv"*) code "what is plotted" 0 cardan run models/pendulum ;; esac
    code "$example" 0 sh -c "$example"
done <examples
[ "$tried" -ge 30 ] && pass || fail "only $tried examples are tried"
ends
