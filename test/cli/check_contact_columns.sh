#!/bin/sh
# Columns `contacts` of `cardan run` against closed forms, by both laws: weight of a box at rest, m g cos s and m g sin s on
# an incline below the limit angle, mu m g cos s while it slides, loads of a stack, zeros in flight; curves of the columns.
. "$(dirname "$0")/../support/tool.sh"
models=$root/models

# The block slides up and stops after 3/(g (sin s + mu_k cos s)) s.
code "a block that stops and stays" 0 cardan run "$models/incline" -c contacts -o incline.csv --quiet
python "forces of rigid contact on the incline" <<'END'
import csv, math
rows = list(csv.DictReader(open('incline.csv')))
assert list(rows[0]) == ['t [s]', 'contact.block.ground.normal [N]', 'contact.block.ground.friction [N]',
                         'contact.block.ground.points [1]'], rows[0]
s, weight = math.radians(20), 3 * 9.81
stop = 3 / (9.81 * (math.sin(s) + 0.4 * math.cos(s)))
assert len(rows) == 201
for r in rows[1:]:
    t, normal, friction, points = (float(x) for x in r.values())
    if abs(t - stop) < 0.01: continue
    assert abs(normal - weight * math.cos(s)) < 1e-6 * weight, r
    assert abs(friction - weight * (0.4 * math.cos(s) if t < stop else math.sin(s))) < 1e-6 * weight, r
    assert 2 <= points <= 4, r
END

# A box falls 0.1 m on another one, which rests on the ground. Bodies are in the order of the file, ground is last.
cat >stack.yaml <<'END'
cardan: 1
materials: {wood: {}}
friction: {[wood, wood]: {mu: 0.5}}
ground: {shape: {plane: 4, material: wood}}
bodies:
  upper: {box: [0.1, 0.1, 0.1], mass: 1, at: [0, 0, 0.35], material: wood}
  lower: {box: [0.2, 0.2, 0.2], mass: 2, at: [0, 0, 0.1], material: wood}
joints: {upper: {free: [ground, upper]}, lower: {free: [ground, lower]}}
run: {duration: 0.6, output: 0.02}
END
code "a stack" 0 cardan run stack.yaml -c contacts -o stack.csv --quiet
code "a stack, compliant" 0 cardan run stack.yaml --set contacts.law=compliant --set contacts.stiffness=2e5 \
    --set contacts.exponent=1 --set contacts.damping=2000 -i cvode-bdf -d 2 -c contacts -o soft.csv --quiet
python "loads of a stack by both laws" <<'END'
import csv
g = 9.81
for name, tolerance in (('stack.csv', 1e-6), ('soft.csv', 1e-3)):
    rows = list(csv.DictReader(open(name)))
    pairs = 'upper.lower', 'upper.ground', 'lower.ground'
    assert [c for c in rows[0] if 'normal' in c] == [f'contact.{p}.normal [N]' for p in pairs], rows[0]
    value = lambda r, pair, what: float(r[f'contact.{pair}.{what}'])
    for r in rows:
        assert value(r, 'upper.ground', 'normal [N]') == value(r, 'upper.ground', 'points [1]') == 0, r
        if float(r['t [s]']) < 0.14:  # flight: 0.1 m take 0.1428 s
            for what in 'normal [N]', 'friction [N]', 'points [1]':
                assert value(r, 'upper.lower', what) == 0, r
            if name == 'stack.csv':
                assert abs(value(r, 'lower.ground', 'normal [N]') - 2 * g) < tolerance * g, r
    end = rows[-1]
    assert abs(value(end, 'upper.lower', 'normal [N]') - g) < tolerance * g, end
    assert abs(value(end, 'lower.ground', 'normal [N]') - 3 * g) < tolerance * g, end
    assert value(end, 'upper.lower', 'points [1]') == value(end, 'lower.ground', 'points [1]') == 4, end
    for pair in 'upper.lower', 'lower.ground':
        assert value(end, pair, 'friction [N]') < tolerance * g, end
END

# With regularized friction the block creeps, with the same forces.
code "a compliant block on the incline" 0 cardan run "$models/incline" --set contacts.law=compliant \
    --set contacts.stiffness=1e6 --set contacts.exponent=1 --set contacts.damping=2000 --set push=0 -i cvode-bdf -c contacts \
    -o creep.csv --quiet
python "forces of compliant contact on the incline" <<'END'
import csv, math
t, normal, friction, points = (float(x) for x in list(csv.reader(open('creep.csv')))[-1])
s, weight = math.radians(20), 3 * 9.81
assert abs(normal - weight * math.cos(s)) < 1e-3 * weight, normal
assert abs(friction - weight * math.sin(s)) < 1e-3 * weight, friction
END

# ---- selection: only on request; names, patterns, units and curves
code "default" 0 cardan run "$models/incline" -d 0.1 -o - --quiet
lacks "contacts only on request" "contact."
code "a pattern, and units" 0 cardan run "$models/incline" -d 0.1 -c 'contact.block.*.normal' --units kN -o - --quiet
says "a column of a pattern, in kN" "t [s],contact.block.ground.normal [kN]"
code "a model without contacts" 0 cardan run "$models/pendulum" -d 0.1 -c hinge.q,contacts -o - --quiet
lacks "no columns of contacts" "contact."
code "curves" 0 cardan plot incline.csv --columns '*.normal,*.friction' -o forces.svg
says "curve of the normal force" "contact.block.ground.normal" forces.svg
says "curve of the friction force" "contact.block.ground.friction" forces.svg
ends
