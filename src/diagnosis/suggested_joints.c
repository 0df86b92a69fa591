// SPDX-License-Identifier: BSD-3-Clause
// Suggested joints: other joint types that would make the reactions unique. A release is an additional motion at a
// joint; it removes one self-stress if its row over the self-stress vectors is independent of the rows of the other
// releases. As many independent releases as there are redundant rows remove all self-stress and leave the degrees of
// freedom unchanged. Only suggestions that pass this test are written.
//
//   release of the twist t at joint j:  row t.W(j, s) over the self-stress vectors s; as many independent rows as s
//
// Tried for each loop: omit its closing joint if all its rows are redundant; replace up to three joints by freer types,
// those near the closing joint first; omit a body with two joints together with them, if it is light and has no other
// purpose; replace revolute joints by universal joints, with the most effective second axis. If a loop finds no
// suggestion, all loops are tried again with preference for joints that belong to no other such loop, so that shared
// joints remain for the last of them. Loops that still find none get single rotations and translations added to
// revolute and prismatic joints, as few per joint as possible. docs/theory/redundancy.md (6).
#include "diagnosis/diagnosis.h"
#include "diagnosis/diagnosis_tolerances.h"

#include "math/dot_product.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_OPTIONS = 3, MAX_RELEASES = 2, MAX_CANDIDATES = 10, MAX_CHANGED = CD_MAX_CHANGED_JOINTS };

// Alternative `type` of a joint with the additional motions it allows.
typedef struct joint_option {
    const char* type;
    int         count;
    spatial     twist[MAX_RELEASES]; // rotation, translation at the position of the joint
    char        axes[240];           // ", its second axis along z", or ""
} joint_option;

typedef struct joint_candidate {
    int          joint, noption;
    joint_option option[MAX_OPTIONS];
} joint_candidate;

typedef struct repair_search {
    cardan_data*              d;
    const cd_self_stress*     stress;
    cd_orthonormal_basis      released; // span of all releases so far
    bool*                     changed;  // (njoint)
    double *                  x, *y;    // (nbasis)
    const cd_kinematic_loops* loops;
    bool                      prefer_unshared; // try joints of a single loop before shared ones
    bool                      allow_universal; // revolute joints may become universal
} repair_search;

// Two orthonormal directions perpendicular to u.
static void perpendicular_directions(vec3 u, vec3* a, vec3* b)
{
    const vec3 e = fabs(u.x) < 0.6 ? v3(1, 0, 0) : v3(0, 1, 0);
    *a           = v3_cross(u, e);
    *a           = v3_scale(1 / sqrt(v3_dot(*a, *a)), *a);
    *b           = v3_cross(u, *a);
}

// Compute the row x (nbasis) of a release. Returns its norm.
static double release_row(const repair_search* w, int j, spatial t, double* x)
{
    const size_t n    = (size_t)w->stress->width;
    const double own  = w->d->reactions.design_length;
    double       size = 0;
    for (int s = 0; s < w->stress->nbasis; ++s) {
        const double* W = w->stress->basis + (size_t)s * n + 6 * (size_t)j;
        x[s]            = v3_dot(t.a, v3_const(W)) * own + v3_dot(t.l, v3_const(W + 3));
        size += x[s] * x[s];
    }
    return sqrt(size);
}

static spatial motion_of(vec3 e, bool is_translation)
{
    return is_translation ? (spatial){v3_zero(), e} : (spatial){e, v3_zero()};
}

// Return the direction in the plane of a and b for which the rotation (or translation) has the largest row after
// orthogonalization against the releases so far: the major principal axis of the squared norm.
static vec3 most_effective_direction(const repair_search* w, int j, vec3 a, vec3 b, bool is_translation)
{
    const int            n        = w->stress->nbasis;
    cd_orthonormal_basis released = w->released;
    release_row(w, j, motion_of(a, is_translation), w->x);
    release_row(w, j, motion_of(b, is_translation), w->y);
    cd_orthonormal_basis_add(&released, w->x, INFINITY); // orthogonalizes only; nothing is added
    cd_orthonormal_basis_add(&released, w->y, INFINITY);
    const double aa = cd_dot(n, w->x, w->x), bb = cd_dot(n, w->y, w->y), ab = cd_dot(n, w->x, w->y);
    const double angle = atan2(2 * ab, aa - bb) / 2;
    return v3_add(v3_scale(cos(angle), a), v3_scale(sin(angle), b));
}

static joint_option universal_option(const repair_search* w, int j, vec3 a, vec3 b)
{
    const vec3   e = most_effective_direction(w, j, a, b, false);
    joint_option o = {"universal", 1, {{e, v3_zero()}}, ""};
    snprintf(o.axes, sizeof o.axes, ", its second axis along %s", cd_describe_axis_direction(e).text);
    return o;
}

// Return whether springs, friction, motors or drivers act on the coordinates of a joint.
static bool has_joint_forces(const cardan_joint* joint)
{
    for (int i = 0; i < joint->naxis; ++i) {
        const cardan_axis_properties* a = &joint->axis[i];
        if (a->stiffness != 0 || a->damping != 0 || a->friction_forward != 0 || a->friction_backward != 0 ||
            a->armature != 0 || a->stop_stiffness != 0 || a->rigid_stop || a->sticking_friction)
            return true;
    }
    for (int i = 0; i < joint->ndriver; ++i)
        if (joint->driver[i] != CARDAN_NONE) return true;
    return false;
}

// Return whether another element uses the coordinates of a joint; a spherical joint, which has none, cannot replace it.
static bool is_used(const cardan_description_view* view, int j)
{
    if (j >= view->njoint) return false;
    if (has_joint_forces(&view->joint[j])) return true;
    for (int i = 0; i < view->nforce; ++i)
        if (view->force[i].joint == j) return true;
    for (int i = 0; i < view->nconstraint; ++i)
        for (int k = 0; k < view->constraint[i].njoint; ++k)
            if (view->constraint[i].joint[k] == j) return true;
    for (int i = 0; i < view->ncoupling; ++i)
        if (view->coupling[i].joint == j || view->coupling[i].other == j) return true;
    return false;
}

// General joint with three rotations that keeps the first coordinate, for elements that use it.
static joint_option rotation_option(vec3 u, vec3 a, vec3 b)
{
    joint_option o = {"general", 2, {{a, v3_zero()}, {b, v3_zero()}}, ""};
    snprintf(o.axes, sizeof o.axes, " with steps that rotate about %s, %s and %s", cd_describe_axis_direction(u).text,
             cd_describe_axis_direction(a).text, cd_describe_axis_direction(b).text);
    return o;
}

static joint_candidate candidate_of(const repair_search* w, int j)
{
    cd_joint_axis   axis[CARDAN_JOINT_VELOCITIES_MAX];
    joint_candidate c    = {.joint = j};
    const char*     type = w->d->m->joint[j].type->name;
    const bool      used = is_used(&w->d->m->view, j);
    const int       n    = cd_joint_axes(w->d, j, axis);
    const vec3      o = v3_zero(), u = axis[0].u;
    vec3            a, b;
    if (n == 0 || w->changed[j]) return c;
    perpendicular_directions(u, &a, &b);
    if (strcmp(type, "revolute") == 0) {
        c.option[c.noption++] = (joint_option){"cylindrical", 1, {{o, u}}, ""};
        c.option[c.noption++] =
            used ? rotation_option(u, a, v3_cross(a, u)) : (joint_option){"spherical", 2, {{a, o}, {b, o}}, ""};
        if (w->allow_universal) c.option[c.noption++] = universal_option(w, j, a, b);
    } else if (strcmp(type, "prismatic") == 0) {
        c.option[c.noption++] = (joint_option){"cylindrical", 1, {{u, o}}, ""};
    } else if (strcmp(type, "screw") == 0) {
        c.option[c.noption++] = (joint_option){"cylindrical", 1, {{o, u}}, ""};
    } else if (strcmp(type, "universal") == 0) {
        joint_option ball =
            used ? rotation_option(u, axis[1].u, v3_cross(u, axis[1].u)) : (joint_option){.type = "spherical"};
        ball.count            = 1;
        ball.twist[0]         = (spatial){v3_cross(u, axis[1].u), o};
        c.option[c.noption++] = ball;
    }
    return c;
}

// Add a release; returns whether its row is independent of the rows before.
static bool release_motion(repair_search* w, cd_orthonormal_basis* released, int j, spatial t)
{
    const double size = release_row(w, j, t, w->x);
    if (size == 0) return false;
    const double floor = fmax(cd_clear_stress_independence * size, cd_stress_independence);
    return cd_orthonormal_basis_add(released, w->x, floor) > floor;
}

static bool release_all(repair_search* w, cd_orthonormal_basis* released, int j, const joint_option* o)
{
    for (int k = 0; k < o->count; ++k)
        if (!release_motion(w, released, j, o->twist[k])) return false;
    return true;
}

// Release all motions that joint j constrains.
static void remove_joint(repair_search* w, int j)
{
    for (int k = 0; k < 6; ++k) {
        const vec3 e = v3(k % 3 == 0, k % 3 == 1, k % 3 == 2);
        release_motion(w, &w->released, j, k < 3 ? (spatial){e, v3_zero()} : (spatial){v3_zero(), e});
    }
    w->changed[j] = true;
}

// Return whether another loop with redundant rows contains the joint.
static bool is_shared(const repair_search* w, const cd_kinematic_loop* loop, int j)
{
    for (int l = 0; l < w->loops->nloop; ++l) {
        const cd_kinematic_loop* other = &w->loops->loop[l];
        for (int i = 0; other != loop && other->redundant > 0 && i < other->njoint; ++i)
            if (other->joint[i] == j) return true;
    }
    return false;
}

// Return the joint after `last` in the order of the search: the closing joint, then the others in reverse order of the
// description; -1 after the last.
static int next_joint(const cd_kinematic_loop* loop, int last)
{
    int next = -1;
    if (last < 0) return loop->closing_joint;
    for (int i = 0; i < loop->njoint; ++i) {
        const int j = loop->joint[i];
        if (j != loop->closing_joint && j > next && (last == loop->closing_joint || j < last)) next = j;
    }
    return next;
}

static int collect_candidates(const repair_search* w, const cd_kinematic_loop* loop, joint_candidate* list)
{
    int count = 0;
    for (int pass = 0; pass < (w->prefer_unshared ? 2 : 1); ++pass)
        for (int j = next_joint(loop, -1); j >= 0 && count < MAX_CANDIDATES; j = next_joint(loop, j)) {
            if (w->prefer_unshared && is_shared(w, loop, j) != (pass == 1)) continue;
            const joint_candidate c = candidate_of(w, j);
            if (c.noption > 0) list[count++] = c;
        }
    return count;
}

// Choose `njoint` joints from list[from..) whose releases add up to `nrelease`; option[i] is the chosen option of
// list[i]. Returns false if there is no choice.
static bool choose_options(repair_search* w, int count, const joint_candidate* list, int from, int njoint, int nrelease,
                           int* option)
{
    if (nrelease == 0 && njoint == 0) return true;
    if (nrelease <= 0 || njoint == 0) return false;
    for (int i = from; i < count; ++i)
        for (int o = 0; o < list[i].noption; ++o) {
            const int before = w->released.count;
            option[i]        = o;
            if (release_all(w, &w->released, list[i].joint, &list[i].option[o]) &&
                choose_options(w, count, list, i + 1, njoint - 1, nrelease - list[i].option[o].count, option))
                return true;
            w->released.count = before;
            option[i]         = -1;
        }
    return false;
}

// Add a new type of a joint to the suggestion. NULL: types alone do not say it.
static void add_change(cd_kinematic_loop* loop, int ntext, int joint, const char* type)
{
    if (type && loop->nchange == ntext - 1)
        loop->change[loop->nchange++] = (cardan_joint_change){joint, type};
    else
        loop->nchange = 0;
}

static bool replace_joints(repair_search* w, cd_kinematic_loop* loop)
{
    joint_candidate list[MAX_CANDIDATES];
    int             option[MAX_CANDIDATES], nwritten = 0;
    const int       count = collect_candidates(w, loop, list);
    for (int changed = 1; changed <= MAX_CHANGED; ++changed) {
        for (int i = 0; i < MAX_CANDIDATES; ++i) option[i] = -1;
        if (!choose_options(w, count, list, 0, changed, loop->redundant, option)) continue;
        for (int k = 0; k < loop->njoint; ++k)
            for (int i = 0; i < count; ++i) {
                if (option[i] < 0 || list[i].joint != loop->joint[k]) continue;
                ++nwritten;
                cd_text_format(&loop->suggested_joints, "%s%s %s%s%s",
                               nwritten == 1         ? "let "
                               : nwritten == changed ? " and "
                                                     : ", ",
                               w->d->m->joint[list[i].joint].name, nwritten == 1 ? "be " : "",
                               list[i].option[option[i]].type, list[i].option[option[i]].axes);
                const joint_option* o = &list[i].option[option[i]];
                add_change(loop, nwritten, list[i].joint, o->axes[0] ? NULL : o->type);
                w->changed[list[i].joint] = true;
            }
        return true;
    }
    return false;
}

// ---- single additional motions

// Motions added to a revolute or prismatic joint.
typedef struct added_motions {
    int  count, n[2]; // n: rotations, translations
    vec3 e[2][3];
} added_motions;

// Add up to `most` effective motions to joint j, rotations before translations.
static added_motions add_motions(repair_search* w, int j, int most)
{
    cd_joint_axis axis[CARDAN_JOINT_VELOCITIES_MAX];
    added_motions s        = {0};
    const char*   type     = w->d->m->joint[j].type->name;
    const bool    revolute = strcmp(type, "revolute") == 0, prismatic = strcmp(type, "prismatic") == 0;
    vec3          a, b;
    if ((!revolute && !prismatic) || w->changed[j] || cd_joint_axes(w->d, j, axis) != 1) return s;
    perpendicular_directions(axis[0].u, &a, &b);
    for (int kind = 0; kind < 2; ++kind) {
        const vec3 first = most_effective_direction(w, j, a, b, kind),
                   e[3]  = {first, v3_cross(axis[0].u, first), axis[0].u};
        for (int k = 0; k < (kind == (prismatic ? 1 : 0) ? 2 : 3) && s.count < most; ++k) {
            if (!release_motion(w, &w->released, j, motion_of(e[k], kind))) continue;
            s.e[kind][s.n[kind]++] = e[k];
            ++s.count;
        }
    }
    return s;
}

// Write "rotate about x, y and z".
static void write_motions(cd_text* text, const char* what, int n, const vec3* e)
{
    for (int i = 0; i < n; ++i)
        cd_text_format(text, "%s%s",
                       i == 0       ? what
                       : i == n - 1 ? " and "
                                    : ", ",
                       cd_describe_axis_direction(e[i]).text);
}

// Write the type; returns it if it says all.
static const char* write_joint_type(const repair_search* w, int j, const added_motions* s, cd_text* text)
{
    cd_joint_axis axis[CARDAN_JOINT_VELOCITIES_MAX];
    const bool    revolute = strcmp(w->d->m->joint[j].type->name, "revolute") == 0;
    const int     own = revolute ? 0 : 1, other = 1 - own;
    vec3          e[4];
    (void)cd_joint_axes(w->d, j, axis);
    if (revolute && s->n[0] == 2 && s->n[1] == 0 && !is_used(&w->d->m->view, j)) {
        cd_text_add(text, "spherical");
        return "spherical";
    }
    if (s->count == 1 && s->n[other] == 1 &&
        fabs(v3_dot(s->e[other][0], axis[0].u)) > 1 - cd_same_direction_tolerance) {
        cd_text_add(text, "cylindrical");
        return "cylindrical";
    }
    e[0] = axis[0].u;
    memcpy(e + 1, s->e[own], (size_t)s->n[own] * sizeof *e);
    cd_text_add(text, "general with steps that ");
    write_motions(text, revolute ? "rotate about " : "translate along ", 1 + s->n[own], e);
    if (s->n[other] > 0)
        write_motions(text, revolute ? " and translate along " : " and rotate about ", s->n[other], s->e[other]);
    return NULL;
}

// Try the closing joint first, then the others in reverse order of the description; as few
// motions per joint as possible.
static bool add_single_motions(repair_search* w, cd_kinematic_loop* loop)
{
    const int before = w->released.count;
    for (int most = 2; most <= 4; ++most) {
        int           joint[MAX_CHANGED], changed = 0, nrelease = loop->redundant;
        added_motions added[MAX_CHANGED];
        for (int j = next_joint(loop, -1); j >= 0 && nrelease > 0 && changed < MAX_CHANGED; j = next_joint(loop, j)) {
            added[changed] = add_motions(w, j, most < nrelease ? most : nrelease);
            nrelease -= added[changed].count;
            joint[changed] = j;
            changed += added[changed].count > 0;
        }
        if (nrelease > 0) {
            w->released.count = before;
            continue;
        }
        for (int i = 0; i < changed; ++i) {
            cd_text_format(&loop->suggested_joints, "%s%s be ", i == 0 ? "let " : ", and let ",
                           w->d->m->joint[joint[i]].name);
            add_change(loop, i + 1, joint[i], write_joint_type(w, joint[i], &added[i], &loop->suggested_joints));
            w->changed[joint[i]] = true;
        }
        return true;
    }
    return false;
}

static bool is_joint_of_body(const cardan_description_view* view, int body, int j)
{
    return j >= 0 && (view->joint[j].first_body == body || view->joint[j].second_body == body);
}

static bool has_marker_on_body(const cardan_description_view* view, int body, const int marker[2])
{
    for (int k = 0; k < 2; ++k)
        if (marker[k] >= 0 && view->marker[marker[k]].body == body) return true;
    return false;
}

// Return whether a body has another purpose than its two joints: it is heavier than the average body, or
// another element acts on it.
static bool has_other_purpose(const cardan_description_view* view, int body)
{
    double mass = 0;
    for (int i = 0; i < view->nbody; ++i) mass += view->body[i].mass / view->nbody;
    if (view->body[body].mass > (1 + cd_average_mass_roundoff) * mass) return true;
    for (int i = 0; i < view->nforce; ++i)
        if (has_marker_on_body(view, body, view->force[i].marker) || is_joint_of_body(view, body, view->force[i].joint))
            return true;
    for (int i = 0; i < view->nconstraint; ++i) {
        if (has_marker_on_body(view, body, view->constraint[i].marker)) return true;
        for (int k = 0; k < view->constraint[i].njoint; ++k)
            if (is_joint_of_body(view, body, view->constraint[i].joint[k])) return true;
    }
    for (int i = 0; i < view->ncoupling; ++i)
        if (is_joint_of_body(view, body, view->coupling[i].joint) ||
            is_joint_of_body(view, body, view->coupling[i].other))
            return true;
    for (int j = 0; j < view->njoint; ++j)
        if (is_joint_of_body(view, body, j) && has_joint_forces(&view->joint[j])) return true;
    return false;
}

// Omit a body with exactly two joints: the mobility is unchanged if 6 - f1 - f2 self-stress vectors disappear. A body
// with both joints to the same neighbour is not considered, because it connects nothing.
static bool leave_out_body(repair_search* w, cd_kinematic_loop* loop)
{
    const cardan_description_view* view = &w->d->m->view;
    for (int i = 0; loop->njoint > 2 && i < loop->njoint; ++i) {
        const int body = loop->body[i], two[2] = {loop->joint[(i + loop->njoint - 1) % loop->njoint], loop->joint[i]};
        int       joints = 0;
        for (int j = 0; j < view->njoint; ++j)
            joints += view->joint[j].first_body == body || view->joint[j].second_body == body;
        if (body == CARDAN_GROUND || joints != 2 || w->changed[two[0]] || w->changed[two[1]] ||
            has_other_purpose(view, body))
            continue;
        if (two[0] != loop->closing_joint && two[1] != loop->closing_joint) continue;
        const int before   = w->released.count,
                  expected = 6 - w->d->m->tree_range[two[0]].nv - w->d->m->tree_range[two[1]].nv;
        for (int k = 0; k < 2; ++k) remove_joint(w, two[k]);
        if (w->released.count - before == expected && expected == loop->redundant) {
            cd_text_format(&loop->suggested_joints, "leave out %s", view->body[body].name);
            return true;
        }
        w->released.count = before;
        for (int k = 0; k < 2; ++k) w->changed[two[k]] = false;
    }
    return false;
}

// Try all loops in order. Returns the number of loops without suggestion.
static int try_all_loops(repair_search* w, cd_kinematic_loops* loops, bool prefer_unshared)
{
    const cardan_model* m       = w->d->m;
    int                 missing = 0;
    w->prefer_unshared          = prefer_unshared;
    w->released.count           = 0;
    memset(w->changed, 0, (size_t)m->njoint * sizeof *w->changed);
    for (int l = 0; l < loops->nloop; ++l) {
        cd_kinematic_loop* loop = &loops->loop[l];
        cd_text_free(&loop->suggested_joints);
        loop->suggested_joints = (cd_text){0};
        loop->nchange          = 0;
        if (loop->redundant == 0) continue;
        if (loop->redundant == loop->nrow && !is_used(&m->view, loop->closing_joint)) {
            cd_text_format(&loop->suggested_joints, "leave out %s", m->joint[loop->closing_joint].name);
            remove_joint(w, loop->closing_joint);
            continue;
        }
        w->allow_universal = false;
        bool found         = replace_joints(w, loop) || leave_out_body(w, loop);
        w->allow_universal = true;
        found              = found || replace_joints(w, loop);
        missing += !found;
    }
    return missing;
}

bool cd_suggest_joints(cardan_data* d, const cd_self_stress* stress, cd_kinematic_loops* loops)
{
    repair_search w    = {.d = d, .stress = stress, .loops = loops};
    w.changed          = cd_allocate((size_t)d->m->njoint + 1, sizeof *w.changed);
    w.x                = cd_allocate((size_t)stress->nbasis + 1, sizeof *w.x);
    w.y                = cd_allocate((size_t)stress->nbasis + 1, sizeof *w.y);
    const bool good    = cd_orthonormal_basis_create(&w.released, stress->nbasis) && w.changed && w.x && w.y;
    const int  missing = good ? try_all_loops(&w, loops, false) : 0;
    if (missing > 0 && try_all_loops(&w, loops, true) >= missing) try_all_loops(&w, loops, false);
    for (int l = 0; good && missing > 0 && l < loops->nloop; ++l)
        if (loops->loop[l].redundant > 0 && loops->loop[l].suggested_joints.length == 0)
            (void)add_single_motions(&w, &loops->loop[l]);
    cd_orthonormal_basis_free(&w.released);
    free(w.changed);
    free(w.x);
    free(w.y);
    return good;
}
