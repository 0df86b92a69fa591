// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints: a run that continues from a file, with other data, has the bits of the run that wrote it; files that do
// not belong to the run are rejected and change nothing.
#include "last_sample.h"
#include "model_folders.h"

#include <unistd.h>

static char path[64];

static void write_text(const char* text)
{
    FILE* file = fopen(path, "w");
    CHECK(file && fputs(text, file) >= 0);
    if (file) fclose(file);
}

// Run to `end`, with a checkpoint at t; then continue from it with new data.
static bool continued_run_agrees(const char* model, const char* formulation, const char* integrator, double t)
{
    static last_sample whole, continued;
    fixture            f, g;
    const double       end      = 0.2;
    bool               compared = false;
    if (fixture_open(&f, model, formulation, 0, NULL) && f.m.nq + f.m.nv + f.m.nstate <= VALUES_MAX) {
        cardan_run_settings run        = settings(&f, integrator, end, &whole);
        cardan_simulation*  simulation = NULL;
        cardan_status       status     = cardan_simulation_open(f.data, &run, &simulation, &f.report);
        if (!status) status = cardan_simulation_advance(simulation, t, &f.report);
        if (!status) CHECK((status = cardan_simulation_save(simulation, path, &f.report)) == CARDAN_OK);
        const long before = whole.count, events = whole.events;
        if (!status) status = cardan_simulation_advance(simulation, end, &f.report);
        cardan_run_summary summary[2] = {0};
        cardan_simulation_close(simulation, &summary[0], NULL);
        if (!status && fixture_open(&g, model, formulation, 0, NULL)) {
            run            = settings(&g, integrator, end, &continued);
            run.checkpoint = path;
            CHECK(cardan_simulate(g.data, &run, &summary[1], &g.report) == summary[0].status);
            continued.count += before;
            continued.events += events;
            // contact states are found again: forces differ in rounding, and the state of a contact may be reported again
            const double rounding = has_contacts(model) ? 1e-12 : 0;
            const bool   agrees   = same_bits(&whole, &continued) ||
                                (whole.count == continued.count && difference(&whole, &continued) < rounding);
            CHECK(agrees);
            CHECK(summary[0].samples == summary[1].samples && summary[0].steps == summary[1].steps);
            CHECK(summary[0].energy_error == summary[1].energy_error);
            if (!agrees)
                printf("%s %s %s: difference %g\n", model, formulation, integrator, difference(&whole, &continued));
            compared = true;
            fixture_close(&g);
        }
    }
    fixture_close(&f);
    return compared;
}

static void test_all_models(const char* formulation, const char* integrator)
{
    static model_folders models;
    int                  compared = 0;
    models.count                  = 0;
    collect_models(&models, "models");
    for (int i = 0; i < models.count; ++i)
        compared += continued_run_agrees(models.path[i], formulation, integrator, 0.2 * (i + 0.37) / models.count);
    CHECK(compared > models.count / 2);
    if (compared <= models.count / 2) printf("%s %s: %d models\n", formulation, integrator, compared);
}

static void test_every_integrator(const char* model)
{
    for (int i = 0; i < cardan_integrator_count(); ++i)
        CHECK(continued_run_agrees(model, "augmented", cardan_integrator_name(i), 0.0737));
}

static void test_every_formulation(const char* model)
{
    int compared = 0;
    for (int i = 0; i < cardan_formulation_count(); ++i)
        compared += continued_run_agrees(model, cardan_formulation_name(i), "rk4", 0.0737);
    CHECK(compared >= 6); // formulations for trees refuse loops
}

static void check_rejected(cardan_simulation* simulation, const char* text, cardan_code code)
{
    cardan_report report = {0};
    cardan_sample before, after;
    write_text(text);
    CHECK(cardan_simulation_sample(simulation, &before, NULL) == CARDAN_OK);
    const double q = before.q[0];
    CHECK(cardan_simulation_load(simulation, path, &report) == CARDAN_BAD_INPUT);
    CHECK(report.count == 1 && report.message[0].code == code);
    CHECK(cardan_simulation_sample(simulation, &after, NULL) == CARDAN_OK);
    CHECK(after.t == before.t && after.q[0] == q);
}

static char* read_checkpoint(void)
{
    static char  text[1 << 16];
    FILE*        file = fopen(path, "r");
    const size_t n    = file ? fread(text, 1, sizeof text - 1, file) : 0;
    text[n]           = 0;
    if (file) fclose(file);
    return text;
}

static void test_wrong_files(void)
{
    static last_sample last;
    static char        changed[1 << 16];
    fixture            f;
    cardan_simulation* simulation = NULL;
    if (fixture_open(&f, "models/four_bar", "augmented", 0, NULL)) {
        cardan_run_settings run = settings(&f, "rk4", 0.2, &last);
        CHECK(cardan_simulation_open(f.data, &run, &simulation, &f.report) == CARDAN_OK);
        CHECK(cardan_simulation_advance(simulation, 0.1, &f.report) == CARDAN_OK);
        CHECK(cardan_simulation_save(simulation, path, &f.report) == CARDAN_OK);
        const char* good = read_checkpoint();
        for (int i = 0; i < 4; ++i) { // another version, name, value and length
            static const char* const from[] = {"\"cardan_checkpoint\": 1", "\"rk4\"", "\"samples\": [", "\"t\": ["};
            static const char* const to[]   = {"\"cardan_checkpoint\": 9", "\"rk5\"", "\"samples\": [-", "\"t\": [1, "};
            const char*              at     = strstr(good, from[i]);
            CHECK(at);
            if (!at) continue;
            snprintf(changed, sizeof changed, "%.*s%s%s", (int)(at - good), good, to[i], at + strlen(from[i]));
            check_rejected(simulation, changed, CARDAN_CODE_CHECKPOINT_INVALID);
        }
        check_rejected(simulation, "{}", CARDAN_CODE_CHECKPOINT_INVALID);
        unlink(path);
        CHECK(cardan_simulation_load(simulation, path, NULL) == CARDAN_FILE_ERROR);
        CHECK(cardan_simulation_load(simulation, NULL, NULL) == CARDAN_BAD_USAGE);
        CHECK(cardan_simulation_save(simulation, "/dev/null/none", NULL) == CARDAN_FILE_ERROR);
        CHECK(cardan_simulation_advance(simulation, 0.2, &f.report) == CARDAN_OK);
        CHECK(cardan_simulation_close(simulation, NULL, &f.report) == CARDAN_OK);
    }
    fixture_close(&f);
}

int main(void)
{
    snprintf(path, sizeof path, "/tmp/cardan-checkpoint-%ld.json", (long)getpid());
    RUN(test_all_models("augmented", "dopri5"));
    RUN(test_every_integrator("models/four_bar"));
    RUN(test_every_integrator("models/hmmwv"));
    RUN(test_every_formulation("models/slider_crank"));
    RUN(test_every_formulation("models/bricard"));
    RUN(test_wrong_files());
    unlink(path);
    return test_end();
}
