// SPDX-License-Identifier: BSD-3-Clause
// Other joints that would make the reactions unique. A release of one motion at a joint takes one set out of the
// self-stress if the sets feel it independently of the other releases; as many releases as equations repeat, all
// independent, leave no self-stress and the same degrees of freedom. Only what passes that test is proposed.
//
//   release of the twist t at joint j:  row t.W(j, set) over the sets        independent rows: as many as there are sets
//
// Tried per loop: its closing joint left out where it adds nothing; up to three joints of freer types, those near the
// closing joint first; hinges that turn about a second axis too, the one across them that is felt most; a body of two joints left out with them.
// docs/theory/redundancy.md (6).
#include "doctor/doctor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { OPTIONS = 3, RELEASES = 2, JOINTS = 10, CHANGED = 3 };

// A joint may become `type`; then it yields to these motions too.
typedef struct option {
    const char* type;
    int         count;
    spatial     twist[RELEASES]; // rotation, translation at the place of the joint
} option;

typedef struct candidate {
    int    joint, noption;
    option option[OPTIONS];
} candidate;

typedef struct workshop {
    cardan_data*     d;
    const cd_stress* stress;
    cd_basis         cured;   // what is released so far
    bool*            changed; // (njoint)
    double*          x;       // (nset)
    bool             second;  // hinges may have a second axis
} workshop;

// Two directions across u.
static void across(vec3 u, vec3* a, vec3* b)
{
    const vec3 e = fabs(u.x) < 0.6 ? v3(1, 0, 0) : v3(0, 1, 0);
    *a           = v3_cross(u, e);
    *a           = v3_scale(1 / sqrt(v3_dot(*a, *a)), *a);
    *b           = v3_cross(u, *a);
}

// The direction in the plane of a and b about which the sets put the largest moment into joint j: of the sum of M M' the larger principal axis.
static vec3 felt_most(const workshop* w, int j, vec3 a, vec3 b)
{
    double aa = 0, ab = 0, bb = 0;
    for (int s = 0; s < w->stress->nset; ++s) {
        const vec3   M = v3_lift(w->stress->set + (size_t)s * (size_t)w->stress->width + 6 * (size_t)j);
        const double x = v3_dot(M, a), y = v3_dot(M, b);
        aa += x * x;
        ab += x * y;
        bb += y * y;
    }
    const double angle = atan2(2 * ab, aa - bb) / 2;
    return v3_add(v3_scale(cos(angle), a), v3_scale(sin(angle), b));
}

static candidate candidate_of(const workshop* w, int j)
{
    cd_axis     axis[CARDAN_JOINT_MAX];
    candidate   c    = {.joint = j};
    const char* type = w->d->m->joint[j].type->name;
    const int   n    = cd_joint_axes(w->d, j, axis);
    const vec3  o = v3_zero(), u = axis[0].u;
    vec3        a, b;
    if (n == 0 || w->changed[j]) return c;
    across(u, &a, &b);
    if (strcmp(type, "revolute") == 0) {
        c.option[c.noption++] = (option){"cylindrical", 1, {{o, u}}};
        c.option[c.noption++] = (option){"spherical", 2, {{a, o}, {b, o}}};
        if (w->second) c.option[c.noption++] = (option){"universal", 1, {{felt_most(w, j, a, b), o}}};
    } else if (strcmp(type, "prismatic") == 0) {
        c.option[c.noption++] = (option){"cylindrical", 1, {{u, o}}};
    } else if (strcmp(type, "screw") == 0) {
        c.option[c.noption++] = (option){"cylindrical", 1, {{o, u}}};
    } else if (strcmp(type, "universal") == 0) {
        c.option[c.noption++] = (option){"spherical", 1, {{v3_cross(u, axis[1].u), o}}};
    }
    return c;
}

// True if the sets feel the release independently of all before; it then counts as one of them.
static bool release(workshop* w, cd_basis* cured, int j, spatial t)
{
    const size_t n    = (size_t)w->stress->width;
    const double own  = w->d->reacting.length;
    double       size = 0;
    for (int s = 0; s < w->stress->nset; ++s) {
        const double* W = w->stress->set + (size_t)s * n + 6 * (size_t)j;
        w->x[s]         = v3_dot(t.a, v3_lift(W)) * own + v3_dot(t.l, v3_lift(W + 3));
        size += w->x[s] * w->x[s];
    }
    if (size == 0) return false;
    const double floor = fmax(1e-3 * sqrt(size), 1e-7);
    return cd_basis_add(cured, w->x, floor) > floor;
}

static bool release_all(workshop* w, cd_basis* cured, int j, const option* o)
{
    for (int k = 0; k < o->count; ++k)
        if (!release(w, cured, j, o->twist[k])) return false;
    return true;
}

// Everything that joint j holds.
static void remove_joint(workshop* w, int j)
{
    for (int k = 0; k < 6; ++k) {
        const vec3 e = v3(k % 3 == 0, k % 3 == 1, k % 3 == 2);
        release(w, &w->cured, j, k < 3 ? (spatial){e, v3_zero()} : (spatial){v3_zero(), e});
    }
    w->changed[j] = true;
}

// Joints of the loop that could change: the closing one, then those described last.
static int collect(const workshop* w, const cd_loop* loop, candidate* list)
{
    int count = 0, last = loop->closed_at;
    for (bool first = true; count < JOINTS; first = false) {
        int next = first ? loop->closed_at : -1;
        for (int i = 0; i < loop->njoint && !first; ++i) {
            const int j = loop->joint[i];
            if (j != loop->closed_at && j > next && (last == loop->closed_at || j < last)) next = j;
        }
        if (next < 0) break;
        const candidate c = candidate_of(w, next);
        if (c.noption > 0) list[count++] = c;
        last = next;
    }
    return count;
}

// Choices of `left` more joints from list[from..) whose releases add up to `need`; option[i] is what list[i] becomes.
static bool choose(workshop* w, int count, const candidate* list, int from, int left, int need, int* option)
{
    if (need == 0 && left == 0) return true;
    if (need <= 0 || left == 0) return false;
    for (int i = from; i < count; ++i)
        for (int o = 0; o < list[i].noption; ++o) {
            const int before = w->cured.count;
            option[i]        = o;
            if (release_all(w, &w->cured, list[i].joint, &list[i].option[o]) &&
                choose(w, count, list, i + 1, left - 1, need - list[i].option[o].count, option))
                return true;
            w->cured.count = before;
            option[i]      = -1;
        }
    return false;
}

static bool freer_joints(workshop* w, cd_loop* loop)
{
    candidate list[JOINTS];
    int       option[JOINTS], told = 0;
    const int count = collect(w, loop, list);
    for (int changed = 1; changed <= CHANGED; ++changed) {
        for (int i = 0; i < JOINTS; ++i) option[i] = -1;
        if (!choose(w, count, list, 0, changed, loop->repeated, option)) continue;
        for (int k = 0; k < loop->njoint; ++k)
            for (int i = 0; i < count; ++i) {
                if (option[i] < 0 || list[i].joint != loop->joint[k]) continue;
                ++told;
                cd_text_format(&loop->repair, "%s%s %s%s",
                               told == 1         ? "let "
                               : told == changed ? " and "
                                                 : ", ",
                               w->d->m->joint[list[i].joint].name, told == 1 ? "be " : "",
                               list[i].option[option[i]].type);
                if (strcmp(list[i].option[option[i]].type, "universal") == 0)
                    cd_text_format(&loop->repair, ", its second axis along %s", cd_direction_word(list[i].option[option[i]].twist[0].a).text);
                w->changed[list[i].joint] = true;
            }
        return true;
    }
    return false;
}

// A body whose two joints are all it has: without it the mechanism moves as before if 6 - f1 - f2 sets go with it.
static bool without_body(workshop* w, cd_loop* loop)
{
    const cardan_view* view = &w->d->m->view;
    for (int i = 0; i < loop->njoint; ++i) {
        const int body = loop->body[i], two[2] = {loop->joint[(i + loop->njoint - 1) % loop->njoint], loop->joint[i]};
        int       joints = 0;
        for (int j = 0; j < view->njoint; ++j) joints += view->joint[j].first == body || view->joint[j].second == body;
        if (body == CARDAN_GROUND || joints != 2 || w->changed[two[0]] || w->changed[two[1]]) continue;
        if (two[0] != loop->closed_at && two[1] != loop->closed_at) continue;
        const int before = w->cured.count, free = 6 - w->d->m->slot[two[0]].nv - w->d->m->slot[two[1]].nv;
        for (int k = 0; k < 2; ++k) remove_joint(w, two[k]);
        if (w->cured.count - before == free && free == loop->repeated) {
            cd_text_format(&loop->repair, "leave out %s", view->body[body].name);
            return true;
        }
        w->cured.count = before;
        for (int k = 0; k < 2; ++k) w->changed[two[k]] = false;
    }
    return false;
}

bool cd_loops_repair(cardan_data* d, const cd_stress* stress, cd_loops* loops)
{
    workshop w      = {.d = d, .stress = stress};
    w.changed       = cd_allocate((size_t)d->m->njoint + 1, sizeof *w.changed);
    w.x             = cd_allocate((size_t)stress->nset + 1, sizeof *w.x);
    const bool good = cd_basis_create(&w.cured, stress->nset) && w.changed && w.x;
    for (int l = 0; good && l < loops->nloop; ++l) {
        cd_loop* loop = &loops->loop[l];
        if (loop->repeated == 0) continue;
        if (loop->repeated == loop->rows) {
            cd_text_format(&loop->repair, "leave out %s", d->m->joint[loop->closed_at].name);
            remove_joint(&w, loop->closed_at);
        } else if (!freer_joints(&w, loop) && !without_body(&w, loop)) {
            w.second = true;
            freer_joints(&w, loop);
            w.second = false;
        }
    }
    cd_basis_free(&w.cured);
    free(w.changed);
    free(w.x);
    return good;
}
