// SPDX-License-Identifier: BSD-3-Clause
// What model files are told: the message, its place and its suggestion, for every mistake that is known.
#include "yaml_text.h"

#define HEAD "cardan: 1\n"
#define BODY "bodies: {b: {mass: 1}}\n"

static const struct {
    const char *text, *message;
} mistakes[] = {
    // YAML
    {"cardan: 1\nname: [a, b\n", "model.yaml:3:1: error: did not find expected ',' or ']'"},
    {HEAD "bodies:\n\tb: {mass: 1}\n", "model.yaml:3:1: error: found character that cannot start any token"},
    {HEAD "bodies:\n\tb: {mass: 1}\n", "YAML indents with spaces, and this line begins with a tab"},
    {HEAD "parameters: {a: =1 > 0 ? 1 : 2}\n",
     "formulas have no 'c ? a : b', write if(c, a, b) and put the formula in \"quotes\""},
    {HEAD "parameters:\n  a: =1 > 0 ? 1 : 2\n",
     "model.yaml:3:17: error: mapping values are not allowed in this context"},
    {HEAD "parameters: {a: \"=1 > 0 ? 1 : 2\"}\n",
     "model.yaml:2:17: error: parameter 'a': formulas have no 'c ? a : b': write if(c, a, b)"},
    {HEAD "name: caf\xe9 au lait\n",
     "model.yaml:2:11: error: invalid trailing UTF-8 octet; a model file is UTF-8 text"},
    {HEAD "# gr\xc3\xb6\xc3\x9f"
          "er\nname: a\x01\n",
     "model.yaml:3:8: error: control characters are not allowed; a model file is UTF-8 text"},
    {"", "model.yaml:1:1: error: the file is empty"},
    {"just words\n", "model.yaml:1:1: error: a model file is a map of sections"},
    {HEAD "---\ncardan: 1\n", "model.yaml:3:1: error: a second document begins here; a model file holds one"},
    {HEAD "parameters: {a: &x 1, b: *x}\n",
     "model.yaml:2:26: error: an alias (*x) repeats another value; use parameters, templates or repeat instead"},
    {HEAD "parameters: {a: *x}\n", "model.yaml:2:17: error: an alias (*x) repeats another value"},
    {HEAD "name: !special text\n", "tags such as '!special' have no meaning in a model file"},
    {HEAD "? [a, b]\n: 1\n",
     "model.yaml:2:3: error: a key must be a word; for a choice in a formula write \"=if(c, a, b)\""},
    {HEAD "name: "
          "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["
          "1"
          "]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]"
          "\n",
     "this is nested more than 64 levels deep"},
    {HEAD "name: a\nname: b\n",
     "model.yaml:3:1: error: the key 'name' is given twice, first in line 2: one would hide the other"},
    {HEAD "points: {A: [=atan2(1, 2), 0, 0]}\n" BODY,
     "model.yaml:2:14: error: the comma splits this formula in two: write \"=atan2(1, 2)\" in quotes"},
    {HEAD "outputs: {s: =max(t, 1)}\n",
     "model.yaml:2:14: error: the comma splits this formula in two: write \"=max(t, 1)\" in quotes"},

    // keys and shapes
    {"name: a\n", "model.yaml:1:1: error: 'cardan' is missing"},
    {"cardan: 2\n", "model.yaml:1:9: error: this Cardan reads version 1 of the language, not '2'"},
    {HEAD "bodys: {}\n", "model.yaml:2:1: error: there is no key 'bodys' here (did you mean 'bodies'?)"},
    {HEAD "bodies: {b: {mas: 1}}\n",
     "model.yaml:2:14: error: body 'b': there is no key 'mas' here (did you mean 'mass'?)"},
    {HEAD "units: {width: mm}\n", "there is no key 'width' here; known are length, angle, mass"},
    {HEAD "units: {length: km}\n", "model.yaml:2:17: error: 'length' must be m, mm, cm, in or ft, not 'km'"},
    {HEAD "gravity: 9.81\n", "model.yaml:2:10: error: 'gravity' must be three numbers, [x, y, z], not '9.81'"},
    {HEAD "gravity: [0, 0]\n", "'gravity' must be three numbers, [x, y, z], not a list of 2"},
    {HEAD "bodies: {b: {mass: [1]}}\n",
     "model.yaml:2:20: error: body 'b': 'mass' must be a number or =formula, not a list of 1"},
    {HEAD "bodies: {b: {mass: {a: 1}}}\n", "body 'b': 'mass' must be a number or =formula, not a map of keys"},
    {HEAD "bodies: {b: {mass: }}\n", "body 'b': 'mass' has no value; it must be a number or =formula"},
    {HEAD "bodies: [b]\n", "'bodies' must be a map of names to bodies, not a list of 1"},
    {HEAD BODY "joints: {j: {revolute: [ground], at: [0, 0, 0], axis: z}}\n",
     "joint 'j': 'revolute' must be two bodies, [first, second], not a list of 1"},
    {HEAD BODY "joints: {j: {at: [0, 0, 0]}}\n",
     "model.yaml:3:13: error: joint 'j': it has no type: one of the keys fixed, revolute, prismatic"},
    {HEAD BODY "joints: {j: {fixed: [ground, b], revolute: [ground, b]}}\n",
     "model.yaml:3:34: error: joint 'j': 'fixed' and 'revolute' exclude each other"},
    {HEAD BODY "joints: {j: {revolute: [ground, b], at: [0, 0, 0], axis: z, pitch: 1}}\n",
     "joint 'j': 'pitch' is for screw, not for revolute"},
    {HEAD BODY "joints: {j: {spherical: [ground, b], at: [0, 0, 0], axis: z}}\n",
     "joint 'j': 'axis' is for revolute, prismatic, cylindrical, screw and planar, not for spherical"},
    {HEAD "bodies: {b: {mass: 1, radius: 1}}\n", "body 'b': 'radius' goes with rod"},
    {HEAD "markers: {m: {at: [0, 0, 0]}}\n", "model.yaml:2:14: error: marker 'm': 'on' is missing"},
    {HEAD BODY "joints: {j: {free: [ground, b], start: {guess: perhaps}}}\n",
     "'guess' must be true or false, not 'perhaps'"},

    // numbers and formulas
    {HEAD "bodies: {b: {mass: heavy}}\n",
     "model.yaml:2:20: error: body 'b': 'heavy' is not a number; a formula begins with ="},
    {HEAD "parameters: {m: 1}\nbodies: {b: {mass: m}}\n",
     "body 'b': 'm' is a text; write =m for the value of the parameter"},
    {HEAD "parameters: {mass: 1}\nbodies: {b: {mass: =mas}}\n",
     "model.yaml:3:21: error: body 'b': unknown name 'mas': did you mean 'mass'?"},
    {HEAD "bodies: {b: {mass: =1/0}}\n", "body 'b': the value of '1/0' is not finite (inf)"},
    {HEAD "bodies: {b: {mass: 1e999}}\n", "body 'b': the number 1e999 is not finite"},
    {HEAD "bodies: {b: {mass: .nan}}\n", "body 'b': '.nan' is not a number"},
    {HEAD "bodies: {b: {mass: =2*t}}\n",
     "body 'b': 't' changes while the mechanism moves, but a fixed number is needed here"},
    {HEAD "parameters: {a: =b, b: =c, c: =a}\n",
     "model.yaml:2:17: error: parameter 'a' depends on itself: a -> b -> c -> a"},
    {HEAD "parameters: {t: 1}\n",
     "model.yaml:2:14: error: 't' has a meaning of its own in formulas; choose another name"},
    {HEAD "parameters: {a-b: 1}\n",
     "'a-b' cannot be used in formulas: a letter, then letters, digits and _ make a name"},
    {HEAD "points: {A: B, B: A}\n", "point 'A' depends on itself: A -> B -> A"},
    {HEAD "bodies: {bar: {mass: 1}}\noutputs: {o: =x(barr)}\n",
     "model.yaml:3:17: error: output 'o': there is no marker or body 'barr' (did you mean 'bar', line 2?)"},
    {HEAD BODY "points: {P: [0, 0, 0]}\noutputs: {o: =x(P)}\n",
     "model.yaml:4:17: error: output 'o': 'P' is a point and moves with no body: make a marker {on: body, at: P}"},
    {HEAD BODY "joints: {j: {spherical: [ground, b], at: [0, 0, 0]}}\noutputs: {o: =q(j)}\n",
     "joint 'j' has 4 of them: write q(j, 1) to q(j, 4)"},
    {HEAD BODY "joints: {j: {revolute: [ground, b], at: [0, 0, 0], axis: z}}\noutputs: {o: \"=q(j, 2)\"}\n",
     "the index '2' of q is not a whole number from 1 to 1"},
    {HEAD BODY "joints: {j: {fixed: [ground, b]}}\noutputs: {o: =v(j)}\n", "joint 'j' is fixed and has no coordinate"},
    {HEAD BODY "outputs: {o: =b}\n", "'b' is a marker: write x(b), vx(b) and so on"},
    {HEAD BODY "outputs: {o: \"=distance(b)\"}\n", "distance takes other arguments: distance(marker, other)"},
    {HEAD BODY "outputs: {o: \"=distance(b, b)\"}\n", "both markers are 'b'"},
    {HEAD BODY "outputs: {o: \"=angle(b, ground, w)\"}\n", "the axis 'w' of angle is not x, y or z"},
    {HEAD "tables: {f: {x: [0, 1], y: [0, 1]}}\noutputs: {o: =f}\n", "'f' is a table: write f(x)"},
    {HEAD "outputs: {o: =log(-1)}\n", "output 'o': the value of 'log(-1)' is not finite"},
    {HEAD "points: {A: [0, 0, 0]}\nparameters: {a: =A}\n", "'A' is a point: write x(A), y(A) or z(A)"},

    // bodies
    {HEAD "bodies: {b: {mass: -1}}\n", "model.yaml:2:20: error: body 'b': its mass is negative (-1)"},
    {HEAD "bodies: {b: {mass: 1, inertia: [1, 1, -0.5]}}\n",
     "model.yaml:2:32: error: body 'b': this inertia is not possible: its principal moment -0.5 is negative"},
    {HEAD "bodies: {b: {mass: 1, inertia: [1, 1, 1, 2, 0, 0]}}\n", "its principal moment -1 is negative"},
    {HEAD "bodies: {b: {mass: 1, inertia: [1, 1, 1, 1]}}\n",
     "body 'b': 'inertia' must be [xx, yy, zz] or [xx, yy, zz, xy, xz, yz], not a list of 4"},
    {HEAD "bodies: {b: {mass: 1, inertia_axes: {rpy: [0, 0, 1]}}}\n", "body 'b': 'inertia_axes' without 'inertia'"},
    {HEAD "bodies: {b: {rod: [[0, 0, 1], [0, 0, 1]], mass: 1}}\n",
     "model.yaml:2:19: error: body 'b': the rod has no length: its two ends are the same"},
    {HEAD "bodies: {b: {rod: [top, button], mass: 1}}\npoints: {top: [0, 0, 0], bottom: [1, 0, 0]}\n",
     "model.yaml:2:25: error: body 'b': there is no point 'button' (did you mean 'bottom', line 3?)"},
    {HEAD "bodies: {b: {rod: [[0, 0, 0], [1, 0, 0]], density: 1}}\n",
     "body 'b': its volume is zero, so the density gives no mass; give 'mass'"},
    {HEAD "bodies: {b: {box: [1, 1, 1], density: 1, mass: 2}}\n", "body 'b': 'mass' and 'density' exclude each other"},
    {HEAD "bodies: {b: {box: [1, 1, 1], density: -1}}\n", "body 'b': its density is negative (-1)"},
    {HEAD "bodies: {b: {box: [1, -1, 1], mass: 1}}\n", "body 'b': its length is negative (-1)"},
    {HEAD "bodies: {b: {box: [1, 1, 1], mass: 1, inertia: [1, 1, 1]}}\n",
     "body 'b': its inertia follows from 'box'; to only show the box, put it under 'shape'"},
    {HEAD "bodies: {b: {rod: [[0, 0, 0], [1, 0, 0]], centre: [0, 0, 0]}}\n", "body 'b': its centre follows from 'rod'"},
    {HEAD "bodies: {b: {mass: 1, density: 1}}\n", "body 'b': 'density' goes with rod, box, sphere and cylinder"},
    {HEAD "bodies: {ground: {mass: 1}}\n", "model.yaml:2:10: error: 'ground' is always there and cannot be defined"},
    {HEAD "bodies: {b: {relative: c}, c: {relative: b}}\n",
     "it is placed relative to 'b', which is placed relative to it"},
    {HEAD "bodies: {b: {orientation: [0, 0, 0, 0]}}\n", "body 'b': a quaternion of zeros is no orientation"},
    {HEAD "bodies: {b: {orientation: [1, 0, 0]}}\n",
     "body 'b': a quaternion has four numbers, a matrix three rows of three"},
    {HEAD "bodies: {b: {orientation: [[1, 0, 0], [0, 1, 0], [0, 0, 2]]}}\n", "body 'b': this matrix is no rotation"},
    {HEAD "bodies: {b: {orientation: [[1, 0, 0], [0, 1, 0], [0, 0, -1]]}}\n",
     "body 'b': this matrix is a reflection, not a rotation (its determinant is -1)"},
    {HEAD "bodies: {b: {orientation: {x: x}}}\n", "an orientation needs two of x, y, z, or axis and angle, or rpy"},
    {HEAD "bodies: {b: {orientation: {x: x, y: -x}}}\n", "x and y point the same way"},
    {HEAD "bodies: {b: {orientation: {rpy: [0, 0, 0], x: x}}}\n",
     "an orientation is given by axes, by axis and angle or by rpy, not by two of them"},
    {HEAD "markers: {m: {on: n}, n: {on: ground}}\n", "marker 'm': 'n' is a marker, and a body is needed here"},

    // joints
    {HEAD "bodies:\n  bar: {mass: 1}\njoints:\n  rocker: {revolute: [ground, barr], at: [0, 0, 0], axis: z}\n",
     "model.yaml:5:31: error: joint 'rocker': there is no body 'barr' (did you mean 'bar', line 3?)"},
    {HEAD BODY "joints: {j: {revolute: [b, b], at: [0, 0, 0], axis: z}}\n", "joint 'j': it joins 'b' with itself"},
    {HEAD BODY "joints: {j: {revolute: [ground, b], axis: z}}\n", "joint 'j': 'at' is missing: where is it?"},
    {HEAD BODY "joints: {j: {revolute: [ground, b], at: [0, 0, 0]}}\n", "joint 'j': 'axis' is missing"},
    {HEAD BODY "joints: {j: {revolute: [ground, b], at: [0, 0, 0], axis: w}}\n",
     "joint 'j': 'w' is no axis: x, y, z, -x, -y, -z, [x, y, z] or {from: A, to: B}"},
    {HEAD BODY "joints: {j: {revolute: [ground, b], at: [0, 0, 0], axis: [0, 0, 0]}}\n",
     "joint 'j': this axis has no length"},
    {HEAD BODY "joints: {j: {revolute: [ground, b], at: [0, 0, 0], axis: {from: [1, 0, 0], to: [1, 0, 0]}}}\n",
     "joint 'j': the two places of this axis are the same"},
    {HEAD BODY "joints: {j: {revolute: [ground, b], at: [0, 0, 0], axis: z, orientation: {rpy: [0, 0, 0]}}}\n",
     "'axis' and 'orientation' exclude each other: z of the orientation is the axis"},
    {HEAD BODY "joints: {j: {screw: [ground, b], at: [0, 0, 0], axis: z}}\n",
     "joint 'j': 'pitch' is missing: its advance per turn"},
    {HEAD BODY "joints: {j: {universal: [ground, b], at: [0, 0, 0]}}\n",
     "joint 'j': 'axes' is missing, for example [x, y]"},
    {HEAD BODY "joints: {j: {universal: [ground, b], at: [0, 0, 0], axes: [x, -x]}}\n",
     "joint 'j': its two axes are parallel"},
    {HEAD BODY "joints: {j: {general: [ground, b], at: [0, 0, 0]}}\n", "joint 'j': 'steps' is missing"},
    {HEAD BODY "joints: {j: {general: [ground, b], at: [0, 0, 0], steps: [{turn: x}]}}\n",
     "there is no key 'turn' here; known are rotate, translate"},
    {HEAD BODY "joints: {j: {free: [ground, b], orientation: {rpy: [0, 0, 0]}}}\n",
     "joint 'j': 'orientation' needs 'at' in a free joint"},
    {HEAD BODY "joints: {j: {cylindrical: [ground, b], at: [0, 0, 0], axis: z, damping: 1}}\n",
     "a cylindrical joint has turns and slides: give one value per coordinate, a list of 2"},
    {HEAD BODY "joints: {j: {cylindrical: [ground, b], at: [0, 0, 0], axis: z, limits: [0, 1]}}\n",
     "a cylindrical joint has turns and slides: give one pair per coordinate"},
    {HEAD BODY "joints: {j: {revolute: [ground, b], at: [0, 0, 0], axis: z, damping: [1, 2]}}\n",
     "a revolute joint has 1 coordinate, and 2 values are given"},
    {HEAD BODY "joints: {j: {universal: [ground, b], at: [0, 0, 0], axes: [x, y], limits: [[0, 1]]}}\n",
     "a universal joint has 2 coordinates, and limits of 1 are given"},
    {HEAD BODY "joints: {j: {revolute: [ground, b], at: [0, 0, 0], axis: z, limits: [1]}}\n",
     "'limits' must be [lower, upper] or a list of such pairs"},
    {HEAD BODY "joints: {j: {revolute: [ground, b], at: [0, 0, 0], axis: z, limits: [1, -1]}}\n",
     "joint 'j': its lower limit is above the upper one"},
    {HEAD BODY "joints: {j: {revolute: [ground, b], at: [0, 0, 0], axis: z, limits: {lower: 0, stiffness: -1}}}\n",
     "a stop with negative stiffness or damping pushes the wrong way"},
    {HEAD BODY "joints: {j: {revolute: [ground, b], at: [0, 0, 0], axis: z, friction: -1}}\n",
     "joint 'j': its friction is negative"},
    {HEAD BODY "joints: {j: {revolute: [ground, b], at: [0, 0, 0], axis: z, friction: {forward: 1, speed: 0}}}\n",
     "the speed of friction must be positive"},
    {HEAD BODY "joints: {j: {revolute: [ground, b], at: [0, 0, 0], axis: z, armature: -1}}\n",
     "joint 'j': its armature is negative"},
    {HEAD BODY "joints: {j: {spherical: [ground, b], at: [0, 0, 0], start: {q: 1}}}\n",
     "a spherical joint starts with 4 values of q, and 1 is given"},
    {HEAD BODY "joints: {j: {revolute: [ground, b], at: [0, 0, 0], axis: z, start: {v: [1, 2]}}}\n",
     "a revolute joint starts with 1 value of v, and 2 are given"},
    {HEAD BODY "joints: {j: {spherical: [ground, b], at: [0, 0, 0], start: {q: [0, 0, 0, 0]}}}\n",
     "a quaternion of zeros is no orientation"},
    {HEAD BODY "couplings: [{joint: j, to: k}]\n", "coupling: there is no joint 'j'"},
    {HEAD BODY
     "joints: {j: {spherical: [ground, b], at: [0, 0, 0]}, k: {fixed: [ground, b]}}\ncouplings: [{joint: j, to: k}]\n",
     "only joints of one coordinate can be coupled"},

    // forces
    {HEAD "bodies: {bar: {mass: 1}}\nforces: {f: {spring: [bar, bat]}}\n",
     "force 'f': there is no marker or body 'bat' (did you mean 'bar', line 2?)"},
    {HEAD BODY "forces: {f: {spring: [b, b]}}\n", "force 'f': both its markers are the same"},
    {HEAD BODY "points: {P: [0, 0, 0]}\nforces: {f: {spring: [b, P]}}\n",
     "force 'f': 'P' is a point and belongs to no body: make a marker {on: body, at: P}"},
    {HEAD BODY "forces: {f: {spring: [b, ground], stiffness: [1]}}\n",
     "force 'f': 'stiffness' of a spring is one number"},
    {HEAD BODY "forces: {f: {spring: [b, ground], length: -1}}\n", "force 'f': its free length is negative"},
    {HEAD BODY
     "tables: {T: {x: [0, 1], y: [0, 1]}}\nforces: {f: {spring: [b, ground], stiffness: 1, force_table: T}}\n",
     "'stiffness' and 'force_table' exclude each other"},
    {HEAD BODY "tables: {T: {x: [0, 1], y: [0, 1]}}\nforces: {f: {spring: [b, ground], damping: 1, damper_table: T}}\n",
     "'damping' and 'damper_table' exclude each other"},
    {HEAD BODY "forces: {f: {spring: [b, ground], force_table: T}}\n", "force 'f': there is no table 'T'"},
    {HEAD BODY "forces: {f: {bushing: [b, ground], stiffness: 3}}\n",
     "'stiffness' of a bushing is a list: along x, y, z, and perhaps about x, y, z"},
    {HEAD BODY "forces: {f: {force: [0, 0, 1]}}\n", "force 'f': 'on' is missing: the marker on which it acts"},
    {HEAD BODY "forces: {f: {on: b, force: [0, 0, =tt]}}\n",
     "model.yaml:3:36: error: force 'f': unknown name 'tt': did you mean 't'?"},
    {HEAD BODY "forces: {f: {actuator: j, effort: 1}}\n", "force 'f': there is no joint 'j'"},
    {HEAD BODY "joints: {j: {revolute: [ground, b], at: [0, 0, 0], axis: z}}\nforces: {f: {actuator: j}}\n",
     "force 'f': 'effort' is missing"},
    {HEAD BODY "joints: {j: {fixed: [ground, b]}}\nforces: {f: {actuator: j, effort: 1}}\n",
     "joint 'j' is fixed and cannot be driven"},
    {HEAD BODY "joints: {j: {spherical: [ground, b], at: [0, 0, 0]}}\nforces: {f: {actuator: j, effort: 1}}\n",
     "joint 'j' has 3 coordinates: say which with 'coordinate'"},
    {HEAD BODY "joints: {j: {revolute: [ground, b], at: [0, 0, 0], axis: z}}\nforces: {f: {actuator: j, effort: 1, "
               "coordinate: 2}}\n",
     "joint 'j' has coordinates 1 to 1, not 2"},
    {HEAD BODY "joints: {j: {revolute: [ground, b], at: [0, 0, 0], axis: z}}\nforces: {f: {actuator: j, effort: 1, "
               "coordinate: 1.5}}\n",
     "a whole number is needed here, not 1.5"},
    {HEAD BODY "joints: {j: {revolute: [ground, b], at: [0, 0, 0], axis: z}}\nforces: {f: {actuator: j, effort: 1, "
               "limits: [1, 0]}}\n",
     "force 'f': its lower limit is above the upper one"},
    {HEAD BODY "markers: {f.first: {on: b}}\nforces: {f: {spring: [{on: b, at: [0, 0, 0]}, ground]}}\n",
     "its end would be called 'f.first', and there is a marker or body of that name"},

    // tables, states, run
    {HEAD "tables: {f: {x: [0, 1]}}\noutputs: {o: =f(t)}\n", "table 'f': a table needs x and y, or csv"},
    {HEAD "tables: {f: {x: [0, 1], y: [0]}}\noutputs: {o: =f(t)}\n", "table 'f': it has 2 values of x and 1 of y"},
    {HEAD "tables: {f: {x: [0, 0], y: [0, 1]}}\noutputs: {o: =f(t)}\n",
     "model.yaml:2:21: error: table 'f': x must increase, but row 2 has 0 after 0"},
    {HEAD "tables: {f: {x: [0], y: [0]}}\noutputs: {o: =f(t)}\n",
     "table 'f': a table needs two rows or more, and this one has 1"},
    {HEAD BODY
     "constraints: {c: {point_on_curve: [{on: b, at: [0, 0, 0]}, {on: ground, at: [0, 0, 0]}], curve: {points: "
     "[[0, 0, 0]]}}}\n",
     "'points' must be a list of two or more places, each a point or [x, y, z], not a list of 1"},
    {HEAD "tables: {f: {csv: no.csv}}\noutputs: {o: =f(t)}\n", "table 'f': the file 'no.csv' cannot be read"},
    {HEAD "tables: {f: {csv: /dev/zero}}\noutputs: {o: =f(t)}\n",
     "model.yaml:2:19: error: table 'f': the file '/dev/zero' is a device; only regular files are read"},
    {HEAD "tables: {f: {csv: good.csv, x: [0], y: [0]}}\noutputs: {o: =f(t)}\n", "'csv' and x, y exclude each other"},
    {HEAD "tables: {f: {csv: good.csv, columns: [time, volume]}}\noutputs: {o: =f(t)}\n",
     "'good.csv' has no column 'volume'"},
    {HEAD "tables: {f: {csv: good.csv, columns: [1, 7]}}\noutputs: {o: =f(t)}\n",
     "'good.csv' has 3 columns, not a column 7"},
    {HEAD "tables: {f: {csv: bad.csv}}\noutputs: {o: =f(t)}\n", "line 3 of 'bad.csv' has no number in column 2"},
    {HEAD "tables: {f: {x: [0, 1], y: [0, 1], columns: [1, 2]}}\noutputs: {o: =f(t)}\n", "'columns' goes with 'csv'"},
    {HEAD "tables: {f: {x: [0, 1], y: [0, 1], scale: [1]}}\noutputs: {o: =f(t)}\n",
     "'scale' is two numbers, for x and for y"},
    {HEAD "tables: {sin: {x: [0, 1], y: [0, 1]}}\n", "'sin' is a function; choose another name"},
    {HEAD "parameters: {s: 1}\nstates: {s: {rate: 1}}\n", "state 's': there is a parameter of the same name, line 2"},
    {HEAD "run: {duration: 0}\n", "run: 'duration' must be positive, not 0"},

    // names
    {HEAD "bodies: {b: {mass: 1}}\nmarkers: {b: {on: ground}}\n",
     "model.yaml:3:11: error: body 'b' is defined twice, first in line 2"},
    {HEAD BODY "repeat: [{for: i in 1..2, bodies: {c: {mass: 1}}}]\n", "body 'c' is defined twice"},
    {HEAD "points: {A: [0, 0, 0]}\n",
     "model.yaml:2:10: error: point 'A' is used by nothing: remove it, or put a marker there"},

    // templates and repetition
    {HEAD "use: {A: {cornr: {}}}\ntemplates: {corner: {bodies: {b: {mass: 1}}}}\n",
     "model.yaml:2:11: error: use 'A': there is no template 'cornr' (did you mean 'corner', line 3?)"},
    {HEAD "use: {A: {mirror: y}}\n", "use 'A': it names no template: write {template: {...}}"},
    {HEAD "templates: {p: {}, q: {}}\nuse: {A: {p: {}, q: {}}}\n", "use 'A': it names two templates"},
    {HEAD "templates: {p: {use: {B: {p: {}}}}}\nuse: {A: {p: {}}}\n", "use 'A.B': template 'p' uses itself"},
    {HEAD "templates: {p: {with: {k: 1}}}\nuse: {A: {p: {m: 1}}}\n",
     "model.yaml:3:15: error: use 'A': template 'p' has no parameter 'm'"},
    {HEAD "templates: {p: {with: {on: }, bodies: {b: {mass: 1}}, joints: {h: {fixed: [on, b]}}}}\n"
          "bodies: {frame: {mass: 1}}\nuse: {A: {p: {on: fram}}}\n",
     "model.yaml:4:19: error: joint 'A.h': there is no body 'fram' (did you mean 'frame', line 3?)"},
    {HEAD "templates: {p: {with: {on: }, bodies: {b: {mass: 1}}, joints: {h: {fixed: [on, b]}}},\n"
          "  o: {with: {in: }, use: {B: {p: {on: in}}}}}\nuse: {A: {o: {in: nobody}}}\n",
     "model.yaml:4:19: error: joint 'A.B.h': there is no body 'nobody'"},
    {HEAD "templates: {p: {with: {k: }}}\nuse: {A: {p: {}}}\n", "use 'A': template 'p' needs a value for 'k'"},
    {HEAD "templates: {p: {with: {k: 1}, bodies: {b: {mass: =k}}}}\nuse: {A: {p: {k: steel}}}\n",
     "parameter 'A.k': 'steel' is not a number"},
    {HEAD "use: {A: {p: {}, mirro: y}}\ntemplates: {p: {}}\n",
     "model.yaml:2:18: error: use 'A': there is no key 'mirro' here (did you mean 'mirror'?)"},
    {HEAD "use: {A: {p: {}, sticker: {}}}\ntemplates: {p: {}}\n", "use 'A': there is no key or template 'sticker'"},
    {HEAD "include: part.yaml\njoints: {j: {fixed: [ground, prt]}}\n",
     "model.yaml:3:30: error: joint 'j': there is no body 'prt' (did you mean 'part', part.yaml:2?)"},
    {HEAD "use: {A: {p: {}, mirror: w}}\ntemplates: {p: {}}\n", "use 'A': 'mirror' must be x, y or z, not 'w'"},
    {HEAD "repeat: [{for: i = 1, bodies: {}}]\n",
     "model.yaml:2:16: error: repeat: 'i = 1' is no range; write it as 'i in 1..n'"},
    {HEAD "repeat: [{for: i in 0..1.5, bodies: {}}]\n", "repeat: a counter runs over whole numbers, not from 0 to 1.5"},
    {HEAD "repeat: [{for: i in 0..1e9, bodies: {}}]\n",
     "repeat: 1000000001 turns are more than Cardan takes (5000000 elements): is the range right?"},
    {HEAD "repeat:\n  - for: i in 1..4000\n    repeat: [{for: k in 1..4000, bodies: {b$i-$k: {}}}]\n",
     "this repeats to more than 5000000 elements: is the range right?"},
    {HEAD "repeat: [{for: i in 1..n, bodies: {}}]\n", "model.yaml:2:24: error: repeat: unknown name 'n'"},
    {HEAD "repeat: [{for: i in 1..2, bodies: {b$j: {}}}]\n", "unknown name 'j'"},
    {HEAD "repeat: [{for: i in 1..2, bodies: {b$i_: {}}}]\n",
     "model.yaml:2:38: error: unknown name 'i_': did you mean 'i'?"},
    {HEAD "repeat: [{for: i in 1..2, bodies: {b$: {}}}]\n",
     "'$' must be followed by a counter or by (formula) in 'b$'"},
    {HEAD "repeat: [{for: i in 1..2, bodies: {\"b$(i\": {}}}]\n", "'$(' is not closed in 'b$(i'"},
    {HEAD "repeat: [{for: i in 1..2, bodies: {b$(i/2): {}}}]\n", "'b$(i/2)': $ stands for whole numbers, not for 0.5"},

    // files
    {HEAD "include: no.yaml\n", "model.yaml:2:10: error: the file 'no.yaml' cannot be read"},
    {HEAD "include: [/dev/zero]\n",
     "model.yaml:2:11: error: the file '/dev/zero' is a device; only regular files are read"},
    {HEAD "include: .\n", "model.yaml:2:10: error: the file '.' is a folder, not a file"},
    {HEAD "include: model.yaml\n", "model.yaml:2:10: error: 'model.yaml' includes itself"},
    {HEAD "include: [part.yaml, part.yaml]\n",
     "model.yaml:2:22: error: 'part.yaml' is already included, by model.yaml:2"},
    {HEAD "include: part.yaml\nbodies: {part: {mass: 1}}\n",
     "model.yaml:3:10: error: body 'part' is defined twice, first in part.yaml:2"},
    {HEAD "include: back.yaml\n", "back.yaml:2:10: error: 'model.yaml' includes itself"},
    {HEAD "include: heavy.yaml\ngravity: [0, 0, -1]\n",
     "heavy.yaml:2:10: error: 'gravity' is given here and in model.yaml:3"},
};

static bool was_told(const char* message)
{
    for (int i = 0; i < yaml_report.count; ++i)
        if (yaml_report.message[i].severity == CARDAN_ERROR && strstr(yaml_report.message[i].text, message))
            return true;
    return false;
}

static void test_mistake(int i)
{
    cardan_description* description = yaml_load_with(mistakes[i].text, NULL);
    CHECK(description == NULL);
    CHECK(was_told(mistakes[i].message));
    if (test_broken) {
        printf("  %s\n  is not in\n", mistakes[i].message);
        yaml_print();
    }
    cardan_description_destroy(description);
}

// One mistake gives one message: what follows from it is not told.
static void test_no_echo(void)
{
    static const char* const alone[] = {
        HEAD "parameters: {a: =b}\nbodies: {b: {mass: =a}, c: {mass: =2*a}}\noutputs: {o: =a*x(b)}\n",
        HEAD "bodies: {b: {mass: [1]}}\njoints: {j: {revolute: [ground, b], at: [0, 0, 0], axis: z}}\nforces: {f: "
             "{actuator: j, effort: =q(j)}}\n",
        HEAD
        "bodies: {b: {mass: 1}}\njoints: {j: {revolut: [ground, b], at: [0, 0, 0], axis: z}}\noutputs: {o: =q(j)}\n",
        HEAD "repeat: [{for: i in 1..9, bodies: {b$i: {mass: -1}}, joints: {j$i: {fixed: [ground, b$i]}}}]\n",
        HEAD "points: {A: [=x, 0, 0]}\nbodies: {b: {rod: [A, [1, 0, 0]], mass: 1}, c: {mass: 1, at: A}}\nmarkers: {m: "
             "{on: b, at: A}}\noutputs: {o: =x(m)}\n",
    };
    for (size_t i = 0; i < sizeof alone / sizeof *alone; ++i) {
        CHECK(yaml_load_with(alone[i], NULL) == NULL);
        CHECK(yaml_report.errors == 1);
        if (yaml_report.errors != 1) yaml_print();
    }
}

// Twenty at once, and the rest counted.
static void test_many(void)
{
    char text[4000] = HEAD "bodies:\n";
    for (int i = 0; i < 30; ++i) sprintf(text + strlen(text), "  b%d: {mas: 1}\n", i);
    CHECK(yaml_load_with(text, NULL) == NULL);
    CHECK(yaml_report.errors == 30 && yaml_report.count == 20);
    CHECK_HAS(yaml_report.message[19].text, "model.yaml:22:9: error: body 'b19': there is no key 'mas' here");
}

// What is doubtful is a warning, with --strict an error.
static void test_doubts(void)
{
    static const struct {
        const char *text, *message;
    } doubts[] = {
        {HEAD "bodies: {b: {mass: 1, inertia: [1, 1, 2.3]}}\n",
         "no body has this inertia: its largest principal moment exceeds the sum of the others by 0.3; the nearest "
         "sound value is [1.1, 1.1, 2.2, 0, 0, 0]"},
        {HEAD "units: {length: mm}\ngravity: [0, 0, -9.81]\n",
         "gravity: this is only 0.00981 m/s^2, because lengths of this file are not metres; is 9810 meant?"},
        {HEAD BODY "joints: {j: {universal: [ground, b], at: [0, 0, 0], axes: [x, [1, 1, 0]]}}\n",
         "joint 'j': its two axes are not perpendicular but at 45 degrees"},
    };
    for (size_t i = 0; i < sizeof doubts / sizeof *doubts; ++i) {
        cardan_description* description = yaml_load(doubts[i].text);
        CHECK(yaml_report.count == 1 && yaml_report.message[0].severity == CARDAN_WARNING);
        CHECK_HAS(yaml_report.message[0].text, doubts[i].message);
        cardan_description_destroy(description);
        CHECK(yaml_load_with(doubts[i].text, &(cardan_load_options){.strict = true}) == NULL);
        CHECK(yaml_report.errors == 1);
        CHECK_HAS(yaml_report.message[0].text, doubts[i].message);
    }
    cardan_description* waived = yaml_load(HEAD "bodies: {b: {mass: 1, inertia: [1, 1, 2.3], inertia_check: false}}\n");
    CHECK(waived && yaml_report.count == 0);
    char* text = cardan_save_text(waived);
    CHECK(text && strstr(text, "inertia_check: false"));
    free(text);
    cardan_description_destroy(waived);
}

static void test_settings(void)
{
    const cardan_parameter_setting wrong[] = {{"lenght", "2"}};
    CHECK(yaml_load_with(HEAD "parameters: {length: 1}\n", &(cardan_load_options){.nsetting = 1, .setting = wrong}) ==
          NULL);
    CHECK_TEXT(yaml_report.message[0].text,
               "model.yaml: error: there is no parameter 'lenght' to set (did you mean 'length'?)");
    const cardan_parameter_setting far[] = {{"zz", "2"}};
    CHECK(yaml_load_with(HEAD "parameters: {length: 1, mass: 2}\n",
                         &(cardan_load_options){.nsetting = 1, .setting = far}) == NULL);
    CHECK_TEXT(yaml_report.message[0].text,
               "model.yaml: error: there is no parameter 'zz' to set; the file has length, mass");
}

int main(void)
{
    yaml_begin();
    yaml_write("good.csv", "time, force, speed\n0, 1, 2\n1, 2, 3\n");
    yaml_write("bad.csv", "x,y\n0,1\n1,two\n");
    yaml_write("part.yaml", HEAD "bodies: {part: {mass: 1}}\n");
    yaml_write("back.yaml", HEAD "include: model.yaml\n");
    yaml_write("heavy.yaml", HEAD "gravity: [0, 0, -20]\n");
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; ++i) RUN(test_mistake((int)i));
    RUN(test_no_echo());
    RUN(test_many());
    RUN(test_doubts());
    RUN(test_settings());
    yaml_end();
    return test_end();
}
