// SPDX-License-Identifier: BSD-3-Clause
// MuJoCo on a mechanism with loops: equality constraints `connect`, so stiff and solved so accurately that
// accelerations agree with those of rigid constraints to 1e-4 or better: solref (-2500, -100), solimp 0.9999, sparse
// Jacobian, conjugate gradients to 1e-8, each from a cold start, since the state does not change from call to call. Its
// reader is limited to a depth of 100: deep mechanisms use nested `include` files.
#include "closed_chain.h"

#include "core/memory.h"
#include "core/text.h"

#include <math.h>
#include <mujoco/mujoco.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 80 };

typedef struct engine {
    mjModel*      m;
    mjData*       d;
    const closed* c;
} engine;

static void numbers(cd_text* t, const char* name, const double* x, int n)
{
    cd_text_format(t, " %s=\"", name);
    for (int i = 0; i < n; ++i) cd_text_format(t, i ? " %.17g" : "%.17g", x[i]);
    cd_text_add(t, "\"");
}

// Print bodies in world axes with their origins at their joints.
static void open_body(const closed* c, cd_text* t, int body)
{
    const closed_body*  b = &c->body[body];
    const closed_joint* j = &c->joint[b->joint];
    double              at[3], centre[3];
    for (int k = 0; k < 3; ++k) {
        at[k]     = b->origin[k] - (j->first >= 0 ? c->body[j->first].origin[k] : 0);
        centre[k] = b->centre[k] - b->origin[k];
    }
    cd_text_format(t, "<body name=\"b%d\"", body);
    numbers(t, "pos", at, 3);
    cd_text_format(t, "><joint name=\"j%d\" type=\"%s\"", b->joint, j->hinge ? "hinge" : "ball");
    if (j->hinge) numbers(t, "axis", j->axis, 3);
    cd_text_add(t, "/><inertial");
    numbers(t, "mass", &b->mass, 1);
    numbers(t, "pos", centre, 3);
    numbers(t, "fullinertia", b->inertia, 6);
    cd_text_add(t, "/>\n");
}

typedef struct writer {
    const closed* c;
    int *         child, *next; // (nbody + 1), (nbody): children of a body; the last entry is ground
    cd_text*      file;
    int           nfile, capacity;
} writer;

static bool new_file(writer* w)
{
    if (!cd_array_grow((void**)&w->file, &w->capacity, w->nfile, sizeof *w->file)) return false;
    w->file[w->nfile] = (cd_text){0};
    cd_text_add(&w->file[w->nfile++], "<mujoco>\n");
    return true;
}

// Bodies deeper than DEPTH go to another file.
static bool write_children(writer* w, int file, int body, int depth)
{
    for (int i = w->child[body]; i >= 0; i = w->next[i]) {
        open_body(w->c, &w->file[file], i);
        if (depth < DEPTH) {
            if (!write_children(w, file, i, depth + 1)) return false;
        } else if (w->child[i] >= 0) {
            if (!new_file(w)) return false;
            const int other = w->nfile - 1;
            cd_text_format(&w->file[file], "<include file=\"m%d.xml\"/>\n", other);
            if (!write_children(w, other, i, 0)) return false;
            cd_text_add(&w->file[other], "</mujoco>\n");
        }
        cd_text_add(&w->file[file], "</body>\n");
    }
    return true;
}

static void write_loops(const closed* c, cd_text* t)
{
    cd_text_add(t, "<equality>\n");
    for (int j = 0; j < c->njoint; ++j) {
        const closed_joint* joint = &c->joint[j];
        double              anchor[3];
        if (!joint->closes) continue;
        const int a = joint->first >= 0 ? joint->first : joint->second, b = joint->first >= 0 ? joint->second : -1;
        for (int k = 0; k < 3; ++k) anchor[k] = joint->p[k] - c->body[a].origin[k];
        cd_text_format(t, "<connect body1=\"b%d\"", a);
        if (b >= 0) cd_text_format(t, " body2=\"b%d\"", b);
        numbers(t, "anchor", anchor, 3);
        cd_text_add(t, " solref=\"-2500 -100\" solimp=\"0.9999 0.9999 0.001 0.5 2\"/>\n");
    }
    cd_text_add(t, "</equality></mujoco>\n");
}

static bool write_all(writer* w)
{
    const closed* c     = w->c;
    int           nloop = 0;
    for (int j = 0; j < c->njoint; ++j) nloop += c->joint[j].closes;
    w->child = cd_allocate((size_t)c->nbody + 1, sizeof(int));
    w->next  = cd_allocate((size_t)c->nbody, sizeof(int));
    if (!w->child || !w->next || !new_file(w)) return false;
    for (int i = 0; i <= c->nbody; ++i) w->child[i] = -1;
    for (int k = c->nbody - 1; k >= 0; --k) {
        const closed_joint* j      = &c->joint[c->order[k]];
        const int           parent = j->first >= 0 ? j->first : c->nbody;
        w->next[j->second]         = w->child[parent];
        w->child[parent]           = j->second;
    }
    cd_text_format(&w->file[0], "<compiler inertiafromgeom=\"false\"/><size njmax=\"%d\" nconmax=\"1\"/>",
                   3 * nloop + 10);
    cd_text_add(&w->file[0], "<option solver=\"CG\" jacobian=\"sparse\" tolerance=\"1e-8\" iterations=\"20000\"");
    numbers(&w->file[0], "gravity", c->gravity, 3);
    cd_text_add(&w->file[0], "><flag contact=\"disable\" warmstart=\"disable\"/></option><worldbody>\n");
    if (!write_children(w, 0, c->nbody, 0)) return false;
    cd_text_add(&w->file[0], "</worldbody>");
    write_loops(c, &w->file[0]);
    return true;
}

static mjModel* load(writer* w, char* why, int size)
{
    mjVFS*   vfs = malloc(sizeof *vfs);
    mjModel* m   = NULL;
    if (!vfs) return NULL;
    mj_defaultVFS(vfs);
    for (int i = 0; i < w->nfile; ++i) {
        char name[32], *text = cd_text_detach(&w->file[i]);
        snprintf(name, sizeof name, "m%d.xml", i);
        if (text && mj_makeEmptyFileVFS(vfs, name, (int)strlen(text)) == 0)
            memcpy(vfs->filedata[mj_findFileVFS(vfs, name)], text, strlen(text));
        free(text);
    }
    m = mj_loadXML("m0.xml", vfs, why, size);
    mj_deleteVFS(vfs);
    free(vfs);
    return m;
}

// MuJoCo terminates the program if it runs out of memory; longjmp leaves the attempt instead.
static jmp_buf away;
static char    complaint[200];

static void complain(const char* text)
{
    snprintf(complaint, sizeof complaint, "%s", text);
    longjmp(away, 1);
}

static void destroy(void* on)
{
    engine* e = on;
    if (!e) return;
    mj_deleteData(e->d);
    mj_deleteModel(e->m);
    free(e);
}

static void evaluate(void* on)
{
    engine* e = on;
    mj_forward(e->m, e->d);
}

static void* create(const closed* c, char* why, int size)
{
    engine* e = cd_allocate(1, sizeof *e);
    writer  w = {.c = c};
    if (!e) return NULL;
    e->c           = c;
    mju_user_error = complain;
    if (setjmp(away)) {
        snprintf(why, (size_t)size, "%s", complaint);
        return NULL; // its partial allocations leak
    }
    const bool written = write_all(&w);
    if (written) e->m = load(&w, why, size);
    free(w.file), free(w.child), free(w.next);
    if (e->m) e->d = mj_makeData(e->m);
    if (e->d) {
        evaluate(e);
        if (e->d->solver_iter < 20000) return e;
        snprintf(why, (size_t)size, "does not converge");
    }
    destroy(e);
    return NULL;
}

static void accelerations(void* on, double* a)
{
    const engine* e = on;
    char          name[32];
    for (int j = 0; j < e->c->njoint; ++j) {
        snprintf(name, sizeof name, "j%d", j);
        const int id = e->c->joint[j].hinge && !e->c->joint[j].closes ? mj_name2id(e->m, mjOBJ_JOINT, name) : -1;
        a[j]         = id >= 0 ? e->d->qacc[e->m->jnt_dofadr[id]] : NAN;
    }
}

const contender loop_mujoco = {"MuJoCo 2.2.2", "mj_forward, CG to 1e-8", create, destroy, evaluate, accelerations};
