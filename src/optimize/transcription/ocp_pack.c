// SPDX-License-Identifier: BSD-3-Clause
// Result of a solve as one block of memory, to transfer it to another process with the same OCP.
#include "optimize/transcription/ocp.h"

#include <string.h>

typedef struct header {
    cardan_status status;
    int           iterations;
    double        objective, cpu_time, cpu_time_functions;
    bool          has_optimum, has_multipliers, warm_started;
} header;

// Arrays of a result and their sizes in bytes.
enum { ARRAYS = 5 };
typedef struct array {
    double* value;
    size_t  size;
} array;

static void arrays_of(const cardan_ocp* p, array all[ARRAYS])
{
    const size_t           n = (size_t)p->nlp.n * sizeof(double), m = (size_t)p->nlp.m * sizeof(double);
    const cd_nlp_solution* s = &p->solution;
    all[0] = (array){s->x, n}, all[1] = (array){s->lambda_lower, n}, all[2] = (array){s->lambda_upper, n};
    all[3] = (array){s->g, m}, all[4] = (array){s->lambda, m};
}

size_t cd_ocp_packed_size(const cardan_ocp* p)
{
    return sizeof(header) + (3 * (size_t)p->nlp.n + 2 * (size_t)p->nlp.m) * sizeof(double);
}

void cd_ocp_pack(const cardan_ocp* p, cardan_status status, void* to)
{
    const header h  = {.status             = status,
                       .iterations         = p->solution.iterations,
                       .objective          = p->solution.objective,
                       .cpu_time           = p->cpu_time,
                       .cpu_time_functions = p->cpu_time_functions,
                       .has_optimum        = p->has_optimum,
                       .has_multipliers    = p->has_multipliers,
                       .warm_started       = p->warm_started};
    char*        at = (char*)to + sizeof h;
    array        all[ARRAYS];
    arrays_of(p, all);
    memcpy(to, &h, sizeof h);
    for (int i = 0; i < ARRAYS; at += all[i++].size) memcpy(at, all[i].value, all[i].size);
}

cardan_status cd_ocp_unpack(cardan_ocp* p, const void* from)
{
    header      h;
    const char* at = (const char*)from + sizeof h;
    array       all[ARRAYS];
    arrays_of(p, all);
    memcpy(&h, from, sizeof h);
    for (int i = 0; i < ARRAYS; at += all[i++].size) memcpy(all[i].value, at, all[i].size);
    p->solution.iterations                = h.iterations;
    p->solution.objective                 = h.objective;
    p->cpu_time                           = h.cpu_time;
    p->cpu_time_functions                 = h.cpu_time_functions;
    p->has_optimum                        = h.has_optimum;
    p->has_multipliers                    = h.has_multipliers;
    p->warm_started                       = h.warm_started;
    const cardan_status trajectory_status = cd_ocp_update_trajectory(p);
    return h.status == CARDAN_OK ? trajectory_status : h.status;
}
