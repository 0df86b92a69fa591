// SPDX-License-Identifier: BSD-3-Clause
// Sentences of assembly: which joints, by how much, at what time.
#include "dynamics/assembly_words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void add_name(cd_names* w, const char* name)
{
    if (w->length > CD_NAMES - 80) {
        if (w->length < CD_NAMES - 8) w->length += snprintf(w->text + w->length, 8, ", ...");
        w->length = CD_NAMES;
        return;
    }
    w->length +=
        snprintf(w->text + w->length, (size_t)(CD_NAMES - w->length), "%s'%.60s'", w->count++ ? ", " : "", name);
}

static bool on_way(const cardan_model* m, int link, int joint)
{
    for (; link >= 0; link = m->link[link].parent)
        if (m->link[link].joint == joint) return true;
    return false;
}

// Whether the constraint feels the joint: it is on the way of one end of a pair to ground but not of the other, or
// closes itself.
static bool in_loop(const cardan_model* m, const cd_constraint* c, int joint)
{
    for (int n = 0; n + 1 < c->nend; n += 2)
        if (on_way(m, cd_end_at(c, n)->link, joint) != on_way(m, cd_end_at(c, n + 1)->link, joint)) return true;
    return c->joint == joint;
}

// The joint on both ways from the ends to ground that is nearest to them: the loop ends before it.
static int root_of_loop(const cardan_model* m, const cd_constraint* c)
{
    int i = cd_end_at(c, 0)->link, k = cd_end_at(c, 1)->link;
    while (i != k) {
        if (i > k)
            i = m->link[i].parent;
        else
            k = m->link[k].parent;
    }
    return i >= 0 ? m->link[i].joint : CARDAN_NONE;
}

// The i-th link in the loop on the way of an end to ground, -1 behind the last.
static int link_of_loop(const cardan_model* m, const cd_constraint* c, int end, int i)
{
    const int root = root_of_loop(m, c);
    int       link = cd_end_at(c, end)->link;
    for (; link >= 0 && m->link[link].joint != root; link = m->link[link].parent)
        if (i-- == 0) return link;
    return -1;
}

// Joints that a gear, a rod or a driver feels.
cd_names cd_felt_words(const cardan_model* m, const cd_constraint* c)
{
    cd_names w = {0};
    for (int j = 0; j < m->njoint; ++j)
        if (in_loop(m, c, j)) add_name(&w, m->joint[j].name);
    return w;
}

// Joints around the loop: out to the first end, the joint that closes it, and back from the other end.
cd_names cd_loop_words(const cardan_model* m, const cd_constraint* c)
{
    cd_names  w     = {0};
    int       count = 0, last = CARDAN_NONE;
    const int root = root_of_loop(m, c);
    for (int link = c->end[0].link; link >= 0 && m->link[link].joint != root; link = m->link[link].parent) ++count;
    for (int i = count - 1; i >= 0 && w.length < CD_NAMES; --i) {
        const int j = m->link[link_of_loop(m, c, 0, i)].joint;
        if (j != last) add_name(&w, m->joint[j].name);
        last = j;
    }
    add_name(&w, c->name);
    for (int i = 0, link; (link = link_of_loop(m, c, 1, i)) >= 0 && w.length < CD_NAMES; ++i) {
        const int j = m->link[link].joint;
        if (j != last) add_name(&w, m->joint[j].name);
        last = j;
    }
    return w;
}

// The angle of rows of rotation: couplers have it, Hooke's joint the change of a cosine, all others a chord.
static double angle_of(const cd_constraint* c, double size, double last)
{
    const double d = v3_dot(v3_lift(c->axis[0]), v3_lift(c->axis[1]));
    if (c->coupled) return size;
    if (c->hooke) return fabs(acos(fmax(-1, fmin(1, d + last))) - acos(fmax(-1, fmin(1, d))));
    return 2 * asin(fmin(1, size / 2));
}

static void look_at(const cd_assembly* a, const cd_constraint* c, const spatial* G, int first_row, double* most,
                    cd_gap* g)
{
    for (int turning = 0; turning < 2; ++turning) {
        double units = 0, size = 0, last = 0;
        for (int k = 0; k < c->nrow; ++k) {
            const vec3 l = G[k * c->nend].l;
            if ((v3_dot(l, l) > 0) == turning) continue;
            last = a->c[first_row + k] * a->row_unit[first_row + k];
            units += pow(a->c[first_row + k], 2);
            size += pow(last, 2);
        }
        if (units <= *most) continue;
        *most = units;
        *g = (cd_gap){c, turning && !a->velocities ? angle_of(c, sqrt(size), last) : sqrt(size), turning ? "rad" : "m"};
    }
}

cd_gap cd_gap_of(const cd_assembly* a, int constraint)
{
    const cd_constraint* c    = &a->d->closure.constraint[constraint];
    cd_gap               g    = {0};
    double               most = -1;
    look_at(a, c, a->d->closure.equations[constraint].G, c->first_row, &most, &g);
    return g;
}

cd_gap cd_widest_gap(const cd_assembly* a)
{
    const cd_closure* closure = &a->d->closure;
    cd_gap            g       = {0};
    double            most    = -1;
    for (int i = 0; i < closure->nconstraint; ++i)
        look_at(a, &closure->constraint[i], closure->equations[i].G, closure->constraint[i].first_row, &most, &g);
    for (int i = 0; i < a->nheld; ++i)
        look_at(a, &a->held[i].c, a->held[i].e.G, closure->nrow + a->held[i].c.first_row, &most, &g);
    return g;
}

static bool is_exact(const cd_assembly* a, int j)
{
    return (a->velocities ? a->start[j].velocity : a->start[j].position) == CARDAN_HOLD_EXACT;
}

cd_names cd_exact_words(const cd_assembly* a, const cd_constraint* c)
{
    cd_names w = {0};
    for (int j = 0; j < a->d->m->njoint; ++j)
        if (is_exact(a, j) && in_loop(a->d->m, c, j)) add_name(&w, a->d->m->joint[j].name);
    return w;
}

// Drivers that take part where nothing can be closed.
cd_names cd_pulling_drivers(const cd_assembly* a, const cd_constraint** first)
{
    const cd_closure* closure = &a->d->closure;
    cd_names          w       = {0};
    for (int i = 0; i < closure->nconstraint; ++i) {
        if (!cd_assembly_pulls(a, i)) continue;
        if (w.count == 0) *first = &closure->constraint[i];
        add_name(&w, closure->constraint[i].name);
    }
    return w;
}

// What else pulls against the widest gap, beside joints: " and constraint 'd'".
static cd_names against(const cd_assembly* a, const cd_constraint* c)
{
    cd_names w = {0};
    for (int i = 0; i < a->d->closure.nconstraint; ++i) {
        const cd_constraint* other = &a->d->closure.constraint[i];
        if (other == c || other->joint != CARDAN_NONE || !cd_assembly_takes_part(a, i, false)) continue;
        if (w.length < CD_NAMES - 120)
            w.length +=
                snprintf(w.text + w.length, (size_t)(CD_NAMES - w.length), " and %s '%.60s'", other->what, other->name);
        ++w.count;
    }
    return w;
}

// Other loops that pull against the widest gap: " against joint 'E' in the loop of joints 'A', 'B', 'E', 'F'". Which of
// them was drawn wrong cannot be told.
static cd_names other_loops(const cd_assembly* a, const cd_constraint* c)
{
    cd_names  w    = {0};
    const int room = CD_NAMES - 20;
    for (int i = 0; i < a->d->closure.nconstraint; ++i) {
        const cd_constraint* other = &a->d->closure.constraint[i];
        if (other == c || other->joint == CARDAN_NONE || !cd_assembly_takes_part(a, i, false)) continue;
        const cd_names loop = cd_loop_words(a->d->m, other);
        if (w.length + 60 + (int)strlen(other->name) + (int)strlen(loop.text) >= room) {
            w.length += snprintf(w.text + w.length, (size_t)(CD_NAMES - w.length), " and others");
            break;
        }
        w.length += snprintf(w.text + w.length, (size_t)(CD_NAMES - w.length), " %s %s '%s' in the loop of joints %s",
                             w.count++ > 0 ? "and" : "against", other->what, other->name, loop.text);
    }
    return w;
}

// What drivers ask for cannot be: named with the widest gap.
cardan_status cd_fail_driven(const cd_assembly* a, cd_gap g, cd_names who, const cd_constraint* first,
                             cardan_report* report)
{
    return cardan_fail(report, CARDAN_INCONSISTENT, CARDAN_CODE_DRIVER_INCONSISTENT, first->place,
                       "at t = %g s the driver%s of %s ask%s for %s that the joints and the other constraints do not "
                       "allow: %.3g %s%s remain at %s '%s'",
                       a->d->t, who.count > 1 ? "s" : "", who.text, who.count > 1 ? "" : "s",
                       a->velocities ? "velocities" : "positions", g.size, g.unit, a->velocities ? "/s" : "", g.c->what,
                       g.c->name);
}

cardan_status cd_fail_open(const cd_assembly* a, cd_gap g, bool blamed, cardan_report* report)
{
    const double   t    = a->d->t;
    const cd_names more = a->dense ? against(a, g.c) : (cd_names){0};
    if (g.c->joint == CARDAN_NONE) {
        const cd_names felt = cd_felt_words(a->d->m, g.c);
        if (more.count > 0)
            return cardan_fail(
                report, CARDAN_INCONSISTENT, CARDAN_CODE_INCONSISTENT_CONSTRAINTS, g.c->place,
                "%s '%s'%s cannot be satisfied together by joints %s: %.3g %s remain at '%s' at t = %g s", g.c->what,
                g.c->name, more.text, felt.text, g.size, g.unit, g.c->name, t);
        return cardan_fail(report, CARDAN_INCONSISTENT, CARDAN_CODE_INCONSISTENT_CONSTRAINTS, g.c->place,
                           "%s '%s' cannot be satisfied by joints %s: %.3g %s remain at t = %g s", g.c->what, g.c->name,
                           felt.text, g.size, g.unit, t);
    }
    const cd_names loop = cd_loop_words(a->d->m, g.c);
    if (!a->dense)
        return cardan_fail(
            report, CARDAN_NOT_CONVERGED, CARDAN_CODE_ASSEMBLY_FAILED, g.c->place,
            "the loop of joints %s was not closed, a gap of %.3g %s remains at '%s' at t = %g s: a mechanism of "
            "%d velocities needs a start that is nearly closed",
            loop.text, g.size, g.unit, g.c->name, t, a->d->m->nv);
    return cardan_fail(
        report, CARDAN_INCONSISTENT, CARDAN_CODE_ASSEMBLY_FAILED, g.c->place,
        "the loop of joints %s%s could not be closed: a gap of %.3g %s remains at '%s' at t = %g s%s; check "
        "the lengths in it, or start nearer to a pose that closes",
        loop.text, more.text, g.size, g.unit, g.c->name, t, blamed ? " where all others are closed" : "");
}

cardan_status cd_fail_contradiction(const cd_assembly* a, cd_gap g, bool rigid, cardan_report* report)
{
    const cd_names exact = cd_exact_words(a, g.c),
                   loop  = g.c->joint == CARDAN_NONE ? (cd_names){0} : cd_loop_words(a->d->m, g.c);
    const char*  in      = loop.count ? " in the loop of joints " : "";
    const double t       = a->d->t;
    const char*  advice  = rigid ? "let go, loops close only where nothing can move: correct the lengths in this loop"
                           : exact.count > 1 ? "correct them, or mark what may move `guess: true`"
                                             : "correct it, or mark what may move `guess: true`";
    if (!a->velocities) // there may be one that was not found
        return cardan_fail(
            report, CARDAN_INCONSISTENT, CARDAN_CODE_START_INCONSISTENT, g.c->place,
            "no closed pose was found with joint%s %s at %s exact start position%s: %.3g %s remain at %s "
            "'%s'%s%s at t = %g s; %s",
            exact.count > 1 ? "s" : "", exact.text, exact.count > 1 ? "their" : "its", exact.count > 1 ? "s" : "",
            g.size, g.unit, g.c->what, g.c->name, in, loop.text, t, advice);
    const cd_names others = loop.count ? other_loops(a, g.c) : (cd_names){0};
    if (exact.count == 1)
        return cardan_fail(report, CARDAN_INCONSISTENT, CARDAN_CODE_START_INCONSISTENT, g.c->place,
                           "joint %s cannot have its exact start velocity: %.3g %s/s remain at %s '%s'%s%s%s at t = %g "
                           "s; correct it, or "
                           "mark it `guess: true`%s",
                           exact.text, g.size, g.unit, g.c->what, g.c->name, in, loop.text, others.text, t,
                           others.length > 0 ? ", or look at the places of all these joints" : "");
    return cardan_fail(
        report, CARDAN_INCONSISTENT, CARDAN_CODE_START_INCONSISTENT, g.c->place,
        "joints %s cannot all have their exact start velocity: %.3g %s/s remain at %s '%s' at t = %g s; mark what "
        "may move `guess: true`",
        exact.text, g.size, g.unit, g.c->what, g.c->name, t);
}

cardan_status cd_tell_rigid(const cd_assembly* a, cd_gap g, bool error, cardan_report* report)
{
    const cardan_model* m    = a->d->m;
    const cd_names      loop = g.c->joint == CARDAN_NONE ? cd_felt_words(m, g.c) : cd_loop_words(m, g.c);
    char                text[2 * CD_NAMES + 200];
    snprintf(
        text, sizeof text,
        "nothing of '%.80s' can move: as drawn %s '%.80s' is open by %.3g %s, and in the pose that closes it at t = "
        "%g s no degree of freedom is left; %s the lengths and places in the loop of joints %s",
        m->view.name, g.c->what, g.c->name, g.size, g.unit, a->d->t, error ? "correct" : "if it should move, look at",
        loop.text);
    if (error) return cardan_fail(report, CARDAN_INCONSISTENT, CARDAN_CODE_START_INCONSISTENT, g.c->place, "%s", text);
    cardan_warn(report, CARDAN_CODE_START_INCONSISTENT, g.c->place, "%s", text);
    return CARDAN_OK;
}
