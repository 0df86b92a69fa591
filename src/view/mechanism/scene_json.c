// SPDX-License-Identifier: BSD-3-Clause
// Scene message: shapes of bodies in their frames, joints, springs and rods, markers, columns and parameters. The shapes
// are the primitives of pictures (draw/scene.h) in the design configuration, transformed into the body frames, and
// shapes that the page draws as they are (shape_json.c).
#include "view/mechanism/live_model.h"

#include "core/json.h"
#include "core/memory.h"
#include "draw/camera.h"
#include "draw/picture.h"
#include "model/description.h"
#include "view/mechanism/shape_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct writer {
    const cd_live_model* m;
    const cd_scene*      scene;
    cd_json_writer       json;
} writer;

static void write_vector(cd_json_writer* json, const char* key, cd_xyz p)
{
    cd_json_numbers(json, key, 3, (const double[3]){p.x, p.y, p.z});
}

static void write_pose(cd_json_writer* json, const char* key, const cardan_pose* pose)
{
    const double x[7] = {pose->p[0], pose->p[1], pose->p[2], pose->q[0], pose->q[1], pose->q[2], pose->q[3]};
    cd_json_numbers(json, key, 7, x);
}

// Point of the world in the frame of a body in the design configuration.
static cd_xyz to_body(const writer* w, int body, cd_xyz p)
{
    if (body < 0) return p;
    const cardan_pose* pose       = &w->m->view.body[body].pose;
    const double       inverse[4] = {pose->q[0], -pose->q[1], -pose->q[2], -pose->q[3]};
    return xyz_rotate(inverse, xyz_sub(p, xyz_of(pose->p)));
}

static void write_bar(writer* w, const cd_primitive* p, double radius)
{
    cd_json_begin_object(&w->json, NULL);
    cd_json_string(&w->json, "kind", "bar");
    write_vector(&w->json, "a", to_body(w, p->body, p->a));
    write_vector(&w->json, "b", to_body(w, p->body, p->b));
    cd_json_number(&w->json, "radius", radius);
    cd_json_end(&w->json);
}

static void write_sphere(writer* w, const cd_primitive* p, double radius)
{
    cd_json_begin_object(&w->json, NULL);
    cd_json_string(&w->json, "kind", "sphere");
    write_vector(&w->json, "a", to_body(w, p->body, p->a));
    cd_json_number(&w->json, "radius", radius);
    cd_json_end(&w->json);
}

static void write_face(writer* w, const cd_primitive* p)
{
    cd_json_begin_object(&w->json, NULL);
    cd_json_string(&w->json, "kind", "face");
    cd_json_begin_array(&w->json, "points");
    for (int i = 0; i < p->count; ++i) write_vector(&w->json, NULL, to_body(w, p->body, w->scene->point[p->first + i]));
    cd_json_end(&w->json);
    cd_json_end(&w->json);
}

static void write_line(writer* w, const cd_primitive* p)
{
    cd_json_begin_object(&w->json, NULL);
    cd_json_string(&w->json, "kind", "line");
    cd_json_begin_array(&w->json, "points");
    write_vector(&w->json, NULL, to_body(w, p->body, p->a));
    write_vector(&w->json, NULL, to_body(w, p->body, p->b));
    cd_json_end(&w->json);
    cd_json_end(&w->json);
}

static void write_shapes(writer* w, int body)
{
    const double thin = 0.012 * w->m->length;
    cd_json_begin_array(&w->json, "shapes");
    for (int i = 0; i < w->scene->nprimitive; ++i) {
        const cd_primitive* p = &w->scene->primitive[i];
        if (p->body != body) continue;
        if (p->shape > 0 && cd_shape_has_json(&w->m->view.shape[p->shape - 1])) continue;
        if (p->kind == CD_PRIMITIVE_BAR) write_bar(w, p, p->radius > 0 ? p->radius : thin);
        if (p->kind == CD_PRIMITIVE_SPHERE) write_sphere(w, p, p->radius);
        if (p->kind == CD_PRIMITIVE_POINT_MASS) write_sphere(w, p, 2.5 * thin);
        if (p->kind == CD_PRIMITIVE_FACE) write_face(w, p);
        if (p->kind == CD_PRIMITIVE_OFFSET_LINE || p->kind == CD_PRIMITIVE_RAIL) write_line(w, p);
    }
    for (int i = 0; i < w->m->view.nshape; ++i)
        if (w->m->view.shape[i].body == body && cd_shape_has_json(&w->m->view.shape[i]))
            cd_shape_json(&w->json, &w->m->view.shape[i]);
    cd_json_end(&w->json);
}

static void write_body(writer* w, int i, cd_colour colour)
{
    const cardan_body* body = &w->m->view.body[i];
    char               text[16];
    snprintf(text, sizeof text, "#%06x", colour & 0xFFFFFFu);
    cd_json_begin_object(&w->json, NULL);
    cd_json_string(&w->json, "name", body->name);
    cd_json_number(&w->json, "mass", body->mass);
    cd_json_numbers(&w->json, "centre", 3, body->centre);
    cd_json_string(&w->json, "colour", text);
    write_pose(&w->json, "pose", &w->m->pose[i]);
    write_shapes(w, i);
    cd_json_end(&w->json);
}

static void write_limit(cd_json_writer* json, const char* key, double value)
{
    if (isfinite(value))
        cd_json_number(json, key, value);
    else
        cd_json_null(json, key);
}

static void write_coordinate(writer* w, int joint, int i)
{
    const cardan_joint*      j = &w->m->view.joint[joint];
    const cardan_index_range r = w->m->model_view.joint_range[joint];
    char                     name[CD_VIEW_NAME_SIZE];
    if (r.nq > 1)
        snprintf(name, sizeof name, "%s.q%d", j->name, i + 1);
    else
        snprintf(name, sizeof name, "%s.q", j->name);
    char       effort[CD_VIEW_NAME_SIZE];
    const bool drivable = cd_is_drivable(w->m->description, joint, i);
    snprintf(effort, sizeof effort, "%s.drive", j->name);
    cd_json_begin_object(&w->json, NULL);
    cd_json_string(&w->json, "name", name);
    cd_json_string(&w->json, "unit", cardan_model_q_unit(w->m->model, joint, i));
    cd_json_integer(&w->json, "index", r.q + i);
    write_limit(&w->json, "lower", j->naxis > i ? j->axis[i].lower : -INFINITY);
    write_limit(&w->json, "upper", j->naxis > i ? j->axis[i].upper : INFINITY);
    cd_json_boolean(&w->json, "drivable", drivable);
    cd_json_string(&w->json, "effort", cd_value_column_find(w->m, effort) == CARDAN_NONE ? NULL : effort);
    cd_json_end(&w->json);
}

static void write_joint(writer* w, int i)
{
    const cardan_joint*      j = &w->m->view.joint[i];
    const cardan_index_range r = w->m->model_view.joint_range[i];
    cd_json_begin_object(&w->json, NULL);
    cd_json_string(&w->json, "name", j->name);
    cd_json_string(&w->json, "joint_type", j->type);
    cd_json_integer(&w->json, "first", j->first_body);
    cd_json_integer(&w->json, "second", j->second_body);
    write_pose(&w->json, "frame_first", &j->frame_first);
    write_pose(&w->json, "frame_second", &j->frame_second);
    cd_json_begin_array(&w->json, "coordinates");
    for (int k = 0; r.q >= 0 && r.nq == r.nv && k < r.nq; ++k) write_coordinate(w, i, k);
    cd_json_end(&w->json);
    cd_json_end(&w->json);
}

static void write_end(writer* w, int marker, const char* body_key, const char* point_key)
{
    static const double  zero[3] = {0, 0, 0};
    const cardan_marker* m       = marker < 0 ? NULL : &w->m->view.marker[marker];
    cd_json_integer(&w->json, body_key, m ? m->body : CARDAN_GROUND);
    cd_json_numbers(&w->json, point_key, 3, m ? m->pose.p : zero);
}

static void write_element(writer* w, const char* kind, const char* name, const int marker[2])
{
    cd_json_begin_object(&w->json, NULL);
    cd_json_string(&w->json, "kind", kind);
    cd_json_string(&w->json, "name", name);
    write_end(w, marker[1], "first", "a");
    write_end(w, marker[0], "second", "b");
    cd_json_end(&w->json);
}

static void write_elements(writer* w)
{
    const cardan_description_view* v = &w->m->view;
    cd_json_begin_array(&w->json, "elements");
    for (int i = 0; i < v->nforce; ++i) {
        const cardan_force* f = &v->force[i];
        if (strcmp(f->type, "spring") != 0) continue;
        const bool elastic = f->stiffness[0] != 0 || f->preload != 0 || f->force_table >= 0;
        const bool damps   = f->damping[0] != 0 || f->damper_table >= 0;
        write_element(w, elastic || !damps ? "spring" : "damper", f->name, f->marker);
    }
    for (int i = 0; i < v->nconstraint; ++i)
        if (strcmp(v->constraint[i].type, "distance") == 0)
            write_element(w, "rod", v->constraint[i].name, v->constraint[i].marker);
    cd_json_end(&w->json);
}

static void write_place(cd_json_writer* json, cardan_location at)
{
    cd_json_string(json, "file", at.file);
    cd_json_integer(json, "line", at.line);
}

static void write_names(writer* w)
{
    const cardan_description_view* v = &w->m->view;
    cd_json_begin_array(&w->json, "markers");
    for (int i = 0; i < v->nmarker; ++i) {
        cd_json_begin_object(&w->json, NULL);
        cd_json_string(&w->json, "name", v->marker[i].name);
        cd_json_integer(&w->json, "body", v->marker[i].body);
        write_pose(&w->json, "pose", &v->marker[i].pose);
        cd_json_end(&w->json);
    }
    cd_json_end(&w->json);
    cd_json_begin_array(&w->json, "columns");
    for (int i = 0; i < w->m->ncolumn; ++i) {
        cd_json_begin_object(&w->json, NULL);
        cd_json_string(&w->json, "name", w->m->column[i].name);
        cd_json_string(&w->json, "unit", w->m->column[i].unit);
        cd_json_end(&w->json);
    }
    cd_json_end(&w->json);
    cd_json_begin_array(&w->json, "parameters");
    for (int i = 0; i < v->nparameter; ++i) {
        cd_json_begin_object(&w->json, NULL);
        cd_json_string(&w->json, "name", v->parameter[i].name);
        cd_json_number(&w->json, "value", v->parameter[i].value);
        write_place(&w->json, v->parameter[i].location);
        cd_json_end(&w->json);
    }
    cd_json_end(&w->json);
    cd_json_begin_array(&w->json, "points");
    for (int i = 0; i < v->npoint; ++i) {
        cd_json_begin_object(&w->json, NULL);
        cd_json_string(&w->json, "name", v->point[i].name);
        cd_json_numbers(&w->json, "position", 3, v->point[i].position);
        write_place(&w->json, v->point[i].location);
        cd_json_end(&w->json);
    }
    cd_json_end(&w->json);
}

static void write_camera(writer* w, const cd_camera* camera)
{
    cd_json_begin_object(&w->json, "camera");
    write_vector(&w->json, "right", camera->right);
    write_vector(&w->json, "up", camera->up);
    write_vector(&w->json, "toward", camera->toward);
    cd_json_end(&w->json);
}

static void write_scene(writer* w, int id, const cd_camera* camera, bool planar, const cd_colour* colour)
{
    const cardan_description_view* v = &w->m->view;
    cd_json_begin_object(&w->json, NULL);
    cd_json_string(&w->json, "type", "scene");
    cd_json_integer(&w->json, "id", id);
    cd_json_string(&w->json, "name", v->name);
    cd_json_numbers(&w->json, "centre", 3, w->m->centre);
    cd_json_number(&w->json, "length", w->m->length);
    cd_json_number(&w->json, "weight", w->m->weight);
    cd_json_numbers(&w->json, "gravity", 3, v->gravity);
    cd_json_boolean(&w->json, "planar", planar);
    cd_json_integer(&w->json, "coordinates", w->m->model_view.nq_joint);
    write_camera(w, camera);
    cd_json_begin_array(&w->json, "bodies");
    for (int i = 0; i < v->nbody; ++i) write_body(w, i, colour[i]);
    cd_json_end(&w->json);
    cd_json_begin_object(&w->json, "ground");
    write_shapes(w, CARDAN_GROUND);
    cd_json_end(&w->json);
    cd_json_begin_array(&w->json, "joints");
    for (int i = 0; i < v->njoint; ++i) write_joint(w, i);
    cd_json_end(&w->json);
    write_elements(w);
    write_names(w);
    cd_json_end(&w->json);
}

cardan_status cd_view_scene(const cd_live_model* m, int id, cd_text* text, cardan_report* report)
{
    cardan_description_view rigid = m->view; // springs and rods are elements, which move
    rigid.nforce                  = 0;
    rigid.nconstraint             = 0;
    cd_scene      scene;
    cd_camera     camera[4];
    cd_xyz        normal;
    bool          planar = false;
    cd_colour*    colour = cd_allocate((size_t)m->view.nbody + 1, sizeof *colour);
    cardan_status status = cd_scene_create(&rigid, NULL, &scene, report);
    if (status == CARDAN_OK) status = cd_plane_of_motion(&m->view, m->pose, &normal, &planar);
    if (status == CARDAN_OK && (!colour || !cd_body_colours(&m->view, colour) ||
                                cd_cameras_create(&m->view, m->pose, CD_VIEW_AUTO, camera) == 0))
        status = CARDAN_NO_MEMORY;
    if (status == CARDAN_OK) {
        writer w = {m, &scene, cd_json_writer_to(text)};
        write_scene(&w, id, &camera[0], planar, colour);
        if (text->failed) status = CARDAN_NO_MEMORY;
    }
    cd_scene_destroy(&scene);
    free(colour);
    return status;
}
