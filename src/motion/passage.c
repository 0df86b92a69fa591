// SPDX-License-Identifier: BSD-3-Clause
// Singular poses: across one the singular value s falls to zero and rises again, both at the same rate, so that with
// its sign changed it runs on smoothly. Where the sign is known (strength.c) a change of it is found inside the step
// (crossing.c): a singular pose is what has s = 0, whether or not its loops can be named. Where it is not known three
// looks tell the time, by interpolation of t(s) at s = 0, and whether the sides fit; a minimum that does not reach zero
// is told where it is small.
//
// Branches: a mechanism that passes a singular pose keeps its velocity. From the last firm pose before to the first one
// behind
//
//     v2 = v1 + (t2 - t1) (a1 + a2) / 2 + O((t2 - t1)^3),
//
// and what differs by a good part of v, and did so from one look to the next, has turned into another branch.
// docs/theory/singular.md (6), (7).
#include "motion/passage.h"

#include "dynamics/data.h"

#include <math.h>
#include <string.h>

static const double weak    = 0.1;  // of the firmest pose: below this the motion is near a singular one
static const double narrow  = 0.01; // a minimum below this is told
static const double at_zero = 1e-5; // what is less is null to formulations, and its sign noise
static const double nearly = 1e-3; // a pose that is less firm is singular; and one of which that much, sqrt(c), is left
                                   // by gaps c that are tolerated: c = s y + k y^2
static const double same   = 1e-3; // of the way between looks: the same pose, of several groups
static const double sharp  = 0.2;  // of its neighbours: a look that small is a pose of its own
static const double falls  = 0.7;  // of the looks: where the weakest directions of two loops are exchanged s does not
static const double misfit = 0.3;  // of the sides
static const double turned = 0.1;  // of the velocity
static const double stride =
    0.1; // of the longest step so far: with less in PATIENCE evaluations a motion does not get on
enum { PATIENCE = 2000 };
static const double kinked = 0.03; // of the velocity, from look to look: a turn does not take its time
static const double hides  = 10;
static const double led    = 0.02; // of s^2: a gap that wide leads round the corner, however slowly
static const double slow   = 0.5;  // change of velocity by itself, beyond which nothing is concluded

void cd_passage_layout(const cd_system* system, cd_arena* arena, cd_passage* p)
{
    double** const all[] = {&p->v[0], &p->v[1], &p->slope, &p->out, &p->before};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) CD_TAKE(arena, *all[i], system->nv);
    CD_TAKE(arena, p->via, system->said.nbody + 1);
    CD_TAKE(arena, p->queue, system->said.nbody + system->said.njoint + 1);
    CD_TAKE(arena, p->group, system->said.nbody + 1);
    CD_TAKE(arena, p->seen, cd_firmness_groups(system));
    CD_TAKE(arena, p->event, 2 * cd_firmness_groups(system) + 1);
    cd_point_layout(system, arena, &p->at);
    CD_TAKE(arena, p->q, system->nq);
    CD_TAKE(arena, p->stressed, system->model->njoint);
}

bool cd_passage_within(const cd_system* system) { return system->firmness.value < weak * weak; }

bool cd_passage_stuck(cd_passage* p, const cd_system* system, double from, double t)
{
    const bool first = p->longest == 0;
    p->longest       = fmax(p->longest, t - from);
    if (first || !cd_passage_within(system) || t - p->got_t > stride * p->longest) {
        p->got_t        = t;
        p->got_there_by = system->evaluations;
    }
    return system->evaluations - p->got_there_by > PATIENCE;
}

// Time at which s passes zero, from n looks of which those from `turn` on are behind it.
static double zero_of(int n, const cd_look* look, int turn)
{
    double t = 0;
    for (int i = 0; i < n; ++i) {
        const double si     = i < turn ? look[i].s : -look[i].s;
        double       weight = 1;
        for (int k = 0; k < n; ++k) {
            const double sk = k < turn ? look[k].s : -look[k].s;
            if (k != i) weight *= sk / (sk - si);
        }
        t += weight * look[i].t;
    }
    return t;
}

// The same where the middle one of three looks was at zero: null to a formulation is s < 1e-5 beside pivots of 1, and
// farther from the pose where all pivots are small (`firmest`).
static double zero_near(const cd_look look[3], double firmest)
{
    const double both = look[0].s + look[2].s, t = (look[0].t * look[2].s + look[2].t * look[0].s) / both;
    const double way = at_zero / sqrt(fmin(1, firmest)) * (look[2].t - look[0].t) / both;
    return fmax(look[1].t - way, fmin(look[1].t + way, t));
}

// How badly the sides of three looks fit (0 to 1).
static double misfit_of(const cd_look look[3], int turn)
{
    double s[3];
    for (int i = 0; i < 3; ++i) s[i] = i < turn ? look[i].s : -look[i].s;
    const double left = (s[0] - s[1]) / (look[1].t - look[0].t), right = (s[1] - s[2]) / (look[2].t - look[1].t);
    return left > 0 && right > 0 ? fabs(left - right) / fmax(left, right) : 1;
}

// Looks at zero are one, in their middle; the sign is that since the last one that was not there.
static void add_look(cd_approach_seen* p, cd_look now)
{
    cd_look* last = p->count > 0 ? &p->look[p->count - 1] : NULL;
    if (last && !(now.t > last->t)) return;
    const bool passes = last && last->s == 0;
    if (now.s < at_zero) {
        p->sign = passes ? p->sign * (now.sign ? now.sign : 1) : now.sign ? now.sign : 1;
        now     = (cd_look){now.t, 0, now.row, 0};
        if (passes) last->t = (last->t + now.t) / 2;
        if (passes) return;
    } else if (passes)
        now.sign *= p->sign;
    if (p->count == CD_LOOKS)
        memmove(p->look, p->look + 1, (CD_LOOKS - 1) * sizeof *p->look);
    else
        ++p->count;
    p->look[p->count - 1] = now;
}

// The loops of the singular pose at time t, x being near it; the data are at x afterwards. False where it is none.
static bool name_at(cd_passage* p, const cd_system* system, const cd_point* x, double t, int row, bool gapes)
{
    const double* state = system->ns ? x->z + system->nv : NULL;
    if (cd_data_reach(system->data, x->t, x->q, x->z, state) || (gapes && cd_approach(system->data))) return false;
    const bool singular = cd_passage_name(p, system, t - x->t, row, p->where, sizeof p->where, &p->several);
    cd_data_set(system->data, x->t, x->q, x->z, state);
    return singular;
}

// What is to be told of a singular pose.
typedef struct found {
    double t, value; // value > 0: only near
    int    row;
    bool   sure;  // whether or not loops can be named
    double aside; // [s] > 0: two of them, before and behind t
    double ahead; // [s] from the last look, at its velocity
} found;

// The sign has changed since the look before: where it passes zero, or comes near. Afterwards in.at is the pose.
static bool find_crossing(cd_passage* p, cd_system* system, cd_within in, int group, found* f)
{
    const cd_approach_seen* seen = &p->seen[group];
    if (seen->count < 2) return false;
    const cd_look *behind = &seen->look[seen->count - 1], *before = behind - 1;
    f->row   = before->s < behind->s ? before->row : behind->row;
    f->aside = 0;
    if (before->s == 0) {
        f->t     = seen->count > 2 ? zero_near(behind - 2, system->firmness.firmest) : before->t;
        f->value = 0;
        f->sure  = true;
        in.integrator->inside(system, in.work, fmax(in.from, f->t), in.at);
        return true;
    }
    const double zero = fmax(nearly, sqrt(fmax(in.gap, system->tolerance))),
                 s    = cd_crossing_find(system, in, group, *before, *behind, &f->t);
    f->value          = s < zero ? 0 : s;
    f->sure           = s < fmax(nearly, sqrt(in.gap));
    if (!seen->told) return s < fmax(zero, narrow);
    if (f->t - seen->crossed < behind->t - before->t) return false; // the same once more
    return s < zero && (in.gap > 0 || s < falls * fmin(before->s, behind->s));
}

// Where s keeps its sign at three looks the motion turns back between them, and s is a parabola: it comes near the
// pose, comes to rest there, or passes it on its way to and fro.
static found find_turn(const cd_look look[3])
{
    const double u0 = look[0].t - look[1].t, u2 = look[2].t - look[1].t;
    const double d0 = (look[0].s - look[1].s) / u0, d2 = (look[2].s - look[1].s) / u2;
    const double bend = (d2 - d0) / (u2 - u0), slope = d0 - bend * u0, u = -slope / (2 * bend);
    const double least = look[1].s - bend * u * u;
    found        f     = {look[1].t, look[1].s, look[1].row, false, 0, -u2};
    if (!(bend > 0) || !(u < u2)) return f;
    f.t     = look[1].t + u;
    f.value = least < nearly ? 0 : least;
    f.aside = least < -nearly ? sqrt(-least / bend) : 0;
    f.ahead = (f.aside * f.aside / (u2 - u) - (u2 - u)) / 2;
    return f;
}

// Gaps hide which side of the pose, and which branch, the motion is on where s^2 <= 10 |c| (dynamics/near.c).
static bool find_minimum(const cd_approach_seen* p, double firmest, double gap, found* f)
{
    if (p->count < 3) return false;
    const cd_look* look = p->look + p->count - 3;
    const bool     apart =
        look[1].sign == 0 && look[2].sign == 0 &&
        look[1].s < sharp * fmin(look[0].s, look[2].s); // a direction that was not followed passes through
    if ((p->told && !apart) || p->crossed >= look[0].t || look[1].s > weak || look[1].s > look[0].s ||
        look[1].s > look[2].s)
        return false;
    const double first = misfit_of(look, 1), second = misfit_of(look, 2);
    const bool   known  = look[1].sign != 0 && look[2].sign != 0;
    const bool   hidden = look[1].s * look[1].s < hides * gap;
    const bool   hit    = look[1].s == 0 || hidden || (!known && fmin(first, second) < misfit);
    if (!hit && look[1].s > narrow) return false;
    *f = (found){!hit || hidden   ? look[1].t
                 : look[1].s == 0 ? zero_near(look, firmest)
                                  : zero_of(3, look, first < second ? 1 : 2),
                 hit ? 0 : look[1].s,
                 look[1].row,
                 hidden,
                 0,
                 0};
    f->ahead = f->t - look[2].t;
    if (!hit && known) *f = find_turn(look);
    return true;
}

// Groups that are singular together are named together, and told once. In the order of time.
static void tell(cd_passage* p, const found* f, double way)
{
    int place = p->nevent;
    for (int i = 0; i < p->nevent; ++i)
        if (fabs(p->event[i].t - f->t) <= same * way && strcmp(p->event[i].where, p->where) == 0) return;
    for (; place > 0 && p->event[place - 1].t > f->t; --place) p->event[place] = p->event[place - 1];
    cardan_event* e = &p->event[place];
    *e              = (cardan_event){.kind       = f->value > 0 ? CARDAN_EVENT_NEARLY_SINGULAR : CARDAN_EVENT_SINGULAR,
                                     .t          = f->t,
                                     .joint      = CARDAN_NONE,
                                     .coordinate = CARDAN_NONE,
                                     .value      = f->value};
    memcpy(e->where, p->where, sizeof e->where);
    e->several = p->several;
    ++p->nevent;
    p->named = true;
}

static void tell_both(cd_passage* p, const found* f, double way)
{
    found one = *f;
    one.t     = f->t - f->aside;
    tell(p, &one, way);
    one.t = f->t + f->aside;
    if (f->aside > 0) tell(p, &one, way);
}

// Looks at every group of loops. The weakest is returned.
static cd_look add_looks(cd_passage* p, cd_system* system)
{
    const cd_firmness* f       = &system->firmness;
    cd_look            weakest = {.s = INFINITY};
    cd_firmness_follow(system);
    for (int g = 0; g < f->ngroup; ++g) {
        const cd_look now = {f->t, f->seen[g].s, f->row, f->seen[g].sign};
        if (p->seen[g].count == 0) {
            p->seen[g].crossed = -INFINITY;
            p->seen[g].firmest = now.s < nearly ? 0 : cd_firmness_most(system, g); // it begins beside the pose
        }
        add_look(&p->seen[g], now);
        if (now.s < weakest.s) weakest = now;
    }
    return weakest;
}

// s = 0 where its sign changes is a singular pose, whether or not its loops can be named, and so is what gaps hide.
// What is only near, or a minimum, is told where loops lose rank there: pivots and rows may mislead. Of rows that
// repeat others a formulation takes some, and these may become weak where others take their place.
static void find_poses(cd_passage* p, cd_system* system, cd_within in, const cd_point* x)
{
    bool away = false;
    for (int g = 0; g < system->firmness.ngroup; ++g) {
        cd_approach_seen* seen    = &p->seen[g];
        const cd_look*    last    = &seen->look[seen->count - 1];
        const double      way     = seen->count > 1 ? last->t - last[-1].t : 0;
        const bool        changed = last->sign < 0;
        const bool        firm =
            seen->firmest >= weak * cd_firmness_most(system, g); // before: a run may begin at a singular pose
        found what;
        away |= changed;
        if (changed ? find_crossing(p, system, in, g, &what)
                    : find_minimum(seen, system->firmness.firmest, in.gap, &what)) {
            const double there = changed ? what.t : last->t + what.ahead;
            const bool   named = name_at(p, system, changed ? in.at : x, there, what.row, in.gap > 0);
            if (firm && (named || what.sure)) tell_both(p, &what, way);
            seen->crossed = what.t;
            seen->told    = true;
        }
        if (last->s < weak) continue;
        seen->told    = false;
        seen->firmest = cd_firmness_most(system, g);
    }
    if (!away) return;
    if (in.gap > 0)
        cd_system_look_closed(system, x);
    else
        cd_system_look(system, x);
    cd_firmness_follow(system);
}

// Largest velocity that is measured in the unit of velocity i.
static double fastest(const cd_system* system, const double* v, int i)
{
    double most = 0;
    for (int k = 0; k < system->nv; ++k)
        if (system->z_floor[k] == system->z_floor[i]) most = fmax(most, fabs(v[k]));
    return most;
}

static bool has_turned(const cd_passage* p, const cd_system* system, const double* v, double t)
{
    const double pause = p->t_out - p->t_before;
    bool         found = false;
    for (int i = 0; i < system->nv; ++i) {
        const double scale = fmax(fastest(system, p->before, i), fastest(system, p->out, i));
        const double a1 = p->slope[i], a2 = (v[i] - p->out[i]) / (t - p->t_out);
        if (pause * fmax(fabs(a1), fabs(a2)) > slow * scale) return false;
        found |= fabs(p->out[i] - p->before[i] - pause * (a1 + a2) / 2) > turned * scale;
    }
    return found;
}

// How much velocities changed in one of the last two looks that they did not in the other.
static double kink_of(const cd_passage* p, const cd_system* system, const cd_point* x)
{
    const double h1 = p->t[1] - p->t[0], h2 = x->t - p->t[1];
    double       most = 0;
    if (!(h1 > 0 && h2 > 0)) return 0;
    for (int i = 0; i < system->nv; ++i) {
        const double scale  = fastest(system, p->before, i),
                     slopes = (x->z[i] - p->v[1][i]) / h2 - (p->v[1][i] - p->v[0][i]) / h1;
        if (scale > 0) most = fmax(most, fabs(slopes) * fmax(h1, h2) / scale);
    }
    return most;
}

static void enter(cd_passage* p, const cd_system* system)
{
    const double pause = p->t[1] - p->t[0];
    p->place           = CD_WITHIN;
    p->t_before        = p->t[1];
    for (int i = 0; i < system->nv; ++i) {
        p->before[i] = p->v[1][i];
        p->slope[i]  = pause > 0 ? (p->v[1][i] - p->v[0][i]) / pause : 0;
    }
}

// Follows the way from firm pose to firm pose; true where it ended on another branch.
static bool follow(cd_passage* p, const cd_system* system, const cd_point* x, double s, double gap)
{
    const size_t size = (size_t)system->nv * sizeof(double);
    bool         jump = false;
    if (p->place != CD_FIRM) p->kink = fmax(p->kink, kink_of(p, system, x));
    if (p->place == CD_LEAVING) {
        jump = (p->kink > kinked || p->gap > led * p->weakest.s * p->weakest.s) && has_turned(p, system, x->z, x->t);
        p->place = CD_FIRM;
    } else if (p->place == CD_FIRM && s < weak && p->t[1] > p->t[0]) {
        enter(p, system);
        p->kink      = kink_of(p, system, x);
        p->weakest.s = INFINITY;
        p->gap       = 0;
    } else if (p->place == CD_WITHIN && s >= weak) {
        p->place = CD_LEAVING;
        p->t_out = x->t;
        memcpy(p->out, x->z, size);
    }
    p->gap               = fmax(p->gap, gap);
    double* const oldest = p->v[0];
    p->v[0]              = p->v[1];
    p->v[1]              = memcpy(oldest, x->z, size);
    p->t[0]              = p->t[1];
    p->t[1]              = x->t;
    return jump;
}

void cd_passage_struck(cd_passage* p, const cd_system* system, const cd_point* x)
{
    p->place = CD_FIRM;
    p->t[0] = p->t[1] = x->t;
    memcpy(p->v[1], x->z, (size_t)system->nv * sizeof *x->z);
}

void cd_passage_look(cd_passage* p, cd_system* system, cd_within in, const cd_point* x)
{
    p->nevent = 0;
    if (!system->loops || system->firmness.fewest < 0) return;
    const cd_look now = add_looks(p, system);
    in.at             = &p->at;
    find_poses(p, system, in, x);
    const bool named = p->named, jump = follow(p, system, x, now.s, in.gap);
    if (p->place == CD_FIRM) p->named = false;
    if (p->place == CD_WITHIN && now.s < p->weakest.s) p->weakest = now;
    if (!jump || (!named && !name_at(p, system, x, p->weakest.t, p->weakest.row, in.gap > 0))) return;
    cardan_event* e = &p->event[p->nevent++];
    *e =
        (cardan_event){.kind = CARDAN_EVENT_BRANCH, .t = p->weakest.t, .joint = CARDAN_NONE, .coordinate = CARDAN_NONE};
    memcpy(e->where, p->where, sizeof p->where);
    e->several = p->several;
}
