// SPDX-License-Identifier: BSD-3-Clause
#include "test.h"

#include "expression/inside.h"
#include "generate/trace.h"

#include <cardan/dynamics.h>
#include <cardan/io.h>
#include <stdlib.h>

static void count(cd_graph* g, int n, const cd_node* node)
{
    cd_reach reach;
    cd_reach_collect(&reach, g, n, node);
    int c[64] = {0};
    for (int i = 0; i < reach.count; ++i) c[cd_node_operation(g, reach.list[i].node)]++;
    printf("add %d mul %d div %d trig %d total %d\n", c[CD_ADD] + c[CD_SUB], c[CD_MUL], c[CD_DIV], c[CD_SIN] + c[CD_COS], c[CD_ADD] + c[CD_SUB] + c[CD_MUL] + c[CD_DIV]);
    cd_reach_release(&reach);
}

int main(int argc, char** argv)
{
    cardan_report       report = {0};
    cardan_description* description;
    cardan_model*       model;
    if (cardan_load(argc > 1 ? argv[1] : CARDAN_SOURCE "/models/arm_pendulum/arm_pendulum.yaml", NULL, &description, &report)) return puts(report.message[0].text), 1;
    cardan_model_compile(description, CARDAN_TREE_SHALLOW, &model, &report);
    for (int k = 0; k < 2; ++k) {
        cd_skeleton* s = cd_skeleton_create(model);
        if (k) cd_skeleton_regroup(s);
        cd_graph*    g = cd_graph_create_traced();
        double sample[2000];
        int n = s->nq + 3 * s->nv;
        for (int i = 0; i < n; ++i) sample[i] = sin(i * 1.3 + .3);
        cardan_model_normalize(model, sample);
        cd_sources in = {0, s->nq, s->nq + s->nv, s->nq + 2 * s->nv, 0, 0, n, sample};
        cd_node tau[500];
        CHECK(cd_trace_inverse(g, s, &in, true, tau) == CARDAN_OK);
        count(g, s->nv, tau);
        cd_tape* tape = cd_tape_create(g, s->nv, tau);
        double *work = calloc((size_t)cd_tape_work(tape), 8), out[500], ref[500];
        cd_tape_run(tape, sample, work, out);
        cardan_data* d;
        CHECK(cardan_data_create(model, cardan_formulation_find("semi"), &d, &report) == CARDAN_OK);
        cardan_data_set(d, 0, sample, sample + in.v, NULL);
        cardan_inverse(d, sample + in.a, ref);
        double law[500];
        cardan_joint_efforts(d, law);
        for (int i = 0; i < s->nv; ++i) ref[i] += law[i];
        for (int i = 0; i < s->nv; ++i) CHECK_NEAR(out[i], ref[i], 1e-12 * (1 + fabs(ref[i])));
    }
    return test_end();
}
