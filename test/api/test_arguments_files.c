// SPDX-License-Identifier: BSD-3-Clause
// Functions of files, generated code, optimal-control problems and studies with invalid arguments; the formulation
// "auto".
#include "wrong_arguments.h"

// ---- io.h, family.h, generate.h

static void test_files(fixture* f)
{
    cardan_description*            d;
    char*                          text;
    const cardan_load_options      no_setting = {.nsetting = 1}, less = {.nsetting = -1}, no_input = {.ninput = 1};
    const cardan_parameter_setting no_value = {"a", NULL};
    const cardan_load_options      empty    = {.nsetting = 1, .setting = &no_value};
    BAD(cardan_description_load(NULL, NULL, &d, NULL));
    NIL(d);
    BAD(cardan_description_load("", NULL, &d, NULL));
    BAD(cardan_description_load("model.yaml", NULL, NULL, NULL));
    const cardan_load_options* const wrong[] = {&no_setting, &less, &no_input, &empty};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        BAD(cardan_description_load("model.yaml", wrong[i], &d, NULL));
        BAD(cardan_description_load_text("cardan: 1", "model.yaml", wrong[i], &d, NULL));
        BAD(cardan_family_generate("chain", 2, wrong[i], &d, NULL));
        BAD(cardan_family_generate_text("chain", 2, wrong[i], &text, NULL));
    }
    BAD(cardan_description_load_text(NULL, "model.yaml", NULL, &d, NULL));
    BAD(cardan_description_load_text("cardan: 1", NULL, NULL, &d, NULL));
    BAD(cardan_description_load_text("cardan: 1", "model.yaml", NULL, NULL, NULL));
    const char *const names[] = {"a"}, *const no_name[] = {NULL};
    const double one = 1;
    BAD(cardan_description_set_parameters(NULL, 1, names, &one, NULL));
    cardan_description* made = cardan_description_create("made");
    BAD(cardan_description_set_parameters(made, 1, names, &one, NULL)); // not of a file
    cardan_description_destroy(made);
    BAD(cardan_description_set_parameters(f->description, -1, names, &one, NULL));
    BAD(cardan_description_set_parameters(f->description, 1, NULL, &one, NULL));
    BAD(cardan_description_set_parameters(f->description, 1, no_name, &one, NULL));
    BAD(cardan_description_set_parameters(f->description, 1, names, NULL, NULL));
    for (int i = 0; i < BAD_NUMBERS; ++i)
        BAD(cardan_description_set_parameters(f->description, 1, names, &not_finite[i], NULL));
    BAD(cardan_description_save(NULL, "model.yaml", NULL));
    BAD(cardan_description_save(f->description, NULL, NULL));
    NIL(cardan_description_save_text(NULL));
    CHECK(cardan_family_count() > 0);
    for (int i = 0; i < BAD_INDICES; ++i) {
        NIL(cardan_family_at(bad_index[i]));
        if (bad_index[i] < 0 || bad_index[i] == INT_MAX)
            WRONG(cardan_family_generate("chain", bad_index[i], NULL, &d, NULL));
    }
    NONE(cardan_family_find(NULL));
    BAD(cardan_family_generate_text(NULL, 2, NULL, &text, NULL));
    BAD(cardan_family_generate_text("chain", 2, NULL, NULL, NULL));
    BAD(cardan_family_generate(NULL, 2, NULL, &d, NULL));
    BAD(cardan_family_generate("chain", 2, NULL, NULL, NULL));
}

static void test_generated(fixture* f)
{
    cardan_generated*            g;
    cardan_compiled_code*        library;
    cardan_compiled_code_info    facts;
    cardan_compiled_code_speedup gain;
    cardan_generate_options      options = cardan_generate_options_default();
    options.forms                        = "mass";
    for (int i = 0; i < BAD_INDICES; ++i) {
        NIL(cardan_generate_form_name(bad_index[i]));
        NIL(cardan_generate_form_summary(bad_index[i]));
        NIL(cardan_generate_language_name(bad_index[i]));
        NIL(cardan_generate_language_summary(bad_index[i]));
    }
    BAD(cardan_generated_create(NULL, &options, &g, NULL));
    NIL(g);
    BAD(cardan_generated_create(f->model, &options, NULL, NULL));
    cardan_generated_destroy(NULL);
    CHECK(cardan_generated_file_count(NULL) == 0 && cardan_generated_routine_count(NULL) == 0);
    NIL(cardan_generated_file_name(NULL, 0));
    NIL(cardan_generated_file_text(NULL, 0));
    NIL(cardan_generated_routine_at(NULL, 0).form);
    CHECK(cardan_generated_create(f->model, &options, &g, &f->report) == CARDAN_OK);
    for (int i = 0; i < BAD_INDICES; ++i) {
        NIL(cardan_generated_file_name(g, bad_index[i]));
        NIL(cardan_generated_file_text(g, bad_index[i]));
        NIL(cardan_generated_routine_at(g, bad_index[i]).form);
    }
    cardan_generated_destroy(g);
    BAD(cardan_compiled_code_open(NULL, CARDAN_COMPILED_RHS, 0, &library, &facts, NULL));
    NIL(library);
    BAD(cardan_compiled_code_open(f->model, CARDAN_COMPILED_RHS, 0, NULL, &facts, NULL));
    BAD(cardan_compiled_code_open(f->model, CARDAN_COMPILED_RHS, NAN, &library, NULL, NULL));
    BAD(cardan_compiled_code_open(f->model, (cardan_compiled_code_kind)77, 0, &library, &facts, NULL));
    cardan_compiled_code_close(NULL);
    BAD(cardan_compiled_code_measure(NULL, f->data, 0, f->m.q_start, f->m.v_start, NULL, &gain, NULL));
    BAD(cardan_compiled_code_measure(NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL));
    BAD(cardan_data_set_compiled_code(NULL, NULL));
}

// ---- optimize.h, suspension.h

static void test_optimal_control(void)
{
    cardan_task*            task;
    cardan_ocp*             ocp;
    cardan_optimize_options options = {.tolerance = NAN};
    double                  q_off, v_off;
    cardan_load_options     wrong = {.nsetting = 1};
    char                    path[1024];
    snprintf(path, sizeof path, "%s/models/cart_pole/swing_up.yaml", CARDAN_SOURCE);
    BAD(cardan_task_load(NULL, NULL, &task, NULL));
    NIL(task);
    BAD(cardan_task_load(path, NULL, NULL, NULL));
    BAD(cardan_task_load(path, &wrong, &task, NULL));
    BAD(cardan_task_load_text(NULL, path, NULL, &task, NULL));
    BAD(cardan_task_load_text("cardan: 1", NULL, NULL, &task, NULL));
    BAD(cardan_task_load_text("cardan: 1", path, NULL, NULL, NULL));
    cardan_task_destroy(NULL);
    NIL(cardan_task_model(NULL));
    NONE(cardan_task_formulation(NULL));
    NIL(cardan_task_name(NULL));
    NIL(cardan_task_model_path(NULL));
    for (int i = 0; i < BAD_INDICES; ++i) {
        NIL(cardan_dynamics_form_name(bad_index[i]));
        NIL(cardan_dynamics_form_summary(bad_index[i]));
        NIL(cardan_transcription_name(bad_index[i]));
        NIL(cardan_transcription_summary(bad_index[i]));
    }
    BAD(cardan_ocp_create(NULL, NULL, &ocp, NULL));
    NIL(ocp);
    CHECK(cardan_task_load(path, NULL, &task, NULL) == CARDAN_OK);
    BAD(cardan_ocp_create(task, NULL, NULL, NULL));
    BAD(cardan_ocp_create(task, &options, &ocp, NULL));
    cardan_task_destroy(task);
    cardan_ocp_destroy(NULL);
    BAD(cardan_ocp_solve(NULL, NULL));
    BAD(cardan_ocp_set_guess(NULL, 1, 1, NULL));
    BAD(cardan_ocp_save(NULL, "results.csv", NULL));
    CHECK(cardan_ocp_get_view(NULL).nsample == 0);
    CHECK(cardan_ocp_violations(NULL).dynamics == 0);
    BAD(cardan_ocp_verify(NULL, &q_off, &v_off, NULL));
}

static void test_studies(fixture* f)
{
    cardan_suspension_study* study;
    cardan_suspension_sweep* sweep;
    cardan_description*      d = NULL;
    char                     path[1024];
    BAD(cardan_suspension_study_create(NULL, CARDAN_TREE_BREADTH_FIRST, &study, NULL));
    NIL(study);
    BAD(cardan_suspension_study_create(f->description, CARDAN_TREE_BREADTH_FIRST, NULL, NULL));
    WRONG(cardan_suspension_study_create(f->description, CARDAN_TREE_BREADTH_FIRST, &study, NULL)); // no suspension
    cardan_suspension_study_destroy(NULL);
    NIL(cardan_suspension_study_suspension(NULL));
    CHECK(cardan_suspension_study_wheel_side(NULL, 0) == 0);
    NOT(cardan_suspension_study_has_sweep(NULL, CARDAN_SWEEP_PARALLEL));
    for (int i = 0; i < BAD_INDICES; ++i) NIL(cardan_suspension_sweep_name(bad_index[i]));
    cardan_suspension_sweep_destroy(NULL);
    snprintf(path, sizeof path, "%s/models/macpherson", CARDAN_SOURCE);
    CHECK(cardan_description_load(path, NULL, &d, NULL) == CARDAN_OK);
    if (cardan_suspension_study_create(d, CARDAN_TREE_BREADTH_FIRST, &study, NULL) == CARDAN_OK) {
        for (int i = 0; i < BAD_INDICES; ++i) {
            CHECK(cardan_suspension_study_wheel_side(study, bad_index[i]) == 0);
            NOT(cardan_suspension_study_has_sweep(study, (cardan_suspension_sweep_kind)bad_index[i]));
            BAD(cardan_suspension_study_sweep(study, (cardan_suspension_sweep_kind)bad_index[i], &sweep, NULL));
        }
        BAD(cardan_suspension_study_sweep(study, CARDAN_SWEEP_PARALLEL, NULL, NULL));
        cardan_suspension_study_destroy(study);
    }
    BAD(cardan_suspension_study_sweep(NULL, CARDAN_SWEEP_PARALLEL, &sweep, NULL));
    NIL(sweep);
    cardan_description_destroy(d);
}

// ---- "auto" and formulations that support loops

static void test_auto(const char* path, bool loops)
{
    char                      file[1024];
    cardan_description*       d     = NULL;
    cardan_model *            model = NULL, *other_model = NULL;
    cardan_data*              data = NULL;
    cardan_formulation_choice choice;
    cardan_report             report = {0};
    double                    a[200];
    const int                 f = cardan_formulation_find("auto");
    CHECK(f == CARDAN_FORMULATION_AUTO && cardan_formulation_tree_policy(f) == CARDAN_TREE_AUTO);
    CHECK_TEXT(cardan_formulation_name(f), "auto");
    snprintf(file, sizeof file, "%s/%s", CARDAN_SOURCE, path);
    CHECK(cardan_description_load(file, NULL, &d, &report) == CARDAN_OK);
    CHECK(cardan_formulation_choose(d, &choice, &report) == CARDAN_OK);
    CHECK(cardan_model_compile(d, cardan_formulation_tree_policy(f), &model, &report) == CARDAN_OK);
    CHECK(cardan_data_create(model, f, &data, &report) == CARDAN_OK);
    CHECK(cardan_data_formulation(data) == choice.formulation);
    CHECK(cardan_model_get_view(model).nv <= 200);
    CHECK(cardan_data_assemble(data, NULL, NULL, NULL, NULL, &report) == CARDAN_OK);
    CHECK(cardan_data_accelerate(data, a, NULL, &report) == CARDAN_OK);
    cardan_data_destroy(data);
    // for a model with another spanning tree, the error names the formulation chosen and the tree policy that it needs
    const bool               maximal = cardan_formulation_tree_policy(choice.formulation) == CARDAN_TREE_MAXIMAL;
    const cardan_tree_policy other   = maximal ? CARDAN_TREE_BREADTH_FIRST : CARDAN_TREE_MAXIMAL;
    CHECK(cardan_model_compile(d, other, &other_model, &report) == CARDAN_OK);
    BAD(cardan_data_create(other_model, CARDAN_FORMULATION_AUTO, &data, &report));
    check_report(&report, CARDAN_CODE_TREE_MISMATCH, cardan_formulation_name(choice.formulation), "CARDAN_TREE_AUTO");
    cardan_model_destroy(other_model);
    if (loops) {
        const int trees = cardan_formulation_find("cholesky");
        CHECK(cardan_model_compile(d, cardan_formulation_tree_policy(trees), &other_model, &report) == CARDAN_OK);
        CHECK(cardan_data_create(other_model, trees, &data, &report) == CARDAN_UNSUPPORTED);
        CHECK(report.count == 1);
        // every formulation that the message names supports this mechanism
        for (int i = 0; i < cardan_formulation_count(); ++i) {
            char          quoted[60];
            cardan_model* m = NULL;
            cardan_data*  x = NULL;
            snprintf(quoted, sizeof quoted, "'%s'", cardan_formulation_name(i));
            if (i == trees || !strstr(report.message[0].text, quoted)) continue;
            CHECK(cardan_model_compile(d, cardan_formulation_tree_policy(i), &m, NULL) == CARDAN_OK);
            CHECK(cardan_data_create(m, i, &x, NULL) == CARDAN_OK);
            cardan_data_destroy(x);
            cardan_model_destroy(m);
        }
        CHECK_HAS(report.message[0].text, "'order-n'");
        CHECK_HAS(report.message[0].text, "'lagrange'");
        CHECK_HAS(report.message[0].text, "'auto'");
        cardan_model_destroy(other_model);
    }
    cardan_model_destroy(model);
    cardan_description_destroy(d);
}

int main(void)
{
    fixture f;
    if (fixture_open(&f, "models/four_bar", "reduction", 0, NULL)) {
        RUN(test_files(&f));
        RUN(test_generated(&f));
        RUN(test_studies(&f));
        fixture_close(&f);
    }
    RUN(test_optimal_control());
    RUN(test_auto("models/double_pendulum", false));
    RUN(test_auto("models/four_bar", true));
    RUN(test_auto("models/ladder", true));
    return test_end();
}
