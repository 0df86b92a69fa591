// SPDX-License-Identifier: BSD-3-Clause
// A model as MJCF text: bodies nested along the joints, each with its inertia about the mass centre in body axes.
// Welded bodies are merged with the body that carries them, as in Cardan, so that both engines process the same number
// of bodies.
//
//   body in its parent = frame_first frame_second^-1        (the joint frames coincide at q = 0)
//   joint axis         = z of frame_second, joint position = its origin
//   merged             m, h = sum m c, I about the origin = sum R I R' + m (c'c 1 - c c')
//
// Springs, dampers, friction and limits are omitted: the comparison covers rigid-body dynamics only.
#include "mjcf.h"

#include "principal.h"

#include "core/memory.h"
#include "core/text.h"
#include "math/quaternion.h"

#include <stdlib.h>
#include <string.h>

enum { DEPTH = 80 }; // bodies nested in one file

typedef struct node {
    int         joint;             // of the model that connects the body to its parent, or CARDAN_NONE
    int         parent;            // body at its other end; nbody is ground
    bool        reversed;          // the tree passes the joint from its second body to its first
    int         child, last, next; // moving bodies, linked in order
    int         carrier;           // moving body that it is welded to (itself, if it moves), or ground
    cardan_pose pose;              // in the carrier
    double      m, h[3], I[6];     // of all bodies that it carries, about its origin
} node;

typedef struct writer {
    const cardan_model*     m;
    cardan_description_view view;
    node*                   node; // (nbody + 1), the last one is ground
    cd_text*                file;
    int                     nfile, capacity;
} writer;

static void numbers(cd_text* t, const char* name, const double* x, int n)
{
    cd_text_format(t, " %s=\"", name);
    for (int i = 0; i < n; ++i) {
        if (i > 0) cd_text_add(t, " ");
        cd_text_number(t, x[i]);
    }
    cd_text_add(t, "\"");
}

static cardan_joint joint_of(const writer* w, int joint)
{
    if (joint < w->view.njoint) return w->view.joint[joint];
    const char* name = cardan_model_joint_name(w->m, joint);
    return cardan_joint_default(name, "free", CARDAN_GROUND,
                                cardan_description_find_body(cardan_model_description(w->m), name));
}

static bool is(const cardan_joint* j, const char* type) { return strcmp(j->type, type) == 0; }
static bool is_unrotated(cardan_pose pose) { return pose.q[1] == 0 && pose.q[2] == 0 && pose.q[3] == 0; }

// True if coordinates mean the same in both engines: always about one axis; for free rotation only if axes and
// direction agree.
static bool can_write(const cardan_joint* j, bool reversed)
{
    if (is(j, "revolute") || is(j, "prismatic") || is(j, "fixed")) return true;
    return !reversed && is_unrotated(j->frame_second) &&
           (is(j, "spherical") || (is(j, "free") && j->first_body == CARDAN_GROUND));
}

static cardan_status hold(writer* w, int k, int parent, int body, bool reversed, cardan_report* report)
{
    const cardan_joint j = joint_of(w, k);
    if (body == w->view.nbody || w->node[body].joint != CARDAN_NONE || !can_write(&j, reversed))
        return cardan_fail(report, CARDAN_UNSUPPORTED, CARDAN_CODE_NOT_SUPPORTED, j.location,
                           "joint '%s' (%s) is not supported by the comparison", j.name, j.type);
    w->node[body].joint    = k;
    w->node[body].parent   = parent;
    w->node[body].reversed = reversed;
    return CARDAN_OK;
}

// Find the joint between each body and its parent, from ground outward.
static cardan_status plant(writer* w, cardan_report* report)
{
    const int     ground = w->view.nbody, njoint = cardan_model_get_view(w->m).njoint;
    cardan_status status = CARDAN_OK;
    int           left   = njoint;
    for (int i = 0; i <= ground; ++i)
        w->node[i] = (node){.joint   = CARDAN_NONE,
                            .child   = CARDAN_NONE,
                            .last    = CARDAN_NONE,
                            .next    = CARDAN_NONE,
                            .carrier = i,
                            .pose    = cardan_pose_default()};
    for (int before = left + 1; status == CARDAN_OK && left < before;) {
        before = left;
        left   = 0;
        for (int k = 0; status == CARDAN_OK && k < njoint; ++k) {
            const cardan_joint j     = joint_of(w, k);
            const int          first = j.first_body == CARDAN_GROUND ? ground : j.first_body,
                      second         = j.second_body == CARDAN_GROUND ? ground : j.second_body;
            const bool from_first    = first == ground || w->node[first].joint != CARDAN_NONE;
            const bool from_second   = second == ground || w->node[second].joint != CARDAN_NONE;
            if ((from_first && w->node[first].joint == k) || (from_second && w->node[second].joint == k)) continue;
            if (from_first)
                status = hold(w, k, first, second, false, report);
            else if (from_second)
                status = hold(w, k, second, first, true, report);
            else
                ++left;
        }
    }
    return status;
}

static cardan_pose pose_in_parent(const cardan_joint* j, bool reversed)
{
    const cardan_pose pose = pose_mul(j->frame_first, pose_inverse(j->frame_second));
    return reversed ? pose_inverse(pose) : pose;
}

// Find the carrier of a welded body and the pose of the body in it.
static void weld(writer* w)
{
    const int ground = w->view.nbody;
    for (int i = 0; i < ground; ++i)
        while (w->node[i].carrier != ground) {
            const node*        at = &w->node[w->node[i].carrier];
            const cardan_joint j  = joint_of(w, at->joint);
            if (!is(&j, "fixed")) break;
            w->node[i].pose    = pose_mul(pose_in_parent(&j, at->reversed), w->node[i].pose);
            w->node[i].carrier = at->parent;
        }
}

// Add mass, first moment and inertia of a body to those of its carrier.
static void add_inertia(writer* w, int body)
{
    const cardan_body* b       = &w->view.body[body];
    node*              carrier = &w->node[w->node[body].carrier];
    const cardan_pose  pose    = w->node[body].pose;
    const double*      I       = b->inertia;
    const double       full[9] = {I[0], I[3], I[4], I[3], I[1], I[5], I[4], I[5], I[2]};
    const int          row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    double             R[9], c[3];
    q4_matrix(pose.q, R);
    pose_point(pose, b->centre, c);
    carrier->m += b->mass;
    for (int k = 0; k < 3; ++k) carrier->h[k] += b->mass * c[k];
    for (int k = 0; k < 6; ++k) {
        const int x = row[k], y = column[k];
        for (int m = 0; m < 3; ++m)
            for (int n = 0; n < 3; ++n) carrier->I[k] += R[3 * x + m] * full[3 * m + n] * R[3 * y + n];
        carrier->I[k] += b->mass * ((x == y ? c[0] * c[0] + c[1] * c[1] + c[2] * c[2] : 0) - c[x] * c[y]);
    }
}

// List the moving bodies that are children of each moving body.
static void link_children(writer* w)
{
    for (int i = 0; i < w->view.nbody; ++i) {
        if (w->node[i].carrier != i) continue;
        node* parent = &w->node[w->node[w->node[i].parent].carrier];
        if (parent->last == CARDAN_NONE)
            parent->child = i;
        else
            w->node[parent->last].next = i;
        parent->last = i;
    }
}

// Print a joint in the frame of the moving body. A reversed joint rotates in the opposite direction about the axis on
// its first body.
static void write_joint(cd_text* t, int index, const cardan_joint* j, bool reversed)
{
    const char* type = is(j, "revolute") ? "hinge" : is(j, "prismatic") ? "slide" : "ball";
    if (is(j, "free")) {
        cd_text_format(t, "<freejoint name=\"j%d\"/>", index);
        return;
    }
    const cardan_pose frame = reversed ? j->frame_first : j->frame_second;
    double            axis[3];
    q4_rotate(frame.q, (const double[]){0, 0, reversed ? -1 : 1}, axis);
    cd_text_format(t, "<joint name=\"j%d\" type=\"%s\"", index, type);
    numbers(t, "pos", frame.p, 3);
    if (!is(j, "spherical")) numbers(t, "axis", axis, 3);
    if (j->naxis > 0) numbers(t, "armature", &j->axis[0].armature, 1);
    cd_text_add(t, "/>");
}

static void write_inertia(cd_text* t, const node* n)
{
    if (!(n->m > 0)) return;
    const double c[3] = {n->h[0] / n->m, n->h[1] / n->m, n->h[2] / n->m}, cc = c[0] * c[0] + c[1] * c[1] + c[2] * c[2];
    const double I[6] = {n->I[0] - n->m * (cc - c[0] * c[0]), n->I[1] - n->m * (cc - c[1] * c[1]),
                         n->I[2] - n->m * (cc - c[2] * c[2]), n->I[3] + n->m * c[0] * c[1],
                         n->I[4] + n->m * c[0] * c[2],        n->I[5] + n->m * c[1] * c[2]};
    double       moment[3], q[4];
    principal_axes(I, moment, q);
    cd_text_add(t, "<inertial");
    numbers(t, "mass", &n->m, 1);
    numbers(t, "pos", c, 3);
    numbers(t, "quat", q, 4);
    numbers(t, "diaginertia", moment, 3);
    cd_text_add(t, "/>\n");
}

static void open_body(writer* w, cd_text* t, int body)
{
    const node*        n    = &w->node[body];
    const cardan_joint j    = joint_of(w, n->joint);
    const cardan_pose  pose = pose_mul(w->node[n->parent].pose, pose_in_parent(&j, n->reversed));
    cd_text_format(t, "<body name=\"b%d\"", body);
    numbers(t, "pos", pose.p, 3);
    numbers(t, "quat", pose.q, 4);
    cd_text_add(t, ">");
    write_joint(t, n->joint, &j, n->reversed);
    write_inertia(t, n);
}

static bool new_file(writer* w)
{
    if (!cd_array_grow((void**)&w->file, &w->capacity, w->nfile, sizeof *w->file)) return false;
    w->file[w->nfile] = (cd_text){0};
    cd_text_add(&w->file[w->nfile++], "<mujoco>\n");
    return true;
}

// Print all bodies below `top`, depth first without recursion. Bodies deeper than DEPTH go to another file, which is
// written later: its number and its top body are queued.
typedef struct part {
    int top, file;
} part;

static bool write_part(writer* w, part p, part** queue, int* nqueue, int* capacity)
{
    const int ground = w->view.nbody;
    int       path[DEPTH + 1], depth = 0;
    path[0]  = p.top;
    int next = w->node[p.top].child;
    for (;;) {
        if (next == CARDAN_NONE) { // back up
            if (depth == 0) break;
            cd_text_add(&w->file[p.file], "</body>\n");
            next = w->node[path[depth--]].next;
            continue;
        }
        open_body(w, &w->file[p.file], next);
        path[++depth] = next;
        next          = w->node[next].child;
        if (depth < DEPTH || next == CARDAN_NONE) continue;
        if (!new_file(w) || !cd_array_grow((void**)queue, capacity, *nqueue, sizeof **queue)) return false;
        (*queue)[(*nqueue)++] = (part){path[depth], w->nfile - 1};
        cd_text_format(&w->file[p.file], "<include file=\"m%d.xml\"/>\n", w->nfile - 1);
        next = CARDAN_NONE;
    }
    cd_text_add(&w->file[p.file], p.top == ground ? "</worldbody></mujoco>\n" : "</mujoco>\n");
    return true;
}

static bool write_files(writer* w)
{
    part* queue  = NULL;
    int   nqueue = 0, capacity = 0;
    bool  fine = new_file(w);
    if (fine) {
        cd_text_add(&w->file[0], "<compiler inertiafromgeom=\"false\"/><size njmax=\"1\" nconmax=\"1\"/><option");
        numbers(&w->file[0], "gravity", w->view.gravity, 3);
        cd_text_add(&w->file[0], "><flag constraint=\"disable\" contact=\"disable\" passive=\"disable\" "
                                 "actuation=\"disable\"/></option><worldbody>\n");
        fine = write_part(w, (part){w->view.nbody, 0}, &queue, &nqueue, &capacity);
    }
    for (int i = 0; fine && i < nqueue; ++i) fine = write_part(w, queue[i], &queue, &nqueue, &capacity);
    free(queue);
    return fine;
}

cardan_status mjcf_write(const cardan_model* m, mjcf* out, cardan_report* report)
{
    writer w = {.m = m, .view = cardan_description_get_view(cardan_model_description(m))};
    *out     = (mjcf){0};
    w.node   = cd_allocate((size_t)w.view.nbody + 1, sizeof *w.node);
    if (!w.node)
        return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                           "out of memory");

    cardan_status status = plant(&w, report);
    if (status == CARDAN_OK) {
        weld(&w);
        for (int i = 0; i < w.view.nbody; ++i) add_inertia(&w, i);
        link_children(&w);
    }
    bool fine = status == CARDAN_OK && write_files(&w);
    if (fine) out->file = cd_allocate((size_t)w.nfile, sizeof *out->file);
    fine = fine && out->file;
    for (int i = 0; i < w.nfile; ++i) {
        char* text = cd_text_detach(&w.file[i]);
        if (fine && text)
            out->file[out->nfile++] = text;
        else
            free(text), fine = false;
    }
    if (status == CARDAN_OK && !fine)
        status =
            cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(), "out of memory");
    if (!fine) mjcf_free(out);
    free(w.file);
    free(w.node);
    return status;
}

void mjcf_free(mjcf* out)
{
    for (int i = 0; i < out->nfile; ++i) free(out->file[i]);
    free(out->file);
    *out = (mjcf){0};
}
