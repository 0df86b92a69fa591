// SPDX-License-Identifier: BSD-3-Clause
#include "generate/samples.h"

#include "core/memory.h"
#include "generate/inputs.h"

#include <math.h>

enum { VECTORS = 3 };

static const double spread = 0.03; // of parameters about their values, relative

// Numbers in (-1, 1), the same every time: a multiplicative generator.
static double scatter(unsigned long* seed)
{
    *seed = (*seed * 48271UL) % 2147483647UL;
    return 2.0 * (double)*seed / 2147483647.0 - 1;
}

// A state in general position near the start.
static void fill_state(const cardan_model* m, const cd_sources* in, unsigned long seed, double* x)
{
    for (int i = 0; i < in->count; ++i) x[i] = scatter(&seed);
    for (int i = 0; i < m->nq; ++i) x[in->q + i] = m->q_start[i] + 0.7 * x[in->q + i];
    for (int i = 0; i < m->nstate; ++i) x[in->state + i] += m->state_start[i];
    x[in->time] = fabs(x[in->time]);
    cardan_model_normalize(m, x + in->q);
}

// Values of a parameter: in the file, then others near them; in general position at the sample state, where traces are
// made.
static double vary(double nominal, int vector, unsigned long* seed)
{
    const double by = scatter(seed);
    if (vector == 0) return nominal;
    return nominal != 0 ? nominal * (1 + spread * by) : spread * fabs(by);
}

bool cd_make_states(cd_sheet* sheet, int nweight)
{
    const cardan_model* m  = sheet->model;
    cd_sources*         in = &sheet->in;
    in->q                  = 0;
    in->v                  = m->nq;
    in->a                  = in->v + m->nv;
    in->effort             = in->a + m->nv;
    in->state              = in->effort + m->nv;
    in->time               = in->state + m->nstate;
    in->np                 = sheet->inputs ? sheet->inputs->count : 0;
    in->p                  = in->time + 1;
    in->weight             = nweight > 0 ? in->p + in->np : 0;
    in->nmultiplier        = cd_multipliers(m);
    in->multiplier         = in->nmultiplier > 0 ? in->p + in->np + nweight : 0;
    in->count              = in->p + in->np + nweight + in->nmultiplier;
    sheet->nvector         = VECTORS;
    sheet->input           = cd_allocate((size_t)in->count * (VECTORS + 1), sizeof *sheet->input);
    if (!sheet->input) return false;
    for (int k = 0; k <= VECTORS; ++k)
        fill_state(m, in, 17UL + 1009UL * (unsigned long)k, sheet->input + (size_t)k * (size_t)in->count);
    unsigned long seed = 4711;
    for (int k = 0; k <= VECTORS; ++k)
        for (int i = 0; i < in->np; ++i)
            sheet->input[(size_t)k * (size_t)in->count + (size_t)(in->p + i)] =
                vary(sheet->inputs->nominal[i], k, &seed);
    in->sample = sheet->input + (size_t)VECTORS * (size_t)in->count;
    return true;
}
