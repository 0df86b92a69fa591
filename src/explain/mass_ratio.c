// SPDX-License-Identifier: BSD-3-Clause
// Message about extreme mass ratios: if masses differ by so many orders of magnitude that one is lost in sums with
// the other, ranks and motions found by a formulation are round-off and give no information about the mechanism.
#include "explain/explain.h"
#include "explain/explain_tolerances.h"

#include <math.h>
#include <stdio.h>

typedef struct extremes {
    int    light, heavy; // bodies
    double least, most;
} extremes;

static void update_extremes(extremes* e, int body, double value)
{
    if (!(value > 0)) return;
    if (!(e->least <= value)) e->least = value, e->light = body;
    if (!(e->most >= value)) e->most = value, e->heavy = body;
}

static int describe_extremes(const cardan_data* d, extremes e, const char* what, const char* unit, char* text,
                             size_t size)
{
    if (!(e.most >= cd_max_mass_ratio * e.least)) return CARDAN_NONE;
    snprintf(text, size, "the %s of '%.50s' (%.3g %s) and '%.50s' (%.3g %s)", what, d->m->view.body[e.light].name,
             e.least, unit, d->m->view.body[e.heavy].name, e.most, unit);
    return e.light;
}

// Returns the light body, or CARDAN_NONE if the ratio is acceptable.
static int find_extreme_masses(const cardan_data* d, char* text, size_t size)
{
    extremes mass = {.least = NAN, .most = NAN}, moment = mass;
    for (int i = 0; i < d->m->view.nbody; ++i) {
        const cardan_body* b = &d->m->view.body[i];
        update_extremes(&mass, i, b->mass);
        update_extremes(&moment, i, (b->inertia[0] + b->inertia[1] + b->inertia[2]) / 2);
    }
    const int light = describe_extremes(d, mass, "masses", "kg", text, size);
    return light != CARDAN_NONE ? light : describe_extremes(d, moment, "inertias", "kg m^2", text, size);
}

cardan_status cd_fail_mass_ratio(const cardan_data* d, cardan_status status, cardan_report* report)
{
    char      bodies[300];
    const int light = find_extreme_masses(d, bodies, sizeof bodies);
    if (light == CARDAN_NONE) return CARDAN_OK;
    return cardan_fail(report, status, CARDAN_CODE_MASS_RATIO, d->m->view.body[light].location,
                       "at t = %.9g s '%s' has large rounding errors: %s differ too much; make the lighter body "
                       "massless, or use another formulation",
                       d->t, d->formulation->name, bodies);
}
