// SPDX-License-Identifier: BSD-3-Clause
// Files and commands of test_out_of_memory.c.
#pragma once

// Paths in commands: "@" is the source folder, "%" the folder of the files below. "!" before a command: the cache of
// compiled code is empty, so that the compiler is called.

typedef struct named_text {
    const char *name, *text;
} named_text;

static const named_text inputs[] = {
    {"rod.yaml", "cardan: 1\nname: rod\nparameters: {l: 2}\nbodies:\n  bar: {rod: [[0, 0, 0], [=l, 0, 0]], mass: 3}\n"
                 "joints:\n  hinge: {revolute: [ground, bar], at: [0, 0, 0], axis: y, limits: [-10, 0.02]}\n"
                 "outputs:\n  tip: {value: \"=2*z(bar)\", unit: m}\nrun: {duration: 0.1, output: 0.02}\n"},
    {"study.yaml", "study: 1\nname: grid\nmodel: rod.yaml\nvary:\n  l: [1, 2]\n"
                   "collect:\n  end: {final: tip}\n  low: {minimum: tip}\n  bottom: {event: limit}\n"
                   "  drift: energy.error\n"},
    {"bad.yaml", "cardan: 1\nbodies:\n  a: {masss: 1}\n"},
    {"stuck.yaml", "cardan: 1\nbodies:\n  a: {rod: [[0, 0, 0], [1, 0, 0]], mass: 1}\n"
                   "joints:\n  A: {revolute: [ground, a], at: [0, 0, 0], axis: z}\n"
                   "  B: {revolute: [ground, a], at: [1, 0, 0], axis: z}\n"},
    {"loose.yaml",
     "cardan: 1\nbodies:\n  a: {at: [0, 0, 0]}\n  b: {at: [1, 0, 0], mass: 1, inertia: [1, 1, 1]}\n"
     "joints:\n  A: {revolute: [ground, a], at: [0, 0, 0], axis: z}\n"
     "  B: {revolute: [a, b], at: [1, 0, 0], axis: z}\n  C: {revolute: [ground, b], at: [2, 0, 0], axis: z}\n"},
    {"cart.yaml", "cardan: 1\nname: cart\nbodies:\n  cart: {mass: 1, inertia: [1, 1, 1]}\n"
                  "joints:\n  rail: {prismatic: [ground, cart], at: [0, 0, 0], axis: x}\n"},
    {"task.yaml", "cardan: 1\ntask: move\nmodel: cart.yaml\nhorizon: 1\nintervals: 2\ncontrols: [rail]\n"
                  "end: {q: {rail: 1}, v: 0}\ncost: {effort: 1}\n"},
    {"beam.yaml",
     "cardan: 1\nname: beam\nparameters: {free: 1}\nbodies:\n  beam: {rod: [[0, 0, 0], [2, 0, 0]], mass: 4}\n"
     "joints:\n  hinge: {revolute: [ground, beam], at: [0, 0, 0], axis: y}\nforces:\n  coil: "
     "{spring: [{on: ground, at: [1, 0, 1]}, {on: beam, at: [1, 0, 0]}], stiffness: 900, length: =free}\n"},
    {"reach.yaml", "cardan: 1\ntask: reach\nmodel: @/models/double_pendulum/double_pendulum.yaml\nhorizon: 1\n"
                   "intervals: 2\ncontrols: [shoulder, elbow]\nend: {q: 0.1, v: 0}\ncost: {effort: 1, rate: 1}\n"},
};

static const named_text cases[] = {
    {"version", "version"},
    {"help", "help"},
    {"help of a command", "run --help"},
    {"no command", "hlep"},
    {"no option", "run --frobnicate"},
    {"no formulation", "run @/models/pendulum -f lagrenge"},
    {"list formulations", "list formulations"},
    {"list families", "list families"},
    {"list forms", "list forms --json"},
    {"schema", "schema"},
    {"schema manual", "schema --manual"},
    {"make", "make tree 3"},
    {"make set", "make ladder 2 --set h=2/3*l -o -"},
    {"expand", "expand @/models/double_pendulum --set l2=0.4"},
    {"convert", "convert @/test/data/urdf/arm.urdf"},
    {"check bad", "check %/bad.yaml --json"},
    {"check tree", "check @/models/branches"},
    {"check tree json", "check @/models/pendulum --json"},
    {"check loop", "check @/models/four_bar"},
    {"check loop json", "check @/models/four_bar --json"},
    {"check redundant", "check @/models/five_bar_redundant"},
    {"check parallelogram", "check @/models/diagnosis/parallelogram.yaml"},
    {"check flat parallelogram", "check @/models/diagnosis/flat_parallelogram.yaml"},
    {"check stretched", "check @/models/diagnosis/stretched.yaml"},
    {"check tied", "check @/models/diagnosis/tied.yaml"},
    {"check stuck", "check %/stuck.yaml"},
    {"check loose", "check %/loose.yaml"},
    {"check driven", "check @/models/driven_slider"},
    {"check urdf", "check @/test/data/urdf/arm.urdf"},
    {"assemble", "assemble @/models/slider_crank --set phi=1 -o closed.json"},
    {"assemble short", "assemble @/models/diagnosis/too_short.yaml"},
    {"draw", "draw @/models/four_bar"},
    {"draw urdf", "draw @/test/data/urdf/arm.urdf --view three"},
    {"draw strobe", "draw @/models/double_pendulum --strobe 3 -d 0.1"},
    {"run", "run @/models/double_pendulum -d 0.05 --generated never"},
    {"run json", "run @/models/double_pendulum -d 0.05 --generated never --json -c all"},
    {"run events", "run %/rod.yaml --draw"},
    {"run loop", "run @/models/four_bar -d 0.05 --draw --generated never"},
    {"run lagrange", "run @/models/slider_crank -f lagrange -d 0.05 --stabilization partitioning -o -"},
    {"run redundant", "run @/models/five_bar_redundant -d 0.02 -f reduction -o -"},
    {"run cvode", "run @/models/bushing_corner -i cvode-bdf -d 0.01 -q"},
    {"run ida", "run @/models/four_bar -i ida -d 0.01 -q"},
    {"run alpha", "run @/models/four_bar -i generalized-alpha -d 0.01 -q"},
    {"run regularized", "run @/models/diagnosis/flat_parallelogram.yaml -f regularized -d 0.02 -o -"},
    {"run singular", "run @/models/diagnosis/flat_parallelogram.yaml -f dense -d 0.02 -o -"},
    {"run compiled", "run @/models/pendulum -d 0.02 --generated always -o -"},
    {"run compiling", "!run @/models/pendulum -d 0.02 --generated always -o -"},
    {"run driven", "run @/models/driven_slider -d 0.02"},
    {"run rolling", "run @/models/rolling_disc -d 0.02"},
    {"plot", "plot %/motion.csv %/motion.csv -o -"},
    {"accel", "accel @/models/gear_pair"},
    {"accel state", "accel @/models/four_bar --state %/state.json --json"},
    {"accel all", "accel @/models/four_bar -f all"},
    {"kinematics", "kinematics @/models/driven_slider -d 0.02"},
    {"inverse", "inverse @/models/arm_pendulum"},
    {"inverse loop", "inverse @/models/four_bar --motors A,D --json"},
    {"inverse motion", "inverse @/models/four_bar --motors D --motion %/motion.csv"},
    {"equilibrium", "equilibrium @/models/double_pendulum"},
    {"equilibrium loop", "equilibrium @/models/four_bar --json"},
    {"equilibrium solve", "equilibrium @/models/trailing_arm --solve *.preload"},
    {"equilibrium solves", "equilibrium %/beam.yaml --solve free"},
    {"modes", "modes @/models/double_pendulum --equilibrium"},
    {"modes loop", "modes @/models/four_bar --equilibrium --draw 1"},
    {"linearize", "linearize @/models/four_bar --equilibrium --motors A -o linear.json"},
    {"linearize tree", "linearize @/models/cart_pole"},
    {"suspension", "suspension @/models/trailing_arm --sweeps parallel"},
    {"compare", "compare @/models/three_link"},
    {"compare loop", "compare @/models/four_bar --json"},
    {"sweep", "sweep %/study.yaml -j 1 --plot drift"},
    {"generate", "generate @/models/pendulum"},
    {"generate loop", "generate @/models/four_bar --form impl,exp1 -o -"},
    {"generate python", "generate @/models/pendulum --language python"},
    {"generate octave", "generate @/models/pendulum --language octave"},
    {"generate batch", "generate @/models/pendulum --batch --float"},
    {"optimize", "optimize %/task.yaml --generated never"},
    {"optimize starts", "optimize %/task.yaml --generated never --starts 2 -j 1"},
    {"optimize exp", "optimize %/task.yaml --form exp1-o --generated never --json"},
    {"optimize reach", "optimize %/reach.yaml --generated never"},
    {"optimize sizes", "optimize %/reach.yaml --sizes"},
    {"optimize loop", "optimize @/models/five_bar/pick_and_place.yaml --intervals 2 --sizes"},
};
