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
    for (int k = 0; k < 8; ++k) {
        cd_skeleton* s = cd_skeleton_create(model);
        if (k & 1) cd_skeleton_regroup(s);
        const cd_form form = k / 2;
        cd_graph*    g = cd_graph_create_traced();
        double sample[2000];
        int n = s->nq + 3 * s->nv;
        for (int i = 0; i < n; ++i) sample[i] = sin(i * 1.3 + .3);
        cardan_model_normalize(model, sample);
        cd_sources in = {0, s->nq, s->nq + s->nv, s->nq + 2 * s->nv, 0, 0, n, sample};
        cd_node tau[50000];
        double out[50000], ref[50000], law[500];
        const int nout = cd_form_outputs(s, form);
        CHECK(cd_trace_form(g, s, &in, form, tau) == CARDAN_OK);
        printf("form %d%s: ", form, k & 1 ? " regrouped" : "");
        count(g, nout, tau);
        cd_tape* tape = cd_tape_create(g, nout, tau);
        double *work = calloc((size_t)cd_tape_work(tape), 8);
        cd_tape_run(tape, sample, work, out);
        cardan_data* d;
        if (cardan_data_create(model, cardan_formulation_find("semi"), &d, &report)) return 0;
        cardan_data_set(d, 0, sample, sample + in.v, NULL);
        if (form == 0) {
        cardan_inverse(d, sample + in.a, ref);
        cardan_joint_efforts(d, law);
        for (int i = 0; i < s->nv; ++i) ref[i] += law[i];
        for (int i = 0; i < s->nv; ++i) CHECK_NEAR(out[i], ref[i], 1e-12);
        } else if (form == 1) {
            double M[40000];
            cardan_mass_matrix(d, M);
            for (int i = 0, z = 0; i < s->nv; ++i)
                for (int j = 0; j <= i; ++j, ++z) CHECK_NEAR(out[z], M[i * s->nv + j], 1e-12);
        } else {
            cardan_joint_efforts(d, law);
            for (int i = 0; i < s->nv; ++i) law[i] = sample[in.effort + i] - law[i];
            cardan_data_load(d, law, NULL);
            cardan_accelerate(d, ref, NULL, &report);
            double most = 1;
            for (int i = 0; i < s->nv; ++i) most = fmax(most, fabs(ref[i]));
            for (int i = 0; i < s->nv; ++i) CHECK_NEAR(out[i], ref[i], 1e-12 * most);
        }
    }
    return test_end();
}
