// cc 04_frame_loop.c $(pkg-config --cflags --libs cardan) -o 04_frame_loop && ./04_frame_loop double_pendulum.yaml
//
// A loop of 60 frames per second: the simulation advances by one frame at a time, without an end. From frame 30 on the
// free end of the last body is grabbed and pulled upward, from frame 90 on it is released.
#include <cardan/cardan.h>
#include <math.h>
#include <stdio.h>

enum { FRAMES_PER_SECOND = 60, FRAMES = 120 };

static int print_report(const cardan_report* report)
{
    for (int i = 0; i < report->count; ++i) fprintf(stderr, "%s\n", report->message[i].text);
    return 1;
}

int main(int count, char** argument)
{
    static cardan_report report;
    cardan_description*  description = NULL;
    cardan_model*        model       = NULL;
    cardan_data*         data        = NULL;
    cardan_simulation*   simulation  = NULL;
    const int            formulation = cardan_formulation_find("auto");

    if (count != 2) return fprintf(stderr, "usage: 04_frame_loop MODEL\n"), 2;
    if (cardan_description_load(argument[1], NULL, &description, &report)) return print_report(&report);
    if (cardan_model_compile(description, cardan_formulation_tree_policy(formulation), &model, &report))
        return print_report(&report);
    if (cardan_data_create(model, formulation, &data, &report)) return print_report(&report);

    cardan_run_settings run = cardan_run_default();
    run.integrator          = cardan_integrator_find("rk4");
    run.step                = 1e-3;
    run.output_interval     = 1.0 / FRAMES_PER_SECOND;
    run.end                 = INFINITY;
    if (cardan_simulation_open(data, &run, &simulation, &report)) return print_report(&report);

    const cardan_grab up = {.body   = cardan_description_get_view(description).nbody - 1,
                            .point  = {0.4, 0, 0},
                            .target = {1.2, 0, 0.8}};
    for (int frame = 1; frame <= FRAMES; ++frame) {
        cardan_sample sample;
        if (cardan_simulation_advance(simulation, (double)frame / FRAMES_PER_SECOND, &report)) break;
        if (cardan_simulation_sample(simulation, &sample, &report)) break;
        if (frame % 15 == 0)
            printf("t = %.2f s   shoulder %6.3f rad   elbow %6.3f rad\n", sample.t, sample.q[0], sample.q[1]);
        if (frame == 30 && cardan_data_grab(data, &up, &report)) break; // acts from this frame on
        if (frame == 90 && cardan_data_grab(data, NULL, &report)) break;
    }
    cardan_run_summary summary;
    cardan_simulation_close(simulation, &summary, &report);
    if (report.errors > 0) return print_report(&report);
    printf("%ld steps, energy balance %s\n", summary.steps, summary.energy_error < 1e-6 ? "closed" : "not closed");

    cardan_data_destroy(data);
    cardan_model_destroy(model);
    cardan_description_destroy(description);
}
