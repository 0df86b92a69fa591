// SPDX-License-Identifier: BSD-3-Clause
// Scene from a description: shapes of the model file, otherwise bars between the joints.
#include "draw/scene.h"

#include "draw/draw_tolerances.h"
#include "core/memory.h"

#include <stdlib.h>
#include <string.h>

static const cardan_pose identity = {{0, 0, 0}, {1, 0, 0, 0}};

// Data of a scene under construction.
typedef struct builder {
    const cardan_description_view* view;
    const cardan_pose*             pose; // (nbody)
    cd_scene*                      scene;
    cd_xyz *                       first, *second;        // (njoint) joint position on its two bodies
    int *                          end_start, *end_joint; // joint ends of body i: end_start[i] .. end_start[i + 1] - 1
    bool*                          has_shape;             // (nbody) the model has a shape
    double                         size;                  // [m] extent of the mechanism
} builder;

cardan_pose cd_body_frame_pose(const cardan_body* body, const cardan_motion* motion)
{
    cardan_pose  pose   = {.q = {motion->q[0], motion->q[1], motion->q[2], motion->q[3]}};
    const cd_xyz origin = xyz_sub(xyz_of(motion->p), xyz_rotate(motion->q, xyz_of(body->centre)));
    pose.p[0]           = origin.x;
    pose.p[1]           = origin.y;
    pose.p[2]           = origin.z;
    return pose;
}

static void add_label(cd_scene* scene, const char* text, cd_xyz at, int body)
{
    if (!cd_array_grow((void**)&scene->label, &scene->label_capacity, scene->nlabel, sizeof *scene->label))
        scene->failed = true;
    else
        scene->label[scene->nlabel++] = (cd_label){text, at, body};
}

static const cardan_pose* pose_of(const builder* b, int body) { return body < 0 ? &identity : &b->pose[body]; }

static cd_xyz centre_of(const builder* b, int body)
{
    return xyz_transform(&b->pose[body], xyz_of(b->view->body[body].centre));
}

cd_joint_symbol cd_joint_symbol_of_type(const char* type)
{
    static const struct {
        const char*     type;
        cd_joint_symbol symbol;
    } table[] = {
        {"fixed", CD_SYMBOL_FIXED},         {"revolute", CD_SYMBOL_REVOLUTE},
        {"prismatic", CD_SYMBOL_PRISMATIC}, {"cylindrical", CD_SYMBOL_CYLINDRICAL},
        {"screw", CD_SYMBOL_SCREW},         {"universal", CD_SYMBOL_UNIVERSAL},
        {"planar", CD_SYMBOL_PLANAR},       {"spherical", CD_SYMBOL_SPHERICAL},
        {"free", CD_SYMBOL_NONE},
    };
    for (size_t i = 0; type && i < sizeof table / sizeof *table; ++i)
        if (strcmp(type, table[i].type) == 0) return table[i].symbol;
    return CD_SYMBOL_OTHER;
}

// Sliding joint: drawn on its second body, with a rail from the first.
static bool is_sliding(cd_joint_symbol symbol)
{
    return symbol == CD_SYMBOL_PRISMATIC || symbol == CD_SYMBOL_CYLINDRICAL || symbol == CD_SYMBOL_SCREW;
}

static cd_xyz end_of(const builder* b, int joint, int body)
{
    return b->view->joint[joint].first_body == body ? b->first[joint] : b->second[joint];
}

// List the joint ends of each body: count them, then store them.
static bool index_joints(builder* b)
{
    const cardan_description_view* v = b->view;
    b->first                         = cd_allocate((size_t)v->njoint, sizeof *b->first);
    b->second                        = cd_allocate((size_t)v->njoint, sizeof *b->second);
    b->end_start                     = cd_allocate((size_t)v->nbody + 2, sizeof *b->end_start);
    b->end_joint                     = cd_allocate(2 * (size_t)v->njoint, sizeof *b->end_joint);
    b->has_shape                     = cd_allocate((size_t)v->nbody, sizeof *b->has_shape);
    if (!b->first || !b->second || !b->end_start || !b->end_joint || !b->has_shape) return false;

    int* next = b->end_start + 1; // counts, then next free index, shifted by one
    for (int i = 0; i < v->njoint; ++i) {
        const cardan_joint* j = &v->joint[i];
        b->first[i]           = xyz_transform(pose_of(b, j->first_body), xyz_of(j->frame_first.p));
        b->second[i]          = xyz_transform(pose_of(b, j->second_body), xyz_of(j->frame_second.p));
        if (cd_joint_symbol_of_type(j->type) == CD_SYMBOL_NONE) continue;
        if (j->first_body >= 0) ++next[j->first_body + 1];
        if (j->second_body >= 0) ++next[j->second_body + 1];
    }
    for (int i = 0; i < v->nbody; ++i) next[i + 1] += next[i];
    for (int i = 0; i < v->njoint; ++i) {
        const cardan_joint* j = &v->joint[i];
        if (cd_joint_symbol_of_type(j->type) == CD_SYMBOL_NONE) continue;
        if (j->first_body >= 0) b->end_joint[next[j->first_body]++] = i;
        if (j->second_body >= 0) b->end_joint[next[j->second_body]++] = i;
    }
    for (int i = 0; i < v->nshape; ++i)
        if (v->shape[i].body >= 0) b->has_shape[v->shape[i].body] = true;
    return true;
}

// Largest extent of joints, mass centres and shapes; reference length of tolerances.
static void measure_extent(builder* b)
{
    double lower[3] = {INFINITY, INFINITY, INFINITY}, upper[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = 0; i < 2 * b->view->njoint + b->view->nbody; ++i) {
        const int    n    = b->view->njoint;
        const cd_xyz p    = i < n ? b->first[i] : i < 2 * n ? b->second[i - n] : centre_of(b, i - 2 * n);
        const double c[3] = {p.x, p.y, p.z};
        for (int k = 0; k < 3; ++k) {
            lower[k] = fmin(lower[k], c[k]);
            upper[k] = fmax(upper[k], c[k]);
        }
    }
    b->size = 0;
    for (int k = 0; k < 3; ++k) b->size = fmax(b->size, upper[k] - lower[k]);
    for (int i = 0; i < b->view->nshape; ++i)
        if (b->view->shape[i].body >= 0 && b->view->shape[i].kind != CARDAN_SHAPE_POINTS &&
            b->view->shape[i].kind != CARDAN_SHAPE_MESH)
            b->size = fmax(b->size, b->view->shape[i].size[0]);
    if (!(b->size > 0) || !isfinite(b->size)) b->size = 1;
}

static void add_bar(builder* b, int body, cd_xyz from, cd_xyz to, double radius)
{
    cd_scene_add_primitive(
        b->scene, (cd_primitive){.kind = CD_PRIMITIVE_BAR, .body = body, .a = from, .b = to, .radius = radius});
}

static void add_shape(builder* b, int index)
{
    const cardan_shape* shape  = &b->view->shape[index];
    const int           before = b->scene->nprimitive;
    const cardan_pose   frame  = pose_compose(pose_of(b, shape->body), &shape->pose);
    const cd_xyz        half   = xyz_rotate(frame.q, (cd_xyz){0, 0, shape->size[0] / 2});
    const cd_xyz        p      = xyz_of(frame.p);
    switch (shape->kind) {
    case CARDAN_SHAPE_ROD:
        add_bar(b, shape->body, xyz_sub(p, half), xyz_add(p, half), shape->size[1]);
        break;
    case CARDAN_SHAPE_BOX:
        cd_scene_add_box(b->scene, shape->body, &frame, shape->size);
        break;
    case CARDAN_SHAPE_SPHERE:
        cd_scene_add_primitive(
            b->scene,
            (cd_primitive){.kind = CD_PRIMITIVE_SPHERE, .body = shape->body, .a = p, .radius = shape->size[0]});
        break;
    case CARDAN_SHAPE_POINTS:
        for (int i = 0; i + 1 < shape->npoint; ++i)
            add_bar(b, shape->body, xyz_transform(&frame, xyz_of(shape->point + 3 * i)),
                    xyz_transform(&frame, xyz_of(shape->point + 3 * i + 3)), 0);
        break;
    case CARDAN_SHAPE_MESH:
        cd_scene_add_mesh(b->scene, shape, &frame);
        break;
    case CARDAN_SHAPE_CAPSULE:
    case CARDAN_SHAPE_ELLIPSOID:
    case CARDAN_SHAPE_TORUS:
    case CARDAN_SHAPE_HULL:
    case CARDAN_SHAPE_PLANE:
    case CARDAN_SHAPE_HEIGHT_FIELD:
        cd_scene_add_surface(b->scene, shape, &frame);
        break;
    }
    for (int i = before; i < b->scene->nprimitive; ++i) b->scene->primitive[i].shape = index + 1;
}

// Distinct joint positions of a body, at most `count_max`.
static int distinct_ends(const builder* b, int body, int count_max, cd_xyz* end)
{
    int count = 0;
    for (int k = b->end_start[body]; k < b->end_start[body + 1] && count < count_max; ++k) {
        const cd_xyz p      = end_of(b, b->end_joint[k], body);
        bool         is_new = true;
        for (int i = 0; i < count; ++i) is_new &= xyz_distance(end[i], p) > cd_same_place_tolerance * b->size;
        if (is_new) end[count++] = p;
    }
    return count;
}

static void add_mass(builder* b, int body, cd_xyz at)
{
    if (b->view->body[body].mass > 0)
        cd_scene_add_primitive(b->scene, (cd_primitive){.kind = CD_PRIMITIVE_POINT_MASS, .body = body, .a = at});
}

// Add a line from the nearest point of a bar to a mass centre away from it.
static void add_offset_line(builder* b, int body, cd_xyz from, cd_xyz to)
{
    const cd_xyz centre = centre_of(b, body), d = xyz_sub(to, from);
    const double s    = xyz_dot(d, d) > 0 ? fmin(1, fmax(0, xyz_dot(xyz_sub(centre, from), d) / xyz_dot(d, d))) : 0;
    const cd_xyz foot = xyz_add_scaled(from, s, d);
    if (b->view->body[body].mass > 0 && xyz_distance(foot, centre) > 0.01 * b->size)
        cd_scene_add_primitive(b->scene,
                               (cd_primitive){.kind = CD_PRIMITIVE_OFFSET_LINE, .body = body, .a = foot, .b = centre});
}

static void add_unconnected_body(builder* b, int body)
{
    cardan_pose inner;
    double      size[3];
    if (cd_inertia_box(&b->view->body[body], &inner, size)) {
        const cardan_pose frame = pose_compose(&b->pose[body], &inner);
        cd_scene_add_box(b->scene, body, &frame, size);
    } else {
        add_mass(b, body, centre_of(b, body));
    }
}

static void add_plate(builder* b, int body, const cd_xyz end[3])
{
    const int first = b->scene->npoint;
    for (int i = 0; i < 3; ++i) cd_scene_add_point(b->scene, end[i]);
    cd_scene_add_primitive(b->scene,
                           (cd_primitive){.kind = CD_PRIMITIVE_FACE, .body = body, .first = first, .count = 3});
    for (int i = 0; i < 3; ++i) add_bar(b, body, end[i], end[(i + 1) % 3], 0);
}

// Add a body without shape: a bar between two joints, a plate between three, a star between more.
static void add_shapeless_body(builder* b, int body)
{
    enum { ENDS_MAX = 64 };
    cd_xyz       end[ENDS_MAX];
    const int    count  = distinct_ends(b, body, ENDS_MAX, end);
    const cd_xyz centre = centre_of(b, body);
    const double mass   = b->view->body[body].mass;
    if (count == 0) {
        add_unconnected_body(b, body);
    } else if (count == 1) {
        const bool leaf      = b->end_start[body + 1] - b->end_start[body] == 1,
                   is_offset = xyz_distance(end[0], centre) > cd_same_place_tolerance * b->size;
        if (leaf && is_offset && mass > 0)
            add_bar(b, body, end[0], centre, 0);
        else if (is_offset)
            add_offset_line(b, body, end[0], end[0]);
        if (leaf) add_mass(b, body, centre);
    } else if (count == 2) {
        add_bar(b, body, end[0], end[1], 0);
        add_offset_line(b, body, end[0], end[1]);
    } else if (count == 3 && xyz_length(xyz_cross(xyz_sub(end[1], end[0]), xyz_sub(end[2], end[0]))) >
                                 cd_flat_plate_tolerance * b->size * b->size) {
        add_plate(b, body, end);
    } else {
        cd_xyz hub = {0, 0, 0};
        for (int i = 0; i < count; ++i) hub = xyz_add_scaled(hub, 1.0 / count, end[i]);
        for (int i = 0; i < count; ++i) add_bar(b, body, hub, end[i], 0);
    }
}

// Label position: middle of the bar, else the mass centre.
static cd_xyz middle_of(const builder* b, int body)
{
    cd_xyz    end[3];
    const int count = distinct_ends(b, body, 3, end);
    if (count == 2 && !b->has_shape[body]) return xyz_scale(0.5, xyz_add(end[0], end[1]));
    return centre_of(b, body);
}

// Add the support of a ground joint, with the direction of the mechanism.
static void add_ground(builder* b, int joint, cd_joint_symbol symbol, cd_xyz at, cd_xyz axis)
{
    const cardan_joint* j    = &b->view->joint[joint];
    const int           body = j->first_body >= 0 ? j->first_body : j->second_body;
    const bool          leaf = b->end_start[body + 1] - b->end_start[body] == 1;
    cd_xyz              end[2], goal = leaf ? centre_of(b, body) : at;
    for (int k = distinct_ends(b, body, 2, end); k-- > 0;)
        if (xyz_distance(end[k], at) > cd_same_place_tolerance * b->size) goal = end[k];
    cd_scene_add_primitive(
        b->scene,
        (cd_primitive){
            .kind = CD_PRIMITIVE_SUPPORT, .body = CARDAN_GROUND, .a = at, .b = goal, .axis = axis, .symbol = symbol});
}

static void add_joint(builder* b, int joint)
{
    const cardan_joint*   j      = &b->view->joint[joint];
    const cd_joint_symbol symbol = cd_joint_symbol_of_type(j->type);
    if (symbol == CD_SYMBOL_NONE) return;
    const cardan_pose frame = pose_compose(pose_of(b, j->first_body), &j->frame_first);
    cd_xyz            axis = xyz_rotate(frame.q, (cd_xyz){0, 0, 1}), side = xyz_rotate(frame.q, (cd_xyz){1, 0, 0});
    if (symbol == CD_SYMBOL_UNIVERSAL && j->nelementary == 2) {
        const cardan_pose other = pose_compose(pose_of(b, j->second_body), &j->frame_second);
        axis                    = xyz_rotate(frame.q, xyz_of(j->elementary[0].axis));
        side                    = xyz_rotate(other.q, xyz_of(j->elementary[1].axis));
    }
    const cd_xyz at = is_sliding(symbol) ? b->second[joint] : b->first[joint];
    if (is_sliding(symbol)) {
        const double s    = xyz_dot(xyz_sub(at, b->first[joint]), axis);
        const cd_xyz low  = xyz_add_scaled(b->first[joint], fmin(s, 0), axis);
        const cd_xyz high = xyz_add_scaled(b->first[joint], fmax(s, 0), axis);
        cd_scene_add_primitive(
            b->scene,
            (cd_primitive){.kind = CD_PRIMITIVE_RAIL, .body = j->first_body, .a = low, .b = high, .axis = axis});
    }
    if (j->first_body < 0 || j->second_body < 0) add_ground(b, joint, symbol, b->first[joint], axis);
    cd_scene_add_primitive(
        b->scene,
        (cd_primitive){
            .kind = CD_PRIMITIVE_JOINT, .body = j->second_body, .a = at, .symbol = symbol, .axis = axis, .side = side});
    add_label(b->scene, j->name, at, CARDAN_NONE);
}

static cd_xyz marker_at(const builder* b, int marker)
{
    if (marker < 0) return (cd_xyz){0, 0, 0};
    const cardan_marker* m = &b->view->marker[marker];
    return xyz_transform(pose_of(b, m->body), xyz_of(m->pose.p));
}

// Add the support of a spring or rod that is attached to ground at `at`; `goal` is its other end.
static void add_ground_end(builder* b, int marker, cd_xyz at, cd_xyz goal)
{
    if (marker >= 0 && b->view->marker[marker].body >= 0) return;
    cd_scene_add_primitive(b->scene, (cd_primitive){.kind   = CD_PRIMITIVE_SUPPORT,
                                                    .body   = CARDAN_GROUND,
                                                    .a      = at,
                                                    .b      = goal,
                                                    .axis   = {0, 0, 1},
                                                    .symbol = CD_SYMBOL_SPHERICAL});
}

static void add_force(builder* b, const cardan_force* f)
{
    if (!f->type || strcmp(f->type, "spring") != 0) return;
    const bool elastic = f->stiffness[0] != 0 || f->preload != 0 || f->force_table >= 0;
    const bool damps   = f->damping[0] != 0 || f->damper_table >= 0;
    cd_scene_add_primitive(b->scene,
                           (cd_primitive){.kind = elastic || !damps ? CD_PRIMITIVE_SPRING : CD_PRIMITIVE_DAMPER,
                                          .body = CARDAN_GROUND,
                                          .a    = marker_at(b, f->marker[1]),
                                          .b    = marker_at(b, f->marker[0])});
    for (int i = 0; i < 2; ++i)
        add_ground_end(b, f->marker[i], marker_at(b, f->marker[i]), marker_at(b, f->marker[1 - i]));
}

// Add a massless rod: a bar between two spherical joints.
static void add_rod(builder* b, const cardan_constraint* c)
{
    const cd_xyz end[2] = {marker_at(b, c->marker[0]), marker_at(b, c->marker[1])};
    cd_scene_add_primitive(b->scene,
                           (cd_primitive){.kind = CD_PRIMITIVE_BAR, .body = CARDAN_GROUND, .a = end[0], .b = end[1]});
    for (int i = 0; i < 2; ++i)
        cd_scene_add_primitive(
            b->scene, (cd_primitive){.kind   = CD_PRIMITIVE_JOINT,
                                     .body   = c->marker[i] < 0 ? CARDAN_GROUND : b->view->marker[c->marker[i]].body,
                                     .a      = end[i],
                                     .symbol = CD_SYMBOL_SPHERICAL,
                                     .axis   = {0, 0, 1},
                                     .side   = {1, 0, 0}});
    for (int i = 0; i < 2; ++i) add_ground_end(b, c->marker[i], end[i], end[1 - i]);
    add_label(b->scene, c->name, xyz_add_scaled(end[0], 0.5, xyz_sub(end[1], end[0])), CARDAN_NONE);
}

// Add the ground symbol of a lock between a body and ground.
static void add_lock(builder* b, const cardan_constraint* c)
{
    const int body[2] = {c->marker[0] < 0 ? CARDAN_GROUND : b->view->marker[c->marker[0]].body,
                         c->marker[1] < 0 ? CARDAN_GROUND : b->view->marker[c->marker[1]].body};
    if ((body[0] < 0) == (body[1] < 0)) return;
    const int moving = body[0] < 0 ? 1 : 0;
    cd_scene_add_primitive(b->scene, (cd_primitive){.kind   = CD_PRIMITIVE_SUPPORT,
                                                    .body   = CARDAN_GROUND,
                                                    .a      = marker_at(b, c->marker[moving]),
                                                    .b      = centre_of(b, body[moving]),
                                                    .axis   = {0, 0, 1},
                                                    .symbol = CD_SYMBOL_FIXED});
}

static void add_constraint(builder* b, const cardan_constraint* c)
{
    if (c->type && strcmp(c->type, "distance") == 0) add_rod(b, c);
    if (c->type && strcmp(c->type, "lock") == 0) add_lock(b, c);
}

static void add_all(builder* b)
{
    const cardan_description_view* v = b->view;
    for (int i = 0; i < v->nshape; ++i) add_shape(b, i);
    for (int i = 0; i < v->nbody; ++i) {
        if (!b->has_shape[i]) add_shapeless_body(b, i);
        if (v->body[i].mass > 0)
            cd_scene_add_primitive(b->scene,
                                   (cd_primitive){.kind = CD_PRIMITIVE_MASS_CENTRE, .body = i, .a = centre_of(b, i)});
        add_label(b->scene, v->body[i].name, middle_of(b, i), i);
    }
    for (int i = 0; i < v->nforce; ++i) add_force(b, &v->force[i]);
    for (int i = 0; i < v->nconstraint; ++i) add_constraint(b, &v->constraint[i]);
    for (int i = 0; i < v->njoint; ++i) add_joint(b, i);
}

cardan_status cd_scene_create(const cardan_description_view* view, const cardan_pose* pose, cd_scene* scene,
                              cardan_report* report)
{
    *scene              = (cd_scene){0};
    cardan_pose* design = NULL;
    if (!pose) {
        design = cd_allocate((size_t)view->nbody, sizeof *design);
        for (int i = 0; design && i < view->nbody; ++i) design[i] = view->body[i].pose;
    }
    builder b = {.view = view, .pose = pose ? pose : design, .scene = scene};
    if (b.pose && index_joints(&b)) {
        measure_extent(&b);
        add_all(&b);
    } else {
        scene->failed = true;
    }
    free(design);
    free(b.first);
    free(b.second);
    free(b.end_start);
    free(b.end_joint);
    free(b.has_shape);
    return scene->failed ? cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                                       "out of memory while drawing '%s'", view->name)
                         : CARDAN_OK;
}

void cd_scene_destroy(cd_scene* scene)
{
    free(scene->primitive);
    free(scene->point);
    free(scene->label);
    *scene = (cd_scene){0};
}
