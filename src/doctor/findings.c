// SPDX-License-Identifier: BSD-3-Clause
// What is wrong or odd with the pose: open loops, singular poses, laws that contradict each other.
#include "doctor/findings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double has_part = 0.05; // of the largest

// Loop that a constraint is on; NULL if it is none of them.
static const cd_loop* loop_with(const cd_loops* loops, int joint)
{
    for (int l = 0; l < loops->nloop; ++l)
        if (loops->loop[l].closed_at == joint) return &loops->loop[l];
    for (int l = 0; l < loops->nloop; ++l)
        for (int i = 0; i < loops->loop[l].njoint; ++i)
            if (loops->loop[l].joint[i] == joint) return &loops->loop[l];
    return NULL;
}

static void say_opening(double gap, double turn, double length, cd_text* text)
{
    if (gap > 1e-3 * turn * length) cd_text_format(text, "%.3g m", gap);
    if (gap > 1e-3 * turn * length && turn > 1e-3 * gap / length) cd_text_add(text, " and ");
    if (turn > 1e-3 * gap / length) cd_text_format(text, "%.3g rad", turn);
}

static cardan_status no_memory(const cd_patient* p, cardan_report* report)
{
    return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_nowhere(),
                       "no memory to diagnose '%s'", p->d->m->view.name);
}

cardan_status cd_tell_open(cd_patient* p, const cd_loops* loops, cardan_report* report)
{
    const double length = p->d->reacting.length;
    double       gap, turn;
    int          worst = 0, others = 0;
    cd_text      text = {0};
    cd_openings(p, p->closed, &gap, &turn, &worst);
    const cd_constraint* c    = &p->d->closure.constraint[worst];
    const cd_loop*       loop = c->joint == CARDAN_NONE ? NULL : loop_with(loops, c->joint);
    const double         most = fmax(gap / length, turn);
    if (loop) cd_text_format(&text, "the loop %s cannot close: ", loop->path.data);
    cd_constraint_opening(p->d, worst, &gap, &turn);
    cd_text_format(&text, "at t = %g s %s '%s' stays open by ", p->t, c->what, c->name);
    say_opening(gap, turn, length, &text);
    for (int i = 0; i < p->d->closure.nconstraint; ++i) {
        const cd_constraint* other = &p->d->closure.constraint[i];
        cd_constraint_opening(p->d, i, &gap, &turn);
        if (i == worst || fmax(gap / length, turn) < 0.1 * most || ++others > 3) continue;
        cd_text_format(&text, ", %s '%s' by ", other->what, other->name);
        say_opening(gap, turn, length, &text);
    }
    cd_text_add(&text, others > 0 ? " at best; they contradict each other"
                                  : " at best, in the pose nearest to the start values");
    const cardan_status status =
        text.failed
            ? no_memory(p, report)
            : cardan_fail(report, CARDAN_INCONSISTENT, CARDAN_CODE_INCONSISTENT_CONSTRAINTS, c->place, "%s", text.data);
    cd_text_free(&text);
    return status;
}

cardan_status cd_tell_rounded(cd_patient* p, cardan_report* report)
{
    double  gap, turn;
    int     worst = 0;
    cd_text text  = {0};
    cd_openings(p, p->closed, &gap, &turn, &worst);
    const cd_constraint* c = &p->d->closure.constraint[worst];
    cd_constraint_opening(p->d, worst, &gap, &turn);
    say_opening(gap, turn, p->d->reacting.length, &text);
    const cardan_status status = text.failed ? no_memory(p, report) : CARDAN_OK;
    if (status == CARDAN_OK)
        cardan_warn(
            report, CARDAN_CODE_VIOLATION_ACCEPTED, c->place,
            "at t = %g s %s '%s' stays open by %s at best; that little is taken for rounding of the description", p->t,
            c->what, c->name, text.data ? text.data : "");
    cd_text_free(&text);
    return status;
}

void cd_tell_closing(const cardan_diagnosis* g, cd_text* text)
{
    if (fmax(g->gap, g->turn) < 1e-30)
        cd_text_add(text, "closed exactly");
    else if (fmax(g->gap, g->turn) <= 1e-9)
        cd_text_format(text, "closed to %.1g", fmax(g->gap, g->turn));
    else
        cd_text_format(text, "open by %.2g m and %.2g rad as it starts; closes to %.1g when the joints may move",
                       g->gap, g->turn, fmax(g->gap_left, g->turn_left));
}

// Constraint of a row.
static int owner_of(const cd_closure* closure, int row)
{
    int i = 0;
    while (i < closure->nconstraint - 1 && closure->constraint[i + 1].first_row <= row) ++i;
    return i;
}

// Constraint with the largest part in left singular vector k.
static const cd_constraint* largest_part(const cd_patient* p, int k)
{
    int row = 0;
    for (int i = 1; i < p->nrow; ++i)
        if (fabs(p->left[i * p->nrow + k]) > fabs(p->left[row * p->nrow + k])) row = i;
    return &p->d->closure.constraint[owner_of(&p->d->closure, row)];
}

// "joints A, B, C, D, E and F": those of all loops whose constraints have a part in left singular vector k, as it is
// not known which of them is to blame; else the constraint with the largest. True if these are several loops.
static bool name_parts(const cd_patient* p, const cd_loops* loops, int k, cd_text* text)
{
    const cardan_model*  m     = p->d->m;
    const cd_constraint* first = largest_part(p, k);
    bool*                in    = cd_allocate((size_t)m->njoint + 1, sizeof *in);
    int*                 joint = cd_allocate((size_t)m->njoint + 1, sizeof *joint);
    const cd_loop*       last  = NULL;
    int                  count = 0, several = 0;
    double               most = 0;
    if (!in || !joint) text->failed = true;
    for (int i = 0; i < p->nrow; ++i) most = fmax(most, fabs(p->left[i * p->nrow + k]));
    for (int i = 0; in && joint && i < p->nrow; ++i) {
        const cd_constraint* c    = &p->d->closure.constraint[owner_of(&p->d->closure, i)];
        const cd_loop*       loop = c->joint == CARDAN_NONE ? NULL : loop_with(loops, c->joint);
        if (!loop || loop == last || !(fabs(p->left[i * p->nrow + k]) > has_part * most)) continue;
        last = loop;
        ++several;
        for (int n = 0; n < loop->njoint; ++n) in[loop->joint[n]] = true;
    }
    for (int j = 0; several > 1 && j < m->njoint; ++j)
        if (in[j]) joint[count++] = j;
    if (count > 0) {
        cd_text_add(text, "joints ");
        cd_text_joints(text, m, count, joint);
    } else {
        cd_text_format(text, "%s '%s'", first->what, first->name);
    }
    free(in), free(joint);
    return count > 0;
}

// Whether a loop by itself has lost directions, and how it then is. Without memory the text has failed.
static bool loses_here(cd_patient* p, const cd_loop* loop, cd_loop* here, cd_text* text)
{
    *here = *loop;
    if (!cd_loop_alone(p->d, here)) text->failed = true;
    return !text->failed && here->own > loop->own;
}

// The loop that is singular: one that loses directions by itself, else one that the constraint is on, or NULL.
static const cd_loop* singular_loop(cd_patient* p, const cd_loops* loops, const cd_constraint* c, cd_text* text)
{
    cd_loop here;
    for (int l = 0; l < loops->nloop; ++l)
        if (loses_here(p, &loops->loop[l], &here, text)) return &loops->loop[l];
    return c->joint == CARDAN_NONE ? NULL : loop_with(loops, c->joint);
}

// "the loop of D, A, B and C": the joint that closes it, and the way back from its second body, as motions name theirs.
static void name_loop(const cardan_model* m, const cd_loop* loop, cd_text* text)
{
    enum { NAMES = 6 };
    const int n = loop->njoint;
    int       k = 0;
    while (k < n - 1 && loop->joint[k] != loop->closed_at) ++k;
    const bool ahead = loop->body[(k + 1) % n] == m->view.joint[loop->closed_at].second;
    cd_text_format(text, "the loop of %s", m->joint[loop->closed_at].name);
    if (n - 1 > NAMES) cd_text_add(text, " and the joints round it");
    for (int i = 1; i < n && n - 1 <= NAMES; ++i)
        cd_text_format(text, "%s%s", i == n - 1 ? " and " : ", ",
                       m->joint[loop->joint[(ahead ? k + i : k + n - i) % n]].name);
}

// Why: loops that lose directions here; else all of them together.
static void say_where(cd_patient* p, const cd_loops* loops, cd_text* text)
{
    int told = 0;
    for (int l = 0; l < loops->nloop && told < 3; ++l) {
        cd_loop here;
        if (!loses_here(p, &loops->loop[l], &here, text)) continue;
        cd_text_format(text, "%s in loop %d ", told++ ? ";" : "", l + 1);
        cd_loop_flat_reason(p->d, &here, 6 - loops->loop[l].own, text);
    }
    if (told == 0)
        cd_text_format(text, " %s together repeat an equation only here",
                       loops->nloop == 1 ? "the constraints" : "the loops");
}

bool cd_shaky(const cardan_diagnosis* g, int nv)
{
    return nv > g->rank_here && g->rank == g->rank_here && g->poses == 1 && g->tried;
}

cardan_status cd_tell_singular(cd_patient* p, const cardan_diagnosis* g, const cd_loops* loops, cd_text* text,
                               cardan_report* report)
{
    cd_examine(p, p->closed);
    cd_know_bodies(p->d);
    const int  dof_here = p->nv - g->rank_here;
    const bool shaky    = cd_shaky(g, p->nv);
    if (g->rank == g->rank_here && !shaky) {
        const double weakest = g->rank_here > 0 ? p->sigma[g->rank_here - 1] : 1;
        if (weakest > 1e-4) return CARDAN_OK;
        cd_text             who     = {0};
        const bool          several = name_parts(p, loops, g->rank_here - 1, &who);
        const cardan_status status  = who.failed ? no_memory(p, report) : CARDAN_OK;
        if (status == CARDAN_OK)
            cardan_warn(report, CARDAN_CODE_NEAR_SINGULAR_CONFIGURATION, largest_part(p, g->rank_here - 1)->place,
                        "the pose is nearly singular: an equation of %s counts only %.1g beside the others%s", who.data,
                        weakest,
                        several ? "; where it should count for nothing, look at the places of all of them" : "");
        cd_text_free(&who);
        return status;
    }
    const cd_constraint* c   = largest_part(p, g->rank_here);
    cd_text              why = {0};
    if (shaky) {
        cd_text_format(&why, "%d motion%s possible at first order only, and no pose nearby closes", dof_here,
                       dof_here == 1 ? " is" : "s are");
    } else {
        cd_text_format(&why, "%d motion%s possible at first order instead of %d:", dof_here,
                       dof_here == 1 ? " is" : "s are", g->dof);
        say_where(p, loops, &why);
    }
    cd_text_format(text, "; singular: %s", why.data ? why.data : "");
    cd_text        who  = {0};
    const cd_loop* loop = singular_loop(p, loops, c, &who);
    if (loop)
        name_loop(p->d->m, loop, &who);
    else
        cd_text_format(&who, "%s '%s' and its loop", c->what, c->name);
    const cardan_place  place = loop ? p->d->m->view.joint[loop->closed_at].place : c->place;
    const cardan_status status =
        who.failed || why.failed ? no_memory(p, report)
                                 : cardan_fail(report, CARDAN_SINGULAR, CARDAN_CODE_SINGULAR_CONFIGURATION, place,
                                               "the pose at t = %g s is singular for %s: %s", p->t, who.data, why.data);
    if (status == CARDAN_SINGULAR)
        cardan_note(report, CARDAN_CODE_SINGULAR_CONFIGURATION, place, "start from another pose");
    cd_text_free(&who);
    cd_text_free(&why);
    return status;
}

// Rates that laws of time ask for: at rest they are the whole rate of a row. What of them lies in combinations of rows
// that are always zero, y = N N'ct, cannot be.
static double impossible_rates(cd_patient* p, double* y)
{
    double size = 0, most = 0;
    memset(y, 0, (size_t)p->nrow * sizeof *y);
    for (int i = 0; i < p->nrow; ++i) size = fmax(size, fabs(p->d->closure.rate[i] * p->scale[i]));
    for (int k = p->rank; k < p->nrow; ++k) {
        double part = 0;
        for (int i = 0; i < p->nrow; ++i) part += p->left[i * p->nrow + k] * p->d->closure.rate[i] * p->scale[i];
        for (int i = 0; i < p->nrow; ++i) y[i] += part * p->left[i * p->nrow + k];
    }
    for (int i = 0; i < p->nrow; ++i) most = fmax(most, fabs(y[i]));
    return most > 1e-8 * size ? most : 0;
}

cardan_status cd_tell_laws(cd_patient* p, cardan_report* report)
{
    double* y = p->y;
    cd_examine(p, p->closed);
    if (impossible_rates(p, y) == 0) return CARDAN_OK;
    double most = 0; // of what laws have a part in
    for (int i = 0; i < p->nrow; ++i) most = fmax(most, p->driven[i] ? fabs(y[i]) : 0);
    cd_text              text  = {0};
    const cd_constraint* first = NULL;
    int                  count = 0;
    for (int i = 0; i < p->d->closure.nconstraint; ++i) {
        const cd_constraint* c    = &p->d->closure.constraint[i];
        double               part = 0;
        for (int row = 0; row < c->nrow; ++row)
            part = fmax(part, p->driven[c->first_row + row] ? fabs(y[c->first_row + row]) : 0);
        if (!(part > 0.1 * most)) continue;
        cd_text_format(&text, "%s%s '%s'", count++ ? " and " : "", c->what, c->name);
        if (!first) first = c;
    }
    if (!first) first = &p->d->closure.constraint[0];
    const cardan_status status =
        text.failed ? no_memory(p, report)
        : count > 1 ? cardan_fail(report, CARDAN_INCONSISTENT, CARDAN_CODE_INCONSISTENT_CONSTRAINTS, first->place,
                                  "at t = %g s %s ask for motions that contradict each other", p->t, text.data)
                    : cardan_fail(report, CARDAN_INCONSISTENT, CARDAN_CODE_INCONSISTENT_CONSTRAINTS, first->place,
                                  "at t = %g s %s asks for a motion that the mechanism does not allow", p->t,
                                  text.data ? text.data : first->name);
    cd_text_free(&text);
    return status;
}
