// SPDX-License-Identifier: BSD-3-Clause
// Every formulation on every mechanism of models/, at its start and at random assembled states: accelerations of all
// bodies against those of `dense`. New folders are tested without a change of this file. Contacts: battery_contact.c.
#include "comparison_counts.h"
#include "fixture.h"
#include "model_folders.h"
#include "random_tree.h"

#include <float.h>

enum { MOST_NUMBERS = 6000 };

static double relative_difference(const double* a, const double* b, int n)
{
    double difference = 0, scale = 1;
    for (int i = 0; i < n; ++i) {
        difference = fmax(difference, fabs(a[i] - b[i]));
        scale      = fmax(scale, fabs(b[i]));
    }
    return difference / scale;
}

// Copy the state of `tree` into the coordinates of f. cardan_data_copy_state requires models of one description, so f
// is compiled again from the description of the tree.
static bool copy_state(fixture* f, fixture* tree)
{
    const int index = cardan_data_formulation(f->data);
    cardan_data_destroy(f->data);
    cardan_model_destroy(f->model);
    f->data  = NULL;
    f->model = NULL;
    return cardan_model_compile(tree->description, cardan_formulation_tree_policy(index), &f->model, &f->report) ==
               CARDAN_OK &&
           cardan_data_create(f->model, index, &f->data, &f->report) == CARDAN_OK &&
           cardan_data_copy_state(tree->data, f->data) == CARDAN_OK;
}

// Assemble from the start values (seed 0) or from random guesses near them.
static bool assemble(fixture* tree, uint64_t seed)
{
    cardan_joint_start* start = calloc((size_t)tree->m.njoint, sizeof *start);
    dice                d     = {seed};
    for (int j = 0; j < tree->m.njoint; ++j) {
        const cardan_index_range range = tree->m.tree_range[j];
        start[j]                       = cardan_joint_start_default(tree->model, j);
        if (seed == 0) continue;
        start[j].position_mode = start[j].velocity_mode = CARDAN_START_GUESS;
        for (int i = 0; i < range.nv; ++i) start[j].v[i] = dice_range(&d, -1, 1);
        for (int i = 0; i < range.nq && range.nq == range.nv; ++i) start[j].q[i] += dice_range(&d, -0.3, 0.3);
    }
    const bool good = cardan_data_assemble(tree->data, start, NULL, NULL, NULL, &tree->report) == CARDAN_OK;
    CHECK(good);
    if (!good) printf("%s\n", tree->report.message[0].text);
    free(start);
    return good;
}

// Accelerations of all bodies by one formulation at the state of the seed (0: start). *error: residual, INFINITY if the
// formulation does not support the model. *has_rows: whether the model has constraint rows in joint coordinates.
static bool accelerate(const char* path, int formulation, uint64_t seed, double* out, int* n, double* error,
                       bool* has_rows)
{
    fixture tree, f;
    bool    good = fixture_open(&tree, path, "dense", 0, NULL) &&
                fixture_open(&f, path, cardan_formulation_name(formulation), 0, NULL);
    *error    = !good && tree.status == CARDAN_OK && f.status == CARDAN_UNSUPPORTED ? INFINITY : NAN;
    *has_rows = tree.m.nconstraint > 0;
    if (good) {
        double*        q    = calloc((size_t)(tree.m.nq + tree.m.nv), sizeof *q);
        double*        a    = calloc((size_t)f.m.nv, sizeof *a);
        cardan_motion* body = calloc((size_t)f.m.nbody, sizeof *body);
        dice           d    = {seed};
        *n                  = 6 * f.m.nbody;
        if (tree.m.nconstraint > 0) {
            good = assemble(&tree, seed);
        } else if (seed > 0) {
            random_state(&d, tree.model, q, q + tree.m.nq);
            cardan_data_set_state(tree.data, 0, q, q + tree.m.nq, tree.m.state_start);
        }
        good = good && *n <= MOST_NUMBERS && copy_state(&f, &tree) &&
               cardan_data_accelerate(f.data, a, NULL, &f.report) == CARDAN_OK;
        *error = good ? cardan_data_residual_norm(f.data, a) : NAN;
        if (good) cardan_data_body_motions(f.data, a, body);
        for (int i = 0; good && i < f.m.nbody; ++i) {
            memcpy(out + 6 * i, body[i].a, sizeof body[i].a);
            memcpy(out + 6 * i + 3, body[i].alpha, sizeof body[i].alpha);
        }
        if (!good && f.report.count) printf("%s\n", f.report.message[f.report.count - 1].text);
        free(q), free(a), free(body);
    }
    if (tree.status == CARDAN_OK) fixture_close(&f);
    fixture_close(&tree);
    return good;
}

static comparison_counts counts; // over all models and states
static int               states;

static void test_model(const char* path, uint64_t seed)
{
    static double reference[MOST_NUMBERS], a[MOST_NUMBERS];
    int           n     = 0;
    double        error = 0;
    bool          has_rows;
    CHECK(accelerate(path, cardan_formulation_find("dense"), seed, reference, &n, &error, &has_rows));
    ++states;
    for (int f = 0; f < cardan_formulation_count(); ++f) {
        if (!cardan_formulation_is_exact(f)) continue;
        count_required(&counts, f, has_rows);
        const bool good = accelerate(path, f, seed, a, &n, &error, &has_rows);
        if (!good && isinf(error)) continue; // the formulation does not support the model
        CHECK(good);
        count_compared(&counts, f);
        if (!good) continue;
        if (relative_difference(a, reference, n) > 1e-10 || error > 1e-10)
            printf("%s, seed %llu, %s: difference %.2g, residual %.2g\n", path, (unsigned long long)seed,
                   cardan_formulation_name(f), relative_difference(a, reference, n), error);
        CHECK(relative_difference(a, reference, n) <= 1e-10);
        CHECK(error <= 1e-10);
    }
}

// Operation counts of all formulations in joint coordinates: kinematics, assembly and factorization, solve are not
// zero.
static void test_counts(const char* path)
{
    fixture f;
    if (fixture_open(&f, path, "dense", 0, NULL) && f.m.nconstraint == 0)
        for (int i = 0; i < cardan_formulation_count(); ++i) {
            cardan_operation_counts o;
            if (cardan_formulation_tree_policy(i) == CARDAN_TREE_MAXIMAL) continue; // another model
            CHECK(cardan_model_count_operations(f.model, i, f.m.q_start, f.m.v_start, &o, NULL) == CARDAN_OK);
            CHECK(o.kinematics.mul > 0 || f.m.nv == 0);
            CHECK(o.assembly.mul + o.factor.mul > 0 || f.m.nv == 0);
            const bool residual = strcmp(cardan_formulation_name(i), "implicit") == 0;
            CHECK(residual ? o.solve.mul == 0 : o.solve.mul + o.solve.div > 0);
        }
    fixture_close(&f);
}

// Every formulation was compared at every state of the models that it claims to support: nine on all models.
static void test_comparisons(void)
{
    check_comparisons(&counts, 9, states);
    check_comparisons(&counts, 12, states / 6); // trees
}

int main(void)
{
    static model_folders models;
    collect_models_without_contacts(&models, "models");
    CHECK(models.left_out == MODELS_WITH_CONTACTS);
    CHECK(models.count >= 14);
    for (int i = 0; i < models.count; ++i) {
        RUN(test_model(models.path[i], 0));
        for (uint64_t seed = 1; seed <= 5; ++seed) RUN(test_model(models.path[i], seed));
        RUN(test_counts(models.path[i]));
    }
    RUN(test_comparisons());
    return test_end();
}
