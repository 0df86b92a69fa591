// SPDX-License-Identifier: BSD-3-Clause
// Suspension study of a description: wheels and ranges.
#include "model/description.h"

#include "core/memory.h"

#include <stdlib.h>

cardan_wheel cardan_wheel_default(const char* name, int hub)
{
    return (cardan_wheel){.name         = name,
                          .hub          = hub,
                          .axis         = {0, 1, 0},
                          .kingpin      = {CARDAN_NONE, CARDAN_NONE},
                          .spring       = CARDAN_NONE,
                          .damper       = CARDAN_NONE,
                          .spring_joint = CARDAN_NONE,
                          .damper_joint = CARDAN_NONE,
                          .tyre         = CARDAN_NONE};
}

cardan_suspension cardan_suspension_default(void)
{
    return (cardan_suspension){.chassis  = CARDAN_GROUND,
                               .forward  = {1, 0, 0},
                               .up       = {0, 0, 1},
                               .travel   = {-0.1, 0.1},
                               .steering = CARDAN_NONE,
                               .npoint   = 41};
}

void cd_suspension_destroy(cardan_suspension* s)
{
    if (!s) return;
    free((void*)s->wheel);
    free(s);
}

bool cardan_description_set_suspension(cardan_description* d, const cardan_suspension* suspension)
{
    if (!d || !suspension || suspension->nwheel < 0 || (suspension->nwheel > 0 && !suspension->wheel)) return false;
    cardan_suspension* s     = cd_allocate(1, sizeof *s);
    cardan_wheel*      wheel = cd_allocate((size_t)suspension->nwheel + 1, sizeof *wheel);
    bool               ok    = s && wheel;
    if (ok) *s = *suspension;
    for (int i = 0; ok && i < suspension->nwheel; ++i) {
        wheel[i] = suspension->wheel[i];
        ok       = cd_own_string(d, &wheel[i].name) && cd_own_string(d, &wheel[i].location.file);
    }
    ok = ok && cd_own_string(d, &s->location.file);
    if (!ok) {
        free(wheel);
        free(s);
        return false;
    }
    s->wheel = wheel;
    cd_suspension_destroy(d->suspension);
    d->suspension = s;
    return true;
}
