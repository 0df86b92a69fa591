// SPDX-License-Identifier: BSD-3-Clause
// bench_scaling: time, memory and operations per joint of chains of 1,000 to 100,000 joints.
#include "clock.h"
#include "engine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NSIZE = 3, ROUNDS = 21, NTALLY = 5 };

static const int    sizes[NSIZE] = {1000, 10000, 100000};
static const double allowed      = 1.30;  // growth of the time per joint from first to last
static const double batch_us     = 20000; // long enough for one evaluation of the longest chain

typedef struct sample {
    cardan_description* d;
    cardan_model*       m;
    state               s;
    engine*             e;
    double              build_us; // describe and compile
    double              memory;   // [bytes]
    long                order_n[NTALLY], implicit[NTALLY];
    int                 forward_calls, residual_calls;
    double              forward[ROUNDS], residual[ROUNDS]; // [us] per joint
} sample;

static void add_tally(long* sum, const cardan_operation_count* t)
{
    const long part[NTALLY] = {t->mul, t->add, t->div, t->sqrt, t->trig};
    for (int i = 0; i < NTALLY; ++i) sum[i] += part[i];
}

static bool count(const sample* x, const char* formulation, long* sum, cardan_report* report)
{
    cardan_operation_counts n;
    if (cardan_model_count_operations(x->m, cardan_formulation_find(formulation), x->s.q, x->s.v, &n, report) !=
        CARDAN_OK)
        return false;
    add_tally(sum, &n.kinematics);
    add_tally(sum, &n.assembly);
    add_tally(sum, &n.factor);
    add_tally(sum, &n.solve);
    return true;
}

static bool prepare(sample* x, int njoint, cardan_report* report)
{
    const double start = clock_us();
    *x                 = (sample){.d = mechanism_make("chain", njoint)};
    if (!x->d || cardan_model_compile(x->d, CARDAN_TREE_BREADTH_FIRST, &x->m, report) != CARDAN_OK) return false;
    x->build_us = clock_us() - start;
    x->s        = state_create(x->m);
    if (!x->s.q) return false;
    x->e = engine_create(x->m, "order-n", &x->s, report);
    if (!x->e || !count(x, "order-n", x->order_n, report) || !count(x, "implicit", x->implicit, report)) return false;
    x->memory         = engine_memory(x->e);
    x->forward_calls  = clock_calls(engine_forward, x->e, batch_us);
    x->residual_calls = clock_calls(engine_inverse_dynamics, x->e, batch_us);
    return true;
}

static void destroy(sample* x)
{
    engine_destroy(x->e);
    state_destroy(&x->s);
    cardan_model_destroy(x->m);
    cardan_description_destroy(x->d);
}

static void print_times(const sample* x)
{
    double first[2] = {0}, growth[2] = {0};
    printf("\n%10s %32s %32s %14s %14s\n", "joints", "forward, order-n [ns/joint]", "residual, implicit [ns/joint]",
           "data [B/joint]", "build [us/joint]");
    for (int k = 0; k < NSIZE; ++k) {
        const spread f = spread_of(x[k].forward, ROUNDS), r = spread_of(x[k].residual, ROUNDS);
        printf("%10d %14.1f (%6.1f..%6.1f) %15.1f (%6.1f..%6.1f) %14.1f %14.2f\n", sizes[k], 1e3 * f.middle,
               1e3 * f.low, 1e3 * f.high, 1e3 * r.middle, 1e3 * r.low, 1e3 * r.high, x[k].memory / sizes[k],
               x[k].build_us / sizes[k]);
        if (k == 0) first[0] = f.middle, first[1] = r.middle;
        growth[0] = f.middle / first[0];
        growth[1] = r.middle / first[1];
    }
    static const char* const name[2] = {"forward", "residual"};
    printf("\n");
    for (int i = 0; i < 2; ++i)
        printf("time per joint of the %s grows by a factor of %.2f from %d to %d joints, goal %.2f: %s\n", name[i],
               growth[i], sizes[0], sizes[NSIZE - 1], allowed, growth[i] < allowed ? "met" : "MISSED");
}

// The count is exactly linear if the increase per joint is the same integer between all sizes.
static bool print_counts(const char* title, const sample* x, const long* (*of)(const sample*))
{
    static const char* const name[NTALLY] = {"mul", "add", "div", "sqrt", "trig"};
    bool                     linear       = true;
    printf("\n%s, operations per additional joint:", title);
    for (int i = 0; i < NTALLY; ++i) {
        const long a = of(&x[0])[i], b = of(&x[1])[i], c = of(&x[2])[i];
        const long near = (b - a) / (sizes[1] - sizes[0]), far = (c - b) / (sizes[2] - sizes[1]);
        printf("  %s %ld", name[i], far);
        linear = linear && near == far && near * (sizes[1] - sizes[0]) == b - a && far * (sizes[2] - sizes[1]) == c - b;
    }
    printf("  %s\n", linear ? "(exactly linear)" : "(NOT LINEAR)");
    return linear;
}

static const long* of_order_n(const sample* x) { return x->order_n; }
static const long* of_implicit(const sample* x) { return x->implicit; }

static bool write_csv(const char* path, const sample* x)
{
    FILE* f = fopen(path, "w");
    if (!f) return false;
    fprintf(f, "joints,forward_us,forward_q1_us,forward_q3_us,residual_us,residual_q1_us,residual_q3_us,data_bytes,"
               "order_n_operations,implicit_operations\n");
    for (int k = 0; k < NSIZE; ++k) {
        const spread t = spread_of(x[k].forward, ROUNDS), r = spread_of(x[k].residual, ROUNDS);
        long         order_n = 0, implicit = 0;
        for (int i = 0; i < NTALLY; ++i) order_n += x[k].order_n[i], implicit += x[k].implicit[i];
        const int n = sizes[k];
        fprintf(f, "%d,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.0f,%ld,%ld\n", n, n * t.middle, n * t.low, n * t.high,
                n * r.middle, n * r.low, n * r.high, x[k].memory, order_n, implicit);
    }
    return fclose(f) == 0;
}

int main(int argc, char** argv)
{
    static sample x[NSIZE];
    cardan_report report;
    bool          fine = true;
    cardan_report_clear(&report);
    clock_pin();
    for (int k = 0; fine && k < NSIZE; ++k) fine = prepare(&x[k], sizes[k], &report);
    for (int i = 0; i < report.count; ++i) fprintf(stderr, "%s\n", report.message[i].text);
    if (!fine) return 1;
    for (int r = 0; r < ROUNDS; ++r)
        for (int k = 0; k < NSIZE; ++k) {
            x[k].forward[r]  = clock_time(engine_forward, x[k].e, x[k].forward_calls) / sizes[k];
            x[k].residual[r] = clock_time(engine_inverse_dynamics, x[k].e, x[k].residual_calls) / sizes[k];
        }
    print_times(x);
    fine = print_counts("order-n", x, of_order_n) && fine;
    fine = print_counts("implicit", x, of_implicit) && fine;
    if (argc > 1 && !write_csv(argv[1], x)) fprintf(stderr, "cannot write %s\n", argv[1]);
    for (int k = 0; k < NSIZE; ++k) destroy(&x[k]);
    return fine ? 0 : 1;
}
