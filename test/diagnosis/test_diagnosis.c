// SPDX-License-Identifier: BSD-3-Clause
// Diagnosis of models/diagnosis, where each mechanism has one defect, and of correct mechanisms: counts, reasons, and
// suggested joints, which are applied and diagnosed again.
#include "fixture.h"
#include "suggestion.h"

#include "diagnosis/diagnosis.h"

typedef struct examination {
    fixture           f;
    cardan_diagnosis* g;
    cardan_status     status;
} examination;

static void open_tree(examination* w, const char* path, const char* setting, const char* value,
                      cardan_tree_policy policy)
{
    const cardan_parameter_setting settings[1] = {{.name = setting, .value = value}};
    *w                                         = (examination){0};
    if (!fixture_open(&w->f, path, "dense", setting ? 1 : 0, settings)) return;
    if (policy != CARDAN_TREE_BREADTH_FIRST) {
        cardan_data_destroy(w->f.data);
        cardan_model_destroy(w->f.model);
        w->f.model = NULL;
        w->f.data  = NULL;
        CHECK(cardan_model_compile(w->f.description, policy, &w->f.model, &w->f.report) == CARDAN_OK);
        CHECK(cardan_data_create(w->f.model, cardan_formulation_find("dense"), &w->f.data, &w->f.report) == CARDAN_OK);
        w->f.m = cardan_model_get_view(w->f.model);
    }
    w->status = cardan_diagnosis_create(w->f.data, &w->g, &w->f.report);
    CHECK(w->g != NULL);
}

static void open_model(examination* w, const char* path) { open_tree(w, path, NULL, NULL, CARDAN_TREE_BREADTH_FIRST); }

static void close_model(examination* w)
{
    cardan_diagnosis_destroy(w->g);
    fixture_close(&w->f);
}

// The last error or warning, or the first message if all are notes; an empty one if there is none.
static const cardan_message* last_message(const examination* w)
{
    static const cardan_message none = {0};
    int                         last = w->f.report.count - 1;
    while (last > 0 && w->f.report.message[last].severity == CARDAN_NOTE) --last;
    return last >= 0 ? &w->f.report.message[last] : &none;
}

// Counts of a mechanism without errors.
static void check_counts(const examination* w, int dof, int redundant, int loops)
{
    CHECK(w->status == CARDAN_OK);
    CHECK(w->g->rank_computed);
    CHECK(w->g->assemblable);
    if (w->g->dof != dof || w->g->redundant != redundant) printf("dof %d, redundant %d\n", w->g->dof, w->g->redundant);
    CHECK(w->g->dof == dof);
    CHECK(w->g->redundant == redundant);
    CHECK(w->g->rank == w->f.m.nv - dof);
    CHECK(w->g->rank_at_state == w->g->rank);
    CHECK(w->g->nloop_total == loops && w->g->nloop == loops);
    int redundant_in_loops = 0;
    for (int l = 0; l < w->g->nloop; ++l) redundant_in_loops += w->g->loop[l].redundant;
    CHECK(redundant_in_loops == redundant);
}

static void test_four_bar(void)
{
    examination w;
    open_model(&w, "models/four_bar");
    check_counts(&w, 1, 3, 1);
    CHECK(w.g->nrow == 5);
    CHECK(w.g->rank == 2);
    CHECK(w.g->nconfiguration >= 4);
    CHECK_TEXT(w.g->loop[0].path, "ground -A- crank -B- coupler -C- rocker -D- ground");
    CHECK_TEXT(cardan_model_joint_name(w.f.model, w.g->loop[0].closing_joint), "D");
    CHECK_SENTENCE(w.g->loop[0].reason, "(z)");
    CHECK_SENTENCE(w.g->loop[0].indeterminate, " z", " x", " y", " A", " D");
    CHECK_SUGGESTION(w.f.description, w.g->loop[0].suggested_joints, "C spherical D cylindrical");
    CHECK(w.g->translation_violation < 1e-11);
    close_model(&w);
}

// Each cell has two redundant equations, for every spanning tree.
static void test_ladder(int cells, cardan_tree_policy policy)
{
    examination w;
    char        count[16];
    snprintf(count, sizeof count, "%d", cells);
    open_tree(&w, "models/diagnosis/ladder.yaml", "cells", count, policy);
    check_counts(&w, 2, 2 * cells, cells);
    for (int l = 0; l < cells && l < w.g->nloop; ++l) {
        char expected[64], terms[SUGGESTION_LENGTH];
        snprintf(expected, sizeof expected, "right%d spherical", l + 1);
        CHECK(w.g->loop[l].njoint == 4);
        CHECK(w.g->loop[l].redundant == 2);
        CHECK_SENTENCE(w.g->loop[l].reason, "(x)", "(0, 0.9");
        suggestion_terms(w.f.description, w.g->loop[l].suggested_joints, terms);
        CHECK_TEXT(terms, expected);
    }
    CHECK_TEXT(w.g->loop[0].path, "ground -top0- rail0 -left1- rung1 -right1- rail1 -top1- ground");
    close_model(&w);
}

// The third bar has one redundant equation more than the three of a planar loop: the suggestion removes it.
static void test_third_bar(cardan_tree_policy policy)
{
    examination w;
    open_tree(&w, "models/diagnosis/parallelogram.yaml", NULL, NULL, policy);
    check_counts(&w, 1, 7, 2);
    CHECK(w.g->loop[1].redundant == 4);
    CHECK_TEXT(w.g->loop[1].path, "ground -A- left -B- coupler -F- middle -E- ground");
    CHECK_SENTENCE(w.g->loop[1].reason, "(z)", "loops 1 and 2");
    CHECK_SENTENCE(w.g->loop[1].indeterminate, " z", " x", " y", "A, B, F and E", "(0.54, 0.841, 0)");
    CHECK_SUGGESTION(w.f.description, w.g->loop[1].suggested_joints, "middle");
    close_model(&w);
}

static void test_cannot_close(void)
{
    examination w;
    open_tree(&w, "models/diagnosis/parallelogram.yaml", "long", "1.1", CARDAN_TREE_BREADTH_FIRST);
    CHECK(w.status == CARDAN_INCONSISTENT);
    CHECK(!w.g->assemblable && !w.g->rank_computed);
    CHECK_NEAR(w.g->translation_violation, 0.1, 1e-9);
    CHECK(w.g->translation_violation_after > 0.01 && w.g->translation_violation_after < 0.1);
    CHECK_MESSAGE(last_message(&w), CARDAN_CODE_INCONSISTENT_CONSTRAINTS,
                  "parallelogram.yaml:25:3: error: ", "ground -A- left -B- coupler -F- middle -E- ground", "t = 0 s",
                  "joint 'F'", "0.0801 m", "joint 'C'", "0.0399 m");
    close_model(&w);

    open_model(&w, "models/diagnosis/too_short.yaml"); // 1 + 1 + 1 m bridge 3 of 4 m
    CHECK(w.status == CARDAN_INCONSISTENT);
    CHECK_NEAR(w.g->translation_violation_after, 1, 1e-5);
    CHECK_MESSAGE(last_message(&w), CARDAN_CODE_INCONSISTENT_CONSTRAINTS,
                  "ground -A- crank -B- coupler -C- rocker -D- ground", "t = 0 s", "joint 'C'", " 1 m");
    close_model(&w);
}

static void test_singular(cardan_tree_policy policy)
{
    examination w;
    open_tree(&w, "models/diagnosis/flat_parallelogram.yaml", NULL, NULL, policy);
    CHECK(w.status == CARDAN_SINGULAR);
    CHECK(w.g->dof == 1 && w.g->redundant == 3);
    CHECK(w.g->rank == w.g->rank_at_state + 1);
    CHECK_MESSAGE(last_message(&w), CARDAN_CODE_SINGULAR_CONFIGURATION, "D, A, B and C", "t = 0 s", "2 ", " 1",
                  "loop 1");
    CHECK_SENTENCE(w.g->loop[0].reason, "(z)");
    close_model(&w);

    open_tree(&w, "models/diagnosis/stretched.yaml", NULL, NULL, policy);
    CHECK(w.status == CARDAN_SINGULAR);
    CHECK(w.g->dof == 1 && w.g->rank == w.g->rank_at_state && w.g->nconfiguration == 1 && w.g->infinitesimally_mobile);
    CHECK_MESSAGE(last_message(&w), CARDAN_CODE_SINGULAR_CONFIGURATION, "C, A and B", "t = 0 s", "1 ");
    CHECK_TEXT(w.g->loop[0].suggested_joints, "");
    close_model(&w);
}

static void test_no_defect(void)
{
    examination w;
    open_model(&w, "models/diagnosis/rssr.yaml");
    check_counts(&w, 2, 0, 1);
    CHECK_TEXT(w.g->loop[0].reason, "");
    CHECK_TEXT(w.g->loop[0].indeterminate, "");
    CHECK_MESSAGE(last_message(&w), CARDAN_CODE_FREE_BODY_MOTION, "note: ", "body 'coupler'", "(0.854, 0.513, 0.0854)");
    close_model(&w);

    open_model(&w, "models/diagnosis/stewart.yaml");
    check_counts(&w, 6, 0, 5);
    CHECK(w.f.report.count == 0);
    CHECK(w.g->loop[4].njoint == 6);
    close_model(&w);

    open_model(&w, "models/double_pendulum");
    check_counts(&w, 2, 0, 0);
    close_model(&w);
}

// reason, indeterminate: texts of the sentences, of which the last is NULL; suggested: terms of the suggested joints.
static void test_one(const char* path, int dof, int redundant, const char* const reason[6],
                     const char* const indeterminate[6], const char* suggested)
{
    examination w;
    open_model(&w, path);
    check_counts(&w, dof, redundant, 1);
    sentence_check(__FILE__, __LINE__, w.g->loop[0].reason, reason);
    sentence_check(__FILE__, __LINE__, w.g->loop[0].indeterminate, indeterminate);
    CHECK_SUGGESTION(w.f.description, w.g->loop[0].suggested_joints, suggested);
    close_model(&w);
}

#define TEXTS(...) ((const char* const[6]){__VA_ARGS__})

static void test_reasons(void)
{
    test_one("models/diagnosis/door.yaml", 1, 5, TEXTS("(z)"), TEXTS(" x", " y", "upper", "lower"), "lower");
    test_one("models/diagnosis/spherical.yaml", 1, 3, TEXTS("(0, 0, 1)"), TEXTS(NULL), "C spherical D cylindrical");
    test_one("models/diagnosis/slider_crank.yaml", 1, 3, TEXTS(" y"), TEXTS(" y", " x", " z", " A", " D"),
             "B spherical D cylindrical");
    test_one("models/diagnosis/slides.yaml", 2, 4, TEXTS(" z"), TEXTS(" z", " P", " S"), "c");
    test_one("models/diagnosis/two_balls.yaml", 1, 1, TEXTS(" A", " B"), TEXTS(" x", " A", " B"), "");
    test_one("models/diagnosis/welded_twice.yaml", 1, 6, TEXTS(NULL), TEXTS("weld", "weld_2"), "weld_2");
    test_one("models/diagnosis/frame.yaml", 0, 3, TEXTS(NULL), TEXTS(NULL), "B spherical C cylindrical");
    test_one("models/diagnosis/bennett.yaml", 1, 3, TEXTS("4 axes", "3 of 6"), TEXTS(NULL),
             "C spherical D cylindrical");
    test_one("models/diagnosis/sarrus.yaml", 1, 1, TEXTS(" z"), TEXTS(" z", "A, B, C, F, E and D"), "F universal z");
}

// A hinge gets the suggested second axis: no equation is redundant, and the plate moves as before.
static void test_second_axis(void)
{
    examination w;
    open_model(&w, "models/diagnosis/sarrus.yaml");
    const cardan_description_view view = cardan_description_get_view(w.f.description);
    cardan_joint*                 F    = (cardan_joint*)&view.joint[5];
    // about its axis, z of its frame, and then about z of the world in the design configuration
    F->type          = "general";
    F->nelementary   = 2;
    F->elementary[0] = (cardan_elementary_joint){.axis = {0, 0, 1}};
    const double *e = F->frame_first.q, w0 = e[0], x = e[1], y = e[2], z = e[3];
    F->elementary[1] = (cardan_elementary_joint){
        .axis = {2 * (x * z - w0 * y), 2 * (y * z + w0 * x), 1 - 2 * (x * x + y * y)}}; // R'ez
    cardan_model*     m    = NULL;
    cardan_data*      data = NULL;
    cardan_diagnosis* g    = NULL;
    CHECK(cardan_model_compile(w.f.description, CARDAN_TREE_BREADTH_FIRST, &m, &w.f.report) == CARDAN_OK);
    CHECK(cardan_data_create(m, cardan_formulation_find("dense"), &data, &w.f.report) == CARDAN_OK);
    CHECK(cardan_diagnosis_create(data, &g, &w.f.report) == CARDAN_OK);
    CHECK(g->dof == 1 && g->redundant == 0);
    cardan_diagnosis_destroy(g);
    cardan_data_destroy(data);
    cardan_model_destroy(m);
    close_model(&w);
}

// Extra constraints are redundant or inconsistent, too.
static void test_extra_constraints(cardan_tree_policy policy)
{
    examination w;
    open_tree(&w, "models/diagnosis/tied.yaml", NULL, NULL, policy);
    CHECK(w.status == CARDAN_OK);
    CHECK(w.g->dof == 0 && w.g->redundant == 5 && w.g->driven == 2);
    CHECK(w.g->nconfiguration >= 4); // without the drivers
    CHECK(w.g->loop[0].redundant == 3);
    CHECK(w.g->nextra == 3);
    int counted = 0;
    for (int i = 0; i < w.g->nextra; ++i) counted += w.g->extra[i].nrow - w.g->extra[i].redundant;
    CHECK(counted == 1);
    CHECK_SENTENCE(w.g->indeterminate, " rod", " A and D");
    close_model(&w);

    open_tree(&w, "models/diagnosis/tied.yaml", "rate", "2", policy);
    CHECK(w.status == CARDAN_INCONSISTENT);
    CHECK_MESSAGE(last_message(&w), CARDAN_CODE_INCONSISTENT_CONSTRAINTS, "tied.yaml:17:3: error: ", "t = 0 s",
                  "driver of 'A'", "driver of 'D'");
    close_model(&w);

    open_model(&w, "models/gear_pair");
    CHECK(w.status == CARDAN_OK);
    CHECK(w.g->dof == 1 && w.g->redundant == 0 && w.g->nloop_total == 0 && w.g->nextra == 1);
    CHECK_TEXT(w.g->extra[0].type, "gear");
    CHECK_TEXT(w.g->extra[0].name, "mesh");
    close_model(&w);

    open_model(&w, "models/rolling_disc");
    CHECK(w.status == CARDAN_OK);
    CHECK(w.g->dof == 3 && w.g->redundant == 0);
    close_model(&w);
}

// Change the joints of a description as a sentence suggests.
static int apply(cardan_description* description, const char* sentence)
{
    char terms[SUGGESTION_LENGTH];
    suggestion_terms(description, sentence, terms);
    return suggestion_apply(description, terms);
}

// With the suggested joints no equation is redundant, the degrees of freedom are the same, and all reactions are
// unique.
static void test_suggestion(const char* path, int changed)
{
    examination w;
    open_model(&w, path);
    int       done = 0;
    const int dof  = w.g->dof;
    CHECK(w.g->redundant > 0);
    for (int l = 0; l < w.g->nloop; ++l) done += apply(w.f.description, w.g->loop[l].suggested_joints);
    CHECK(done == changed);
    cardan_diagnosis_destroy(w.g);
    cardan_data_destroy(w.f.data);
    cardan_model_destroy(w.f.model);
    w.g       = NULL;
    w.f.data  = NULL;
    w.f.model = NULL;
    CHECK(cardan_model_compile(w.f.description, CARDAN_TREE_BREADTH_FIRST, &w.f.model, &w.f.report) == CARDAN_OK);
    CHECK(cardan_data_create(w.f.model, cardan_formulation_find("dense"), &w.f.data, &w.f.report) == CARDAN_OK);
    w.f.m    = cardan_model_get_view(w.f.model);
    w.status = cardan_diagnosis_create(w.f.data, &w.g, &w.f.report);
    CHECK(w.g->redundant == 0);
    CHECK(w.g->dof == dof);
    double          a[64];
    cardan_reaction reaction[64];
    CHECK(cardan_data_accelerate(w.f.data, a, NULL, &w.f.report) == CARDAN_OK);
    CHECK(cardan_data_reactions(w.f.data, a, reaction) == CARDAN_OK);
    for (int j = 0; j < w.f.m.njoint; ++j) CHECK(reaction[j].unique);
    close_model(&w);
}

// The rank by the sparse method, without singular values, is the same.
static void test_sparse_rank(const char* path, const char* setting, const char* value, cardan_tree_policy policy)
{
    examination w;
    int         rank = -1;
    open_tree(&w, path, setting, value, policy);
    bool counted = false;
    CHECK(cd_sparse_rank(w.f.data, &rank, &counted) && counted);
    if (rank != w.g->rank_at_state) printf("%s, policy %d: %d, not %d\n", path, (int)policy, rank, w.g->rank_at_state);
    CHECK(rank == w.g->rank_at_state);
    close_model(&w);
}

// Too large for singular values: rank and reasons of the loops are computed.
static void test_large(void)
{
    examination w;
    open_tree(&w, "models/diagnosis/ladder.yaml", "cells", "150", CARDAN_TREE_BREADTH_FIRST);
    check_counts(&w, 2, 300, 150);
    CHECK(!w.g->neighbours_sampled);
    CHECK_SENTENCE(w.g->loop[149].reason, "(x)");
    CHECK_SENTENCE(w.g->configuration_description, "");
    close_model(&w);
}

// The state of the data does not change.
static void test_state_kept(void)
{
    fixture           f;
    cardan_diagnosis* g = NULL;
    double            before[8], after[8];
    if (!fixture_open(&f, "models/four_bar", "dense", 0, NULL)) return;
    CHECK(cardan_data_accelerate(f.data, before, NULL, &f.report) == CARDAN_OK);
    CHECK(cardan_diagnosis_create(f.data, &g, &f.report) == CARDAN_OK);
    CHECK(cardan_data_accelerate(f.data, after, NULL, &f.report) == CARDAN_OK);
    for (int v = 0; v < f.m.nv; ++v) CHECK(before[v] == after[v]);
    cardan_diagnosis_destroy(g);
    fixture_close(&f);
}

int main(void)
{
    RUN(test_four_bar());
    RUN(test_ladder(1, CARDAN_TREE_BREADTH_FIRST));
    RUN(test_ladder(2, CARDAN_TREE_DEPTH_FIRST));
    RUN(test_ladder(5, CARDAN_TREE_BREADTH_FIRST));
    RUN(test_ladder(20, CARDAN_TREE_DEPTH_FIRST));
    RUN(test_third_bar(CARDAN_TREE_BREADTH_FIRST));
    RUN(test_third_bar(CARDAN_TREE_DEPTH_FIRST));
    RUN(test_cannot_close());
    RUN(test_singular(CARDAN_TREE_BREADTH_FIRST));
    RUN(test_singular(CARDAN_TREE_DEPTH_FIRST));
    RUN(test_no_defect());
    RUN(test_extra_constraints(CARDAN_TREE_BREADTH_FIRST));
    RUN(test_extra_constraints(CARDAN_TREE_MAXIMAL));
    RUN(test_reasons());
    RUN(test_second_axis());
    RUN(test_suggestion("models/four_bar", 2));
    RUN(test_suggestion("models/diagnosis/ladder.yaml", 4));
    RUN(test_suggestion("models/diagnosis/spherical.yaml", 2));
    RUN(test_suggestion("models/diagnosis/slider_crank.yaml", 2));
    RUN(test_suggestion("models/diagnosis/bennett.yaml", 2));
    RUN(test_suggestion("models/diagnosis/frame.yaml", 2));
    static const char* const every[] = {"models/four_bar",
                                        "models/diagnosis/parallelogram.yaml",
                                        "models/diagnosis/flat_parallelogram.yaml",
                                        "models/diagnosis/rssr.yaml",
                                        "models/diagnosis/stewart.yaml",
                                        "models/diagnosis/door.yaml",
                                        "models/diagnosis/spherical.yaml",
                                        "models/diagnosis/slides.yaml",
                                        "models/diagnosis/bennett.yaml",
                                        "models/diagnosis/welded_twice.yaml"};
    for (size_t i = 0; i < sizeof every / sizeof *every; ++i)
        for (int k = 0; k < 3; ++k) RUN(test_sparse_rank(every[i], NULL, NULL, (cardan_tree_policy)k));
    RUN(test_sparse_rank("models/diagnosis/ladder.yaml", "cells", "12", CARDAN_TREE_BREADTH_FIRST));
    RUN(test_sparse_rank("models/diagnosis/ladder.yaml", "cells", "12", CARDAN_TREE_MAXIMAL));
    RUN(test_large());
    RUN(test_state_kept());
    RUN(test_sentences("test_diagnosis"));
    return test_end();
}
