// SPDX-License-Identifier: BSD-3-Clause
// Parameters changed by cardan_description_set_parameters: the description is, bit for bit, that of the file read with
// the same settings; files are not read again; failures leave the description unchanged.
#include "model_folders.h"
#include "yaml_text.h"

#include <cardan/dynamics.h>
#include <cardan/generate.h>

static const char arm[] =
    "cardan: 1\n"
    "include: part.yaml\n"
    "parameters: {l: 1, m: =2*l, n: 2, k: 30}\n"
    "tables:\n"
    "  progressive: {csv: spring.csv}\n"
    "joints:\n"
    "  first: {revolute: [ground, link1], at: [0, 0, 0], axis: {from: [0, 0, 0], to: [0, 1, =0.1*l]}}\n"
    "repeat:\n"
    "  - for: i in 1..n\n"
    "    bodies: {link$i: {rod: [[=l*(i-1), 0, 0], [=l*i, 0, 0.1]], mass: =m}}\n"
    "  - for: i in 2..n\n"
    "    joints: {joint$i: {revolute: [link$(i-1), link$i], at: [=l*(i-1), 0, 0], axis: y}}\n";

// Text of a description with all digits; freed by the caller.
static char* text_of(const cardan_description* d)
{
    char* text = NULL;
    CHECK(cd_save_canonical_text(d, &text, NULL) == CARDAN_OK);
    return text;
}

static void check_same(const cardan_description* a, const cardan_description* b)
{
    char *one = text_of(a), *other = text_of(b);
    CHECK_TEXT(one, other ? other : "");
    free(one);
    free(other);
}

// Every parameter of a model, changed by one per cent. Returns the number of parameters that were changed.
static int compare_model(const char* path)
{
    static cardan_report report;
    cardan_description*  d = NULL;
    char                 file[1024];
    int                  changed = 0;
    snprintf(file, sizeof file, "%s/%s", CARDAN_SOURCE, path);
    cardan_report_clear(&report);
    if (cardan_description_load(file, NULL, &d, &report)) return 0;
    const int n = cardan_description_get_view(d).nparameter;
    for (int i = 0; i < n && i < 8; ++i) {
        const cardan_parameter         before = cardan_description_get_view(d).parameter[i];
        const double                   value  = before.value * 1.01;
        char                           name[128], text[40];
        cardan_description*            read    = NULL;
        const cardan_parameter_setting setting = {name, text};
        const cardan_load_options      options = {.nsetting = 1, .setting = &setting};
        const char* const              names[] = {name};
        snprintf(name, sizeof name, "%s", before.name);
        snprintf(text, sizeof text, "%.17g", value);
        cardan_description* fresh = NULL;
        CHECK(cardan_description_load(file, NULL, &fresh, NULL) == CARDAN_OK);
        const cardan_status wanted = cardan_description_load(file, &options, &read, NULL);
        CHECK(cardan_description_set_parameters(fresh, 1, names, &value, NULL) == wanted);
        check_same(fresh, wanted == CARDAN_OK ? read : d);
        changed += wanted == CARDAN_OK;
        cardan_description_destroy(read);
        cardan_description_destroy(fresh);
    }
    cardan_description_destroy(d);
    return changed;
}

static void test_models(void)
{
    static model_folders models;
    int                  changed = 0;
    collect_models(&models, "models");
    for (int i = 0; i < models.count; ++i) changed += compare_model(models.path[i]);
    CHECK(changed > 40);
}

static cardan_description* load_arm(const cardan_load_options* options)
{
    cardan_description* d = NULL;
    yaml_write("arm.yaml", arm);
    yaml_write("part.yaml", "cardan: 1\n"
                            "forces:\n"
                            "  spring: {spring: [link1, ground], stiffness: =k, length: =0.5*l}\n"
                            "  bumper: {spring: [link2, ground], force_table: progressive, length: =l}\n");
    yaml_write("spring.csv", "-1,-10\n0,0\n1,20\n");
    cardan_report_clear(&yaml_report);
    if (cardan_description_load("arm.yaml", options, &d, &yaml_report)) printf("%s\n", yaml_report.message[0].text);
    return d;
}

// Structure, included files and tables, without the files; settings of several calls.
static void test_without_files(void)
{
    cardan_description*            d         = load_arm(NULL);
    const cardan_parameter_setting setting[] = {{"l", "0.7"}, {"n", "5"}, {"k", "31.25"}};
    const cardan_load_options      options   = {.nsetting = 3, .setting = setting};
    cardan_description*            wanted    = load_arm(&options);
    CHECK(d && wanted);
    if (!d || !wanted) return;
    unlink("arm.yaml"), unlink("part.yaml"), unlink("spring.csv");
    const char *const length[] = {"l"}, *const others[] = {"n", "k"};
    CHECK(cardan_description_set_parameters(d, 1, length, (double[]){0.7}, &yaml_report) == CARDAN_OK);
    CHECK(cardan_description_set_parameters(d, 2, others, (double[]){5, 31.25}, &yaml_report) == CARDAN_OK);
    CHECK(yaml_report.count == 0);
    CHECK(cardan_description_get_view(d).nbody == 5);
    check_same(d, wanted);
    CHECK(cardan_description_set_parameters(d, 0, NULL, NULL, NULL) == CARDAN_OK);
    check_same(d, wanted);
    cardan_description_destroy(d);
    cardan_description_destroy(wanted);
}

static void test_failures(void)
{
    cardan_description* d    = load_arm(NULL);
    cardan_description* same = load_arm(NULL);
    CHECK(d && same);
    if (!d || !same) return;
    const char *const length[] = {"l"}, *const mass[] = {"m"}, *const unknown[] = {"lenght"};
    cardan_report_clear(&yaml_report);
    CHECK(cardan_description_set_parameters(d, 1, unknown, (double[]){1}, &yaml_report) == CARDAN_BAD_INPUT);
    CHECK(yaml_report.message[0].code == CARDAN_CODE_UNKNOWN_NAME);
    CHECK(cardan_description_set_parameters(d, 1, mass, (double[]){-1}, &yaml_report) == CARDAN_BAD_INPUT);
    check_same(d, same);
    // the next change is not affected by the failures
    CHECK(cardan_description_set_parameters(d, 1, length, (double[]){0.5}, NULL) == CARDAN_OK);
    CHECK(cardan_description_get_view(d).parameter[cardan_description_find_parameter(d, "m")].value == 1);
    CHECK(cardan_description_set_parameters(d, 1, length, (double[]){1}, NULL) == CARDAN_OK);
    check_same(d, same);

    cardan_expression e;
    CHECK(cardan_description_parse(d, "q(first)^2 + 17.5", cardan_location_none(), &e, NULL) == CARDAN_OK);
    cardan_report_clear(&yaml_report);
    CHECK(cardan_description_set_parameters(d, 1, length, (double[]){2}, &yaml_report) == CARDAN_BAD_USAGE);
    CHECK(yaml_report.message[0].code == CARDAN_CODE_INVALID_ARGUMENT);
    cardan_description_destroy(d);
    cardan_description_destroy(same);
}

static cardan_description* load_text(const cardan_load_options* options)
{
    static const char text[] =
        "cardan: 1\nparameters: {l: 1}\n"
        "bodies: {link1: {rod: [[0, 0, 0], [=l, 0, 0]], mass: 2}}\n"
        "joints: {hinge: {revolute: [ground, link1], at: [0, 0, 0], axis: y}}\n"
        "forces: {spring: {spring: [link1, {on: ground, at: [0, 0, 3]}], stiffness: 5, length: 1}}\n";
    cardan_description* d = NULL;
    cardan_report_clear(&yaml_report);
    if (cardan_description_load_text(text, "rod.yaml", options, &d, &yaml_report))
        printf("%s\n", yaml_report.message[0].text);
    return d;
}

// Values that were set by their path at loading remain; they are not parameters.
static void test_paths(void)
{
    const cardan_parameter_setting at_load[] = {
        {"bodies.link1.mass", "7"}, {"l", "0.7"}, {"forces.spring.length", "=2*l"}};
    const cardan_load_options      options = {.nsetting = 3, .setting = at_load};
    const cardan_parameter_setting all[] = {{"bodies.link1.mass", "7"}, {"forces.spring.length", "=2*l"}, {"l", "0.9"}};
    const cardan_load_options      same  = {.nsetting = 3, .setting = all};
    const char *const length[] = {"l"}, *const path[] = {"bodies.link1.mass"};
    cardan_description* d      = load_text(&options);
    cardan_description* wanted = load_text(&same);
    CHECK(d && wanted);
    if (!d || !wanted) return;
    CHECK(cardan_description_set_parameters(d, 1, length, (double[]){0.9}, NULL) == CARDAN_OK);
    check_same(d, wanted);
    CHECK(cardan_description_set_parameters(d, 1, path, (double[]){8}, NULL) == CARDAN_BAD_INPUT);
    check_same(d, wanted);
    cardan_description_destroy(d);
    cardan_description_destroy(wanted);
}

// Accelerations for a sequence of lengths of one loaded pendulum: a = 3 g cos(q) / (2 l) about the hinge of a rod.
static void test_sequence(void)
{
    static const char text[] = "cardan: 1\nparameters: {l: 1}\nbodies: {rod: {rod: [[0, 0, 0], [=l, 0, 0]], mass: 2}}\n"
                               "joints: {hinge: {revolute: [ground, rod], at: [0, 0, 0], axis: y}}\n";
    cardan_description* d    = NULL;
    char                name[] = "rod.yaml"; // the library keeps no pointer to it
    CHECK(cardan_description_load_text(text, name, NULL, &d, NULL) == CARDAN_OK);
    name[0] = '?';
    for (double l = 0.5; d && l < 4; l *= 2) {
        cardan_model*     model    = NULL;
        cardan_data*      data     = NULL;
        const char* const length[] = {"l"};
        double            a        = NAN;
        CHECK(cardan_description_set_parameters(d, 1, length, &l, NULL) == CARDAN_OK);
        CHECK(cardan_model_compile(d, CARDAN_TREE_AUTO, &model, NULL) == CARDAN_OK);
        CHECK(cardan_data_create(model, CARDAN_FORMULATION_AUTO, &data, NULL) == CARDAN_OK);
        CHECK(cardan_data_set_state(data, 0, (double[]){0}, (double[]){0}, NULL) == CARDAN_OK);
        CHECK(cardan_data_accelerate(data, &a, NULL, NULL) == CARDAN_OK);
        CHECK_NEAR(a, 1.5 * 9.81 / l, 1e-14);
        cardan_data_destroy(data);
        cardan_model_destroy(model);
    }
    cardan_description_destroy(d);
}

int main(void)
{
    yaml_begin();
    RUN(test_models());
    RUN(test_without_files());
    RUN(test_failures());
    RUN(test_paths());
    RUN(test_sequence());
    yaml_end();
    return test_end();
}
