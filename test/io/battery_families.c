// SPDX-License-Identifier: BSD-3-Clause
// Model families of `cardan make`: members compile, have the known degrees of freedom, the same accelerations with
// formulations in tree and maximal coordinates, and the published or closed-form values. A new entry of families.def is
// tested by adding its degrees of freedom here.
#include "sentences.h"
#include "fixture.h"
#include "random_tree.h"

#include "dynamics/data.h"

static const char* const maximal = "lagrange";

static bool open_member(fixture* f, const char* family, int n, const cardan_load_options* options,
                        const char* formulation)
{
    *f              = (fixture){0};
    const int index = cardan_formulation_find(formulation);
    bool      good  = cardan_family_generate(family, n, options, &f->description, &f->report) == CARDAN_OK &&
                cardan_model_compile(f->description, cardan_formulation_tree_policy(index), &f->model, &f->report) ==
                    CARDAN_OK &&
                cardan_data_create(f->model, index, &f->data, &f->report) == CARDAN_OK;
    if (good) {
        f->m = cardan_model_get_view(f->model);
        good = cardan_data_set_state(f->data, 0, f->m.q_start, f->m.v_start, f->m.state_start) == CARDAN_OK;
    }
    for (int i = 0; i < f->report.count && !good; ++i) printf("%s\n", f->report.message[i].text);
    CHECK(good);
    return good;
}

// The same mechanism with another formulation, at the same state.
static bool open_other_formulation(fixture* f, fixture* like, const char* formulation)
{
    *f               = (fixture){0};
    const int  index = cardan_formulation_find(formulation);
    const bool good  = cardan_model_compile(like->description, cardan_formulation_tree_policy(index), &f->model,
                                            &f->report) == CARDAN_OK &&
                      cardan_data_create(f->model, index, &f->data, &f->report) == CARDAN_OK &&
                      cardan_data_copy_state(like->data, f->data) == CARDAN_OK;
    if (good) f->m = cardan_model_get_view(f->model);
    for (int i = 0; i < f->report.count && !good; ++i) printf("%s\n", f->report.message[i].text);
    CHECK(good);
    return good;
}

enum { UNKNOWN_DOF = -1000 };

// Degrees of freedom of the member of size n.
static int known_dof(const char* family, int n)
{
    const struct {
        const char* name;
        int         constant, per;
    } reference[] = {
        {"chain", 0, 1},        {"tree", 0, 1},          {"star", 3, 3},         {"ring", 0, 3},
        {"arc", -3, 1},         {"rope-ladder", 0, 1},   {"ladder", 2, 0},       {"rope-ladder-spatial", 0, 2},
        {"net", 0, 5},          {"ladder-slider", 3, 0}, {"square-chain", 1, 1}, {"n-four-bar", 1, 0},
        {"bushing-chain", 0, 6}};
    for (size_t i = 0; i < sizeof reference / sizeof *reference; ++i)
        if (strcmp(reference[i].name, family) == 0) return reference[i].constant + reference[i].per * n;
    return UNKNOWN_DOF;
}

static void test_dof(const char* family, int n)
{
    fixture           f;
    cardan_diagnosis* g = NULL;
    if (open_member(&f, family, n, NULL, "dense")) {
        double violation, rate;
        cardan_data_constraint_violation(f.data, &violation, &rate);
        CHECK(violation < 1e-12 && rate < 1e-12); // the design configuration satisfies the constraints
        cardan_diagnosis_create(f.data, &g, &f.report);
        CHECK(g && g->rank_computed);
        if (g) CHECK_NEAR(g->dof, known_dof(family, n), 0);
        cardan_diagnosis_destroy(g);
    }
    fixture_close(&f);
}

// The design configuration with random velocities that satisfy the constraints.
static bool set_random_velocities(fixture* f, unsigned long seed)
{
    cardan_joint_start* start = calloc((size_t)f->m.njoint, sizeof *start);
    dice                d     = {seed};
    for (int j = 0; j < f->m.njoint; ++j) {
        start[j]               = cardan_joint_start_default(f->model, j);
        start[j].velocity_mode = CARDAN_START_GUESS;
        for (int i = 0; i < f->m.tree_range[j].nv; ++i) start[j].v[i] = dice_range(&d, -1, 1);
    }
    const bool good = cardan_data_assemble(f->data, start, NULL, NULL, NULL, &f->report) == CARDAN_OK;
    CHECK(good);
    free(start);
    return good;
}

static int compared; // members compared in joint and maximal coordinates

static void test_formulations_agree(const char* family, int n)
{
    fixture tree, other;
    if (open_member(&tree, family, n, NULL, "dense") && set_random_velocities(&tree, 7) &&
        open_other_formulation(&other, &tree, maximal)) {
        double*        a       = calloc((size_t)(tree.m.nv + other.m.nv), sizeof *a);
        cardan_motion* body    = calloc(2 * (size_t)tree.m.nbody, sizeof *body);
        double         largest = 1, difference = 0;
        CHECK(cardan_data_accelerate(tree.data, a, NULL, &tree.report) == CARDAN_OK);
        CHECK(cardan_data_accelerate(other.data, a + tree.m.nv, NULL, &other.report) == CARDAN_OK);
        cardan_data_body_motions(tree.data, a, body);
        cardan_data_body_motions(other.data, a + tree.m.nv, body + tree.m.nbody);
        for (int i = 0; i < tree.m.nbody; ++i)
            for (int k = 0; k < 3; ++k) {
                const cardan_motion *x = &body[i], *y = &body[tree.m.nbody + i];
                largest    = fmax(largest, fmax(fabs(x->a[k]), fabs(x->alpha[k])));
                difference = fmax(difference, fmax(fabs(x->a[k] - y->a[k]), fabs(x->alpha[k] - y->alpha[k])));
            }
        CHECK_NEAR(difference / largest, 0, 1e-9);
        ++compared;
        free(a);
        free(body);
        fixture_close(&(fixture){.data = other.data, .model = other.model});
    }
    fixture_close(&tree);
}

static void test_energy(const char* family, int n)
{
    fixture             f;
    cardan_run_summary  s;
    cardan_run_settings run = cardan_run_default();
    run.end                 = 0.05;
    run.tolerance           = 1e-10;
    if (open_member(&f, family, n, NULL, "dense")) {
        CHECK(cardan_simulate(f.data, &run, &s, &f.report) == CARDAN_OK);
        CHECK(s.energy_error < 1e-8 && s.max_position_violation < 1e-10);
        for (int i = 0; i < f.report.count && s.status != CARDAN_OK; ++i) printf("%s\n", f.report.message[i].text);
    }
    fixture_close(&f);
}

static void test_family(const cardan_family* family)
{
    CHECK(known_dof(family->name, 1) != UNKNOWN_DOF);
    CHECK(strlen(family->summary) > 10 && strlen(family->size_unit) > 3 && family->min_size > 0);
    for (int n = family->min_size; n < family->min_size + 3; ++n) test_dof(family->name, n);
    test_dof(family->name, 12);
    test_formulations_agree(family->name, family->min_size + 1);
    test_formulations_agree(family->name, 10);
    test_energy(family->name, family->min_size + 2);
}

// Size in maximal coordinates: 6 velocities per moving body, and the rows of all joints.
static void test_maximal_size(const char* family, int n, int nv, int rows)
{
    fixture f;
    if (open_member(&f, family, n, NULL, maximal)) {
        CHECK_NEAR(f.m.nv, nv, 0);
        CHECK_NEAR(f.data->rows.nrow, rows, 0);
    }
    fixture_close(&f);
}

// Acceleration of a joint axis, by the name of the joint.
static double joint_acceleration(fixture* f, const double* a, const char* name, int axis)
{
    double    value[CARDAN_JOINT_VELOCITIES_MAX] = {0};
    const int j                                  = cardan_description_find_joint(f->description, name);
    CHECK(j != CARDAN_NONE);
    if (j != CARDAN_NONE) cardan_data_joint_acceleration(f->data, j, a, value);
    return value[axis];
}

static void check_ladder(fixture* f, int cells, double u1d, double u2d)
{
    double* a = calloc((size_t)f->m.nv, sizeof *a);
    char    name[32];
    CHECK(cardan_data_accelerate(f->data, a, NULL, &f->report) == CARDAN_OK);
    for (int i = 0; i <= cells; i += cells > 12 ? cells / 4 : 1) {
        snprintf(name, sizeof name, "hang%d", i);
        CHECK_NEAR(joint_acceleration(f, a, name, 0), u1d, 1e-10);
        CHECK_NEAR(joint_acceleration(f, a, name, 1), u2d, 1e-10);
    }
    snprintf(name, sizeof name, "left%d", cells);
    CHECK_NEAR(joint_acceleration(f, a, name, 0), -u2d, 1e-10);
    free(a);
}

// Closed form and values of docs/theory: A, C and w2 as in families/ladder.yaml.
static void test_ladder(int cells, double u1d, double u2d, const char* formulation)
{
    fixture      f;
    const double q1 = 0.4, q2 = 0.5, u1 = 0.6, u2 = -0.8, h = 0.8, M = 0.3;
    const double A = (cells + 1) / 3.0 + cells * M * h * h, C = (cells + 1) / 2.0 + cells * M * h, w2 = 9.81 * C / A;
    CHECK_NEAR(2 * tan(q2) * u1 * u2 - w2 * sin(q1) / cos(q2), u1d, 1e-12);
    CHECK_NEAR(-sin(q2) * cos(q2) * u1 * u1 - w2 * cos(q1) * sin(q2), u2d, 1e-12);
    if (open_member(&f, "ladder", cells, NULL, formulation)) check_ladder(&f, cells, u1d, u2d);
    fixture_close(&f);
}

static void test_ladders(void)
{
    const struct {
        int    cells;
        double u1d, u2d;
    } reference[] = {{1, -6.810741769218, -6.407160898926},  {2, -6.752133794400, -6.348838167976},
                     {3, -6.725776576674, -6.322609230314},  {10, -6.680069764266, -6.277124872068},
                     {40, -6.662548887482, -6.259689269050}, {100, -6.658845862326, -6.256004266445}};
    for (size_t i = 0; i < sizeof reference / sizeof *reference; ++i) {
        test_ladder(reference[i].cells, reference[i].u1d, reference[i].u2d, maximal);
        if (reference[i].cells <= 40) test_ladder(reference[i].cells, reference[i].u1d, reference[i].u2d, "dense");
    }
}

// Rungs at the centres of percussion: every ladder has the motion of a single rail, for any mass of the rungs.
static void test_percussion(const char* formulation)
{
    const cardan_parameter_setting set[]   = {{"h", "2/3*l"}, {"M", "0.7"}};
    const cardan_load_options      options = {.nsetting = 2, .setting = set};
    const double                   w2      = 9.81 * 1.5;
    for (int cells = 1; cells <= 20; cells *= 4) {
        fixture f;
        if (open_member(&f, "ladder", cells, &options, formulation))
            check_ladder(&f, cells, 2 * tan(0.5) * 0.6 * -0.8 - w2 * sin(0.4) / cos(0.5),
                         -sin(0.5) * cos(0.5) * 0.36 - w2 * cos(0.4) * sin(0.5));
        fixture_close(&f);
    }
}

static void test_slider(const char* formulation)
{
    fixture f;
    if (open_member(&f, "ladder-slider", 2, NULL, formulation)) {
        double* a = calloc((size_t)f.m.nv, sizeof *a);
        CHECK(cardan_data_accelerate(f.data, a, NULL, &f.report) == CARDAN_OK);
        CHECK_NEAR(joint_acceleration(&f, a, "slide", 0), -2.634277205736, 1e-10);
        CHECK_NEAR(joint_acceleration(&f, a, "hang2", 0), -6.752133794400, 1e-10);
        CHECK_NEAR(joint_acceleration(&f, a, "hang0", 1), -9.656176002586, 1e-10);
        CHECK_NEAR(joint_acceleration(&f, a, "left1", 0), 9.656176002586, 1e-10);
        CHECK_NEAR(joint_acceleration(&f, a, "right2", 0), -9.656176002586, 1e-10);
        free(a);
    }
    fixture_close(&f);
}

// Vertical accelerations of the ends of all links at standstill; link i ends half a length behind its centre.
static void test_squares(int n, const double* expected, const char* formulation)
{
    fixture f;
    if (open_member(&f, "square-chain", n, NULL, formulation)) {
        double*        a    = calloc((size_t)f.m.nv, sizeof *a);
        cardan_motion* body = calloc((size_t)f.m.nbody, sizeof *body);
        CHECK(cardan_data_accelerate(f.data, a, NULL, &f.report) == CARDAN_OK);
        cardan_data_body_motions(f.data, a, body);
        for (int i = 1; i <= 3 * n + 1; ++i) {
            char name[32];
            snprintf(name, sizeof name, "link%d", i);
            const cardan_motion* b     = &body[cardan_description_find_body(f.description, name)];
            const bool           level = i > 1 && i % 3 != 1;
            const double         x = level ? 0.5 : 0, y = level ? 0 : -0.5;
            CHECK_NEAR(b->a[0] - b->alpha[2] * y, 0, 1e-10);
            CHECK_NEAR(b->a[1] + b->alpha[2] * x, expected[i - 1], 1e-11);
        }
        free(a);
        free(body);
    }
    fixture_close(&f);
}

static void test_square_chains(const char* formulation)
{
    const double one[] = {0, -11.772, -11.772, -11.772};
    const double p = -11.252647058824, q = -9.521470588235;
    test_squares(1, one, formulation);
    test_squares(2, (const double[]){0, p, p, p, q, q, q}, formulation);
}

// One degree of freedom: ((N+1)/3 + N) l theta'' = -((N+1)/2 + N) g cos(theta), theta of the cranks from x.
static void test_four_bars(int n, const char* formulation)
{
    fixture             f;
    cardan_run_settings run = cardan_run_default();
    run.end                 = 0.3;
    run.tolerance           = 1e-10;
    const double k          = ((n + 1) / 2.0 + n) / ((n + 1) / 3.0 + n) * 9.81;
    double       theta = acos(-1) / 2, w = -1;
    const int    steps = 3000;
    for (int i = 0; i < steps; ++i) { // Verlet method with a small step over the same time
        const double h = run.end / steps;
        w -= 0.5 * h * k * cos(theta);
        theta += h * w;
        w -= 0.5 * h * k * cos(theta);
    }
    if (open_member(&f, "n-four-bar", n, NULL, formulation)) {
        cardan_run_summary s;
        double             q = 0, v = 0;
        CHECK(cardan_simulate(f.data, &run, &s, &f.report) == CARDAN_OK);
        cardan_data_joint_state(f.data, cardan_description_find_joint(f.description, "A0"), &q, &v);
        CHECK_NEAR(q, theta - acos(-1) / 2, 1e-6);
        CHECK_NEAR(v, w, 1e-6);
    }
    fixture_close(&f);
}

static void check_rejected(const char* family, int n, const char* parameter, const char* parts)
{
    const cardan_parameter_setting set     = {parameter, "1"};
    const cardan_load_options      options = {.nsetting = parameter != NULL, .setting = &set};
    cardan_description*            d       = NULL;
    cardan_report                  report;
    cardan_report_clear(&report);
    CHECK(cardan_family_generate(family, n, &options, &d, &report) == CARDAN_BAD_INPUT && !d && report.count > 0);
    CHECK_CASE(&report, parameter ? parameter : family, parts);
}

static void test_rejected(void)
{
    check_rejected("rnig", 5, NULL, "'rnig'|'ring'");
    check_rejected("ring", 2, NULL, "3");
    check_rejected("ring", 5, "H", "'H'");
    check_rejected("ring", 5, "N", "N");
    CHECK(cardan_family_find("nothing") == CARDAN_NONE && !cardan_family_at(-1) &&
          !cardan_family_at(cardan_family_count()));
}

static void test_text(void)
{
    const cardan_parameter_setting set[]   = {{"L", "0.25"}, {"r", "L/10"}};
    const cardan_load_options      options = {.nsetting = 2, .setting = set};
    char*                          text    = NULL;
    CHECK(cardan_family_generate_text("ring", 7, &options, &text, NULL) == CARDAN_OK);
    CHECK_HAS(text, "# Made by: cardan make ring 7 --set 'L=0.25' --set 'r=L/10'\n");
    CHECK_HAS(text, "name: ring-7\n");
    CHECK_HAS(text, "  N: 7 ");
    CHECK_HAS(text, "  L: 0.25 ");
    CHECK_HAS(text, "  r: \"=L/10\" ");
    free(text);
}

static void test_large_member(void)
{
    cardan_description* d = NULL;
    CHECK(cardan_family_generate("ring", 20000, NULL, &d, NULL) == CARDAN_OK);
    const cardan_description_view view = cardan_description_get_view(d);
    CHECK(view.nbody == 20000 && view.njoint == 20001);
    CHECK_NEAR(view.body[9999].mass, 1 + fmod(0.6180339887498949 * 9999, 1), 1e-12);
    cardan_description_destroy(d);
}

int main(void)
{
    for (int i = 0; i < cardan_family_count(); ++i) RUN(test_family(cardan_family_at(i)));
    RUN(CHECK(cardan_family_count() >= 13 && compared == 2 * cardan_family_count()));
    RUN(test_maximal_size("ring", 20, 120, 60));
    RUN(test_maximal_size("ring", 40, 240, 120));
    RUN(test_maximal_size("star", 20, 120, 57));
    RUN(test_maximal_size("arc", 10, 60, 53));
    RUN(test_maximal_size("ladder", 10, 126, 144));
    RUN(test_ladders());
    RUN(test_percussion("dense"));
    RUN(test_percussion(maximal));
    RUN(test_slider("dense"));
    RUN(test_slider(maximal));
    RUN(test_square_chains("dense"));
    RUN(test_square_chains(maximal));
    RUN(test_four_bars(1, "dense"));
    RUN(test_four_bars(3, maximal));
    RUN(test_rejected());
    RUN(test_text());
    RUN(test_large_member());
    RUN(test_sentences("battery_families"));
    return test_end();
}
