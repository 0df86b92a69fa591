#!/bin/sh
# Coincident points and bodies without velocity: springs of zero length, distances, their rates and drag have no
# direction there. Values and derivatives of the library and of generated code are compared with the closed form a = g -
# k x/m; all are finite.
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
sed 's/-9.81/0/' model.yaml >no_gravity.yaml

# force of a spring of free length zero: -k x; frequency sqrt(k/m)/(2 pi)
code "modes" 0 cardan modes no_gravity.yaml
for mode in 4 5 6; do line "modes" " $mode  " " 1.5915 " " 0.0000 " "b 100 %"; done
code "linearize" 0 cardan linearize no_gravity.yaml
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
code "values of generated code" 0 ./try
ends
