// SPDX-License-Identifier: BSD-3-Clause
// Fig. 8 of paper 004 (Anderson, Critchley): trajectories of the independent coordinates of the redundant five-bar, by
// recursive coordinate reduction and by an independent formulation (the paper compares with AUTOLEV).
//
//   004_fig8 OUTPUT MODELS [--small]      writes OUTPUT/004_fig8.md, .csv and .svg
#include "004_record.h"
#include "page.h"

#include <math.h>
#include <string.h>

enum { REDUCED, OTHER, RUNS };

static record_plan plan_of(int run, double end)
{
    record_plan plan = {.formulation   = "reduction",
                        .integrator    = "rk4",
                        .stabilization = "velocity",
                        .end           = end,
                        .output        = 0.005,
                        .step          = 0.0025,
                        .njoint        = 2,
                        .joint         = {"a1", "b1"}};
    if (run == REDUCED) return plan;
    plan.formulation   = "lagrange";
    plan.integrator    = "dopri5";
    plan.stabilization = "projection";
    plan.tolerance     = 1e-11;
    return plan;
}

static bool draw(const char* output, const record* r)
{
    static const char* const angle[2] = {"a1", "b1"};
    cd_curve                 over[4];
    cd_panel                 panel[2];
    for (int j = 0; j < 2; ++j) {
        for (int k = 0; k < 2; ++k)
            over[2 * j + k] = (cd_curve){.count = r[k].count, .x = r[k].t, .y = r[k].q[j], .colour = k, .dash = k};
        panel[j] = (cd_panel){.name = angle[j], .unit = "rad", .ncurve = 2, .curve = &over[2 * j]};
    }
    const cd_plot_key key[2] = {{"reduction, velocity level, rk4", 0, 0}, {"lagrange, projection, dopri5", 1, 1}};
    const cd_plot     plot   = {.title    = "Redundant five-bar: independent coordinates",
                                .subtitle = "angles of leg 1",
                                .x_name   = "t",
                                .x_unit   = "s",
                                .npanel   = 2,
                                .panel    = panel,
                                .nkey     = 2,
                                .key      = key};
    return page_plot(output, "004_fig8.svg", &plot);
}

int main(int argc, char** argv)
{
    record       r[RUNS] = {0};
    const bool   small   = argc == 4 && strcmp(argv[3], "--small") == 0;
    const double end     = small ? 0.5 : 2;
    if (argc != 3 && !small) {
        fprintf(stderr, "usage: 004_fig8 OUTPUT MODELS [--small]\n");
        return 2;
    }
    bool   good       = true;
    double difference = 0;
    for (int k = 0; k < RUNS && good; ++k) {
        cardan_description* d    = record_load(argv[2], "five_bar_redundant");
        const record_plan   plan = plan_of(k, end);
        good                     = d && record_run(d, &plan, &r[k]);
        cardan_description_destroy(d);
    }
    good       = good && r[REDUCED].count == r[OTHER].count;
    FILE *page = good ? page_create(argv[1], "004_fig8.md") : NULL,
         *csv  = page ? page_create(argv[1], "004_fig8.csv") : NULL;
    good       = csv && draw(argv[1], r);
    if (good) {
        fprintf(csv, "t,a1,b1,a1_other,b1_other,violation\n");
        for (int i = 0; i < r[REDUCED].count; ++i) {
            for (int j = 0; j < 2; ++j) difference = fmax(difference, fabs(r[REDUCED].q[j][i] - r[OTHER].q[j][i]));
            fprintf(csv, "%.4g,%.12g,%.12g,%.12g,%.12g,%.4g\n", r[REDUCED].t[i], r[REDUCED].q[0][i], r[REDUCED].q[1][i],
                    r[OTHER].q[0][i], r[OTHER].q[1][i], r[REDUCED].violation[i]);
        }
        fprintf(page,
                "Three two-link legs with one common point, two degrees of freedom, two loops that share leg 1; the "
                "dimensions are assumed, the paper prints none.\n\n"
                "![trajectories](004_fig8.svg)\n\nIn %g s the two solutions differ by at most %.2g rad; the constraint "
                "violation of the reduction is at most %.2g m, its velocity violation %.2g m/s.\n",
                end, difference, r[REDUCED].summary.max_position_violation, r[REDUCED].summary.max_velocity_violation);
    }
    if (page) good = fclose(page) == 0 && good;
    if (csv) good = fclose(csv) == 0 && good;
    for (int k = 0; k < RUNS; ++k) record_free(&r[k]);
    return good ? 0 : 1;
}
