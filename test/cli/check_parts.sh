#!/bin/sh
# Optional parts: `cardan version --parts` lists them with their packages; what needs a part that is not in the build is
# marked in the lists and refused with a code and the package, in any build.
. "$(dirname "$0")/../support/tool.sh"

cat >rod.yaml <<'END'
cardan: 1
bodies: {bar: {rod: [[0, 0, 0], [1, 0, 0]], mass: 1}}
joints: {hinge: {revolute: [ground, bar], at: [0, 0, 0], axis: y, damping: 1}}
run: {duration: 0.1}
END
cat >bar.urdf <<'END'
<robot name="bar"><link name="base"/></robot>
END

code "version --parts" 0 cardan version --parts
cp out parts
for part in "libxml2 libxml2-dev" "KLU libsuitesparse-dev" "SUNDIALS libsundials-dev" "IPOPT coinor-libipopt-dev" "assimp libassimp-dev" "Qhull libqhull-dev"; do
    line "${part% *}" "${part% *} " "in this build" "${part#* }"
    grep -q "^${part#* }\$" "$root/packages.txt" && pass || fail "${part#* } is not in packages.txt"
done
code "version --parts --json" 0 cardan version --parts --json
true_of "parts in JSON" out "[p['name'] for p in d['parts']] == ['libxml2', 'KLU', 'SUNDIALS', 'IPOPT', 'assimp', 'viewer', 'Qhull']"
code "version" 0 cardan version
lacks "parts only on request" "libxml2"

built() { grep -E "^ *$1 " parts | grep -qv "not in this build"; }

# part NAME PACKAGE LIST ENTRY COMMAND...: the entry of the list needs the part, and so does the command.
part() {
    needed=$1 package=$2 list=$3 entry=$4
    shift 4
    code "list $list" 0 cardan list "$list"
    grep -E "^ *$entry " out >entry
    if built "$needed"; then
        lacks "$entry is in this build" "not in this build" entry
        code "$*" 0 "$@"
    else
        says "$entry is marked" "not in this build: needs $needed, Debian package $package" entry
        code "$*" 1 "$@"
        message "$*" not_in_build "$package"
    fi
}
part SUNDIALS libsundials-dev integrators cvode-adams cardan run rod.yaml --integrator cvode-adams -o -
part SUNDIALS libsundials-dev integrators cvode-bdf cardan run rod.yaml --integrator cvode-bdf -o -
part SUNDIALS libsundials-dev integrators ida cardan run rod.yaml --integrator ida -o -
part SUNDIALS libsundials-dev commands equilibrium cardan equilibrium rod.yaml
part libxml2 libxml2-dev formats urdf cardan expand bar.urdf
cp "$root/models/cart_pole/swing_up.yaml" "$root/models/cart_pole/cart_pole.yaml" .
part IPOPT coinor-libipopt-dev commands optimize cardan optimize swing_up.yaml --intervals 20 -o swing.csv

# Integrators without foreign libraries are in every build.
code "dopri5" 0 cardan run rod.yaml --integrator dopri5 -o -
code "generalized-alpha" 0 cardan run rod.yaml --integrator generalized-alpha -o -
ends
