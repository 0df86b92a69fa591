#!/bin/sh
# Files include headers of lower layers only, and only one file of the sources includes the headers of each external
# library.
set -u
cd "$(dirname "$0")/../.."
passed=0
failed=0
expect_none() { # NAME LINES: passes if LINES is empty
    if [ -z "$2" ]; then passed=$((passed + 1)); else failed=$((failed + 1)); printf 'failed: %s\n%s\n' "$1" "$2"; fi
}

# each layer and the layers that it may include; exception: a traced number is a node, so its header includes the graph
while read -r layer allowed; do
    pattern=$(echo "$allowed $layer" | tr ' ' '|')
    expect_none "layer $layer" "$(grep -rnE '^#include "[a-z_]+/' "src/$layer" 2>/dev/null | grep -vE "#include \"($pattern)/|^src/math/number_trace.h:[0-9]+:#include \"expression/(graph|trace_parameters).h")"
done <<'LAYERS'
core
math core
expression math core
model expression math core
io contact model expression math core
kinematics model expression math core
constraint kinematics model expression math core
contact kinematics model expression math core
contact/shape contact math core
contact/pair contact math core
contact/convex contact math core
contact/mesh contact math core
contact/field contact math core
contact/ray contact math core
contact/broad contact math core
contact/derivative contact math core
impact math core
force contact kinematics model expression math core
formulation constraint contact kinematics model expression math core
equation constraint force contact kinematics model expression math core
dynamics equation impact formulation constraint force contact kinematics model expression math core
driver dynamics equation impact formulation constraint force contact kinematics model expression math core
assembly driver dynamics equation impact formulation constraint force contact kinematics model expression math core
explain assembly driver dynamics equation impact formulation constraint force contact kinematics model expression math core
simulation explain assembly driver dynamics equation impact formulation constraint force contact kinematics model expression math core
diagnosis explain assembly driver dynamics equation impact formulation constraint force contact kinematics model expression math core
analysis explain assembly driver dynamics equation impact formulation constraint force contact kinematics model expression math core
generate io explain assembly driver dynamics equation impact formulation constraint force contact kinematics model expression math core
optimize analysis generate explain assembly driver dynamics io equation impact formulation constraint force contact kinematics model expression math core
draw dynamics contact io model expression math core
study io model expression math core
view analysis draw simulation dynamics contact io model expression math core
mpi
cli view optimize study analysis generate diagnosis draw simulation explain assembly driver dynamics io equation impact formulation constraint force contact kinematics model expression math core
LAYERS

expect_none "geometry of contact is independent of models" "$(grep -nE '^#include "(model|kinematics|expression)/' src/contact/*.[ch])"
expect_none "every folder of src is a layer" "$(for d in src/*/; do grep -qE "^$(basename "$d")( |\$)" "test/project/check_layers.sh" || echo "$d"; done)"

# header of an external library, and the file that may include it
while read -r header file; do
    expect_none "$header is included by $file only" "$(grep -rlE "^#include <$header" src | grep -v "^$file\$")"
done <<'EXTERNAL'
yaml\.h src/io/yaml/yaml.c
libxml/ src/io/urdf/xml.c
assimp/ src/io/mesh/mesh_dae.c
cvode/ src/simulation/integrators/cvode.c
ida/ src/simulation/integrators/ida.c
kinsol/ src/analysis/equilibrium/newton_kinsol.c
mpi\.h src/mpi/sweep_mpi.c
libqhull src/contact/shape/hull_qhull.c
libwebsockets src/view/web_server.c
zlib src/view/recording/gzip.c
EXTERNAL
expect_none "LAPACK is called by src/math/lapack.c only" "$(grep -rlE '\b(dpotrf|dgelsy|dsyev|dgeev|dgesvd?)_' src | grep -v '^src/math/lapack.c$')"
expect_none "only the tool prints or exits" "$(grep -rnE '\b(printf|puts|exit|abort)\(' src --include='*.c' --include='*.h' | grep -vE 'src/cli/|src/mpi/|src/generate/print/print_c_test.c:.*\\n\\"|snprintf|vsnprintf|fprintf\(file')"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
