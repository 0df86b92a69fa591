// SPDX-License-Identifier: BSD-3-Clause
// A free motion or a mode as an oscillation about the state that is shown, while the simulation is paused:
//
//   q = project(q0 (+) Re((n1 + i n2) exp(i w tau)))
//
// with a frequency that the eye follows, and an amplitude that moves bodies by a fraction of the length of the scene.
#include "view/live/live_state.h"

#include "core/clock.h"
#include "core/memory.h"
#include "math/pi.h"

#include <cardan/assemble.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double frequency     = 0.6;  // [Hz]
static const double shift_max     = 0.06; // [length of the scene] of a body
static const double rotation_max  = 0.35; // [rad] of a body
static const double finite_change = 1e-4; // step of the difference that gives the motion of the bodies

static void set_shown(cd_live* live, const double* q)
{
    cd_live_model* m = &live->model;
    memcpy(m->q, q, (size_t)m->model_view.nq * sizeof *q);
    memset(m->v, 0, (size_t)m->model_view.nv * sizeof *m->v);
    cardan_data_set_state(m->data, m->t, m->q, m->v, m->state);
    live->changed = true;
}

// Factor by which a tangent vector moves no body by more than the limits.
static double amplitude(cd_live* live, const double* real, const double* imaginary)
{
    const cd_live_model* m    = &live->model;
    double               most = 0;
    double*              v    = cd_allocate((size_t)m->model_view.nv + 1, sizeof *v);
    for (int part = 0; v && part < 2; ++part) {
        memcpy(v, part ? imaginary : real, (size_t)m->model_view.nv * sizeof *v);
        cardan_data_set_state(m->data, m->t, m->q, v, m->state);
        cardan_data_body_motions(m->data, NULL, m->motion);
        for (int i = 0; i < m->view.nbody; ++i) {
            const double *u = m->motion[i].v, *w = m->motion[i].w;
            most = fmax(most, sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]) / (shift_max * m->length));
            most = fmax(most, sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]) / rotation_max);
        }
    }
    free(v);
    cardan_data_set_state(m->data, m->t, m->q, m->v, m->state);
    return most > finite_change ? 1 / most : 1;
}

void cd_live_end_animation(cd_live* live)
{
    cd_live_animation* a = &live->animation;
    if (a->index == CARDAN_NONE) return;
    a->index = CARDAN_NONE;
    set_shown(live, a->start);
    memcpy(live->model.v, a->velocity, (size_t)live->model.model_view.nv * sizeof(double));
    cardan_data_set_state(live->model.data, live->model.t, live->model.q, live->model.v, live->model.state);
    live->restart_needed = true;
}

static bool allocate(cd_live* live)
{
    cd_live_animation* a  = &live->animation;
    const size_t       nq = (size_t)live->model.model_view.nq + 1, nv = (size_t)live->model.model_view.nv + 1;
    if (!a->start) a->start = cd_allocate(nq + 3 * nv, sizeof *a->start);
    if (!a->start) return false;
    a->real      = a->start + nq;
    a->imaginary = a->real + nv;
    a->velocity  = a->imaginary + nv;
    return true;
}

void cd_live_animate(cd_live* live, bool is_mode, int index)
{
    cd_live_animation*    a      = &live->animation;
    const cd_live_shapes* shapes = &live->shapes;
    const size_t          nv     = (size_t)live->model.model_view.nv;
    cd_live_end_animation(live);
    if (index == CARDAN_NONE || index >= (is_mode ? shapes->nmode : shapes->nmotion) || !allocate(live)) return;
    if (live->playing) cd_live_pause(live);
    const double* shape = is_mode ? shapes->mode + 2 * nv * (size_t)index : shapes->motion + nv * (size_t)index;
    memcpy(a->start, live->model.q, (size_t)live->model.model_view.nq * sizeof(double));
    memcpy(a->velocity, live->model.v, nv * sizeof(double));
    memcpy(a->real, shape, nv * sizeof(double));
    memset(a->imaginary, 0, nv * sizeof(double));
    if (is_mode) memcpy(a->imaginary, shape + nv, nv * sizeof(double));
    const double scale = amplitude(live, a->real, a->imaginary);
    for (size_t i = 0; i < nv; ++i) a->real[i] *= scale, a->imaginary[i] *= scale;
    a->is_mode = is_mode;
    a->index   = index;
    a->begin   = cd_clock_wall();
}

void cd_live_follow_animation(cd_live* live)
{
    const cd_live_animation* a = &live->animation;
    cd_live_model*           m = &live->model;
    if (a->index == CARDAN_NONE) return;
    const double phase = 2 * CD_PI * frequency * (cd_clock_wall() - a->begin), s = sin(phase), c = cos(phase) - 1;
    double*      dq = m->a;
    for (int i = 0; i < m->model_view.nv; ++i) dq[i] = s * a->real[i] + c * a->imaginary[i];
    if (cardan_model_integrate_position(m->model, a->start, dq, m->q) != CARDAN_OK) return;
    set_shown(live, m->q);
    if (m->model_view.nconstraint > 0 && cardan_data_project(m->data, NULL, m->q, m->v, NULL, NULL) != CARDAN_OK)
        set_shown(live, a->start);
}
