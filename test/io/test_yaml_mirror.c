// SPDX-License-Identifier: BSD-3-Clause
// Images of templates under displacement, rotation and (double) reflection. A limb with every joint type and every
// force element moves; its copy must be its image: positions and velocities are mapped as vectors, angular velocities
// with the sign of the determinant, accelerations from all forces likewise, and formulas inside the template give equal
// values.
#include "yaml_text.h"

#include "math/quaternion.h"

#include <cardan/dynamics.h>

typedef struct image {
    const char* use;
    double      p[3], Q[9]; // x' = p + Q x
    double      sign[3];    // body frames: R' = Q R diag(sign)
} image;

static void rotate(const double Q[9], const double x[3], double y[3])
{
    for (int i = 0; i < 3; ++i) y[i] = Q[3 * i] * x[0] + Q[3 * i + 1] * x[1] + Q[3 * i + 2] * x[2];
}

static void check_vector(const image* m, double factor, const double a[3], const double b[3], const char* body,
                         const char* quantity)
{
    double expected[3];
    rotate(m->Q, a, expected);
    for (int i = 0; i < 3; ++i) {
        const double image_value = factor * expected[i];
        if (fabs(b[i] - image_value) <= 1e-9 * fmax(1, fabs(image_value))) continue;
        printf("%s: %s of %s: component %d is %.15g, not %.15g\n", m->use, quantity, body, i, b[i], image_value);
        CHECK(false);
    }
}

static void check_rotation(const image* m, const double qa[4], const double qb[4], const char* body)
{
    double A[9], B[9];
    q4_matrix(qa, A);
    q4_matrix(qb, B);
    for (int k = 0; k < 3; ++k) {
        const double column[3] = {A[k], A[3 + k], A[6 + k]}, reflected[3] = {B[k], B[3 + k], B[6 + k]};
        check_vector(m, m->sign[k], column, reflected, body, "axis");
    }
}

static void check_bodies(const image* m, const cardan_description_view* view, const cardan_motion* motion)
{
    const int    n   = view->nbody / 2;
    const double det = m->sign[0] * m->sign[1] * m->sign[2];
    for (int i = 0; i < n; ++i) {
        const cardan_motion *a = &motion[i], *b = &motion[i + n];
        const char*          name     = view->body[i].name;
        const double         moved[3] = {b->p[0] - m->p[0], b->p[1] - m->p[1], b->p[2] - m->p[2]};
        CHECK_TEXT(strrchr(view->body[i + n].name, '.'), strrchr(name, '.'));
        check_vector(m, 1, a->p, moved, name, "position");
        check_vector(m, 1, a->v, b->v, name, "velocity");
        check_vector(m, det, a->w, b->w, name, "angular velocity");
        check_vector(m, 1, a->a, b->a, name, "acceleration");
        check_vector(m, det, a->alpha, b->alpha, name, "angular acceleration");
        check_rotation(m, a->q, b->q, name);
        CHECK_NEAR(view->body[i + n].mass, view->body[i].mass, 1e-14);
    }
}

// Accelerations of the limb and its image in one evaluation.
static void test_image(const image* m)
{
    char text[8192];
    snprintf(text, sizeof text,
             "cardan: 1\ngravity: [0, 0, 0]\ninclude: %s/test/data/yaml/limb.yaml\nuse:\n  one: {limb: }\n  two: %s\n",
             CARDAN_SOURCE, m->use);
    cardan_description* description = yaml_load(text);
    if (!description) return;
    const cardan_description_view view  = cardan_description_get_view(description);
    cardan_model*                 model = NULL;
    cardan_data*                  data  = NULL;
    CHECK(cardan_model_compile(description, CARDAN_TREE_BREADTH_FIRST, &model, &yaml_report) == CARDAN_OK);
    CHECK(model && cardan_data_create(model, cardan_formulation_find("order-n"), &data, &yaml_report) == CARDAN_OK);
    if (data) {
        const cardan_model_view model_view = cardan_model_get_view(model);
        double                  a[200], rate[2], output[100];
        cardan_motion           motion[40];
        CHECK(view.nbody == 22 && model_view.nv < 200 && view.noutput == 48 && model_view.nstate == 2);
        CHECK(cardan_data_set_state(data, 0, model_view.q_start, model_view.v_start, model_view.state_start) ==
              CARDAN_OK);
        CHECK(cardan_data_accelerate(data, a, rate, &yaml_report) == CARDAN_OK);
        cardan_data_body_motions(data, a, motion);
        check_bodies(m, &view, motion);
        cardan_data_evaluate_outputs(data, output);
        for (int i = 0; i < view.noutput / 2; ++i) CHECK_NEAR(output[i + view.noutput / 2], output[i], 1e-11);
        CHECK_NEAR(rate[1], rate[0], 1e-11);
        double largest = 0;
        for (int i = 0; i < model_view.nv; ++i) largest = fmax(largest, fabs(a[i]));
        CHECK(largest > 1); // the test is not trivial
    }
    if (test_broken) yaml_print();
    cardan_data_destroy(data);
    cardan_model_destroy(model);
    cardan_description_destroy(description);
}

int main(void)
{
    static const image images[] = {
        {"{limb: {base: [0.1, 0.2, 0.3]}}", {0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}, {1, 1, 1}},
        {"{limb: {base: [-0.1, 0.2, 0.3]}, mirror: x}", {0}, {-1, 0, 0, 0, 1, 0, 0, 0, 1}, {-1, 1, 1}},
        {"{limb: {}, mirror: y}", {0}, {1, 0, 0, 0, -1, 0, 0, 0, 1}, {1, -1, 1}},
        {"{limb: {}, mirror: z}", {0}, {1, 0, 0, 0, 1, 0, 0, 0, -1}, {1, 1, -1}},
        {"{limb: {}, at: [1, 2, 3]}", {1, 2, 3}, {1, 0, 0, 0, 1, 0, 0, 0, 1}, {1, 1, 1}},
        {"{limb: {}, at: [1, 2, 3], orientation: {axis: z, angle: =pi/2}}",
         {1, 2, 3},
         {0, -1, 0, 1, 0, 0, 0, 0, 1},
         {1, 1, 1}},
        {"{limb: {}, at: [1, 2, 3], orientation: {axis: z, angle: =pi/2}, mirror: y}",
         {1, 2, 3},
         {0, 1, 0, 1, 0, 0, 0, 0, 1},
         {1, -1, 1}},
        {"{twice: {}, mirror: y}", {0}, {-1, 0, 0, 0, -1, 0, 0, 0, 1}, {-1, -1, 1}},
        {"{twice: {}, mirror: x}", {0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}, {1, 1, 1}},
        {"{twice: {}, at: [1, 0, 0]}", {1, 0, 0}, {-1, 0, 0, 0, 1, 0, 0, 0, 1}, {-1, 1, 1}},
    };
    yaml_begin();
    for (size_t i = 0; i < sizeof images / sizeof *images; ++i) RUN(test_image(&images[i]));
    yaml_end();
    return test_end();
}
