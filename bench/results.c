// SPDX-License-Identifier: BSD-3-Clause
// Tables and CSV of the comparisons.
#include "results.h"

#include "peer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Columns of the tables; forward dynamics is the faster of the two formulations.
static const quantity shown[] = {INVERSE, MASS, FACTOR, SOLVE, FORWARD_CHOLESKY, FORWARD_ORDER_N};
enum { NSHOWN = sizeof shown / sizeof *shown };

static void print_processor(void)
{
    char  line[256];
    FILE* f = fopen("/proc/cpuinfo", "r");
    while (f && fgets(line, sizeof line, f)) {
        const char* name = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || !name) continue;
        printf("Machine   %s", name + 2);
        break;
    }
    if (f) fclose(f);
}

void results_head(int core)
{
    print_processor();
    if (core >= 0)
        printf("Pinned    to core %d, processor time of this thread\n", core);
    else
        printf("Pinned    no: the system rejected it\n");
    printf("Cardan    %s\n", CARDAN_FLAGS);
    printf("MuJoCo    %s of Debian's libmujoco: Debian's flags (-O2) for x86-64 without AVX\n", peer_version());
    printf("Times     median over interleaved rounds [us], +- half the interquartile range; ratios "
           "likewise\n");
    printf("          mass matrix: with kinematics; forward dynamics: all computations from q, v, tau to a\n");
}

// "1.302 +-1%"
static void print_time(spread s)
{
    const double part = 50 * (s.high - s.low) / s.middle;
    printf("%12.4g +-%2.0f%%", s.middle, fmin(99, part));
}

void results_print(const race* r)
{
    printf("\n%s: %d velocities; agree to %.0e (efforts), %.0e (accelerations); %d rounds\n", r->title, r->nv,
           r->inverse_error, r->forward_error, r->rounds);
    printf("%8s", "");
    for (int k = 0; k < NSHOWN; ++k) printf("%18s", quantity_name[shown[k]]);
    printf("\n%8s", "Cardan");
    for (int k = 0; k < NSHOWN; ++k) print_time(r->cardan[shown[k]]);
    printf("\n%8s", "MuJoCo");
    for (int k = 0; k < NSHOWN; ++k) print_time(r->mujoco[shown[k]]);
    printf("\n%8s", "ratio");
    for (int k = 0; k < NSHOWN; ++k) print_time(r->ratio[shown[k]]);
    printf("\n");
    fflush(stdout);
}

// Least-squares fit of log time over log n.
static double exponent(const race* r, int n, const char* family, quantity what, bool mujoco)
{
    double count = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (int i = 0; i < n; ++i) {
        if (strcmp(r[i].family, family) != 0 || r[i].nv < 64) continue;
        const double log_n = log(r[i].nv), log_t = log((mujoco ? r[i].mujoco : r[i].cardan)[what].middle);
        count += 1;
        x += log_n;
        y += log_t;
        xx += log_n * log_n;
        xy += log_n * log_t;
    }
    return count > 1 ? (count * xy - x * y) / (count * xx - x * x) : NAN;
}

void results_growth(const race* r, int n, const char* family)
{
    if (isnan(exponent(r, n, family, INVERSE, false))) return;
    printf("\n%s: time ~ joints^x, x from 64 joints on\n%8s", family, "");
    for (int k = 0; k < NSHOWN; ++k) printf("%18s", quantity_name[shown[k]]);
    for (int side = 0; side < 2; ++side) {
        printf("\n%8s", side ? "MuJoCo" : "Cardan");
        for (int k = 0; k < NSHOWN; ++k) printf("%18.2f", exponent(r, n, family, shown[k], side == 1));
    }
    printf("\n");
}

void results_goals(const race* r, int n)
{
    static const struct {
        quantity what;
        double   ratio;
    } goal[] = {{INVERSE, 0.30}, {MASS, 0.35}, {FORWARD, 0.50}};
    for (int i = 0; i < n; ++i) {
        if (strcmp(r[i].title, "Talos") != 0) continue;
        printf("\nGoals of Talos\n");
        for (size_t k = 0; k < sizeof goal / sizeof *goal; ++k) {
            const double ratio = r[i].ratio[goal[k].what].middle;
            printf("  %-18s %.3f of MuJoCo's time, goal %.2f: %s\n", quantity_name[goal[k].what], ratio, goal[k].ratio,
                   ratio <= goal[k].ratio ? "met" : "MISSED");
        }
    }
}

bool results_csv(const race* r, int n, const char* path)
{
    FILE* f = fopen(path, "w");
    if (!f) return false;
    fprintf(f, "family,mechanism,velocities,quantity,rounds,cardan_us,cardan_q1_us,cardan_q3_us,mujoco_us,mujoco_q1_us,"
               "mujoco_q3_us,ratio,ratio_q1,ratio_q3\n");
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < NQUANTITY; ++k) {
            const spread c = r[i].cardan[k], m = r[i].mujoco[k], x = r[i].ratio[k];
            fprintf(f, "%s,%s,%d,\"%s\",%d,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g\n", r[i].family, r[i].title,
                    r[i].nv, quantity_name[k], r[i].rounds, c.middle, c.low, c.high, m.middle, m.low, m.high, x.middle,
                    x.low, x.high);
        }
    return fclose(f) == 0;
}
