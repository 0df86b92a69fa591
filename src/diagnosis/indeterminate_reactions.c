// SPDX-License-Identifier: BSD-3-Clause
// Text of statically indeterminate reactions: forces and moments at joints that a self-stress changes.
//
// A single loop transmits its self-stress wrenches through all its joints. The self-stress of several loops together is
// the remainder after the self-stress of the single loops is removed.
#include "diagnosis/diagnosis.h"
#include "diagnosis/diagnosis_tolerances.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Wrenches (moment / length, force) of `nset` self-stress vectors at a list of joints.
typedef struct stress_sets {
    int     nset, njoint;
    int*    joint;  // (njoint)
    double* wrench; // (nset x njoint x 6)
} stress_sets;

// Orthonormal directions of moments [0] and forces [1] at a joint that were reported as indeterminate.
typedef struct reported_directions {
    int  n[2];
    vec3 u[2][3];
} reported_directions;

// Return the component of x orthogonal to the reported directions.
static vec3 unreported_part(const reported_directions* t, int kind, vec3 x)
{
    for (int pass = 0; pass < 2; ++pass)
        for (int k = 0; k < t->n[kind]; ++k) x = v3_add_scaled(x, -v3_dot(x, t->u[kind][k]), t->u[kind][k]);
    return x;
}

static void mark_reported(reported_directions* t, int kind, vec3 x)
{
    const vec3   unreported = unreported_part(t, kind, x);
    const double size       = sqrt(v3_dot(unreported, unreported));
    if (t->n[kind] < 3 && size > cd_stress_roundoff) t->u[kind][t->n[kind]++] = v3_scale(1 / size, unreported);
}

// Kind 0: moments, kind 1: forces, as in wrenches.
static void mark_sets_reported(const stress_sets* s, reported_directions* reported)
{
    for (int k = 0; k < s->nset; ++k)
        for (int i = 0; i < s->njoint; ++i)
            for (int kind = 0; kind < 2; ++kind)
                mark_reported(&reported[s->joint[i]], kind,
                              v3_const(s->wrench + ((size_t)k * (size_t)s->njoint + (size_t)i) * 6 + 3 * kind));
}

static void keep_unreported(const stress_sets* s, const reported_directions* reported)
{
    for (int k = 0; k < s->nset; ++k)
        for (int i = 0; i < s->njoint; ++i)
            for (int kind = 0; kind < 2; ++kind) {
                double*    w      = s->wrench + ((size_t)k * (size_t)s->njoint + (size_t)i) * 6 + 3 * kind;
                const vec3 x      = unreported_part(&reported[s->joint[i]], kind, v3_const(w));
                const bool is_new = sqrt(v3_dot(x, x)) > cd_stress_roundoff;
                w[0] = is_new ? x.x : 0, w[1] = is_new ? x.y : 0, w[2] = is_new ? x.z : 0;
            }
}

// Write "the forces along x and y"; `preposition` is "along" or "about".
static void write_span(cd_text* text, const char* noun, const char* preposition, int span, const vec3* basis)
{
    if (span == 0) return;
    if (text->length > 0) cd_text_add(text, " and ");
    if (span == 3) {
        cd_text_format(text, "all %s", noun);
        return;
    }
    const vec3 normal = span == 2 ? v3_cross(basis[0], basis[1]) : basis[0];
    cd_text_format(text, "the %s ", noun);
    if (span == 1) {
        cd_text_format(text, "%s %s", preposition, cd_describe_axis_direction(basis[0]).text);
        return;
    }
    const cd_geometry_text n = cd_describe_axis_direction(normal);
    const char* w = n.text[1] ? NULL : n.text[0] == 'x' ? "y and z" : n.text[0] == 'y' ? "x and z" : "x and y";
    if (w)
        cd_text_format(text, "%s %s", preposition, w);
    else
        cd_text_format(text, "normal to %s", n.text);
}

// Write forces and moments of all self-stress vectors at joint i of the list.
static void write_joint(const stress_sets* s, int i, cd_text* text)
{
    vec3* u = malloc((size_t)s->nset * sizeof *u);
    vec3  basis[3];
    if (!u) text->failed = true;
    if (!u) return;
    for (int k = 0; k < s->nset; ++k) u[k] = v3_const(s->wrench + ((size_t)k * (size_t)s->njoint + (size_t)i) * 6 + 3);
    write_span(text, "forces", "along", cd_spanned_directions(s->nset, u, basis), basis);
    for (int k = 0; k < s->nset; ++k) u[k] = v3_const(s->wrench + ((size_t)k * (size_t)s->njoint + (size_t)i) * 6);
    write_span(text, "moments", "about", cd_spanned_directions(s->nset, u, basis), basis);
    free(u);
}

// Return whether the joints of the list are consecutive in the description.
static bool are_consecutive(const stress_sets* s)
{
    for (int i = 1; i < s->njoint; ++i)
        if (s->joint[i] != s->joint[i - 1] + 1) return false;
    return true;
}

// Write a list of joints: "at A to D" for a complete consecutive list, else "at A, B and C".
static void write_joint_list(const cardan_model* m, const stress_sets* s, int count, const int* which, cd_text* text)
{
    enum { MAX_LISTED = 8 };
    cd_text_add(text, " at ");
    if (count == s->njoint && count > 3 && are_consecutive(s)) {
        cd_text_format(text, "%s to %s", m->joint[s->joint[0]].name, m->joint[s->joint[count - 1]].name);
        return;
    }
    int       list[MAX_LISTED];
    const int shown = count > MAX_LISTED ? MAX_LISTED - 1 : count;
    for (int i = 0; i < shown; ++i) list[i] = s->joint[which[i]];
    if (shown == count)
        cd_text_add_joints(text, m, shown, list);
    else {
        for (int i = 0; i < shown; ++i) cd_text_format(text, "%s, ", m->joint[list[i]].name);
        cd_text_format(text, "and %d more", count - shown);
    }
}

// Write the texts of all joints; joints with the same text are grouped. Returns false if memory is exhausted.
static bool write_sets(const cardan_model* m, const stress_sets* s, cd_text* text)
{
    cd_text* words = cd_allocate((size_t)s->njoint + 1, sizeof *words);
    int*     same  = cd_allocate((size_t)s->njoint + 1, sizeof *same);
    bool     good  = words && same;
    for (int i = 0; good && i < s->njoint; ++i) {
        write_joint(s, i, &words[i]);
        good = !words[i].failed;
    }
    for (int i = 0; good && i < s->njoint; ++i) {
        int count = 0;
        if (words[i].length == 0) continue;
        for (int k = i; k < s->njoint; ++k)
            if (words[k].length > 0 && strcmp(words[k].data, words[i].data) == 0) same[count++] = k;
        cd_text_format(text, "%s%s", text->length > 0 ? ", " : "", words[i].data);
        write_joint_list(m, s, count, same, text);
        for (int k = count - 1; k >= 0; --k) {
            if (same[k] == i) continue;
            cd_text_free(&words[same[k]]);
            words[same[k]] = (cd_text){0};
        }
    }
    for (int i = 0; words && i < s->njoint; ++i) cd_text_free(&words[i]);
    free(words);
    free(same);
    return good && !text->failed;
}

// Self-stress wrench of the loop, reduced to the position of a joint.
static void wrench_at_joint(const cardan_data* d, const cd_kinematic_loop* loop, int set, int j, double* wrench)
{
    const vec3   arm = v3_scale(1 / loop->length, v3_sub(loop->centre, d->reactions.joint_position[j]));
    const vec3   f = v3_const(loop->wrench[set] + 3), n = v3_add(v3_const(loop->wrench[set]), v3_cross(arm, f));
    const double w[6] = {n.x, n.y, n.z, f.x, f.y, f.z};
    memcpy(wrench, w, sizeof w);
}

static bool write_own_sets(const cardan_data* d, const cd_kinematic_loop* loop, reported_directions* reported,
                           cd_text* text)
{
    stress_sets s = {.nset = loop->single_loop_redundant, .njoint = loop->njoint, .joint = loop->joint};
    s.wrench      = cd_allocate(6 * (size_t)s.nset * (size_t)s.njoint + 1, sizeof *s.wrench);
    if (!s.wrench) return false;
    for (int k = 0; k < s.nset; ++k)
        for (int i = 0; i < s.njoint; ++i)
            wrench_at_joint(d, loop, k, loop->joint[i], s.wrench + ((size_t)k * (size_t)s.njoint + (size_t)i) * 6);
    const bool good = write_sets(d->m, &s, text);
    if (reported) mark_sets_reported(&s, reported);
    free(s.wrench);
    return good;
}

bool cd_describe_loop_indeterminacy(const cardan_data* d, const cd_kinematic_loop* loop, cd_text* text)
{
    return write_own_sets(d, loop, NULL, text);
}

// ---- self-stress of several loops

// Self-stress wrenches of a loop at all joints, in the convention of cd_self_stress: on the second body.
static void wrenches_at_all_joints(const cardan_data* d, const cd_kinematic_loop* loop, int set, int width, double* W)
{
    const double length = d->reactions.design_length;
    memset(W, 0, (size_t)width * sizeof *W);
    for (int i = 0; i < loop->njoint; ++i) {
        const int    j    = loop->joint[i];
        const double sign = d->m->view.joint[j].first_body == loop->body[i] ? 1 : -1;
        double       w[6];
        wrench_at_joint(d, loop, set, j, w);
        for (int k = 0; k < 6; ++k) W[6 * j + k] += sign * w[k] * (k < 3 ? loop->length / length : 1);
    }
}

typedef struct combined_stress {
    cardan_data*          d;
    const cd_self_stress* stress;
    cd_orthonormal_basis  described;
    reported_directions*  reported; // (njoint)
} combined_stress;

// Find up to `count` self-stress vectors independent of those that `excluded` and `described` span, add them to
// `described`, and write their components at joints that were not reported yet. Returns false if memory is exhausted.
static bool write_more_sets(combined_stress* w, cd_orthonormal_basis* excluded, int count, cd_text* text)
{
    const int   r = w->stress->nbasis, nj = w->d->m->view.njoint, n = w->stress->width;
    stress_sets s    = {.joint  = cd_allocate((size_t)nj + 1, sizeof(int)),
                        .wrench = cd_allocate(6 * (size_t)count * (size_t)nj + 1, sizeof(double)),
                        .njoint = nj};
    double*     x    = cd_allocate((size_t)r + 1, sizeof *x);
    bool        good = s.joint && s.wrench && x;
    // add unit vectors that are independent of `excluded` and `described`
    for (int k = 0; good && k < w->described.count; ++k) {
        memcpy(x, w->described.vector + k * r, (size_t)r * sizeof *x);
        cd_orthonormal_basis_add(excluded, x, cd_stress_independence);
    }
    for (int k = 0; good && k < r && s.nset < count; ++k) {
        memset(x, 0, (size_t)r * sizeof *x);
        x[k] = 1;
        if (cd_orthonormal_basis_add(excluded, x, cd_clear_stress_independence) <= cd_clear_stress_independence)
            continue;
        double* W = s.wrench + 6 * (size_t)nj * (size_t)s.nset++;
        memcpy(x, excluded->vector + (excluded->count - 1) * r, (size_t)r * sizeof *x);
        for (int i = 0; i < 6 * nj; ++i)
            for (int q = 0; q < r; ++q) W[i] += x[q] * w->stress->basis[(size_t)q * (size_t)n + (size_t)i];
        cd_orthonormal_basis_add(&w->described, x, cd_stress_independence);
    }
    for (int j = 0; good && j < nj; ++j) s.joint[j] = j;
    if (good) {
        keep_unreported(&s, w->reported);
        good = write_sets(w->d->m, &s, text);
        mark_sets_reported(&s, w->reported);
    }
    free(s.joint);
    free(s.wrench);
    free(x);
    return good;
}

// Write the self-stress that loop l adds to that of the single loops.
static bool write_combined_sets(combined_stress* w, const cd_kinematic_loops* loops, int l, cd_text* text)
{
    cd_orthonormal_basis later = {0};
    const bool           good  = cd_orthonormal_basis_create(&later, w->stress->nbasis) &&
                      cd_stress_of_later_joints(w->d->m, w->stress, loops, loops->loop[l].closing_position, &later) &&
                      write_more_sets(w, &later, loops->loop[l].redundant - loops->loop[l].single_loop_redundant, text);
    cd_orthonormal_basis_free(&later);
    return good;
}

// Return whether a self-stress involves constraint c, which does not belong to a joint.
static bool participates(const cardan_data* d, const cd_self_stress* stress, const cd_constraint* c)
{
    for (int s = 0; s < stress->nbasis; ++s)
        for (int row = 0; row < c->nrow; ++row) {
            const int i = 6 * d->m->njoint + c->first_row + row - stress->first_other_row;
            if (fabs(stress->basis[(size_t)s * (size_t)stress->width + (size_t)i]) > cd_stress_roundoff) return true;
        }
    return false;
}

// Compute the directions of the forces that all self-stress vectors have in a constraint between two bodies. Returns
// their number if it is less than the number of constrained directions; 0 otherwise or if the constraint has moments.
static int force_directions(const cardan_data* d, const cd_self_stress* stress, int constraint, vec3 basis[3])
{
    const cd_constraint* c = &d->constraints.constraint[constraint];
    const spatial*       G = d->constraints.equations[constraint].G;
    vec3                 u[6], constrained[3], force[3];
    int                  n = 0;
    if (c->nend != 2 || c->nrow > 6) return 0;
    for (int row = 0; row < c->nrow; ++row) {
        u[row] = G[2 * row].l;
        if (!(v3_dot(u[row], u[row]) > 0)) return 0;
    }
    const int all = cd_spanned_directions(c->nrow, u, constrained);
    for (int s = 0; s < stress->nbasis && n < all; ++s) {
        const double* W =
            stress->basis + (size_t)s * (size_t)stress->width + 6 * d->m->njoint - stress->first_other_row;
        vec3 f = v3_zero();
        for (int row = 0; row < c->nrow; ++row) {
            const int i = c->first_row + row;
            f           = v3_add_scaled(f, W[i] * stress->scale[i] * d->reactions.design_length, G[2 * row].l);
        }
        force[n] = f;
        if (sqrt(v3_dot(f, f)) > cd_stress_roundoff && cd_spanned_directions(n + 1, force, basis) == n + 1) ++n;
    }
    return n < all ? cd_spanned_directions(n, force, basis) : 0;
}

// Write "the efforts", "the forces" or "the forces along z": the part of constraint i that a self-stress changes.
static void write_extra_constraint(const combined_stress* w, int i, bool driven, cd_text* text)
{
    const cd_constraint* c = &w->d->constraints.constraint[i];
    vec3                 basis[3];
    if ((c->driven_rows != 0) != driven || !participates(w->d, w->stress, c)) return;
    const int n = driven ? 0 : force_directions(w->d, w->stress, i, basis);
    if (n > 0)
        write_span(text, "forces", "along", n, basis);
    else
        cd_text_add(text, driven ? "the efforts" : "the forces");
}

// Write ", the efforts of a and d": drivers, or all other constraints that do not belong to a joint, that a self-stress
// changes; constraints with the same text are grouped. Returns false if memory is exhausted.
static bool write_extra_constraints(const combined_stress* w, bool driven, cd_text* text)
{
    const cardan_data* d     = w->d;
    const int          first = d->m->ncut, last = d->constraints.nconstraint;
    cd_text*           words = cd_allocate((size_t)(last - first) + 1, sizeof *words);
    bool               good  = words != NULL;
    for (int i = first; good && i < last; ++i) {
        write_extra_constraint(w, i, driven, &words[i - first]);
        good = !words[i - first].failed;
    }
    for (int i = first; good && i < last; ++i) {
        const char* what        = words[i - first].data;
        int         remaining   = 0;
        bool        any_written = false;
        if (words[i - first].length == 0) continue;
        for (int k = i; k < last; ++k)
            remaining += words[k - first].length > 0 && strcmp(words[k - first].data, what) == 0;
        cd_text_format(text, "%s%s of ", text->length == 0 ? "" : driven ? " and " : ", ", what);
        for (int k = i; k < last; ++k) {
            cd_text* same = &words[k - first];
            if (same->length == 0 || strcmp(same->data, what) != 0) continue;
            cd_text_format(text, "%s%s",
                           !any_written     ? ""
                           : remaining == 1 ? " and "
                                            : ", ",
                           d->constraints.constraint[k].name);
            any_written = true;
            --remaining;
            if (k > i) same->length = 0;
        }
    }
    for (int i = first; words && i < last; ++i) cd_text_free(&words[i - first]);
    free(words);
    return good;
}

// Write the self-stress that constraints outside joints add to that of the loops. Returns false if memory is exhausted.
static bool write_extra_indeterminacy(combined_stress* w, cd_text* text)
{
    const int            count    = w->stress->nbasis - w->described.count;
    cd_orthonormal_basis excluded = {0};
    if (count <= 0) return true;
    const bool good =
        cd_orthonormal_basis_create(&excluded, w->stress->nbasis) && write_more_sets(w, &excluded, count, text);
    cd_orthonormal_basis_free(&excluded);
    return good && write_extra_constraints(w, false, text) && write_extra_constraints(w, true, text) && !text->failed;
}

// Add the self-stress of a single loop to `described`, in coordinates of the self-stress basis.
// Returns false if memory is exhausted.
static bool add_own_sets(const cardan_data* d, const cd_self_stress* stress, const cd_kinematic_loop* loop,
                         cd_orthonormal_basis* described)
{
    const int r = stress->nbasis, n = 6 * d->m->njoint;
    double *  W = cd_allocate((size_t)n + 1, sizeof *W), *x = cd_allocate((size_t)r + 1, sizeof *x);
    for (int k = 0; W && x && k < loop->single_loop_redundant; ++k) {
        wrenches_at_all_joints(d, loop, k, n, W);
        for (int s = 0; s < r; ++s) {
            x[s] = 0;
            for (int i = 0; i < n; ++i) x[s] += W[i] * stress->basis[(size_t)s * (size_t)stress->width + (size_t)i];
        }
        cd_orthonormal_basis_add(described, x, cd_stress_independence);
    }
    free(W);
    free(x);
    return W && x;
}

bool cd_describe_indeterminacy(cardan_data* d, const cd_self_stress* stress, cd_kinematic_loops* loops)
{
    combined_stress w = {
        .d = d, .stress = stress, .reported = cd_allocate((size_t)d->m->njoint + 1, sizeof(reported_directions))};
    bool good = cd_orthonormal_basis_create(&w.described, stress->nbasis) && w.reported;
    for (int l = 0; good && l < loops->nloop; ++l) {
        cd_kinematic_loop* loop = &loops->loop[l];
        if (loop->single_loop_redundant > 0)
            good = write_own_sets(d, loop, w.reported, &loop->indeterminate) &&
                   add_own_sets(d, stress, loop, &w.described);
        if (good && loop->redundant > loop->single_loop_redundant)
            good = write_combined_sets(&w, loops, l, &loop->indeterminate);
    }
    if (good && loops->nloop == loops->total) good = write_extra_indeterminacy(&w, &loops->indeterminate);
    cd_orthonormal_basis_free(&w.described);
    free(w.reported);
    return good;
}
