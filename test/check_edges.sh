#!/bin/sh
# At the edges of what can be: dead points at the start, ends of reach, poses where a constraint is not defined, and what is said there.
. "$(dirname "$0")/tool.sh"

# ---- drawn in line with the gap along the line no step of assembly has a direction: such a point is left
cat >crank.yaml <<'END'
cardan: 1
bodies:
  crank: {at: [0, 0, 0], rod: [[0, 0, 0], [1, 0, 0]], mass: 1}
  rod: {at: [1, 0, 0], rod: [[0, 0, 0], [3, 0, 0]], mass: 1}
  piston: {at: [4, 0, 0], mass: 1, inertia: [1, 1, 1]}
joints:
  A: {revolute: [ground, crank], at: [0, 0, 0], axis: z}
  B: {revolute: [crank, rod], at: [1, 0, 0], axis: z}
  C: {revolute: [rod, piston], at: [4, 0, 0], axis: z}
  D: {prismatic: [ground, piston], at: [4, 0, 0], axis: x, start: {q: -0.5}}
END
code "slider-crank in line" 0 cardan assemble crank.yaml --json
true_of "slider-crank in line" out 'd["final"]["joints"]["D"]["q"] == [-0.5]'
# (3.5 - cos A)^2 + sin^2 A = 9
true_of "slider-crank in line" out 'abs(abs(d["final"]["joints"]["A"]["q"][0]) - math.acos(4.25/7)) < 1e-12'
cat >bars.yaml <<'END'
cardan: 1
bodies:
  crank: {at: [0, 0, 0], rod: [[0, 0, 0], [1, 0, 0]], mass: 1}
  coupler: {at: [1, 0, 0], rod: [[0, 0, 0], [2, 0, 0]], mass: 1}
  rocker: {at: [2, 0, 0], rod: [[0, 0, 0], [1.5, 0, 0]], mass: 1}
joints:
  A: {revolute: [ground, crank], at: [0, 0, 0], axis: z}
  B: {revolute: [crank, coupler], at: [1, 0, 0], axis: z}
  C: {revolute: [coupler, rocker], at: [3, 0, 0], axis: z, at_second: [1.5, 0, 0]}
  D: {revolute: [ground, rocker], at: [2, 0, 0], axis: z}
END
for f in dense lagrange; do
    code "four bars in line, $f" 0 cardan assemble bars.yaml -f $f --json
    true_of "four bars in line, $f" out 'd["constraint"]["position"] < 1e-12'
done
sed 's/at: \[2, 0, 0\]/at: [4.6, 0, 0]/' bars.yaml >short.yaml
code "four bars too short, in line" 1 cardan assemble short.yaml
says "four bars too short, in line" "cannot be closed: a gap of 0.1 m remains" err

ends
