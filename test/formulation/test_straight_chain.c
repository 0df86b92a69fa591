// SPDX-License-Identifier: BSD-3-Clause
// Straight chain of very many rods with parallel hinges: its articulated inertia about the axes perpendicular to the
// hinges grows with the cube of its length. Relative to it the pivots, the inertia of one link each, have the size of
// round-off but are valid: the accelerations near ground are those of a short chain. Motions without inertia
// are still found, also one that all rods share. The lengths are limited by memory and time of each formulation.
#include "sentences.h"
#include "test.h"

#include <cardan/cardan.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct text {
    char*  data;
    size_t length, size;
} text;

static void add(text* t, const char* format, int i, int j)
{
    char      line[256];
    const int n = snprintf(line, sizeof line, format, i, j);
    if (t->length + (size_t)n + 1 > t->size) {
        t->size = 2 * t->size + 65536;
        t->data = realloc(t->data, t->size);
    }
    memcpy(t->data + t->length, line, (size_t)n + 1);
    t->length += (size_t)n;
}

typedef enum shape {
    HINGED, // rods hinged to each other about parallel axes, the first one to ground
    SPIN,   // the same with an additional rod at the end that rotates about its axis
    BALL,   // the first joint is spherical: the whole chain rotates about its axis
    BLOCK,  // as BALL, and the last body has inertia about this axis
} shape;

// Rods along x, hinged about y; tilted: along (2, -1, 2), hinged about (1, 2, 0), rods of 3 m.
typedef struct chain {
    int   n;
    shape shape;
    bool  tilted;
} chain;

static void add_point(text* t, const chain* c, int i)
{
    add(t, c->tilted ? "[%d, %d, " : "[%d, 0, ", c->tilted ? 2 * i : i, -i);
    add(t, "%d]", c->tilted ? 2 * i : 0, 0);
}

static void add_rod(text* t, const chain* c, int i)
{
    if (c->shape == BLOCK && i == c->n - 1) {
        add(t, "  r%d: {mass: 1, at: [%d.5, 0, 0], inertia: [0.1, 0.1, 0.1]}\n", i, i);
        return;
    }
    add(t, "  r%d: {rod: [", i, 0);
    add_point(t, c, i);
    add(t, ", ", 0, 0);
    add_point(t, c, i + 1);
    add(t, "], mass: 1}\n", 0, 0);
}

static void add_hinge(text* t, const chain* c, int i)
{
    const bool ball = i == 0 && c->shape >= BALL;
    if (i == 0) add(t, ball ? "  j0: {spherical: [ground, r0], at: " : "  j0: {revolute: [ground, r0], at: ", 0, 0);
    if (i > 0) add(t, "  j%1$d: {revolute: [r%2$d, r%1$d], at: ", i, i - 1);
    add_point(t, c, i);
    if (!ball) add(t, c->tilted ? ", axis: [1, 2, 0]" : ", axis: y", 0, 0);
    add(t, "}\n", 0, 0);
}

static char* text_of(const chain* c)
{
    text      t     = {0};
    const int count = c->n + (c->shape == SPIN);
    add(&t, "cardan: 1\nname: straight\nbodies:\n", 0, 0);
    for (int i = 0; i < count; ++i) add_rod(&t, c, i);
    add(&t, "joints:\n", 0, 0);
    for (int i = 0; i < c->n; ++i) add_hinge(&t, c, i);
    if (c->shape == SPIN) {
        add(&t, "  spin: {revolute: [r%d, r%d], at: ", c->n - 1, c->n);
        add_point(&t, c, c->n);
        add(&t, c->tilted ? ", axis: [2, -1, 2]}\n" : ", axis: x}\n", 0, 0);
    }
    return t.data;
}

enum { FIRST = 6 };

static cardan_status accelerate_model(const cardan_model* model, int formulation, double a[FIRST],
                                      cardan_report* report)
{
    const cardan_model_view m      = cardan_model_get_view(model);
    cardan_data*            data   = NULL;
    double*                 all    = calloc((size_t)m.nv, sizeof *all);
    cardan_status           status = cardan_data_create(model, formulation, &data, report);
    if (status == CARDAN_OK) status = cardan_data_set_state(data, 0, m.q_start, m.v_start, m.state_start);
    if (status == CARDAN_OK) status = cardan_data_accelerate(data, all, NULL, report);
    for (int i = 0; status == CARDAN_OK && i < FIRST; ++i) { // the first joints, in the order of the text
        double b[3] = {0};                                   // a spherical joint has three
        status      = cardan_data_joint_acceleration(data, i, all, b);
        a[i]        = b[0] + b[1] + b[2];
    }
    cardan_data_destroy(data);
    free(all);
    return status;
}

// Accelerations of the first joints; NaN where there are none.
static cardan_status accelerate(const char* name, chain c, double a[FIRST], cardan_report* report)
{
    cardan_description* description = NULL;
    cardan_model*       model       = NULL;
    char*               yaml        = text_of(&c);
    const int           formulation = cardan_formulation_find(name);
    for (int i = 0; i < FIRST; ++i) a[i] = (double)NAN;
    cardan_report_clear(report);
    cardan_status status = cardan_description_load_text(yaml, "straight.yaml", NULL, &description, report);
    if (status == CARDAN_OK)
        status = cardan_model_compile(description, cardan_formulation_tree_policy(formulation), &model, report);
    if (status == CARDAN_OK) status = accelerate_model(model, formulation, a, report);
    cardan_model_destroy(model);
    cardan_description_destroy(description);
    free(yaml);
    return status;
}

// Compare with a chain of 40 rods; error: tolerance of accelerations, relative to that of the second joint.
static void test_shape(const char* name, chain c, double tolerance)
{
    cardan_report report;
    double        few[FIRST], many[FIRST];
    CHECK(accelerate("order-n", (chain){40, c.shape, c.tilted}, few, &report) == CARDAN_OK);
    CHECK(accelerate(name, c, many, &report) == CARDAN_OK);
    for (int i = 0; i < report.count; ++i) printf("%s\n", report.message[i].text);
    for (int i = 0; i < FIRST; ++i) CHECK_NEAR(many[i], few[i], tolerance * fabs(few[1]));
}

static void test_long_chain(const char* name, int n, bool tilted, double tolerance)
{
    test_shape(name, (chain){n, HINGED, tilted}, tolerance);
}

static void test_zero_inertia(const char* name, chain c, const char* parts)
{
    cardan_report report;
    double        a[FIRST];
    CHECK(accelerate(name, c, a, &report) == CARDAN_SINGULAR);
    CHECK_CASE(&report, name, parts);
}

int main(void)
{
    static const char* const spin = "joint 'spin', coordinate 1|t = 0 s";
    static const char* const tip  = "t = 0 s|about x";
    static const char* const ball = "joint 'j0', coordinate 1|t = 0 s|about x";
    static const char* const all  = "body 'r0'|t = 0 s";
    RUN(test_long_chain("order-n", 5000, false, 1e-12));
    RUN(test_long_chain("order-n", 30000, false, 1e-12));
    RUN(test_long_chain("order-n", 30000, true, 1e-10));
    RUN(test_long_chain("lagrange", 5000, false, 1e-12));
    RUN(test_long_chain("lagrange", 30000, false, 1e-12));
    RUN(test_long_chain("lagrange", 30000, true, 1e-9));
    RUN(test_long_chain("reduction", 30000, false, 1e-5));
    RUN(test_long_chain("cholesky", 500, false, 1e-5)); // its mass matrix has entries of the size n^3
    RUN(test_long_chain("augmented", 500, false, 1e-5));
    RUN(test_shape("order-n", (chain){30000, BLOCK, false}, 1e-9));
    RUN(test_shape("lagrange", (chain){30000, BLOCK, false}, 1e-9));
    RUN(test_zero_inertia("order-n", (chain){30000, BALL, false}, ball));
    RUN(test_zero_inertia("order-n", (chain){20, SPIN, false}, spin));
    RUN(test_zero_inertia("order-n", (chain){30000, SPIN, false}, spin));
    RUN(test_zero_inertia("lagrange", (chain){20, SPIN, false}, tip));
    RUN(test_zero_inertia("lagrange", (chain){30000, BALL, false}, all));
    RUN(test_zero_inertia("lagrange", (chain){5000, BALL, true}, all));
    RUN(test_sentences("test_straight_chain"));
    return test_end();
}
