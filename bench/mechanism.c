// SPDX-License-Identifier: BSD-3-Clause
// Mechanisms of the benchmarks: families of `cardan make`, and robots from model files.
#include "mechanism.h"

#include "core/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// Quasi-random, reproducible numbers in [0, 1): fractional parts of multiples of the golden ratio.
static double scattered(int i) { return fmod((i + 1) * 0.6180339887498949, 1); }

cardan_description* mechanism_make(const char* family, int n)
{
    cardan_description* d = NULL;
    cardan_family_generate(family, n, NULL, &d, NULL);
    return d;
}

static const robot robots[] = {
    {"UR5", "ur5"}, {"Panda", "panda"}, {"ANYmal", "anymal"}, {"Talos", "talos"}, {"humanoid", "humanoid"},
};

int          robot_count(void) { return sizeof robots / sizeof *robots; }
const robot* robot_at(int i) { return &robots[i]; }

cardan_description* robot_load(const robot* r, const char* folder, cardan_report* report)
{
    cardan_description* d = NULL;
    char                path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, r->folder);
    cardan_description_load(path, NULL, &d, report);
    return d;
}

// Angles and velocities in (-1, 1), efforts in (-10, 10).
state state_create(const cardan_model* m)
{
    const cardan_model_view view = cardan_model_get_view(m);
    const size_t            nq = (size_t)view.nq, nv = (size_t)view.nv;
    state s = {cd_allocate(nq, sizeof(double)), cd_allocate(nv, sizeof(double)), cd_allocate(nv, sizeof(double)),
               cd_allocate(nv, sizeof(double))};
    if (!s.q || !s.v || !s.a || !s.tau) {
        state_destroy(&s);
        return s;
    }
    for (int i = 0; i < view.nq; ++i) s.q[i] = 2 * scattered(7 * i) - 1;
    for (int i = 0; i < view.nv; ++i) {
        s.v[i]   = 2 * scattered(11 * i + 1) - 1;
        s.a[i]   = 2 * scattered(13 * i + 2) - 1;
        s.tau[i] = 20 * scattered(17 * i + 3) - 10;
    }
    cardan_model_normalize_position(m, s.q);
    return s;
}

void state_destroy(state* s)
{
    free(s->q);
    free(s->v);
    free(s->a);
    free(s->tau);
    *s = (state){0};
}
