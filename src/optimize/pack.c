// SPDX-License-Identifier: BSD-3-Clause
// The outcome of a search in one piece of memory, so that another process with the same plan can take it over.
#include "optimize/plan.h"

#include <string.h>

typedef struct header {
    cardan_status status;
    int           iterations;
    double        objective, seconds, seconds_functions;
    bool          ran, warm, began_warm;
} header;

// Arrays of an outcome and their lengths.
enum { ARRAYS = 5 };
typedef struct array {
    double* value;
    size_t  size;
} array;

static void arrays_of(const cardan_plan* p, array all[ARRAYS])
{
    const size_t     n = (size_t)p->program.n * sizeof(double), m = (size_t)p->program.m * sizeof(double);
    const cd_solved* s = &p->solved;
    all[0] = (array){s->x, n}, all[1] = (array){s->x_lower, n}, all[2] = (array){s->x_upper, n};
    all[3] = (array){s->g, m}, all[4] = (array){s->lambda, m};
}

size_t cd_plan_packed_size(const cardan_plan* p)
{
    return sizeof(header) + (3 * (size_t)p->program.n + 2 * (size_t)p->program.m) * sizeof(double);
}

void cd_plan_pack(const cardan_plan* p, cardan_status status, void* to)
{
    const header h  = {.status            = status,
                       .iterations        = p->solved.iterations,
                       .objective         = p->solved.objective,
                       .seconds           = p->seconds,
                       .seconds_functions = p->seconds_functions,
                       .ran               = p->ran,
                       .warm              = p->warm,
                       .began_warm        = p->began_warm};
    char*        at = (char*)to + sizeof h;
    array        all[ARRAYS];
    arrays_of(p, all);
    memcpy(to, &h, sizeof h);
    for (int i = 0; i < ARRAYS; at += all[i++].size) memcpy(at, all[i].value, all[i].size);
}

cardan_status cd_plan_unpack(cardan_plan* p, const void* from)
{
    header      h;
    const char* at = (const char*)from + sizeof h;
    array       all[ARRAYS];
    arrays_of(p, all);
    memcpy(&h, from, sizeof h);
    for (int i = 0; i < ARRAYS; at += all[i++].size) memcpy(all[i].value, at, all[i].size);
    p->solved.iterations     = h.iterations;
    p->solved.objective      = h.objective;
    p->seconds               = h.seconds;
    p->seconds_functions     = h.seconds_functions;
    p->ran                   = h.ran;
    p->warm                  = h.warm;
    p->began_warm            = h.began_warm;
    const cardan_status told = cd_plan_tell(p);
    return h.status == CARDAN_OK ? told : h.status;
}
