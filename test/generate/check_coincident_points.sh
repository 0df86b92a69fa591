#!/bin/sh
# Points that coincide, and bodies at rest: springs of no length, distances and their rates, drag by the speed, none of
# which has a direction there. Generated code and derivatives are what the library says, and never no number.
. "$(dirname "$0")/../support/tool.sh"

cat >model.yaml <<'YAML'
cardan: 1
name: model
gravity: [0, 0, -9.81]
bodies: {b: {at: [0, 0, 0], mass: 1, inertia: [1, 1, 1]}}
joints: {x: {free: [ground, b]}}
forces:
  spring: {spring: [b, ground], stiffness: 100, damping: 1, length: 0}
  drag: {force: ['=-2*vx(b)*hypot(vx(b), vy(b), vz(b))', '=-10*speed(b, ground)', '=-distance(b, ground)'], on: b}
YAML
sed 's/-9.81/0/' model.yaml >rest.yaml

# the force of a spring of no length is -k x
code "modes" 0 cardan modes rest.yaml
says "modes" "swings           1.5915" out
code "linearize" 0 cardan linearize rest.yaml
says "linearize" "  x.vx          -100     0     0" out

code "generate" 0 cardan generate model.yaml --form motion,motion_d -o code --quiet
cat >try.c <<'END'
#include "model.h"
#include <math.h>
int main(void)
{
    const double q[7] = {0, 0, 0, 1}, v[6] = {0}, effort[6] = {0};
    double       a[6], a_q[36], a_v[36], a_effort[36];
    int          wrong = model_accelerations(q, v, effort, 0, 0, a) != 0;
    wrong += model_accelerations_derivatives(q, v, effort, 0, 0, a_q, a_v, a_effort) != 0;
    for (int i = 0; i < 6; ++i) wrong += !(fabs(a[i] - (i == 2 ? -9.81 : 0)) < 1e-12);
    for (int i = 0; i < 36; ++i) wrong += !(fabs(a_q[i] - (i % 7 == 0 && i < 18 ? -100 : 0)) < 1e-12) || !(fabs(a_v[i]) < 1e-12);
    return wrong;
}
END
code "compile" 0 gcc -O1 -std=c11 -Wall -Wextra -Werror -Icode -o try try.c code/model.c -lm
code "the library's values" 0 ./try
ends
