// SPDX-License-Identifier: BSD-3-Clause
// Reasons for redundant rows of a loop from the arrangement of its axes: on one line, parallel, through one point,
// translations only, rotations about one direction only, families of parallel axes; else from the self-stress wrench.
#include "diagnosis/diagnosis.h"
#include "diagnosis/diagnosis_tolerances.h"

#include <math.h>
#include <stdlib.h>

typedef struct loop_axes {
    int            count, nquaternion, ntranslation;
    bool           has_ball, has_screw; // one of the joints is spherical; a screw
    cd_joint_axis* axis;
    double         length;
} loop_axes;

static bool are_parallel(vec3 a, vec3 b) { return v3_length(v3_cross(a, b)) < cd_geometry_tolerance; }
static bool are_perpendicular(vec3 a, vec3 b) { return fabs(v3_dot(a, b)) < cd_geometry_tolerance; }

// [m] Distance of point p from the line of axis a.
static double distance_from_line(const cd_joint_axis* a, vec3 p) { return v3_length(v3_cross(a->u, v3_sub(p, a->p))); }
static bool   are_collinear(const loop_axes* s, const cd_joint_axis* a, const cd_joint_axis* b)
{
    return are_parallel(a->u, b->u) && distance_from_line(a, b->p) < cd_geometry_tolerance * s->length;
}

// Collect the axes of all joints of a loop. Without memory, returns none and sets text->failed.
static loop_axes collect_axes(cardan_data* d, const cd_kinematic_loop* loop, cd_text* text)
{
    loop_axes s = {.axis = malloc(((size_t)loop->naxis + 1) * sizeof(cd_joint_axis)), .length = loop->length};
    if (!s.axis) text->failed = true;
    for (int i = 0; s.axis && i < loop->njoint; ++i) s.count += cd_joint_axes(d, loop->joint[i], s.axis + s.count);
    for (int i = 0; i < s.count; ++i) {
        if (s.axis[i].is_rotation)
            ++s.nquaternion;
        else
            ++s.ntranslation;
        if (s.axis[i].of_ball_joint) s.has_ball = true;
        if (s.axis[i].pitch != 0) s.has_screw = true;
    }
    return s;
}

static const cd_joint_axis* first_rotation(const loop_axes* s)
{
    for (int i = 0; i < s->count; ++i)
        if (s->axis[i].is_rotation) return &s->axis[i];
    return NULL;
}

// Write "both axes" or "all four axes".
static void write_all(cd_text* text, int n, const char* noun)
{
    char word[16];
    if (n == 2)
        cd_text_format(text, "both %s", noun);
    else
        cd_text_format(text, "all %s %s", cd_number_in_words(n, word), noun);
}

static bool rotations_parallel(const loop_axes* s)
{
    const cd_joint_axis* a = first_rotation(s);
    for (int i = 0; i < s->count; ++i)
        if (s->axis[i].is_rotation && !are_parallel(a->u, s->axis[i].u)) return false;
    return true;
}

static bool translations_along(const loop_axes* s, vec3 u, bool across)
{
    for (int i = 0; i < s->count; ++i)
        if (!s->axis[i].is_rotation && !(across ? are_perpendicular(u, s->axis[i].u) : are_parallel(u, s->axis[i].u)))
            return false;
    return true;
}

static bool describe_collinear(const loop_axes* s, cd_text* text)
{
    const cd_joint_axis* a = first_rotation(s);
    for (int i = 0; i < s->count; ++i)
        if (s->axis[i].is_rotation && !are_collinear(s, a, &s->axis[i])) return false;
    if (!translations_along(s, a->u, false)) return false;
    if (s->nquaternion == 1) return false;
    write_all(text, s->nquaternion, "axes");
    cd_text_format(text, " lie on one line %s", cd_describe_axis_in_parentheses(a->u).text);
    if (s->ntranslation > 0) cd_text_add(text, " and all translations are along it");
    return true;
}

static bool describe_planar(const loop_axes* s, int own, cd_text* text)
{
    const vec3 u = first_rotation(s)->u;
    if (s->has_screw || !rotations_parallel(s) || !translations_along(s, u, true)) return false;
    if (s->ntranslation == 0) {
        write_all(text, s->nquaternion, "axes");
        cd_text_format(text, " are parallel %s%s", cd_describe_axis_in_parentheses(u).text,
                       own > 3 ? " and lie in one plane" : "");
    } else {
        cd_text_format(text, "it moves in one plane, %s about %s and translations normal to it",
                       s->nquaternion == 1 ? "one rotation" : "all rotations", cd_describe_axis_direction(u).text);
    }
    return true;
}

// Compute the point nearest to all lines, sum of (1 - u u')(x - p) = 0. Returns false if the
// lines do not intersect in it.
static bool nearest_point(const loop_axes* s, vec3* x)
{
    sym3 A = {0};
    vec3 b = v3_zero();
    for (int i = 0; i < s->count; ++i) {
        if (!s->axis[i].is_rotation) continue;
        const vec3 u = s->axis[i].u, p = s->axis[i].p;
        A = s3_add(A, s3_sub_outer((sym3){1, 1, 1, 0, 0, 0}, u, u));
        b = v3_add(b, v3_sub(p, v3_scale(v3_dot(u, p), u)));
    }
    const vec3   r0 = v3(A.xx, A.xy, A.xz), r1 = v3(A.xy, A.yy, A.yz), r2 = v3(A.xz, A.yz, A.zz);
    const double det = v3_dot(r0, v3_cross(r1, r2));
    if (fabs(det) < cd_parallel_axes_determinant) return false;
    *x = v3_scale(1 / det, v3_add(v3_add(v3_scale(b.x, v3_cross(r1, r2)), v3_scale(b.y, v3_cross(r2, r0))),
                                  v3_scale(b.z, v3_cross(r0, r1))));
    for (int i = 0; i < s->count; ++i)
        if (s->axis[i].is_rotation &&
            distance_from_line(&s->axis[i], *x) > cd_computed_point_factor * cd_geometry_tolerance * s->length)
            return false;
    return true;
}

static bool describe_concurrent(const loop_axes* s, cd_text* text)
{
    vec3 x;
    if (s->ntranslation > 0 || s->has_screw || !nearest_point(s, &x)) return false;
    write_all(text, s->nquaternion, "axes");
    cd_text_format(text, " meet in one point, %s", cd_describe_point(x).text);
    return true;
}

static void describe_translations(const loop_axes* s, cd_text* text)
{
    vec3 basis[3], *u = malloc((size_t)s->count * sizeof *u);
    for (int i = 0; u && i < s->count; ++i) u[i] = s->axis[i].u;
    if (!u) text->failed = true;
    const int span = u ? cd_spanned_directions(s->count, u, basis) : 3;
    cd_text_add(text, "none of its joints rotates");
    if (span == 1)
        cd_text_format(text, ", and all translations are parallel %s", cd_describe_axis_in_parentheses(basis[0]).text);
    if (span == 2)
        cd_text_format(text, ", and all translations lie in one plane (normal to %s)",
                       cd_describe_axis_direction(v3_cross(basis[0], basis[1])).text);
    free(u);
}

static bool describe_one_direction(const loop_axes* s, cd_text* text)
{
    if (!rotations_parallel(s)) return false;
    cd_text_format(text, "all its rotations are about %s", cd_describe_axis_direction(first_rotation(s)->u).text);
    return true;
}

// Families of parallel axes. A family of n lines has rank 1 (one line), 2 (two lines, or all in one plane) or 3.
typedef struct axis_family {
    int  n, rank;
    vec3 u;
} axis_family;

static axis_family family_of(const loop_axes* s, int first, cd_text* text)
{
    axis_family          f = {.u = s->axis[first].u};
    const cd_joint_axis* a = &s->axis[first];
    vec3*                r = malloc((size_t)s->count * sizeof *r);
    vec3                 basis[3];
    for (int i = first; r && i < s->count; ++i) {
        if (!s->axis[i].is_rotation || s->axis[i].of_ball_joint || !are_parallel(a->u, s->axis[i].u)) continue;
        const vec3 to = v3_sub(s->axis[i].p, a->p);
        r[f.n++]      = v3_scale(1 / s->length, v3_sub(to, v3_scale(v3_dot(a->u, to), a->u)));
    }
    if (!r) text->failed = true;
    f.rank = r ? 1 + cd_spanned_directions(f.n, r, basis) : 0;
    free(r);
    return f;
}

static bool is_in_earlier_family(const loop_axes* s, int i)
{
    for (int k = 0; k < i; ++k)
        if (s->axis[k].is_rotation && !s->axis[k].of_ball_joint && are_parallel(s->axis[k].u, s->axis[i].u))
            return true;
    return false;
}

static bool describe_families(const loop_axes* s, int rank, cd_text* text)
{
    cd_text words = {0};
    char    count[16];
    int     sum = 0, nwritten = 0;
    for (int i = 0; i < s->count; ++i)
        if (!s->axis[i].is_rotation || s->axis[i].of_ball_joint || s->axis[i].pitch != 0) return false;
    for (int i = 0; i < s->count; ++i) {
        if (is_in_earlier_family(s, i)) continue;
        const axis_family f = family_of(s, i, text);
        sum += f.rank;
        if (f.n <= f.rank) continue;
        cd_text_format(&words, "%s%s axes %s %s", nwritten++ ? " and " : "", cd_number_in_words(f.n, count),
                       f.rank == 1   ? "lie on one line"
                       : f.rank == 2 ? "are parallel and lie in one plane"
                                     : "are parallel",
                       cd_describe_axis_in_parentheses(f.u).text);
    }
    if (words.failed) text->failed = true;
    const bool explained = sum == rank && nwritten > 0 && words.length > 0;
    if (explained && !text->failed) cd_text_add(text, words.data);
    cd_text_free(&words);
    return explained;
}

static bool has_axis_along(const loop_axes* s, vec3 u)
{
    for (int i = 0; i < s->count; ++i)
        if (s->axis[i].is_rotation && !s->axis[i].of_ball_joint && are_parallel(s->axis[i].u, u)) return true;
    return false;
}

// All axes are parallel to u except those of one spherical joint: no translation along u is possible.
static bool describe_all_but_ball(const cardan_data* d, const loop_axes* s, vec3 u, cd_text* text)
{
    int ball = CARDAN_NONE;
    for (int i = 0; i < s->count; ++i) {
        if (!s->axis[i].is_rotation || (s->axis[i].of_ball_joint && ball != CARDAN_NONE && s->axis[i].joint != ball))
            return false;
        if (s->axis[i].of_ball_joint)
            ball = s->axis[i].joint;
        else if (!are_parallel(s->axis[i].u, u))
            return false;
    }
    if (ball == CARDAN_NONE) return false;
    cd_text_format(text, "all axes but those of %s are parallel %s", d->m->joint[ball].name,
                   cd_describe_axis_in_parentheses(u).text);
    return true;
}

// Describe the single self-stress wrench of the loop.
static bool describe_by_wrench(const cardan_data* d, const cd_kinematic_loop* loop, const loop_axes* s, cd_text* text)
{
    if (loop->single_loop_redundant != 1) return false;
    const vec3   n = v3_const(loop->wrench[0]), f = v3_const(loop->wrench[0] + 3);
    const double ff = v3_dot(f, f);
    if (ff < cd_pure_moment_force_sq) {
        cd_text_format(text, "none of its joints rotates about %s", cd_describe_axis_direction(n).text);
        return true;
    }
    if (fabs(v3_dot(n, f)) > cd_geometry_tolerance * ff) return false;
    const vec3          p    = v3_add_scaled(loop->centre, loop->length / ff, v3_cross(f, n));
    const cd_joint_axis line = {.u = v3_scale(1 / sqrt(ff), f), .p = p};
    int                 on[2], count = 0;
    for (int i = 0; i < loop->njoint && count < 2; ++i)
        if (distance_from_line(&line, d->reactions.joint_position[loop->joint[i]]) <
            cd_computed_point_factor * cd_geometry_tolerance * loop->length)
            on[count++] = loop->joint[i];
    if (describe_all_but_ball(d, s, line.u, text)) return true;
    const char* meets =
        has_axis_along(s, line.u) ? "intersects the line, or is parallel to it," : "intersects the line";
    if (count == 2)
        cd_text_format(text, "every axis %s through %s and %s", meets, d->m->joint[on[0]].name,
                       d->m->joint[on[1]].name);
    else
        cd_text_format(text, "every axis %s through %s along %s", meets, cd_describe_point(p).text,
                       cd_describe_axis_direction(f).text);
    return true;
}

static void describe_own_redundancy(cardan_data* d, const cd_kinematic_loop* loop, cd_text* text)
{
    loop_axes s    = collect_axes(d, loop, text);
    const int rank = 6 - loop->single_loop_redundant;
    char      word[16];
    if (!s.axis) return;
    if (s.count == 0)
        cd_text_add(text, "its bodies are already welded");
    else if (s.nquaternion == 0)
        describe_translations(&s, text);
    else if (describe_collinear(&s, text) || describe_planar(&s, loop->single_loop_redundant, text) ||
             describe_concurrent(&s, text))
        (void)0;
    else if (s.count == rank)
        cd_text_format(text, "it is a rigid frame: its joints have %s motion%s, and loop closure removes six",
                       cd_number_in_words(rank, word), rank == 1 ? "" : "s");
    else if (describe_one_direction(&s, text) || describe_families(&s, rank, text) ||
             describe_by_wrench(d, loop, &s, text))
        (void)0;
    else
        cd_text_format(text, "its %d axes are arranged so that their motions span only %d of 6 directions", s.count,
                       rank);
    free(s.axis);
}

void cd_describe_loop_rank_loss(cardan_data* d, const cd_kinematic_loop* loop, int rank, cd_text* text)
{
    loop_axes s = collect_axes(d, loop, text);
    if (!s.axis) return;
    if (s.nquaternion == s.count && s.count > 0 && rotations_parallel(&s) && family_of(&s, 0, text).rank == 2) {
        write_all(text, s.count, "axes");
        cd_text_add(text, " lie in one plane");
    } else {
        cd_text_format(text, "the joints span %d of the usual %d directions", 6 - loop->single_loop_redundant, rank);
    }
    free(s.axis);
}

void cd_describe_loop_redundancy(cardan_data* d, const cd_kinematic_loops* loops, int l, cd_text* text)
{
    const cd_kinematic_loop* loop = &loops->loop[l];
    const int                more = loop->redundant - loop->single_loop_redundant;
    char                     word[16];
    if (loop->single_loop_redundant > 0) describe_own_redundancy(d, loop, text);
    if (more <= 0) return;
    if (loop->single_loop_redundant > 0)
        cd_text_format(text, "; %s more %s", cd_number_in_words(more, word),
                       more == 1 ? "is redundant" : "are redundant");
    else
        cd_text_add(text, "they are redundant");
    cd_text_format(text, " because of %s",
                   l == 1   ? "loops 1 and 2 together"
                   : l == 0 ? "other constraints"
                            : "the loops up to this one together");
}
