// SPDX-License-Identifier: BSD-3-Clause
// Memory: evaluations and steps allocate nothing, and a failing allocation gives a status, never a crash or a leak.
// Linked with --wrap for the allocation functions (test/CMakeLists.txt).
#include "contact_models.h"
#include "fixture.h"

#include "dynamics/contacts/contacts.h"
#include "dynamics/data.h"
#include "io/results/results.h"

#include <locale.h>

void* __real_malloc(size_t size);
void* __real_calloc(size_t count, size_t size);
void* __real_realloc(void* p, size_t size);
void* __real_aligned_alloc(size_t alignment, size_t size);
void* __wrap_malloc(size_t size);
void* __wrap_calloc(size_t count, size_t size);
void* __wrap_realloc(void* p, size_t size);
void* __wrap_aligned_alloc(size_t alignment, size_t size);

static long allocations;  // so far
static long failing = -1; // index of the allocation that fails; -1: none

locale_t __real_duplocale(locale_t locale);
locale_t __wrap_duplocale(locale_t locale);

static bool fails(void) { return allocations++ == failing; }

void* __wrap_malloc(size_t size) { return fails() ? NULL : __real_malloc(size); }
void* __wrap_calloc(size_t count, size_t size) { return fails() ? NULL : __real_calloc(count, size); }
void* __wrap_realloc(void* p, size_t size) { return fails() ? NULL : __real_realloc(p, size); }
void* __wrap_aligned_alloc(size_t alignment, size_t size)
{
    return fails() ? NULL : __real_aligned_alloc(alignment, size);
}

// The C library allocates a copy of a locale in its own memory.
locale_t __wrap_duplocale(locale_t locale)
{
    ++allocations;
    return __real_duplocale(locale);
}

static void test_evaluations_do_not_allocate(const char* path, const char* formulation)
{
    fixture f;
    if (fixture_open(&f, path, formulation, 0, NULL)) {
        double*          a      = calloc((size_t)(8 * f.m.nv), sizeof *a);
        cardan_motion*   body   = calloc((size_t)f.m.nbody, sizeof *body);
        cardan_reaction* forces = calloc((size_t)f.m.njoint, sizeof *forces);
        const long       before = allocations;
        for (int i = 0; i < 10; ++i) {
            cardan_data_set_state(f.data, 0.1 * i, f.m.q_start, f.m.v_start, f.m.state_start);
            CHECK(cardan_data_accelerate(f.data, a, NULL, &f.report) == CARDAN_OK);
            cardan_data_inverse_dynamics(f.data, a, a + f.m.nv);
            cardan_data_energy(f.data);
            cardan_data_body_motions(f.data, a, body);
            cardan_data_reactions(f.data, a, forces);
            cardan_data_marker_jacobian(f.data, 1, a + 2 * f.m.nv);
        }
        CHECK(allocations == before);
        free(a), free(body), free(forces);
    }
    fixture_close(&f);
}

// Search of contact points, accelerations, states, impact and correction.
static void test_contacts_do_not_allocate(cardan_description* description)
{
    cardan_report            report = {0};
    cardan_model*            model  = NULL;
    cardan_data*             d      = NULL;
    cd_contact_status        problem;
    cd_contact_impact_result impact;
    double                   a[40], gap, velocity;
    CHECK(cardan_model_compile(description, CARDAN_TREE_BREADTH_FIRST, &model, &report) == CARDAN_OK);
    CHECK(cardan_data_create(model, cardan_formulation_find("reduction"), &d, &report) == CARDAN_OK);
    const long before = allocations;
    for (int k = 0; k < 3; ++k) {
        cardan_data_set_state(d, 0, model->q_start, model->v_start, model->state_start);
        cd_contacts_search(d, 1e-3);
        CHECK(cd_contacts_count(d) > 0);
        for (int i = 0; i < cd_contacts_count(d); ++i)
            cd_contacts_set_state(d, i, &(cd_contact_state){.mode = CD_CONTACT_STICK});
        CHECK(cd_contact_impact(d, CARDAN_IMPACT_AUTOMATIC, true, &impact) == CARDAN_OK);
        CHECK(cd_contact_correct(d, &gap, &velocity) == CARDAN_OK);
        CHECK(cd_contact_complementarity(d, 1e-9, a, &problem) == CARDAN_OK);
        CHECK(cardan_data_accelerate(d, a, NULL, &report) == CARDAN_OK);
    }
    CHECK(allocations == before);
    cardan_data_destroy(d);
    cardan_model_destroy(model);
    cardan_description_destroy(description);
}

typedef struct allocation_record {
    long first, last;
    int  rows;
} allocation_record;

static bool keep_allocations(void* user, cardan_data* data, const cardan_sample* sample)
{
    (void)data, (void)sample;
    allocation_record* m = user;
    if (m->rows++ == 0) m->first = allocations;
    m->last = allocations;
    return true;
}

static void test_steps_do_not_allocate(const char* path, const char* integrator)
{
    fixture            f;
    allocation_record  m = {0};
    cardan_run_summary summary;
    if (fixture_open(&f, path, "order-n", 0, NULL)) {
        cardan_run_settings run = cardan_run_default();
        run.integrator          = cardan_integrator_find(integrator);
        run.end                 = 0.05;
        run.output_interval     = 0.01;
        run.step                = 1e-4;
        run.sample_callback     = keep_allocations;
        run.user                = &m;
        CHECK(cardan_simulate(f.data, &run, &summary, &f.report) == CARDAN_OK);
        CHECK(m.rows == 6);
        CHECK(m.last == m.first);
    }
    fixture_close(&f);
}

static void test_loops_do_not_allocate(const char* formulation, int stabilization)
{
    fixture            f;
    allocation_record  m = {0};
    cardan_run_summary summary;
    if (fixture_open(&f, "models/slider_crank", formulation, 0, NULL)) {
        cardan_run_settings run = cardan_run_default();
        run.stabilization       = stabilization;
        run.end                 = 0.3;
        run.sample_callback     = keep_allocations;
        run.user                = &m;
        CHECK(cardan_simulate(f.data, &run, &summary, &f.report) == CARDAN_OK);
        CHECK(m.rows == 31);
        CHECK(m.last == m.first);
    }
    fixture_close(&f);
}

// After `open`, a simulation object advances, is read and restarted without allocations; also without end.
static void test_simulation_object_does_not_allocate(const char* path, const char* formulation, const char* integrator)
{
    fixture            f;
    cardan_simulation* simulation = NULL;
    cardan_sample      sample;
    if (fixture_open(&f, path, formulation, 0, NULL)) {
        cardan_run_settings run = cardan_run_default();
        run.integrator          = cardan_integrator_find(integrator);
        run.end                 = INFINITY;
        CHECK(cardan_simulation_open(f.data, &run, &simulation, &f.report) == CARDAN_OK);
        const long before = allocations;
        for (int i = 1; i <= 20; ++i) {
            CHECK(cardan_simulation_advance(simulation, 0.0137 * i, NULL) == CARDAN_OK);
            CHECK(cardan_simulation_sample(simulation, &sample, NULL) == CARDAN_OK);
            CHECK(cardan_data_set_external_forces(f.data, NULL, NULL) == CARDAN_OK);
        }
        CHECK(cardan_simulation_restart(simulation, 0, f.m.q_start, f.m.v_start, f.m.state_start, NULL) == CARDAN_OK);
        CHECK(cardan_simulation_advance(simulation, 0.1, NULL) == CARDAN_OK);
        CHECK(allocations == before);
        cardan_simulation_close(simulation, NULL, NULL);
    }
    fixture_close(&f);
}

// All values of results, at every sample.
typedef struct results_buffers {
    allocation_record    m;
    cardan_reaction *    joint, *constraint;
    cardan_transmission* transmission;
    cardan_motion*       body;
    double *             output, *effort;
    bool*                unique;
} results_buffers;

static bool read_all_values(void* user, cardan_data* data, const cardan_sample* sample)
{
    results_buffers*              w      = user;
    const cardan_model*           m      = cardan_data_model(data);
    const cardan_description_view view   = cardan_description_get_view(cardan_model_description(m));
    const long                    before = allocations;
    CHECK(cardan_data_all_reactions(data, sample->a, w->joint, w->constraint, w->transmission) == CARDAN_OK);
    cardan_data_driver_efforts(data, sample->a, w->effort, w->unique);
    cardan_data_body_motions(data, sample->a, w->body);
    cardan_data_energy(data);
    cardan_data_evaluate_outputs(data, w->output);
    for (int i = 0; i < view.noutput; ++i)
        CHECK_NEAR(cardan_data_evaluate_expression(data, view.output[i].value), w->output[i], 0);
    CHECK(allocations == before);
    return keep_allocations(&w->m, data, sample);
}

static void test_samples_do_not_allocate(const char* path, const char* formulation, const char* integrator)
{
    fixture            f;
    cardan_run_summary summary;
    if (fixture_open(&f, path, formulation, 0, NULL)) {
        const cardan_description_view view = cardan_description_get_view(f.description);
        const size_t                  many = 1000;
        results_buffers               w    = {.joint        = calloc(many, sizeof *w.joint),
                                              .constraint   = calloc(many, sizeof *w.constraint),
                                              .transmission = calloc(many, sizeof *w.transmission),
                                              .body         = calloc(many, sizeof *w.body),
                                              .output       = calloc(many, sizeof *w.output),
                                              .effort       = calloc(many, sizeof *w.effort),
                                              .unique       = calloc(many, sizeof *w.unique)};
        cardan_run_settings           run  = cardan_run_default();
        CHECK(view.njoint < 100 && view.nbody < 100 && view.noutput < 100);
        run.integrator      = cardan_integrator_find(integrator);
        run.end             = 0.1;
        run.output_interval = 0.02;
        run.step            = 1e-3;
        run.sample_callback = read_all_values;
        run.user            = &w;
        CHECK(cardan_simulate(f.data, &run, &summary, &f.report) == CARDAN_OK);
        CHECK(w.m.rows == 6);
        CHECK(w.m.last == w.m.first);
        free(w.joint), free(w.constraint), free(w.transmission), free(w.body), free(w.output), free(w.effort);
        free(w.unique);
    }
    fixture_close(&f);
}

static void test_written_samples_do_not_allocate(void)
{
    const cd_column columns[] = {{"t", "s"}, {"x", "m"}};
    const double    value[]   = {0.5, 1.25};
    cd_results*     results   = NULL;
    CHECK(cd_results_create("/dev/null", 2, columns, true, &results, NULL) == CARDAN_OK);
    if (!results) return;
    CHECK(cd_results_write_sample(results, value) == CARDAN_OK); // the stream allocates its buffer
    const long before = allocations;
    for (int i = 0; i < 100; ++i) CHECK(cd_results_write_sample(results, value) == CARDAN_OK);
    CHECK(allocations == before);
    cd_results_discard(results);
}

// Assembly with the n-th allocation failing.
static void test_assembly_without_memory(const char* formulation)
{
    bool finished = false;
    for (int n = 0; n < 200 && !finished; ++n) {
        fixture f;
        if (fixture_open(&f, "models/slider_crank", formulation, 0, NULL)) {
            allocations                = 0;
            failing                    = n;
            const cardan_status status = cardan_data_assemble(f.data, NULL, NULL, NULL, NULL, &f.report);
            finished                   = allocations <= n;
            failing                    = -1;
            CHECK(status == (finished ? CARDAN_OK : CARDAN_NO_MEMORY));
            CHECK(finished || f.report.errors > 0);
        }
        fixture_close(&f);
    }
    CHECK(finished);
}

// Load, compile and accelerate with the n-th allocation failing, until none fails.
static void test_every_failure_is_a_status(const char* path, int limit)
{
    char file[1024];
    bool finished = false;
    snprintf(file, sizeof file, "%s/%s", CARDAN_SOURCE, path);
    for (int n = 0; n < limit && !finished; ++n) {
        cardan_description* d      = NULL;
        cardan_model*       m      = NULL;
        cardan_data*        data   = NULL;
        cardan_report       report = {0};
        allocations                = 0;
        failing                    = n;
        cardan_status status       = cardan_description_load(file, NULL, &d, &report);
        if (status == CARDAN_OK) status = cardan_model_compile(d, CARDAN_TREE_BREADTH_FIRST, &m, &report);
        if (status == CARDAN_OK) status = cardan_data_create(m, cardan_formulation_find("dense"), &data, &report);
        finished = allocations <= n;
        failing  = -1;
        CHECK((status == CARDAN_OK) == finished || status == CARDAN_OK);
        if (status != CARDAN_OK) CHECK(report.errors > 0);
        cardan_data_destroy(data);
        cardan_model_destroy(m);
        cardan_description_destroy(d);
    }
    CHECK(finished);
}

static bool keep_speed(void* user, cardan_data* data, const cardan_sample* sample)
{
    (void)data;
    *(double*)user = sample->v[0];
    return true;
}

// A simulation with the n-th allocation failing: a status, or the motion.
static void test_run_without_memory(const char* path, const char* integrator, double speed)
{
    fixture    f;
    bool       finished = false;
    const bool opened   = fixture_open(&f, path, "dense", 0, NULL);
    for (int n = 0; opened && n < 1000 && !finished; ++n) {
        cardan_run_settings run = cardan_run_default();
        cardan_run_summary  summary;
        double              final_speed = 0;
        run.integrator                  = cardan_integrator_find(integrator);
        run.end = run.output_interval = 0.05;
        run.sample_callback           = keep_speed;
        run.user                      = &final_speed;
        allocations                   = 0;
        failing                       = n;
        const cardan_status status    = cardan_simulate(f.data, &run, &summary, &f.report);
        finished                      = allocations <= n;
        failing                       = -1;
        CHECK(status == CARDAN_OK || (status == CARDAN_NO_MEMORY && !finished));
        if (!status) CHECK_NEAR(final_speed, speed, 1e-9);
    }
    CHECK(finished);
    fixture_close(&f);
}

// A diagnosis with the n-th allocation failing: a status, or missing sentences; no crash and no leak.
static void test_diagnosis_without_memory(const char* path)
{
    fixture f;
    bool    finished = false;
    if (!fixture_open(&f, path, "dense", 0, NULL)) return;
    for (int n = 0; n < 2000 && !finished; ++n) {
        cardan_diagnosis* g        = NULL;
        cardan_report     report   = {0};
        allocations                = 0;
        failing                    = n;
        const cardan_status status = cardan_diagnosis_create(f.data, &g, &report);
        finished                   = allocations <= n;
        failing                    = -1;
        if (finished) CHECK(g != NULL && status == CARDAN_OK);
        if (status == CARDAN_NO_MEMORY) CHECK(report.errors > 0);
        cardan_diagnosis_destroy(g);
    }
    CHECK(finished);
    fixture_close(&f);
}

int main(void)
{
    static const char* const own[] = {"explicit-euler", "semi-implicit-euler", "midpoint", "rk4", "dopri5"};
    for (int i = 0; i < cardan_formulation_count(); ++i) {
        if (cardan_formulation_tree_policy(i) != CARDAN_TREE_MAXIMAL)
            RUN(test_evaluations_do_not_allocate("models/branches", cardan_formulation_name(i)));
        RUN(test_evaluations_do_not_allocate("models/robots/talos", cardan_formulation_name(i)));
        RUN(test_evaluations_do_not_allocate("models/diagnosis/ladder.yaml", cardan_formulation_name(i)));
    }
    RUN(test_evaluations_do_not_allocate("test/data/yaml/locked_once.yaml", "dense"));
    RUN(test_evaluations_do_not_allocate("models/driven_slider", "lagrange"));
    RUN(test_evaluations_do_not_allocate("models/rolling_disc", "lagrange"));
    for (size_t i = 0; i < sizeof own / sizeof *own; ++i) {
        RUN(test_steps_do_not_allocate("models/branches", own[i]));
        RUN(test_steps_do_not_allocate("test/data/yaml/pulses.yaml", own[i]));
    }
    RUN(test_simulation_object_does_not_allocate("models/double_pendulum", "order-n", "dopri5"));
    RUN(test_simulation_object_does_not_allocate("models/slider_crank", "augmented", "rk4"));
    RUN(test_simulation_object_does_not_allocate("models/four_bar", "reduction", "dopri5"));
    RUN(test_simulation_object_does_not_allocate("models/four_bar", "augmented", "generalized-alpha"));
    for (int i = 0; i < cardan_stabilization_count(); ++i) {
        RUN(test_loops_do_not_allocate("dense", i));
        RUN(test_loops_do_not_allocate("lagrange", i));
    }
    static const char* const implicit[] = {"generalized-alpha", "hht"};
    static const char* const models[]   = {"models/macpherson", "models/driven_slider", "models/four_bar",
                                           "models/rolling_disc"};
    for (size_t i = 0; i < sizeof models / sizeof *models; ++i) {
        RUN(test_samples_do_not_allocate(models[i], "dense", "rk4"));
        RUN(test_samples_do_not_allocate(models[i], "lagrange", "dopri5"));
        RUN(test_samples_do_not_allocate(models[i], "augmented", "midpoint"));
        for (int k = 0; k < 2; ++k) RUN(test_samples_do_not_allocate(models[i], "dense", implicit[k]));
    }
    RUN(test_written_samples_do_not_allocate());
    RUN(test_assembly_without_memory("dense"));
    RUN(test_assembly_without_memory("lagrange"));
    RUN(test_every_failure_is_a_status("models/pendulum", 20000));
    RUN(test_every_failure_is_a_status("models/branches", 20000));
    RUN(test_diagnosis_without_memory("models/four_bar"));
    RUN(test_diagnosis_without_memory("models/diagnosis/parallelogram.yaml"));
    RUN(test_diagnosis_without_memory("models/diagnosis/ladder.yaml"));
    RUN(test_diagnosis_without_memory("models/diagnosis/tied.yaml"));
    RUN(test_every_failure_is_a_status("models/driven_slider", 20000));
    RUN(test_every_failure_is_a_status("test/data/yaml/locked_once.yaml", 20000));
    RUN(test_run_without_memory("test/data/yaml/pulses.yaml", "rk4", 0.15));
    RUN(test_run_without_memory("test/data/yaml/pulses.yaml", "dopri5", 0.15));
    for (int k = 0; k < CONTACT_MECHANISMS; ++k) RUN(test_contacts_do_not_allocate(contact_mechanisms[k].describe()));
    return test_end();
}
