// SPDX-License-Identifier: BSD-3-Clause
// Reactions that are not unique, in words: which forces and moments at which joints a self-stress reaches.
//
// A loop by itself carries its wrenches round through all its joints; what loops have only together is what is left of
// the self-stress when that is taken out.
#include "doctor/doctor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double new_part = 1e-6; // of a set of unit size: less is rounding

// Wrenches (moment / length, force) of `nset` sets at the joints of a list.
typedef struct sets {
    int     nset, njoint;
    int*    joint;  // (njoint)
    double* wrench; // (nset x njoint x 6)
} sets;

// Directions in which forces and moments at a joint were told to be loose: orthogonal to each other.
typedef struct told {
    int  n[2];
    vec3 u[2][3];
} told;

// What of x was not told yet; where that is more than rounding it is told from now on.
static vec3 untold(const told* t, int kind, vec3 x)
{
    for (int pass = 0; pass < 2; ++pass)
        for (int k = 0; k < t->n[kind]; ++k) x = v3_add_scaled(x, -v3_dot(x, t->u[kind][k]), t->u[kind][k]);
    return x;
}

static void tell(told* t, int kind, vec3 x)
{
    const vec3   rest = untold(t, kind, x);
    const double size = sqrt(v3_dot(rest, rest));
    if (t->n[kind] < 3 && size > new_part) t->u[kind][t->n[kind]++] = v3_scale(1 / size, rest);
}

// Moments first, then forces, as wrenches have them.
static void tell_sets(const sets* s, told* all)
{
    for (int k = 0; k < s->nset; ++k)
        for (int i = 0; i < s->njoint; ++i)
            for (int kind = 0; kind < 2; ++kind)
                tell(&all[s->joint[i]], kind,
                     v3_lift(s->wrench + ((size_t)k * (size_t)s->njoint + (size_t)i) * 6 + 3 * kind));
}

static void leave_untold(const sets* s, const told* all)
{
    for (int k = 0; k < s->nset; ++k)
        for (int i = 0; i < s->njoint; ++i)
            for (int kind = 0; kind < 2; ++kind) {
                double*    w      = s->wrench + ((size_t)k * (size_t)s->njoint + (size_t)i) * 6 + 3 * kind;
                const vec3 x      = untold(&all[s->joint[i]], kind, v3_lift(w));
                const bool is_new = sqrt(v3_dot(x, x)) > new_part;
                w[0] = is_new ? x.x : 0, w[1] = is_new ? x.y : 0, w[2] = is_new ? x.z : 0;
            }
}

// "along x and y"; `preposition` is along or about
static void say_span(cd_text* text, const char* noun, const char* preposition, int span, const vec3* basis)
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
        cd_text_format(text, "%s %s", preposition, cd_direction_word(basis[0]).text);
        return;
    }
    const cd_words n = cd_direction_word(normal);
    const char*    w = n.text[1] ? NULL : n.text[0] == 'x' ? "y and z" : n.text[0] == 'y' ? "x and z" : "x and y";
    if (w)
        cd_text_format(text, "%s %s", preposition, w);
    else
        cd_text_format(text, "across %s", n.text);
}

// Forces and moments of the sets at joint i of the list.
static void say_joint(const sets* s, int i, cd_text* text)
{
    vec3* u = malloc((size_t)s->nset * sizeof *u);
    vec3  basis[3];
    if (!u) text->failed = true;
    if (!u) return;
    for (int k = 0; k < s->nset; ++k) u[k] = v3_lift(s->wrench + ((size_t)k * (size_t)s->njoint + (size_t)i) * 6 + 3);
    say_span(text, "forces", "along", cd_span(s->nset, u, basis), basis);
    for (int k = 0; k < s->nset; ++k) u[k] = v3_lift(s->wrench + ((size_t)k * (size_t)s->njoint + (size_t)i) * 6);
    say_span(text, "moments", "about", cd_span(s->nset, u, basis), basis);
    free(u);
}

// True if all joints of the list stand in the description one after the other, as in the list.
static bool in_a_row(const sets* s)
{
    for (int i = 1; i < s->njoint; ++i)
        if (s->joint[i] != s->joint[i - 1] + 1) return false;
    return true;
}

// Joints that share their words: "at A to D" for all of a list as described, else "at A, B and C".
static void say_places(const cardan_model* m, const sets* s, int count, const int* which, cd_text* text)
{
    enum { MANY = 8 };
    cd_text_add(text, " at ");
    if (count == s->njoint && count > 3 && in_a_row(s)) {
        cd_text_format(text, "%s to %s", m->joint[s->joint[0]].name, m->joint[s->joint[count - 1]].name);
        return;
    }
    int       list[MANY];
    const int told = count > MANY ? MANY - 1 : count;
    for (int i = 0; i < told; ++i) list[i] = s->joint[which[i]];
    if (told == count)
        cd_text_joints(text, m, told, list);
    else {
        for (int i = 0; i < told; ++i) cd_text_format(text, "%s, ", m->joint[list[i]].name);
        cd_text_format(text, "and %d more", count - told);
    }
}

// Sentence parts of all joints, those with the same words together.
static bool say_sets(const cardan_model* m, const sets* s, cd_text* text)
{
    cd_text* words = cd_allocate((size_t)s->njoint + 1, sizeof *words);
    int*     same  = cd_allocate((size_t)s->njoint + 1, sizeof *same);
    bool     good  = words && same;
    for (int i = 0; good && i < s->njoint; ++i) {
        say_joint(s, i, &words[i]);
        good = !words[i].failed;
    }
    for (int i = 0; good && i < s->njoint; ++i) {
        int count = 0;
        if (words[i].length == 0) continue;
        for (int k = i; k < s->njoint; ++k)
            if (words[k].length > 0 && strcmp(words[k].data, words[i].data) == 0) same[count++] = k;
        cd_text_format(text, "%s%s", text->length > 0 ? ", " : "", words[i].data);
        say_places(m, s, count, same, text);
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

// Wrench that runs round the loop, at the place of a joint.
static void at_joint(const cardan_data* d, const cd_loop* loop, int set, int j, double* wrench)
{
    const vec3   arm = v3_scale(1 / loop->length, v3_sub(loop->centre, d->reacting.place[j]));
    const vec3   f = v3_lift(loop->wrench[set] + 3), n = v3_add(v3_lift(loop->wrench[set]), v3_cross(arm, f));
    const double w[6] = {n.x, n.y, n.z, f.x, f.y, f.z};
    memcpy(wrench, w, sizeof w);
}

static bool say_own(const cardan_data* d, const cd_loop* loop, told* all, cd_text* text)
{
    sets s   = {.nset = loop->own, .njoint = loop->njoint, .joint = loop->joint};
    s.wrench = cd_allocate(6 * (size_t)s.nset * (size_t)s.njoint + 1, sizeof *s.wrench);
    if (!s.wrench) return false;
    for (int k = 0; k < s.nset; ++k)
        for (int i = 0; i < s.njoint; ++i)
            at_joint(d, loop, k, loop->joint[i], s.wrench + ((size_t)k * (size_t)s.njoint + (size_t)i) * 6);
    const bool good = say_sets(d->m, &s, text);
    if (all) tell_sets(&s, all);
    free(s.wrench);
    return good;
}

bool cd_loop_loose(const cardan_data* d, const cd_loop* loop, cd_text* text) { return say_own(d, loop, NULL, text); }

// ---- what loops have together

// Wrenches of a loop at all joints, as the self-stress has them: on the second body.
static void everywhere(const cardan_data* d, const cd_loop* loop, int set, int width, double* W)
{
    const double length = d->reacting.length;
    memset(W, 0, (size_t)width * sizeof *W);
    for (int i = 0; i < loop->njoint; ++i) {
        const int    j    = loop->joint[i];
        const double sign = d->m->view.joint[j].first == loop->body[i] ? 1 : -1;
        double       w[6];
        at_joint(d, loop, set, j, w);
        for (int k = 0; k < 6; ++k) W[6 * j + k] += sign * w[k] * (k < 3 ? loop->length / length : 1);
    }
}

typedef struct together {
    cardan_data*     d;
    const cd_stress* stress;
    cd_basis         known;
    told*            all; // (njoint)
} together;

// Up to `more` sets beside those that `taken` and `known` span, in the space of self-stress; known from then on. What
// they do at joints that was not told yet is told.
static bool say_more(together* w, cd_basis* taken, int more, cd_text* text)
{
    const int r = w->stress->nset, nj = w->d->m->view.njoint, n = w->stress->width;
    sets      s    = {.joint  = cd_allocate((size_t)nj + 1, sizeof(int)),
                      .wrench = cd_allocate(6 * (size_t)more * (size_t)nj + 1, sizeof(double)),
                      .njoint = nj};
    double*   x    = cd_allocate((size_t)r + 1, sizeof *x);
    bool      good = s.joint && s.wrench && x;
    // the taken and the known ones apart, what remains of unit vectors is new
    for (int k = 0; good && k < w->known.count; ++k) {
        memcpy(x, w->known.vector + k * r, (size_t)r * sizeof *x);
        cd_basis_add(taken, x, 1e-7);
    }
    for (int k = 0; good && k < r && s.nset < more; ++k) {
        memset(x, 0, (size_t)r * sizeof *x);
        x[k] = 1;
        if (cd_basis_add(taken, x, 1e-3) <= 1e-3) continue;
        double* W = s.wrench + 6 * (size_t)nj * (size_t)s.nset++;
        memcpy(x, taken->vector + (taken->count - 1) * r, (size_t)r * sizeof *x);
        for (int i = 0; i < 6 * nj; ++i)
            for (int q = 0; q < r; ++q) W[i] += x[q] * w->stress->set[(size_t)q * (size_t)n + (size_t)i];
        cd_basis_add(&w->known, x, 1e-7);
    }
    for (int j = 0; good && j < nj; ++j) s.joint[j] = j;
    if (good) {
        leave_untold(&s, w->all);
        good = say_sets(w->d->m, &s, text);
        tell_sets(&s, w->all);
    }
    free(s.joint);
    free(s.wrench);
    free(x);
    return good;
}

// Sets that loop l adds beyond its own.
static bool say_together(together* w, const cd_loops* loops, int l, cd_text* text)
{
    cd_basis   later = {0};
    const bool good  = cd_basis_create(&later, w->stress->nset) &&
                      cd_stress_later(w->d->m, w->stress, loops, loops->loop[l].position, &later) &&
                      say_more(w, &later, loops->loop[l].repeated - loops->loop[l].own, text);
    cd_basis_free(&later);
    return good;
}

// Whether some self-stress has a part in constraint c, which closes no joint.
static bool takes_part(const cardan_data* d, const cd_stress* stress, const cd_constraint* c)
{
    for (int s = 0; s < stress->nset; ++s)
        for (int row = 0; row < c->nrow; ++row) {
            const int i = 6 * d->m->njoint + c->first_row + row - stress->first_other;
            if (fabs(stress->set[(size_t)s * (size_t)stress->width + (size_t)i]) > new_part) return true;
        }
    return false;
}

// Directions of the forces that all sets have in constraint c between two bodies: how many, of those that it holds; 0
// where moments take part too.
static int forces_of(const cardan_data* d, const cd_stress* stress, int constraint, vec3 basis[3])
{
    const cd_constraint* c = &d->closure.constraint[constraint];
    const spatial*       G = d->closure.equations[constraint].G;
    vec3                 u[6], held[3], force[3];
    int                  n = 0;
    if (c->nend != 2 || c->nrow > 6) return 0;
    for (int row = 0; row < c->nrow; ++row) {
        u[row] = G[2 * row].l;
        if (!(v3_dot(u[row], u[row]) > 0)) return 0;
    }
    const int all = cd_span(c->nrow, u, held);
    for (int s = 0; s < stress->nset && n < all; ++s) {
        const double* W = stress->set + (size_t)s * (size_t)stress->width + 6 * d->m->njoint - stress->first_other;
        vec3          f = v3_zero();
        for (int row = 0; row < c->nrow; ++row) {
            const int i = c->first_row + row;
            f           = v3_add_scaled(f, W[i] * stress->scale[i] * d->reacting.length, G[2 * row].l);
        }
        force[n] = f;
        if (sqrt(v3_dot(f, f)) > new_part && cd_span(n + 1, force, basis) == n + 1) ++n;
    }
    return n < all ? cd_span(n, force, basis) : 0;
}

// "the efforts", "the forces", "the forces along z": what of constraint i beside the joints a self-stress reaches.
static void say_tie(const together* w, int i, bool driven, cd_text* text)
{
    const cd_constraint* c = &w->d->closure.constraint[i];
    vec3                 basis[3];
    if ((c->driven != 0) != driven || !takes_part(w->d, w->stress, c)) return;
    const int n = driven ? 0 : forces_of(w->d, w->stress, i, basis);
    if (n > 0)
        say_span(text, "forces", "along", n, basis);
    else
        cd_text_add(text, driven ? "the efforts" : "the forces");
}

// ", the efforts of a and d": drivers, or all the others, that a self-stress reaches, those with the same words
// together.
static bool say_ties(const together* w, bool driven, cd_text* text)
{
    const cardan_data* d     = w->d;
    const int          first = d->m->ncut, last = d->closure.nconstraint;
    cd_text*           words = cd_allocate((size_t)(last - first) + 1, sizeof *words);
    bool               good  = words != NULL;
    for (int i = first; good && i < last; ++i) {
        say_tie(w, i, driven, &words[i - first]);
        good = !words[i - first].failed;
    }
    for (int i = first; good && i < last; ++i) {
        const char* what = words[i - first].data;
        int         left = 0;
        bool        told = false;
        if (words[i - first].length == 0) continue;
        for (int k = i; k < last; ++k) left += words[k - first].length > 0 && strcmp(words[k - first].data, what) == 0;
        cd_text_format(text, "%s%s of ", text->length == 0 ? "" : driven ? " and " : ", ", what);
        for (int k = i; k < last; ++k) {
            cd_text* same = &words[k - first];
            if (same->length == 0 || strcmp(same->data, what) != 0) continue;
            cd_text_format(text, "%s%s", !told ? "" : left == 1 ? " and " : ", ", d->closure.constraint[k].name);
            told = true;
            --left;
            if (k > i) same->length = 0;
        }
    }
    for (int i = first; words && i < last; ++i) cd_text_free(&words[i - first]);
    free(words);
    return good;
}

// What constraints beside the joints add to the self-stress of the loops.
static bool say_beside(together* w, cd_text* text)
{
    const int more  = w->stress->nset - w->known.count;
    cd_basis  taken = {0};
    if (more <= 0) return true;
    const bool good = cd_basis_create(&taken, w->stress->nset) && say_more(w, &taken, more, text);
    cd_basis_free(&taken);
    return good && say_ties(w, false, text) && say_ties(w, true, text) && !text->failed;
}

// Own sets of a loop as combinations of the self-stress.
static bool remember_own(const cardan_data* d, const cd_stress* stress, const cd_loop* loop, cd_basis* known)
{
    const int r = stress->nset, n = 6 * d->m->njoint;
    double *  W = cd_allocate((size_t)n + 1, sizeof *W), *x = cd_allocate((size_t)r + 1, sizeof *x);
    for (int k = 0; W && x && k < loop->own; ++k) {
        everywhere(d, loop, k, n, W);
        for (int s = 0; s < r; ++s) {
            x[s] = 0;
            for (int i = 0; i < n; ++i) x[s] += W[i] * stress->set[(size_t)s * (size_t)stress->width + (size_t)i];
        }
        cd_basis_add(known, x, 1e-7);
    }
    free(W);
    free(x);
    return W && x;
}

bool cd_loops_loose(cardan_data* d, const cd_stress* stress, cd_loops* loops)
{
    together w    = {.d = d, .stress = stress, .all = cd_allocate((size_t)d->m->njoint + 1, sizeof(told))};
    bool     good = cd_basis_create(&w.known, stress->nset) && w.all;
    for (int l = 0; good && l < loops->nloop; ++l) {
        cd_loop* loop = &loops->loop[l];
        if (loop->own > 0) good = say_own(d, loop, w.all, &loop->loose) && remember_own(d, stress, loop, &w.known);
        if (good && loop->repeated > loop->own) good = say_together(&w, loops, l, &loop->loose);
    }
    if (good && loops->nloop == loops->count) good = say_beside(&w, &loops->loose);
    cd_basis_free(&w.known);
    free(w.all);
    return good;
}
