// SPDX-License-Identifier: BSD-3-Clause
// Findings: violated loops, singular configurations, conflicting drivers.
#include "diagnosis/findings.h"
#include "diagnosis/diagnosis_tolerances.h"
#include "assembly/assembly_tolerances.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Return a loop that contains the joint, the one it closes first; NULL if there is none.
static const cd_kinematic_loop* loop_of_joint(const cd_kinematic_loops* loops, int joint)
{
    for (int l = 0; l < loops->nloop; ++l)
        if (loops->loop[l].closing_joint == joint) return &loops->loop[l];
    for (int l = 0; l < loops->nloop; ++l)
        for (int i = 0; i < loops->loop[l].njoint; ++i)
            if (loops->loop[l].joint[i] == joint) return &loops->loop[l];
    return NULL;
}

static void write_violation(double translation, double rotation, double length, cd_text* text)
{
    if (translation > cd_written_violation_part * rotation * length) cd_text_format(text, "%.3g m", translation);
    if (translation > cd_written_violation_part * rotation * length &&
        rotation > cd_written_violation_part * translation / length)
        cd_text_add(text, " and ");
    if (rotation > cd_written_violation_part * translation / length) cd_text_format(text, "%.3g rad", rotation);
}

static cardan_status no_memory(const cd_rank_analysis* p, cardan_report* report)
{
    return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                       "out of memory while diagnosing '%s'", p->d->m->view.name);
}

cardan_status cd_report_not_assemblable(cd_rank_analysis* p, const cd_kinematic_loops* loops, cardan_report* report)
{
    const double length = p->d->reactions.design_length;
    double       translation, rotation;
    int          worst = 0, others = 0;
    cd_text      text = {0};
    cd_rank_analysis_violations(p, p->q_assembled, &translation, &rotation, &worst);
    const cd_constraint*     c    = &p->d->constraints.constraint[worst];
    const cd_kinematic_loop* loop = c->joint == CARDAN_NONE ? NULL : loop_of_joint(loops, c->joint);
    const double             most = fmax(translation / length, rotation);
    if (loop) cd_text_format(&text, "the loop %s cannot be closed: ", loop->path.data);
    cd_split_constraint_violation(p->d, worst, &translation, &rotation);
    cd_text_format(&text, "at t = %g s %s '%s' is violated by at least ", p->t, c->category, c->name);
    write_violation(translation, rotation, length, &text);
    for (int i = 0; i < p->d->constraints.nconstraint; ++i) {
        const cd_constraint* other = &p->d->constraints.constraint[i];
        cd_split_constraint_violation(p->d, i, &translation, &rotation);
        if (i == worst || fmax(translation / length, rotation) < 0.1 * most || ++others > 3) continue;
        cd_text_format(&text, ", %s '%s' by ", other->category, other->name);
        write_violation(translation, rotation, length, &text);
    }
    cd_text_add(&text, others > 0 ? "; they are inconsistent with each other"
                                  : ", in the configuration nearest to the start values");
    const cardan_status status = text.failed
                                     ? no_memory(p, report)
                                     : cardan_fail(report, CARDAN_INCONSISTENT, CARDAN_CODE_INCONSISTENT_CONSTRAINTS,
                                                   c->location, "%s", text.data);
    cd_text_free(&text);
    return status;
}

cardan_status cd_report_small_violation(cd_rank_analysis* p, cardan_report* report)
{
    double  translation, rotation;
    int     worst = 0;
    cd_text text  = {0};
    cd_rank_analysis_violations(p, p->q_assembled, &translation, &rotation, &worst);
    const cd_constraint* c = &p->d->constraints.constraint[worst];
    cd_split_constraint_violation(p->d, worst, &translation, &rotation);
    write_violation(translation, rotation, p->d->reactions.design_length, &text);
    const cardan_status status = text.failed ? no_memory(p, report) : CARDAN_OK;
    if (status == CARDAN_OK)
        cardan_warn(report, CARDAN_CODE_VIOLATION_ACCEPTED, c->location,
                    "at t = %g s %s '%s' is violated by at least %s; this is attributed to rounding of the description",
                    p->t, c->category, c->name, text.data ? text.data : "");
    cd_text_free(&text);
    return status;
}

void cd_describe_violation(const cardan_diagnosis* g, cd_text* text)
{
    if (fmax(g->translation_violation, g->rotation_violation) < cd_exact_violation)
        cd_text_add(text, "constraints satisfied exactly");
    else if (fmax(g->translation_violation, g->rotation_violation) <= cd_assembly_violation_tolerance)
        cd_text_format(text, "constraints satisfied to %.1g", fmax(g->translation_violation, g->rotation_violation));
    else
        cd_text_format(
            text, "constraints violated by %.2g m and %.2g rad at the start values; satisfied to %.1g after assembly",
            g->translation_violation, g->rotation_violation,
            fmax(g->translation_violation_after, g->rotation_violation_after));
}

// Return the constraint with the largest component in left singular vector k.
static const cd_constraint* dominant_constraint(const cd_rank_analysis* p, int k)
{
    int row = 0;
    for (int i = 1; i < p->nrow; ++i)
        if (fabs(p->left_singular[i * p->nrow + k]) > fabs(p->left_singular[row * p->nrow + k])) row = i;
    return &p->d->constraints.constraint[cd_constraint_of_row(&p->d->constraints, row)];
}

// Write "joints A, B, C, D, E and F": those of all loops with involved constraints in left singular vector k, because
// the cause cannot be attributed to one of them; with less than two such loops, the constraint with the largest
// component. Returns true for several loops.
static bool write_participants(const cd_rank_analysis* p, const cd_kinematic_loops* loops, int k, cd_text* text)
{
    const cardan_model*      m     = p->d->m;
    const cd_constraint*     first = dominant_constraint(p, k);
    bool*                    in    = cd_allocate((size_t)m->njoint + 1, sizeof *in);
    int*                     joint = cd_allocate((size_t)m->njoint + 1, sizeof *joint);
    const cd_kinematic_loop* last  = NULL;
    int                      count = 0, several = 0;
    double                   most = 0;
    if (!in || !joint) text->failed = true;
    for (int i = 0; i < p->nrow; ++i) most = fmax(most, fabs(p->left_singular[i * p->nrow + k]));
    for (int i = 0; in && joint && i < p->nrow; ++i) {
        const cd_constraint*     c    = &p->d->constraints.constraint[cd_constraint_of_row(&p->d->constraints, i)];
        const cd_kinematic_loop* loop = c->joint == CARDAN_NONE ? NULL : loop_of_joint(loops, c->joint);
        if (!loop || loop == last || !(fabs(p->left_singular[i * p->nrow + k]) > cd_min_participation * most)) continue;
        last = loop;
        ++several;
        for (int n = 0; n < loop->njoint; ++n) in[loop->joint[n]] = true;
    }
    for (int j = 0; several > 1 && j < m->njoint; ++j)
        if (in[j]) joint[count++] = j;
    if (count > 0) {
        cd_text_add(text, "joints ");
        cd_text_add_joints(text, m, count, joint);
    } else {
        cd_text_format(text, "%s '%s'", first->category, first->name);
    }
    free(in), free(joint);
    return count > 0;
}

// Return whether the loop alone has lost rank compared with the generic configuration; at_state: its rank here. Sets
// text->failed if memory is exhausted.
static bool loses_rank(cd_rank_analysis* p, const cd_kinematic_loop* loop, cd_kinematic_loop* at_state, cd_text* text)
{
    *at_state = *loop;
    if (!cd_kinematic_loop_rank(p->d, at_state)) text->failed = true;
    return !text->failed && at_state->single_loop_redundant > loop->single_loop_redundant;
}

// Return the singular loop: one that loses rank alone, else one that contains the joint of the constraint, or NULL.
static const cd_kinematic_loop* singular_loop(cd_rank_analysis* p, const cd_kinematic_loops* loops,
                                              const cd_constraint* c, cd_text* text)
{
    cd_kinematic_loop at_state;
    for (int l = 0; l < loops->nloop; ++l)
        if (loses_rank(p, &loops->loop[l], &at_state, text)) return &loops->loop[l];
    return c->joint == CARDAN_NONE ? NULL : loop_of_joint(loops, c->joint);
}

// Write "the loop of D, A, B and C": the closing joint, then the path back from its second body.
static void write_loop(const cardan_model* m, const cd_kinematic_loop* loop, cd_text* text)
{
    enum { MAX_NAMES = 6 };
    const int n = loop->njoint;
    int       k = 0;
    while (k < n - 1 && loop->joint[k] != loop->closing_joint) ++k;
    const bool ahead = loop->body[(k + 1) % n] == m->view.joint[loop->closing_joint].second_body;
    cd_text_format(text, "the loop of %s", m->joint[loop->closing_joint].name);
    if (n - 1 > MAX_NAMES) cd_text_add(text, " and the joints of its loop");
    for (int i = 1; i < n && n - 1 <= MAX_NAMES; ++i)
        cd_text_format(text, "%s%s", i == n - 1 ? " and " : ", ",
                       m->joint[loop->joint[(ahead ? k + i : k + n - i) % n]].name);
}

// Write the reason: loops that lose rank alone here; else all of them together.
static void write_singular_loops(cd_rank_analysis* p, const cd_kinematic_loops* loops, cd_text* text)
{
    int written = 0;
    for (int l = 0; l < loops->nloop && written < 3; ++l) {
        cd_kinematic_loop at_state;
        if (!loses_rank(p, &loops->loop[l], &at_state, text)) continue;
        cd_text_format(text, "%s in loop %d ", written++ ? ";" : "", l + 1);
        cd_describe_loop_rank_loss(p->d, &at_state, 6 - loops->loop[l].single_loop_redundant, text);
    }
    if (written == 0)
        cd_text_format(text, " %s together have a redundant equation only here",
                       loops->nloop == 1 ? "the constraints" : "the loops");
}

bool cd_is_infinitesimally_mobile(const cardan_diagnosis* g, int nv)
{
    return nv > g->rank_at_state && g->rank == g->rank_at_state && g->nconfiguration == 1 && g->neighbours_sampled;
}

cardan_status cd_report_singular(cd_rank_analysis* p, const cardan_diagnosis* g, const cd_kinematic_loops* loops,
                                 cd_text* text, cardan_report* report)
{
    cd_rank_analysis_compute(p, p->q_assembled);
    cd_update_body_motions(p->d);
    const int  dof_here         = p->nv - g->rank_at_state;
    const bool is_infinitesimal = cd_is_infinitesimally_mobile(g, p->nv);
    if (g->rank == g->rank_at_state && !is_infinitesimal) {
        const double smallest_sigma = g->rank_at_state > 0 ? p->sigma[g->rank_at_state - 1] : 1;
        if (smallest_sigma > cd_nearly_singular_value) return CARDAN_OK;
        cd_text             subject          = {0};
        const bool          in_several_loops = write_participants(p, loops, g->rank_at_state - 1, &subject);
        const cardan_status status           = subject.failed ? no_memory(p, report) : CARDAN_OK;
        if (status == CARDAN_OK)
            cardan_warn(
                report, CARDAN_CODE_NEAR_SINGULAR_CONFIGURATION, dominant_constraint(p, g->rank_at_state - 1)->location,
                "the configuration is nearly singular: an equation of %s is independent of the others only to %.1g%s",
                subject.data, smallest_sigma,
                in_several_loops ? "; if it should be redundant, check the positions of all of them" : "");
        cd_text_free(&subject);
        return status;
    }
    const cd_constraint* c      = dominant_constraint(p, g->rank_at_state);
    cd_text              reason = {0};
    if (is_infinitesimal) {
        cd_text_format(
            &reason, "%d motion%s possible at first order only, and no configuration nearby satisfies the constraints",
            dof_here, dof_here == 1 ? " is" : "s are");
    } else {
        cd_text_format(&reason, "%d motion%s possible at first order instead of %d:", dof_here,
                       dof_here == 1 ? " is" : "s are", g->dof);
        write_singular_loops(p, loops, &reason);
    }
    cd_text_format(text, "; singular: %s", reason.data ? reason.data : "");
    cd_text                  subject = {0};
    const cd_kinematic_loop* loop    = singular_loop(p, loops, c, &subject);
    if (loop)
        write_loop(p->d->m, loop, &subject);
    else
        cd_text_format(&subject, "%s '%s' and its loop", c->category, c->name);
    const cardan_location location = loop ? p->d->m->view.joint[loop->closing_joint].location : c->location;
    const cardan_status   status =
        subject.failed || reason.failed
              ? no_memory(p, report)
              : cardan_fail(report, CARDAN_SINGULAR, CARDAN_CODE_SINGULAR_CONFIGURATION, location,
                            "the configuration at t = %g s is singular for %s: %s", p->t, subject.data, reason.data);
    if (status == CARDAN_SINGULAR)
        cardan_note(report, CARDAN_CODE_SINGULAR_CONFIGURATION, location, "start from another configuration");
    cd_text_free(&subject);
    cd_text_free(&reason);
    return status;
}

// Rates prescribed by drivers: at standstill they are the complete rates of the rows. Their component in the left null
// space, y = N N'c_t, is inconsistent. Returns its largest entry, 0 if it is round-off.
static double inconsistent_rates(cd_rank_analysis* p, double* y)
{
    double size = 0, most = 0;
    memset(y, 0, (size_t)p->nrow * sizeof *y);
    for (int i = 0; i < p->nrow; ++i) size = fmax(size, fabs(p->d->constraints.rate[i] * p->scale[i]));
    for (int k = p->rank; k < p->nrow; ++k) {
        double part = 0;
        for (int i = 0; i < p->nrow; ++i)
            part += p->left_singular[i * p->nrow + k] * p->d->constraints.rate[i] * p->scale[i];
        for (int i = 0; i < p->nrow; ++i) y[i] += part * p->left_singular[i * p->nrow + k];
    }
    for (int i = 0; i < p->nrow; ++i) most = fmax(most, fabs(y[i]));
    return most > cd_inconsistent_rate_tolerance * size ? most : 0;
}

cardan_status cd_report_driver_conflicts(cd_rank_analysis* p, cardan_report* report)
{
    double* y = p->y;
    cd_rank_analysis_compute(p, p->q_assembled);
    if (inconsistent_rates(p, y) == 0) return CARDAN_OK;
    double most = 0; // largest inconsistent rate of a driven row
    for (int i = 0; i < p->nrow; ++i) most = fmax(most, p->driven[i] ? fabs(y[i]) : 0);
    cd_text              text  = {0};
    const cd_constraint* first = NULL;
    int                  count = 0;
    for (int i = 0; i < p->d->constraints.nconstraint; ++i) {
        const cd_constraint* c    = &p->d->constraints.constraint[i];
        double               part = 0;
        for (int row = 0; row < c->nrow; ++row)
            part = fmax(part, p->driven[c->first_row + row] ? fabs(y[c->first_row + row]) : 0);
        if (!(part > 0.1 * most)) continue;
        cd_text_format(&text, "%s%s '%s'", count++ ? " and " : "", c->category, c->name);
        if (!first) first = c;
    }
    if (!first) first = &p->d->constraints.constraint[0];
    const cardan_status status =
        text.failed ? no_memory(p, report)
        : count > 1 ? cardan_fail(report, CARDAN_INCONSISTENT, CARDAN_CODE_INCONSISTENT_CONSTRAINTS, first->location,
                                  "at t = %g s %s prescribe inconsistent motions", p->t, text.data)
                    : cardan_fail(report, CARDAN_INCONSISTENT, CARDAN_CODE_INCONSISTENT_CONSTRAINTS, first->location,
                                  "at t = %g s %s prescribes a motion that the mechanism does not allow", p->t,
                                  text.data ? text.data : first->name);
    cd_text_free(&text);
    return status;
}
