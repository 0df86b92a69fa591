// cc 01_pendulum.c $(pkg-config --cflags --libs cardan) -o 01_pendulum && ./01_pendulum
//
// Describe a pendulum in C and compute its acceleration by every formulation in joint coordinates.
#include <cardan/cardan.h>
#include <stdio.h>

static int print_report(const cardan_report* report)
{
    for (int i = 0; i < report->count; ++i) fprintf(stderr, "%s\n", report->message[i].text);
    return 1;
}

int main(void)
{
    static cardan_report report;

    // Description: a rod of 1 m and 2 kg along x, on a revolute joint about y with a damper.
    cardan_description* description = cardan_description_create("pendulum");
    cardan_description_set_gravity(description, (double[3]){0, 0, -9.81});

    cardan_body rod = cardan_body_default("rod");
    rod.mass        = 2;
    rod.centre[0]   = 0.5;
    rod.inertia[1] = rod.inertia[2] = 2.0 / 12;
    const int body                  = cardan_description_add_body(description, &rod);

    cardan_axis_properties damped = cardan_axis_properties_default();
    damped.damping                = 0.1;

    const double origin[3] = {0, 0, 0}, y[3] = {0, 1, 0}; // in the world
    cardan_joint hinge = cardan_joint_at(description, "hinge", "revolute", CARDAN_GROUND, body, origin, y);
    hinge.naxis        = 1;
    hinge.axis         = &damped;
    cardan_description_add_joint(description, &hinge);

    for (int f = 0; f < cardan_formulation_count(); ++f) {
        if (cardan_formulation_tree_policy(f) == CARDAN_TREE_MAXIMAL) continue; // its state is not in joint coordinates
        if (cardan_formulation_is_reference(f)) continue;
        // Model: compiled from the description, constant. Data: memory of one simulation.
        cardan_model* model = NULL;
        cardan_data*  data  = NULL;
        if (cardan_model_compile(description, cardan_formulation_tree_policy(f), &model, &report))
            return print_report(&report);
        if (cardan_data_create(model, f, &data, &report)) return print_report(&report);

        const double q = 0.3, v = 1;
        double       a;
        cardan_data_set_state(data, 0, &q, &v, NULL);
        if (cardan_data_accelerate(data, &a, NULL, &report)) return print_report(&report);
        printf("%-11s a = %.12f rad/s^2\n", cardan_formulation_name(f), a);

        cardan_data_destroy(data);
        cardan_model_destroy(model);
    }
    cardan_description_destroy(description);
}
