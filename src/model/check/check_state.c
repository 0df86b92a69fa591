// SPDX-License-Identifier: BSD-3-Clause
// Check that the numbers of a state are finite; the message names the joint and its coordinate, the body or the user
// state.
#include "core/check_arguments.h"
#include "math/finite.h"
#include "model/check/check_description.h"
#include "model/model.h"

#include <math.h>

// Joints of the description first, then added free joints and, in maximal coordinates, one per body: these have the
// names of their bodies.
static cardan_status fail_coordinate(const cardan_model* m, int j, const char* what, int i, double value,
                                     cardan_report* report)
{
    const bool described = j < m->view.njoint;
    return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_NOT_FINITE,
                       described ? m->view.joint[j].location : cardan_location_none(),
                       "%s %d of %s '%s' is %g: it must be finite", what, i + 1, described ? "joint" : "body",
                       m->joint[j].name, value);
}

static cardan_status check_coordinates(const cardan_model* m, const double* q, const double* v, cardan_report* report)
{
    const int n = cardan_model_get_view(m).ntree_range;
    for (int j = 0; j < n; ++j) {
        const cardan_index_range s = m->tree_range[j];
        for (int i = 0; q && s.q >= 0 && i < s.nq; ++i)
            if (!isfinite(q[s.q + i])) return fail_coordinate(m, j, "coordinate", i, q[s.q + i], report);
        for (int i = 0; v && s.v >= 0 && i < s.nv; ++i)
            if (!isfinite(v[s.v + i])) return fail_coordinate(m, j, "velocity", i, v[s.v + i], report);
    }
    return CARDAN_OK;
}

static cardan_status check_quaternions(const cardan_model* m, const double* q, cardan_report* report)
{
    for (int i = 0; i < m->nquaternion; ++i) {
        const double* p = q + m->quaternion_q[i];
        if (p[0] != 0 || p[1] != 0 || p[2] != 0 || p[3] != 0) continue;
        const int n = cardan_model_get_view(m).ntree_range;
        int       j = 0;
        while (j + 1 < n && !(m->quaternion_q[i] >= m->tree_range[j].q &&
                              m->quaternion_q[i] < m->tree_range[j].q + m->tree_range[j].nq))
            ++j;
        return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_INVALID_VALUE,
                           j < m->view.njoint ? m->view.joint[j].location : cardan_location_none(),
                           "the quaternion of joint '%s' is zero; it must not be zero", m->joint[j].name);
    }
    return CARDAN_OK;
}

cardan_status cardan_model_check_state(const cardan_model* m, double t, const double* q, const double* v,
                                       const double* state, cardan_report* report)
{
    CD_REQUIRE_POINTER(m, "model", report);
    if (!isfinite(t))
        return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_NOT_FINITE, cardan_location_none(),
                           "the time is %g s: it must be finite", t);
    for (int i = 0; state && i < m->nstate; ++i)
        if (!isfinite(state[i]))
            return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_NOT_FINITE, m->view.state[i].location,
                               "user state '%s' is %g: it must be finite", m->view.state[i].name, state[i]);
    const bool good = (!q || cd_all_finite(m->nq, q)) && (!v || cd_all_finite(m->nv, v));
    if (!good) return check_coordinates(m, q, v, report);
    return q ? check_quaternions(m, q, report) : CARDAN_OK;
}
