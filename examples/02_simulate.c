// cc 02_simulate.c $(pkg-config --cflags --libs cardan) -o 02_simulate && ./02_simulate double_pendulum.yaml
//
// Load a model file, simulate one second, and print joint coordinates and energy every tenth of a second. The model may
// have loops: a cut joint has no tree coordinates, and cardan_data_joint_state derives its coordinates from the state.
#include <cardan/cardan.h>
#include <stdio.h>

static int print_report(const cardan_report* report)
{
    for (int i = 0; i < report->count; ++i) fprintf(stderr, "%s\n", report->message[i].text);
    return 1;
}

// Called for every output sample. Return false to end the run.
static bool print_sample(void* user, cardan_data* data, const cardan_sample* sample)
{
    const cardan_model*     model = cardan_data_model(data);
    const cardan_model_view view  = cardan_model_get_view(model);
    (void)user;
    printf("t = %.1f", sample->t);
    for (int j = 0; j < view.njoint; ++j) {
        double q[CARDAN_JOINT_VELOCITIES_MAX + 1];
        cardan_data_joint_state(data, j, q, NULL);
        for (int i = 0; i < view.tree_range[j].nq; ++i)
            printf("   %s %8.5f %s", cardan_model_joint_name(model, j), q[i], cardan_model_q_unit(model, j, i));
    }
    printf("   energy %.5f J\n", sample->energy.kinetic + sample->energy.potential);
    return true;
}

int main(int count, char** argument)
{
    static cardan_report report;
    cardan_description*  description = NULL;
    cardan_model*        model       = NULL;
    cardan_data*         data        = NULL;
    const int            formulation = cardan_formulation_find("auto"); // the formulation with the least estimated time

    if (count != 2) return fprintf(stderr, "usage: 02_simulate MODEL\n"), 2;
    if (cardan_description_load(argument[1], NULL, &description, &report)) return print_report(&report);
    if (cardan_model_compile(description, cardan_formulation_tree_policy(formulation), &model, &report))
        return print_report(&report);
    if (cardan_data_create(model, formulation, &data, &report)) return print_report(&report);

    cardan_run_settings run = cardan_run_default();
    cardan_run_summary  summary;
    run.end             = 1;
    run.output_interval = 0.1;
    run.sample_callback = print_sample;
    if (cardan_simulate(data, &run, &summary, &report)) return print_report(&report);
    printf("%ld samples, energy %s\n", summary.samples, summary.energy_error < 1e-7 ? "kept" : "lost");

    cardan_data_destroy(data);
    cardan_model_destroy(model);
    cardan_description_destroy(description);
}
