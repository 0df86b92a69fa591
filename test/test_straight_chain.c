// SPDX-License-Identifier: BSD-3-Clause
// A straight chain of very many rods with parallel hinges: its articulated inertia about the axes that hinges hold
// grows with the cube of its length, beside which the pivots, of one link each, look like rounding. They are not: the
// accelerations near ground are those of a short chain. A motion that nothing resists is still found.
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

static void add(text* t, const char* format, int i, int j, const char* word)
{
    char      line[256];
    const int n = snprintf(line, sizeof line, format, i, j, word);
    if (t->length + (size_t)n + 1 > t->size) {
        t->size = 2 * t->size + 65536;
        t->data = realloc(t->data, t->size);
    }
    memcpy(t->data + t->length, line, (size_t)n + 1);
    t->length += (size_t)n;
}

// Rods along x, hinged about y one after the other; with `spins` the last one also turns about itself.
static char* chain(int n, bool spins)
{
    text t = {0};
    add(&t, "cardan: 1\nname: straight\nbodies:\n", 0, 0, "");
    for (int i = 0; i < n; ++i)
        add(&t, "  r%d: {rod: [[%d, 0, 0], ", i, i, ""), add(&t, "[%d, 0, 0]], mass: 1}\n", i + 1, 0, "");
    if (spins) add(&t, "  tip: {rod: [[%d, 0, 0], [%d, 0, 0]], mass: 1}\n", n, n + 1, "");
    add(&t, "joints:\n  j0: {revolute: [ground, r0], at: [0, 0, 0], axis: y}\n", 0, 0, "");
    for (int i = 1; i < n; ++i)
        add(&t, "  j%d: {revolute: [r%d, ", i, i - 1, ""), add(&t, "r%d], at: [%d, 0, 0], axis: y}\n", i, i, "");
    if (spins) add(&t, "  spin: {revolute: [r%d, tip], at: [%d, 0, 0], axis: x}\n", n - 1, n, "");
    return t.data;
}

enum { FIRST = 6 };

// Accelerations of the first joints.
static cardan_status accelerate(int n, bool spins, double a[FIRST], cardan_report* report)
{
    cardan_description* description = NULL;
    cardan_model*       model       = NULL;
    cardan_data*        data        = NULL;
    char*               words       = chain(n, spins);
    const int           order_n     = cardan_formulation_find("order-n");
    double*             all         = calloc((size_t)n + 1, sizeof *all);
    cardan_report_clear(report);
    cardan_status status = cardan_load_text(words, "straight.yaml", NULL, &description, report);
    if (status == CARDAN_OK) status = cardan_model_compile(description, CARDAN_TREE_SHALLOW, &model, report);
    if (status == CARDAN_OK) status = cardan_data_create(model, order_n, &data, report);
    if (status == CARDAN_OK) {
        const cardan_model_view m = cardan_model_look(model);
        status                    = cardan_data_set(data, 0, m.q_start, m.v_start, m.state_start);
        if (status == CARDAN_OK) status = cardan_accelerate(data, all, NULL, report);
    }
    for (int i = 0; i < FIRST; ++i) {
        char name[16];
        snprintf(name, sizeof name, "j%d", i);
        a[i] = status == CARDAN_OK ? all[cardan_model_look(model).slot[cardan_find_joint(description, name)].v]
                                   : (double)NAN;
    }
    cardan_data_destroy(data);
    cardan_model_destroy(model);
    cardan_description_destroy(description);
    free(words), free(all);
    return status;
}

static void test_long(int n)
{
    cardan_report report;
    double        few[FIRST], many[FIRST];
    CHECK(accelerate(200, false, few, &report) == CARDAN_OK);
    CHECK(accelerate(n, false, many, &report) == CARDAN_OK);
    for (int i = 0; i < report.count; ++i) printf("%s\n", report.message[i].text);
    // moments of weights about the first joints are sums of the order n^2: so many digits go
    for (int i = 0; i < FIRST; ++i) CHECK_NEAR(many[i], few[i], 1e-13 * n * n);
}

static void test_spin(int n)
{
    cardan_report report;
    double        a[FIRST];
    CHECK(accelerate(n, true, a, &report) == CARDAN_SINGULAR);
    CHECK_HAS(report.message[report.count - 1].text,
              "joint 'spin', coordinate 1: at t = 0 s nothing resists its rotation");
}

int main(void)
{
    RUN(test_long(5000));
    RUN(test_long(30000));
    RUN(test_spin(20));
    RUN(test_spin(30000));
    return test_end();
}
