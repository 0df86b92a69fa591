// SPDX-License-Identifier: BSD-3-Clause
// Fig. 10 of paper 004 (Anderson, Critchley): ladders of several lengths with equal motions, and the equivalent spatial
// pendulum. The rungs are at the centre of percussion of the rails, h = 2/3 l; with the angles q1, q2 of the pendulum
// about x and y
//
//     u1' = 2 tan(q2) u1 u2 - w2 sin(q1)/cos(q2),   u2' = -sin(q2) cos(q2) u1^2 - w2 cos(q1) sin(q2),   w2 = 3 g/(2 l)
//
//   004_fig10 OUTPUT MODELS [--small]      writes OUTPUT/004_fig10.md, .csv and .svg
#include "004_record.h"
#include "page.h"

#include <math.h>
#include <string.h>

static const int cells[] = {1, 10, 100};
enum { RUNS = sizeof cells / sizeof *cells, SAMPLES = 512 };

typedef struct motion {
    double x[4]; // q1, q2, u1, u2
} motion;

static motion rate(motion s)
{
    const double q1 = s.x[0], q2 = s.x[1], u1 = s.x[2], u2 = s.x[3], w2 = 1.5 * 9.81;
    return (motion){{u1, u2, 2 * tan(q2) * u1 * u2 - w2 * sin(q1) / cos(q2),
                     -sin(q2) * cos(q2) * u1 * u1 - w2 * cos(q1) * sin(q2)}};
}

static motion moved(motion s, double h, motion k)
{
    for (int i = 0; i < 4; ++i) s.x[i] += h * k.x[i];
    return s;
}

static motion follow(motion s, double time)
{
    const int    n = 200;
    const double h = time / n;
    for (int i = 0; i < n; ++i) {
        const motion k1 = rate(s), k2 = rate(moved(s, h / 2, k1)), k3 = rate(moved(s, h / 2, k2)),
                     k4 = rate(moved(s, h, k3));
        s               = moved(moved(moved(moved(s, h / 6, k1), h / 3, k2), h / 3, k3), h / 6, k4);
    }
    return s;
}

static bool draw(const char* output, const record* r, double q[2][SAMPLES])
{
    static const char* const angle[2] = {"q1", "q2"};
    static char              name[RUNS + 1][32];
    cd_curve                 over[2][RUNS + 1];
    cd_panel                 panel[2];
    cd_plot_key              key[RUNS + 1];
    for (int k = 0; k <= RUNS; ++k) {
        snprintf(name[k], sizeof name[k], k < RUNS ? "%d cell%s" : "pendulum", k < RUNS ? cells[k] : 0,
                 k < RUNS && cells[k] > 1 ? "s" : "");
        key[k] = (cd_plot_key){name[k], k, k};
    }
    for (int j = 0; j < 2; ++j) {
        for (int k = 0; k <= RUNS; ++k)
            over[j][k] =
                (cd_curve){.count = r[0].count, .x = r[0].t, .y = k < RUNS ? r[k].q[j] : q[j], .colour = k, .dash = k};
        panel[j] = (cd_panel){.name = angle[j], .unit = "rad", .ncurve = RUNS + 1, .curve = over[j]};
    }
    const cd_plot plot = {.title    = "Ladders with equal motions",
                          .subtitle = "angles about x and y",
                          .x_name   = "t",
                          .x_unit   = "s",
                          .npanel   = 2,
                          .panel    = panel,
                          .nkey     = RUNS + 1,
                          .key      = key};
    return page_plot(output, "004_fig10.svg", &plot);
}

int main(int argc, char** argv)
{
    static double     q[2][SAMPLES];
    record            r[RUNS] = {0};
    const bool        small   = argc == 4 && strcmp(argv[3], "--small") == 0;
    const record_plan plan    = {.formulation   = "reduction",
                                 .integrator    = "rk4",
                                 .stabilization = "velocity",
                                 .end           = small ? 0.5 : 5,
                                 .output        = 0.01,
                                 .step          = 0.005,
                                 .njoint        = 2,
                                 .joint         = {"hang0", "hang0"},
                                 .axis          = {0, 1}};
    motion            s       = {{0.4, 0.5, 0.6, -0.8}};
    bool              good    = true;
    if (argc != 3 && !small) {
        fprintf(stderr, "usage: 004_fig10 OUTPUT MODELS [--small]\n");
        return 2;
    }
    for (int k = 0; k < RUNS && good; ++k) {
        cardan_description* d = record_make("ladder", cells[k], "h", "2/3");
        good                  = d && record_run(d, &plan, &r[k]) && r[k].count < SAMPLES;
        cardan_description_destroy(d);
    }
    FILE *page              = good ? page_create(argv[1], "004_fig10.md") : NULL,
         *csv               = page ? page_create(argv[1], "004_fig10.csv") : NULL;
    good                    = csv != NULL;
    double difference[RUNS] = {0};
    for (int i = 0; good && i < r[0].count; ++i) {
        if (i == 0) fprintf(csv, "t,q1,q2,q1_1,q2_1,q1_10,q2_10,q1_100,q2_100\n");
        if (i > 0) s = follow(s, r[0].t[i] - r[0].t[i - 1]);
        for (int j = 0; j < 2; ++j) q[j][i] = s.x[j];
        fprintf(csv, "%.4g,%.12g,%.12g", r[0].t[i], s.x[0], s.x[1]);
        for (int k = 0; k < RUNS; ++k) {
            fprintf(csv, ",%.12g,%.12g", r[k].q[0][i], r[k].q[1][i]);
            for (int j = 0; j < 2; ++j) difference[k] = fmax(difference[k], fabs(r[k].q[j][i] - s.x[j]));
        }
        fprintf(csv, "\n");
    }
    good = good && draw(argv[1], r, q);
    if (good) {
        fprintf(page,
                "Rungs at the centre of percussion of the rails (h = 2/3 l): ladders of any length have the motion of "
                "a single rail. The paper shows three ladders and a spatial pendulum by AUTOLEV; here the equations "
                "of the pendulum are integrated separately. Reduction at velocity level, rk4, steps of 5 ms.\n\n"
                "![trajectories](004_fig10.svg)\n\n| cells | loop equations | largest difference from the pendulum in "
                "%g s [rad] | constraint violation [m, rad] |\n|---|---|---|---|\n",
                plan.end);
        for (int k = 0; k < RUNS; ++k)
            fprintf(page, "| %d | %d | %.2g | %.2g |\n", cells[k], 5 * cells[k], difference[k],
                    r[k].summary.max_position_violation);
    }
    if (page) good = fclose(page) == 0 && good;
    if (csv) good = fclose(csv) == 0 && good;
    for (int k = 0; k < RUNS; ++k) record_free(&r[k]);
    return good ? 0 : 1;
}
