// SPDX-License-Identifier: BSD-3-Clause
// Table 2 of paper 000 (Tasora): its five systems, compared with the printed times; rings, ladders and stars of up to
// 100,000 bodies.
//
//   000_table2 OUTPUT MODELS [--small]      writes OUTPUT/000_table2.md, .csv and .svg
#include "../bench/clock.h"
#include "000_systems.h"
#include "page.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const paper_system printed[] = {
    {"shoulder mechanism", "shoulder", NULL, 0, 0.006}, {"complete arm", "prosthetic_arm", NULL, 0, 0.008},
    {"closed chain of 20", NULL, "ring", 20, 0.015},    {"closed chain of 40", NULL, "ring", 40, 0.042},
    {"man on a bicycle", "rider", NULL, 0, 0.018},
};
static const char* const families[] = {"ring", "ladder", "star"};
static const int         sizes[]    = {20, 40, 100, 400, 1000, 10000, 100000};

enum {
    NPRINTED = sizeof printed / sizeof *printed,
    NFAMILY  = sizeof families / sizeof *families,
    NSIZE    = sizeof sizes / sizeof *sizes
};

// Size N of the member with about the given number of bodies: a ladder of N cells has 2 N + 1.
static int member(const char* family, int bodies) { return strcmp(family, "ladder") == 0 ? (bodies - 1) / 2 : bodies; }

static void progress(int at, int of, const char* what)
{
    fprintf(stderr, "  000_table2  %2d of %d  %s\n", at, of, what);
    fflush(stderr);
}

// Format a time in us, ms or s; "-" for NAN.
static const char* time_word(double us, char word[32])
{
    if (isnan(us))
        snprintf(word, 32, "-");
    else if (us < 1000)
        snprintf(word, 32, "%.3g us", us);
    else if (us < 1e6)
        snprintf(word, 32, "%.3g ms", us / 1e3);
    else
        snprintf(word, 32, "%.3g s", us / 1e6);
    return word;
}

static const char* ratio_word(double ratio, char word[32])
{
    snprintf(word, 32, isnan(ratio) || ratio <= 0 ? "-" : "%.3g", ratio);
    return word;
}

static const char* count_word(long count, char word[32])
{
    snprintf(word, 32, count > 0 ? "%ld" : "-", count);
    return word;
}

static void write_printed(FILE* f, const paper_result* r)
{
    fprintf(f, "| system | coordinates + constraints | multiplications, scalar-sparse | executed | accelerations | "
               "whole step | by dense | "
               "dense / lagrange | paper, 700 MHz | paper / Cardan |\n|---|---|---|---|---|---|---|---|---|---|\n");
    for (int i = 0; i < NPRINTED; ++i) {
        char w[7][32];
        fprintf(f, "| %s | %d + %d | %s | %s | %s | %s | %s | %s | %g ms | %s |\n", printed[i].title, r[i].nv,
                r[i].rows, count_word(r[i].sparse_mul, w[0]), count_word(r[i].executed_mul, w[1]),
                time_word(r[i].evaluation, w[2]), time_word(r[i].step, w[3]), time_word(r[i].dense, w[4]),
                ratio_word(r[i].dense / r[i].step, w[5]), 1e3 * printed[i].paper,
                ratio_word(1e6 * printed[i].paper / r[i].step, w[6]));
    }
    for (int i = 0; i < NPRINTED; ++i)
        if (r[i].note[0]) fprintf(f, "\n%s: %s\n", printed[i].title, r[i].note);
}

// log(t2/t1)/log(n2/n1)
static double exponent(const paper_result* a, const paper_result* b)
{
    return log(b->step / a->step) / log((double)b->bodies / a->bodies);
}

static void write_family(FILE* f, const char* family, const paper_result* r, int n)
{
    fprintf(
        f,
        "\n### %s\n\n| bodies | coordinates + constraints | multiplications per body, scalar-sparse | executed | "
        "whole step | per body | growth "
        "exponent | by dense | dense / lagrange | constraint violation |\n|---|---|---|---|---|---|---|---|---|---|\n",
        family);
    for (int i = 0; i < n; ++i) {
        char                w[8][32];
        const paper_result* x = &r[i];
        fprintf(f, "| %d | %d + %d | %s | %s | %s | %s | %s | %s | %s | %.1e |\n", x->bodies, x->nv, x->rows,
                ratio_word((double)x->sparse_mul / x->bodies, w[0]),
                ratio_word((double)x->executed_mul / x->bodies, w[1]), time_word(x->step, w[2]),
                time_word(x->step / x->bodies, w[3]), i == 0 ? "" : ratio_word(exponent(&r[i - 1], x), w[4]),
                time_word(x->dense, w[5]), ratio_word(x->dense / x->step, w[6]), x->max_violation);
        if (x->note[0]) fprintf(f, "\n%s\n\n", x->note);
    }
}

static void write_csv_row(FILE* f, const char* system, const paper_result* r, double paper)
{
    fprintf(f, "%s,%d,%d,%d,%ld,%ld,%.6g,%.6g,%.6g,%.6g\n", system, r->bodies, r->nv, r->rows, r->sparse_mul,
            r->executed_mul, r->evaluation, r->step, r->dense, 1e6 * paper);
}

static bool plot(const char* folder, paper_result r[NFAMILY][NSIZE], int n)
{
    double   x[NFAMILY][NSIZE], y[NFAMILY][NSIZE], dense_x[NSIZE], dense_y[NSIZE];
    cd_curve curve[NFAMILY + 2] = {0};
    int      ndense             = 0;
    for (int k = 0; k < NFAMILY; ++k) {
        for (int i = 0; i < n; ++i) x[k][i] = r[k][i].bodies, y[k][i] = r[k][i].step / 1e3;
        curve[k] = (cd_curve){.name = families[k], .count = n, .x = x[k], .y = y[k], .colour = k, .shows_points = true};
    }
    for (int i = 0; i < n; ++i)
        if (!isnan(r[0][i].dense)) dense_x[ndense] = r[0][i].bodies, dense_y[ndense++] = r[0][i].dense / 1e3;
    curve[NFAMILY]          = (cd_curve){.name         = "ring, dense",
                                         .count        = ndense,
                                         .x            = dense_x,
                                         .y            = dense_y,
                                         .colour       = 0,
                                         .dash         = 1,
                                         .shows_points = true};
    const double paper_x[2] = {20, 40}, paper_y[2] = {15, 42};
    curve[NFAMILY + 1]   = (cd_curve){.name         = "ring, paper at 700 MHz",
                                      .count        = 2,
                                      .x            = paper_x,
                                      .y            = paper_y,
                                      .colour       = 3,
                                      .dash         = 2,
                                      .shows_points = true};
    const cd_panel panel = {.name = "whole step", .unit = "ms", .log = true, .ncurve = NFAMILY + 2, .curve = curve};
    const cd_plot  page  = {.title    = "Maximal coordinates, one LDL'",
                            .subtitle = "time of a whole step over the number of bodies",
                            .x_name   = "bodies",
                            .x_log    = true,
                            .npanel   = 1,
                            .panel    = &panel,
                            .height   = 480};
    return page_plot(folder, "000_table2.svg", &page);
}

static void write_head(FILE* f)
{
    fprintf(f,
            "A whole step consists of kinematics, forces, assembly, one factorization, accelerations, semi-implicit "
            "Euler with 1 ms, and the projection of positions and velocities onto the constraints; the time is the "
            "minimum of several runs on one core. By dense: the same step with a dense solve of the same matrix "
            "(rank-revealing, LAPACK); above 100 bodies, for rings only, one such solve. Multiplications are those "
            "of one factorization: scalar-sparse for its nonzeros, and executed by the dense kernels of blocks.\n\n");
}

int main(int argc, char** argv)
{
    static paper_result first[NPRINTED], grown[NFAMILY][NSIZE];
    const bool          small  = argc == 4 && strcmp(argv[3], "--small") == 0;
    const paper_effort  effort = small ? (paper_effort){2e3, 20, 20, 100} : (paper_effort){1e5, 400, 100, 10000};
    const int           n = small ? 2 : NSIZE, of = NPRINTED + NFAMILY * n;
    int                 at = 0;
    if (argc != 3 && !small) {
        fprintf(stderr, "usage: 000_table2 OUTPUT MODELS [--small]\n");
        return 2;
    }
    clock_pin();
    FILE *page = page_create(argv[1], "000_table2.md"), *csv = page_create(argv[1], "000_table2.csv");
    if (!page || !csv) return 1;
    write_head(page);
    fprintf(csv,
            "system,bodies,coordinates,constraints,sparse_mul,executed_mul,evaluation_us,step_us,dense_us,paper_us\n");
    for (int i = 0; i < NPRINTED; ++i) {
        progress(++at, of, printed[i].title);
        first[i] = paper_measure(&printed[i], argv[2], effort);
        write_csv_row(csv, printed[i].title, &first[i], printed[i].paper);
    }
    write_printed(page, first);
    for (int k = 0; k < NFAMILY; ++k) {
        for (int i = 0; i < n; ++i) {
            char               title[64];
            const paper_system s = {title, NULL, families[k], member(families[k], sizes[i]), 0};
            snprintf(title, sizeof title, "%s of %d bodies", families[k], sizes[i]);
            progress(++at, of, title);
            paper_effort here = effort;
            if (k > 0) here.dense_bodies_max = here.step_bodies_max; // dense takes minutes for the others
            grown[k][i] = paper_measure(&s, argv[2], here);
            write_csv_row(csv, families[k], &grown[k][i], 0);
        }
        write_family(page, families[k], grown[k], n);
    }
    bool good = plot(argv[1], grown, n);
    fprintf(page, "\n![time of a whole step](000_table2.svg)\n");
    good = fclose(page) == 0 && good;
    good = fclose(csv) == 0 && good;
    for (int i = 0; i < NPRINTED; ++i) good = good && !isnan(first[i].step);
    return good ? 0 : 1;
}
