// SPDX-License-Identifier: BSD-3-Clause
#include "generate/samples.h"

#include "core/memory.h"
#include "generate/forms.h"
#include "generate/inputs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VECTORS = 3, DRAWS = 28 };

static const double spread = 0.03; // of parameters about their values, relative

// Numbers in (-1, 1), the same every time: a multiplicative generator.
static double scatter(unsigned long* seed)
{
    *seed = (*seed * 48271UL) % 2147483647UL;
    return 2.0 * (double)*seed / 2147483647.0 - 1;
}

// How far draw i is from the start, of all and of velocities: at first all the way; where results are not finite there,
// nearer, with the same velocities and with slower ones, down to 1e-4 of it.
static double way_of(int draw) { return ldexp(1, -(draw / 2)); }
static double speed_of(int draw) { return draw % 2 ? way_of(draw) : 1; }

// A state in general position near the start; others with every draw, so that none is on the wrong side for ever.
static void fill_state(const cardan_model* m, const cd_sources* in, int vector, int draw, double* x)
{
    const double  way = way_of(draw), speed = speed_of(draw);
    unsigned long seed = 17UL + 1009UL * (unsigned long)vector + 7919UL * (unsigned long)draw;
    for (int i = 0; i < in->count; ++i) {
        const double by = scatter(&seed);
        if (i < in->p || i >= in->p + in->np) x[i] = by;
    }
    for (int i = 0; i < m->nq; ++i) x[in->q + i] = m->q_start[i] + 0.7 * way * x[in->q + i];
    for (int i = 0; i < m->nv; ++i) x[in->v + i] = (1 - speed) * m->v_start[i] + speed * x[in->v + i];
    for (int i = 0; i < m->nstate; ++i) x[in->state + i] = m->state_start[i] + way * x[in->state + i];
    x[in->time] = way * fabs(x[in->time]);
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
    for (int k = 0; k <= VECTORS; ++k) fill_state(m, in, k, 0, sheet->input + (size_t)k * (size_t)in->count);
    unsigned long seed = 4711;
    for (int k = 0; k <= VECTORS; ++k)
        for (int i = 0; i < in->np; ++i)
            sheet->input[(size_t)k * (size_t)in->count + (size_t)(in->p + i)] =
                vary(sheet->inputs->nominal[i], k, &seed);
    in->sample = sheet->input + (size_t)VECTORS * (size_t)in->count;
    return true;
}

// x with its loops closed. Drivers may be far away at its time: then earlier, where they are near their start.
static cardan_status close_state(const cd_sheet* sheet, cd_referee* referee, double* x, cardan_report* report)
{
    const cd_sources* in     = &sheet->in;
    cardan_status     status = CARDAN_OK;
    for (int i = 0; i < 4; ++i) {
        status = cd_referee_close(referee, in, x, i < 3 ? NULL : report);
        if (status != CARDAN_NOT_CONVERGED && status != CARDAN_INCONSISTENT && status != CARDAN_SINGULAR) break;
        x[in->time] *= i < 2 ? 0.1 : 0;
        memcpy(x + in->q, sheet->model->q_start, (size_t)sheet->model->nq * sizeof *x);
    }
    return status;
}

// State k by a draw. Pivots are chosen near the start, in general position; they are tested still nearer, and far away.
static cardan_status draw_state(const cd_sheet* sheet, cd_referee* referee, int k, int draw, cardan_report* report)
{
    double*      x    = sheet->input + (size_t)k * (size_t)sheet->in.count;
    const double part = k == sheet->nvector ? 0.1 : k == 0 ? 0.02 : 1;
    if (draw > 0) fill_state(sheet->model, &sheet->in, k, draw, x);
    cd_referee_near(referee, part * way_of(draw) / speed_of(draw));
    cd_referee_from_start(referee, draw > 0);
    return close_state(sheet, referee, x, report);
}

cardan_status cd_place_states(const cd_sheet* sheet, cd_referee* referee, const char* forms, cardan_report* report)
{
    cardan_status status = CARDAN_OK;
    const size_t  size   = (size_t)sheet->in.count * sizeof(double);
    double*       kept   = cd_allocate((size_t)sheet->in.count + 1, sizeof *kept);
    if (!kept) return CARDAN_NO_MEMORY;
    for (int k = 0; status == CARDAN_OK && k <= sheet->nvector; ++k) {
        double* x = sheet->input + (size_t)k * (size_t)sheet->in.count;
        status    = draw_state(sheet, referee, k, 0, report);
        int least = status == CARDAN_OK ? cd_forms_not_finite(sheet, referee, forms, x) : 0;
        if (least < 0) status = CARDAN_NO_MEMORY;
        memcpy(kept, x, size);
        for (int draw = 1; status == CARDAN_OK && least > 0 && draw < DRAWS; ++draw) {
            const cardan_status drawn = draw_state(sheet, referee, k, draw, NULL);
            const int           count = drawn == CARDAN_OK ? cd_forms_not_finite(sheet, referee, forms, x) : least;
            if (drawn == CARDAN_NO_MEMORY || count < 0) status = CARDAN_NO_MEMORY;
            if (count >= least || status != CARDAN_OK) continue;
            least = count;
            memcpy(kept, x, size);
        }
        memcpy(x, kept, size);
    }
    free(kept);
    return status;
}
