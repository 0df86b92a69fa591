// SPDX-License-Identifier: BSD-3-Clause
// Errors of model files: message with location and suggestion for every known error.
#include "sentences.h"
#include "yaml_text.h"

#define HEAD "cardan: 1\n"
#define BODY "bodies: {b: {mass: 1}}\n"

static const struct {
    const char *text, *parts; // of the message
} invalid[] = {
    // YAML
    {"cardan: 1\nname: [a, b\n", "model.yaml:3:1: error|','|']'"},
    {HEAD "bodies:\n\tb: {mass: 1}\n", "model.yaml:3:1: error"},
    {HEAD "bodies:\n\tb: {mass: 1}\n", ""},
    {HEAD "parameters: {a: =1 > 0 ? 1 : 2}\n", "'c ? a : b'"},
    {HEAD "parameters:\n  a: =1 > 0 ? 1 : 2\n", "model.yaml:3:17: error"},
    {HEAD "parameters: {a: \"=1 > 0 ? 1 : 2\"}\n", "model.yaml:2:17: error|'a'|'c ? a : b'"},
    {HEAD "name: caf\xe9 au lait\n", "model.yaml:2:11: error"},
    {HEAD "# gr\xc3\xb6\xc3\x9f"
          "er\nname: a\x01\n",
     "model.yaml:3:8: error"},
    {"", "model.yaml:1:1: error"},
    {"just words\n", "model.yaml:1:1: error"},
    {HEAD "---\ncardan: 1\n", "model.yaml:3:1: error"},
    {HEAD "parameters: {a: &x 1, b: *x}\n", "model.yaml:2:26: error"},
    {HEAD "parameters: {a: *x}\n", "model.yaml:2:17: error"},
    {HEAD "name: !special text\n", "'!special'"},
    {HEAD "? [a, b]\n: 1\n", "model.yaml:2:3: error"},
    {HEAD "name: "
          "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["
          "1"
          "]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]"
          "\n",
     "64"},
    {HEAD "name: a\nname: b\n", "model.yaml:3:1: error|'name'|2"},
    {HEAD "points: {A: [=atan2(1, 2), 0, 0]}\n" BODY, "model.yaml:2:14: error|1|2"},
    {HEAD "outputs: {s: =max(t, 1)}\n", "model.yaml:2:14: error|1"},

    // keys and value types
    {"name: a\n", "model.yaml:1:1: error|'cardan'"},
    {"cardan: 2\n", "model.yaml:1:9: error|1|'2'"},
    {HEAD "bodys: {}\n", "model.yaml:2:1: error|'bodys'|'bodies'"},
    {HEAD "bodies: {b: {mas: 1}}\n", "model.yaml:2:14: error|'b'|'mas'|'mass'"},
    {HEAD "units: {width: mm}\n", "'width'"},
    {HEAD "units: {length: km}\n", "model.yaml:2:17: error|'length'|'km'"},
    {HEAD "gravity: 9.81\n", "model.yaml:2:10: error|'gravity'|'9.81'"},
    {HEAD "gravity: [0, 0]\n", "'gravity'|2"},
    {HEAD "bodies: {b: {mass: [1]}}\n", "model.yaml:2:20: error|'b'|'mass'|1"},
    {HEAD "bodies: {b: {mass: {a: 1}}}\n", "'b'|'mass'"},
    {HEAD "bodies: {b: {mass: }}\n", "'b'|'mass'"},
    {HEAD "bodies: [b]\n", "'bodies'|1"},
    {HEAD BODY "joints: {j: {revolute: [ground], at: [0, 0, 0], axis: z}}\n", "'j'|'revolute'|1"},
    {HEAD BODY "joints: {j: {at: [0, 0, 0]}}\n", "model.yaml:3:13: error|'j'"},
    {HEAD BODY "joints: {j: {fixed: [ground, b], revolute: [ground, b]}}\n",
     "model.yaml:3:34: error|'j'|'fixed'|'revolute'"},
    {HEAD BODY "joints: {j: {revolute: [ground, b], at: [0, 0, 0], axis: z, pitch: 1}}\n", "'j'|'pitch'"},
    {HEAD BODY "joints: {j: {spherical: [ground, b], at: [0, 0, 0], axis: z}}\n", "'j'|'axis'"},
    {HEAD "bodies: {b: {mass: 1, radius: 1}}\n", "'b'|'radius'"},
    {HEAD "markers: {m: {at: [0, 0, 0]}}\n", "model.yaml:2:14: error|'m'|'on'"},
    {HEAD BODY "joints: {j: {free: [ground, b], start: {guess: perhaps}}}\n", "'guess'|'perhaps'"},

    // numbers and formulas
    {HEAD "bodies: {b: {mass: heavy}}\n", "model.yaml:2:20: error|'b'|'heavy'"},
    {HEAD "parameters: {m: 1}\nbodies: {b: {mass: m}}\n", "'b'|'m'"},
    {HEAD "parameters: {mass: 1}\nbodies: {b: {mass: =mas}}\n", "model.yaml:3:21: error|'b'|'mas'|'mass'"},
    {HEAD "bodies: {b: {mass: =1/0}}\n", "'b'|'1/0'"},
    {HEAD "bodies: {b: {mass: 1e999}}\n", "'b'|1e999"},
    {HEAD "bodies: {b: {mass: .nan}}\n", "'b'|'.nan'"},
    {HEAD "bodies: {b: {mass: =2*t}}\n", "'b'|'t'"},
    {HEAD "parameters: {a: =b, b: =c, c: =a}\n", "model.yaml:2:17: error|'a'"},
    {HEAD "parameters: {t: 1}\n", "model.yaml:2:14: error|'t'"},
    {HEAD "parameters: {a-b: 1}\n", "'a-b'"},
    {HEAD "points: {A: B, B: A}\n", "'A'"},
    {HEAD "bodies: {bar: {mass: 1}}\noutputs: {o: =x(barr)}\n", "model.yaml:3:17: error|'o'|'barr'|'bar'|2"},
    {HEAD BODY "points: {P: [0, 0, 0]}\noutputs: {o: =x(P)}\n", "model.yaml:4:17: error|'o'|'P'"},
    {HEAD BODY "joints: {j: {spherical: [ground, b], at: [0, 0, 0]}}\noutputs: {o: =q(j)}\n", "'j'|4|1"},
    {HEAD BODY "joints: {j: {revolute: [ground, b], at: [0, 0, 0], axis: z}}\noutputs: {o: \"=q(j, 2)\"}\n", "'2'|1"},
    {HEAD BODY "joints: {j: {fixed: [ground, b]}}\noutputs: {o: =v(j)}\n", "'j'"},
    {HEAD BODY "outputs: {o: =b}\n", "'b'"},
    {HEAD BODY "outputs: {o: \"=distance(b)\"}\n", ""},
    {HEAD BODY "outputs: {o: \"=distance(b, b)\"}\n", "'b'"},
    {HEAD BODY "outputs: {o: \"=angle(b, ground, w)\"}\n", "'w'"},
    {HEAD "tables: {f: {x: [0, 1], y: [0, 1]}}\noutputs: {o: =f}\n", "'f'"},
    {HEAD "outputs: {o: =log(-1)}\n", "'o'|'log(-1)'"},
    {HEAD "points: {A: [0, 0, 0]}\nparameters: {a: =A}\n", "'A'"},

    // bodies
    {HEAD "bodies: {b: {mass: -1}}\n", "model.yaml:2:20: error|'b'|-1"},
    {HEAD "bodies: {b: {mass: 1, inertia: [1, 1, -0.5]}}\n", "model.yaml:2:32: error|'b'|-0.5"},
    {HEAD "bodies: {b: {mass: 1, inertia: [1, 1, 1, 2, 0, 0]}}\n", "-1"},
    {HEAD "bodies: {b: {mass: 1, inertia: [1, 1, 1, 1]}}\n", "'b'|'inertia'|4"},
    {HEAD "bodies: {b: {mass: 1, inertia_axes: {rpy: [0, 0, 1]}}}\n", "'b'|'inertia_axes'|'inertia'"},
    {HEAD "bodies: {b: {rod: [[0, 0, 1], [0, 0, 1]], mass: 1}}\n", "model.yaml:2:19: error|'b'"},
    {HEAD "bodies: {b: {rod: [top, button], mass: 1}}\npoints: {top: [0, 0, 0], bottom: [1, 0, 0]}\n",
     "model.yaml:2:25: error|'b'|'button'|'bottom'|3"},
    {HEAD "bodies: {b: {rod: [[0, 0, 0], [1, 0, 0]], density: 1}}\n", "'b'|'mass'"},
    {HEAD "bodies: {b: {box: [1, 1, 1], density: 1, mass: 2}}\n", "'b'|'mass'|'density'"},
    {HEAD "bodies: {b: {box: [1, 1, 1], density: -1}}\n", "'b'|-1"},
    {HEAD "bodies: {b: {box: [1, -1, 1], mass: 1}}\n", "'b'|-1"},
    {HEAD "bodies: {b: {box: [1, 1, 1], mass: 1, inertia: [1, 1, 1]}}\n", "'b'|'box'|'shape'"},
    {HEAD "bodies: {b: {rod: [[0, 0, 0], [1, 0, 0]], centre: [0, 0, 0]}}\n", "'b'|'rod'"},
    {HEAD "bodies: {b: {mass: 1, density: 1}}\n", "'b'|'density'"},
    {HEAD "bodies: {ground: {mass: 1}}\n", "model.yaml:2:10: error|'ground'"},
    {HEAD "bodies: {b: {relative: c}, c: {relative: b}}\n", "'b'"},
    {HEAD "bodies: {b: {orientation: [0, 0, 0, 0]}}\n", "'b'"},
    {HEAD "bodies: {b: {orientation: [1, 0, 0]}}\n", "'b'"},
    {HEAD "bodies: {b: {orientation: [[1, 0, 0], [0, 1, 0], [0, 0, 2]]}}\n", "'b'"},
    {HEAD "bodies: {b: {orientation: [[1, 0, 0], [0, 1, 0], [0, 0, -1]]}}\n", "'b'|-1"},
    {HEAD "bodies: {b: {orientation: {x: x}}}\n", ""},
    {HEAD "bodies: {b: {orientation: {x: x, y: -x}}}\n", ""},
    {HEAD "bodies: {b: {orientation: {rpy: [0, 0, 0], x: x}}}\n", ""},
    {HEAD "markers: {m: {on: n}, n: {on: ground}}\n", "'m'|'n'"},

    // joints
    {HEAD "bodies:\n  bar: {mass: 1}\njoints:\n  rocker: {revolute: [ground, barr], at: [0, 0, 0], axis: z}\n",
     "model.yaml:5:31: error|'rocker'|'barr'|'bar'|3"},
    {HEAD BODY "joints: {j: {revolute: [b, b], at: [0, 0, 0], axis: z}}\n", "'j'|'b'"},
    {HEAD BODY "joints: {j: {revolute: [ground, b], axis: z}}\n", "'j'|'at'"},
    {HEAD BODY "joints: {j: {revolute: [ground, b], at: [0, 0, 0]}}\n", "'j'|'axis'"},
    {HEAD BODY "joints: {j: {revolute: [ground, b], at: [0, 0, 0], axis: w}}\n", "'j'|'w'"},
    {HEAD BODY "joints: {j: {revolute: [ground, b], at: [0, 0, 0], axis: [0, 0, 0]}}\n", "'j'"},
    {HEAD BODY "joints: {j: {revolute: [ground, b], at: [0, 0, 0], axis: {from: [1, 0, 0], to: [1, 0, 0]}}}\n", "'j'"},
    {HEAD BODY "joints: {j: {revolute: [ground, b], at: [0, 0, 0], axis: z, orientation: {rpy: [0, 0, 0]}}}\n",
     "'axis'|'orientation'"},
    {HEAD BODY "joints: {j: {screw: [ground, b], at: [0, 0, 0], axis: z}}\n", "'j'|'pitch'"},
    {HEAD BODY "joints: {j: {universal: [ground, b], at: [0, 0, 0]}}\n", "'j'|'axes'"},
    {HEAD BODY "joints: {j: {universal: [ground, b], at: [0, 0, 0], axes: [x, -x]}}\n", "'j'"},
    {HEAD BODY "joints: {j: {general: [ground, b], at: [0, 0, 0]}}\n", "'j'|'steps'"},
    {HEAD BODY "joints: {j: {general: [ground, b], at: [0, 0, 0], steps: [{turn: x}]}}\n", "'turn'"},
    {HEAD BODY "joints: {j: {free: [ground, b], orientation: {rpy: [0, 0, 0]}}}\n", "'j'|'orientation'|'at'"},
    {HEAD BODY "joints: {j: {cylindrical: [ground, b], at: [0, 0, 0], axis: z, damping: 1}}\n", "2"},
    {HEAD BODY "joints: {j: {cylindrical: [ground, b], at: [0, 0, 0], axis: z, limits: [0, 1]}}\n", ""},
    {HEAD BODY "joints: {j: {revolute: [ground, b], at: [0, 0, 0], axis: z, damping: [1, 2]}}\n", "1|2"},
    {HEAD BODY "joints: {j: {universal: [ground, b], at: [0, 0, 0], axes: [x, y], limits: [[0, 1]]}}\n", "2|1"},
    {HEAD BODY "joints: {j: {revolute: [ground, b], at: [0, 0, 0], axis: z, limits: [1]}}\n", "'limits'"},
    {HEAD BODY "joints: {j: {revolute: [ground, b], at: [0, 0, 0], axis: z, limits: [1, -1]}}\n", "'j'"},
    {HEAD BODY "joints: {j: {revolute: [ground, b], at: [0, 0, 0], axis: z, limits: {lower: 0, stiffness: -1}}}\n", ""},
    {HEAD BODY "joints: {j: {revolute: [ground, b], at: [0, 0, 0], axis: z, friction: -1}}\n", "'j'"},
    {HEAD BODY "joints: {j: {revolute: [ground, b], at: [0, 0, 0], axis: z, friction: {forward: 1, speed: 0}}}\n", ""},
    {HEAD BODY "joints: {j: {revolute: [ground, b], at: [0, 0, 0], axis: z, armature: -1}}\n", "'j'"},
    {HEAD BODY "joints: {j: {spherical: [ground, b], at: [0, 0, 0], start: {q: 1}}}\n", "4|1"},
    {HEAD BODY "joints: {j: {revolute: [ground, b], at: [0, 0, 0], axis: z, start: {v: [1, 2]}}}\n", "1|2"},
    {HEAD BODY "joints: {j: {spherical: [ground, b], at: [0, 0, 0], start: {q: [0, 0, 0, 0]}}}\n", ""},
    {HEAD BODY "couplings: [{joint: j, to: k}]\n", "'j'"},
    {HEAD BODY
     "joints: {j: {spherical: [ground, b], at: [0, 0, 0]}, k: {fixed: [ground, b]}}\ncouplings: [{joint: j, to: k}]\n",
     ""},

    // forces
    {HEAD "bodies: {bar: {mass: 1}}\nforces: {f: {spring: [bar, bat]}}\n", "'f'|'bat'|'bar'|2"},
    {HEAD BODY "forces: {f: {spring: [b, b]}}\n", "'f'"},
    {HEAD BODY "points: {P: [0, 0, 0]}\nforces: {f: {spring: [b, P]}}\n", "'f'|'P'"},
    {HEAD BODY "forces: {f: {spring: [b, ground], stiffness: [1]}}\n", "'f'|'stiffness'"},
    {HEAD BODY "forces: {f: {spring: [b, ground], length: -1}}\n", "'f'"},
    {HEAD BODY
     "tables: {T: {x: [0, 1], y: [0, 1]}}\nforces: {f: {spring: [b, ground], stiffness: 1, force_table: T}}\n",
     "'stiffness'|'force_table'"},
    {HEAD BODY "tables: {T: {x: [0, 1], y: [0, 1]}}\nforces: {f: {spring: [b, ground], damping: 1, damper_table: T}}\n",
     "'damping'|'damper_table'"},
    {HEAD BODY "forces: {f: {spring: [b, ground], force_table: T}}\n", "'f'|'T'"},
    {HEAD BODY "forces: {f: {bushing: [b, ground], stiffness: 3}}\n", "'stiffness'"},
    {HEAD BODY "forces: {f: {force: [0, 0, 1]}}\n", "'f'|'on'"},
    {HEAD BODY "forces: {f: {on: b, force: [0, 0, =tt]}}\n", "model.yaml:3:36: error|'f'|'tt'|'tx'"},
    {HEAD BODY "forces: {f: {actuator: j, effort: 1}}\n", "'f'|'j'"},
    {HEAD BODY "joints: {j: {revolute: [ground, b], at: [0, 0, 0], axis: z}}\nforces: {f: {actuator: j}}\n",
     "'f'|'effort'"},
    {HEAD BODY "joints: {j: {fixed: [ground, b]}}\nforces: {f: {actuator: j, effort: 1}}\n", "'j'"},
    {HEAD BODY "joints: {j: {spherical: [ground, b], at: [0, 0, 0]}}\nforces: {f: {actuator: j, effort: 1}}\n",
     "'j'|3|'coordinate'"},
    {HEAD BODY "joints: {j: {revolute: [ground, b], at: [0, 0, 0], axis: z}}\nforces: {f: {actuator: j, effort: 1, "
               "coordinate: 2}}\n",
     "'j'|1|2"},
    {HEAD BODY "joints: {j: {revolute: [ground, b], at: [0, 0, 0], axis: z}}\nforces: {f: {actuator: j, effort: 1, "
               "coordinate: 1.5}}\n",
     "1.5"},
    {HEAD BODY "joints: {j: {revolute: [ground, b], at: [0, 0, 0], axis: z}}\nforces: {f: {actuator: j, effort: 1, "
               "limits: [1, 0]}}\n",
     "'f'"},
    {HEAD BODY "markers: {f.first: {on: b}}\nforces: {f: {spring: [{on: b, at: [0, 0, 0]}, ground]}}\n", "'f.first'"},

    // tables, states, run
    {HEAD "tables: {f: {x: [0, 1]}}\noutputs: {o: =f(t)}\n", "'f'"},
    {HEAD "tables: {f: {x: [0, 1], y: [0]}}\noutputs: {o: =f(t)}\n", "'f'|2|1"},
    {HEAD "tables: {f: {x: [0, 0], y: [0, 1]}}\noutputs: {o: =f(t)}\n", "model.yaml:2:21: error|'f'|2|0"},
    {HEAD "tables: {f: {x: [0], y: [0]}}\noutputs: {o: =f(t)}\n", "'f'|1"},
    {HEAD BODY
     "constraints: {c: {point_on_curve: [{on: b, at: [0, 0, 0]}, {on: ground, at: [0, 0, 0]}], curve: {points: "
     "[[0, 0, 0]]}}}\n",
     "'points'|1"},
    {HEAD "tables: {f: {csv: no.csv}}\noutputs: {o: =f(t)}\n", "'f'|'no.csv'"},
    {HEAD "tables: {f: {csv: /dev/zero}}\noutputs: {o: =f(t)}\n", "model.yaml:2:19: error|'f'|'/dev/zero'"},
    {HEAD "tables: {f: {csv: good.csv, x: [0], y: [0]}}\noutputs: {o: =f(t)}\n", "'csv'"},
    {HEAD "tables: {f: {csv: good.csv, columns: [time, volume]}}\noutputs: {o: =f(t)}\n", "'good.csv'|'volume'"},
    {HEAD "tables: {f: {csv: good.csv, columns: [1, 7]}}\noutputs: {o: =f(t)}\n", "'good.csv'|3|7"},
    {HEAD "tables: {f: {csv: bad.csv}}\noutputs: {o: =f(t)}\n", "3|'bad.csv'|2"},
    {HEAD "tables: {f: {x: [0, 1], y: [0, 1], columns: [1, 2]}}\noutputs: {o: =f(t)}\n", "'columns'|'csv'"},
    {HEAD "tables: {f: {x: [0, 1], y: [0, 1], scale: [1]}}\noutputs: {o: =f(t)}\n", "'scale'"},
    {HEAD "tables: {sin: {x: [0, 1], y: [0, 1]}}\n", "'sin'"},
    {HEAD "parameters: {s: 1}\nstates: {s: {rate: 1}}\n", "'s'|2"},
    {HEAD "run: {duration: 0}\n", "'duration'|0"},

    // names
    {HEAD "bodies: {b: {mass: 1}}\nmarkers: {b: {on: ground}}\n", "model.yaml:3:11: error|'b'|2"},
    {HEAD BODY "repeat: [{for: i in 1..2, bodies: {c: {mass: 1}}}]\n", "'c'"},
    {HEAD "points: {A: [0, 0, 0]}\n", "model.yaml:2:10: error|'A'"},

    // templates and repetition
    {HEAD "use: {A: {cornr: {}}}\ntemplates: {corner: {bodies: {b: {mass: 1}}}}\n",
     "model.yaml:2:11: error|'A'|'cornr'|'corner'|3"},
    {HEAD "use: {A: {mirror: y}}\n", "'A'"},
    {HEAD "templates: {p: {}, q: {}}\nuse: {A: {p: {}, q: {}}}\n", "'A'"},
    {HEAD "templates: {p: {use: {B: {p: {}}}}}\nuse: {A: {p: {}}}\n", "'A.B'|'p'"},
    {HEAD "templates: {p: {with: {k: 1}}}\nuse: {A: {p: {m: 1}}}\n", "model.yaml:3:15: error|'A'|'p'|'m'"},
    {HEAD "templates: {p: {with: {on: }, bodies: {b: {mass: 1}}, joints: {h: {fixed: [on, b]}}}}\n"
          "bodies: {frame: {mass: 1}}\nuse: {A: {p: {on: fram}}}\n",
     "model.yaml:4:19: error|'A.h'|'fram'|'frame'|3"},
    {HEAD "templates: {p: {with: {on: }, bodies: {b: {mass: 1}}, joints: {h: {fixed: [on, b]}}},\n"
          "  o: {with: {in: }, use: {B: {p: {on: in}}}}}\nuse: {A: {o: {in: absent}}}\n",
     "model.yaml:4:19: error|'A.B.h'|'absent'"},
    {HEAD "templates: {p: {with: {k: }}}\nuse: {A: {p: {}}}\n", "'A'|'p'|'k'"},
    {HEAD "templates: {p: {with: {k: 1}, bodies: {b: {mass: =k}}}}\nuse: {A: {p: {k: steel}}}\n", "'A.k'|'steel'"},
    {HEAD "use: {A: {p: {}, mirro: y}}\ntemplates: {p: {}}\n", "model.yaml:2:18: error|'A'|'mirro'|'mirror'"},
    {HEAD "use: {A: {p: {}, sticker: {}}}\ntemplates: {p: {}}\n", "'A'|'sticker'"},
    {HEAD "include: part.yaml\njoints: {j: {fixed: [ground, prt]}}\n", "model.yaml:3:30: error|'j'|'prt'|'part'"},
    {HEAD "use: {A: {p: {}, mirror: w}}\ntemplates: {p: {}}\n", "'A'|'mirror'|'w'"},
    {HEAD "repeat: [{for: i = 1, bodies: {}}]\n", "model.yaml:2:16: error|'i = 1'|'i in 1..n'"},
    {HEAD "repeat: [{for: i in 0..1.5, bodies: {}}]\n", "0|1.5"},
    {HEAD "repeat: [{for: i in 0..1e9, bodies: {}}]\n", "1000000001|5000000"},
    {HEAD "repeat:\n  - for: i in 1..4000\n    repeat: [{for: k in 1..4000, bodies: {b$i-$k: {}}}]\n", "5000000"},
    {HEAD "repeat: [{for: i in 1..n, bodies: {}}]\n", "model.yaml:2:24: error|'n'"},
    {HEAD "repeat: [{for: i in 1..2, bodies: {b$j: {}}}]\n", "'j'"},
    {HEAD "repeat: [{for: i in 1..2, bodies: {b$i_: {}}}]\n", "model.yaml:2:38: error|'i_'|'i'"},
    {HEAD "repeat: [{for: i in 1..2, bodies: {b$: {}}}]\n", "'$'|'b$'"},
    {HEAD "repeat: [{for: i in 1..2, bodies: {\"b$(i\": {}}}]\n", "'$('|'b$(i'"},
    {HEAD "repeat: [{for: i in 1..2, bodies: {b$(i/2): {}}}]\n", "'b$(i/2)'|0.5"},

    // files
    {HEAD "include: no.yaml\n", "model.yaml:2:10: error|'no.yaml'"},
    {HEAD "include: [/dev/zero]\n", "model.yaml:2:11: error|'/dev/zero'"},
    {HEAD "include: .\n", "model.yaml:2:10: error|'.'"},
    {HEAD "include: model.yaml\n", "model.yaml:2:10: error|'model.yaml'"},
    {HEAD "include: [part.yaml, part.yaml]\n", "model.yaml:2:22: error|'part.yaml'"},
    {HEAD "include: part.yaml\nbodies: {part: {mass: 1}}\n", "model.yaml:3:10: error|'part'"},
    {HEAD "include: back.yaml\n", "back.yaml:2:10: error|'model.yaml'"},
    {HEAD "include: heavy.yaml\ngravity: [0, 0, -1]\n", "heavy.yaml:2:10: error|'gravity'"},
};

static void test_error(int i)
{
    cardan_description* description = yaml_load_with(invalid[i].text, NULL);
    CHECK(description == NULL);
    CHECK(yaml_report.errors > 0);
    CHECK_CASE(&yaml_report, invalid[i].text, invalid[i].parts);
    cardan_description_destroy(description);
}

// One error gives one message; consequences of it are not reported.
static void test_one_message_per_error(void)
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

// At most twenty errors are reported; further ones are counted.
static void test_many(void)
{
    char text[4000] = HEAD "bodies:\n";
    for (int i = 0; i < 30; ++i) sprintf(text + strlen(text), "  b%d: {mas: 1}\n", i);
    CHECK(yaml_load_with(text, NULL) == NULL);
    CHECK(yaml_report.errors == 30 && yaml_report.count == 20);
    CHECK_MESSAGE(&yaml_report.message[19], CARDAN_CODE_MODEL_INVALID, "model.yaml:22:9: error", "'b19'", "'mas'");
}

// Doubtful input is a warning, with --strict an error.
static void test_strict(void)
{
    static const struct {
        const char *text, *parts; // of the message
    } doubts[] = {
        {HEAD "bodies: {b: {mass: 1, inertia: [1, 1, 2.3]}}\n", "0.3|1.1|2.2|0"},
        {HEAD "units: {length: mm}\ngravity: [0, 0, -9.81]\n", "0.00981 m/s^2|9810"},
        {HEAD BODY "joints: {j: {universal: [ground, b], at: [0, 0, 0], axes: [x, [1, 1, 0]]}}\n", "'j'|45 degrees"},
    };
    for (size_t i = 0; i < sizeof doubts / sizeof *doubts; ++i) {
        cardan_description* description = yaml_load(doubts[i].text);
        CHECK(yaml_report.count == 1 && yaml_report.message[0].severity == CARDAN_WARNING);
        CHECK_CASE(&yaml_report, doubts[i].text, doubts[i].parts);
        cardan_description_destroy(description);
        CHECK(yaml_load_with(doubts[i].text, &(cardan_load_options){.strict = true}) == NULL);
        CHECK(yaml_report.errors == 1);
        CHECK_CASE(&yaml_report, doubts[i].text, doubts[i].parts);
    }
    cardan_description* waived = yaml_load(HEAD "bodies: {b: {mass: 1, inertia: [1, 1, 2.3], inertia_check: false}}\n");
    CHECK(waived && yaml_report.count == 0);
    char* text = cardan_description_save_text(waived);
    CHECK(text && strstr(text, "inertia_check: false"));
    free(text);
    cardan_description_destroy(waived);
}

static void test_settings(void)
{
    const cardan_parameter_setting wrong[] = {{"lenght", "2"}};
    CHECK(yaml_load_with(HEAD "parameters: {length: 1}\n", &(cardan_load_options){.nsetting = 1, .setting = wrong}) ==
          NULL);
    CHECK_MESSAGE(&yaml_report.message[0], CARDAN_CODE_UNKNOWN_NAME, "model.yaml: error", "'lenght'", "'length'");
    const cardan_parameter_setting far[] = {{"zz", "2"}};
    CHECK(yaml_load_with(HEAD "parameters: {length: 1, mass: 2}\n",
                         &(cardan_load_options){.nsetting = 1, .setting = far}) == NULL);
    CHECK_MESSAGE(&yaml_report.message[0], CARDAN_CODE_UNKNOWN_NAME, "model.yaml: error", "'zz'", "length, mass");
}

int main(void)
{
    yaml_begin();
    yaml_write("good.csv", "time, force, speed\n0, 1, 2\n1, 2, 3\n");
    yaml_write("bad.csv", "x,y\n0,1\n1,two\n");
    yaml_write("part.yaml", HEAD "bodies: {part: {mass: 1}}\n");
    yaml_write("back.yaml", HEAD "include: model.yaml\n");
    yaml_write("heavy.yaml", HEAD "gravity: [0, 0, -20]\n");
    for (size_t i = 0; i < sizeof invalid / sizeof *invalid; ++i) RUN(test_error((int)i));
    RUN(test_one_message_per_error());
    RUN(test_many());
    RUN(test_strict());
    RUN(test_settings());
    yaml_end();
    RUN(test_sentences("test_yaml_errors"));
    return test_end();
}
