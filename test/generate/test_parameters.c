// SPDX-License-Identifier: BSD-3-Clause
// Model parameters as arguments of traces. At other parameter values a trace gives the result of the library for the
// file with these values, to 1e-12 of the largest result; its derivatives by parameters agree with differences. A
// parameter that cannot be an argument is rejected with its name and location.
#include "random_tree.h"
#include "sentences.h"
#include "test.h"

#include "generate/routine/routine_derivatives.h"
#include "generate/routine/parameter_arguments.h"
#include "generate/routine/runtime_reference.h"
#include "model/description.h"

#include <string.h>

static cardan_report report;

typedef struct test_case {
    cardan_description *   description, *parametric_description;
    cardan_model *         model, *traced;
    char                   path[500];
    cd_parameter_arguments inputs;
    cd_runtime_reference*  reference;
    cd_input_layout        in;
    double                 sample[4000], x[4000];
} test_case;

// A state in general position, with parameters changed by the relative amount `by`; 0: values of the parametric model.
static void fill(test_case* s, dice* d, double by, double* x)
{
    const cd_input_layout* in = &s->in;
    for (int i = 0; i < in->count; ++i) x[i] = dice_range(d, -1, 1);
    for (int i = 0; i < s->model->nq; ++i) x[in->q + i] = s->model->q_start[i] + 0.2 * x[in->q + i];
    cardan_model_normalize_position(s->model, x + in->q);
    for (int i = 0; i < in->np; ++i) {
        const double nominal = s->inputs.nominal[i], part = by * dice_range(d, -1, 1);
        x[in->p + i] = by == 0        ? cd_parametric_input_values(s->parametric_description->parametric)[i]
                       : nominal != 0 ? nominal * (1 + part)
                                      : fabs(part);
    }
}

static bool find_state(test_case* s, dice* d, double by, double* x)
{
    for (int i = 0; i < 6; ++i) {
        fill(s, d, by, x);
        x[s->in.time] *= pow(0.1, i);
        cardan_report_clear(&report);
        if (cd_runtime_reference_assemble(s->reference, &s->in, x, &report) == CARDAN_OK) return true;
    }
    return false;
}

static bool open_case(test_case* s, const char* file, const char* parameters, dice* d)
{
    memset(s, 0, sizeof *s);
    snprintf(s->path, sizeof s->path, "%s/%s", CARDAN_SOURCE, file);
    cardan_generate_options options = cardan_generate_options_default();
    options.path                    = s->path;
    options.parameters              = parameters;
    if (cardan_description_load(s->path, NULL, &s->description, &report) != CARDAN_OK ||
        cardan_model_compile(s->description, CARDAN_TREE_BREADTH_FIRST, &s->model, &report) != CARDAN_OK ||
        cd_parameter_arguments_create(&options, s->model, &s->inputs, &report) != CARDAN_OK)
        return false;
    const cardan_model* m = s->model;
    s->in                 = (cd_input_layout){.v      = m->nq,
                                              .a      = m->nq + m->nv,
                                              .effort = m->nq + 2 * m->nv,
                                              .state  = m->nq + 3 * m->nv,
                                              .time   = m->nq + 3 * m->nv + m->nstate};
    s->in.p               = s->in.time + 1;
    s->in.np              = s->inputs.count;
    s->in.count           = s->in.p + s->in.np;
    s->in.trace_input     = s->sample;
    fill(s, d, 0.03, s->sample);
    return cd_runtime_reference_create(m, &s->inputs, &s->reference, &report) == CARDAN_OK &&
           cd_parameter_arguments_load(&s->inputs, s->sample + s->in.p, true, &s->parametric_description, &s->traced,
                                       &report) == CARDAN_OK &&
           find_state(s, d, 0, s->sample);
}

static void close_case(test_case* s)
{
    cd_runtime_reference_destroy(s->reference);
    cd_parameter_arguments_release(&s->inputs);
    cardan_model_destroy(s->model), cardan_model_destroy(s->traced);
    cardan_description_destroy(s->description), cardan_description_destroy(s->parametric_description);
}

static double relative_difference(int n, const double* a, const double* b)
{
    double error = 0, largest = 0;
    for (int i = 0; i < n; ++i) {
        error   = isfinite(a[i]) ? fmax(error, fabs(a[i] - b[i])) : INFINITY;
        largest = fmax(largest, fabs(b[i]));
    }
    return error / (largest > 0 ? largest : 1);
}

static void test_values(test_case* s, const cd_routine* routine, double tolerance, dice* d)
{
    const int n        = cd_derivative_weight_count(s->model, routine);
    double *  expected = calloc((size_t)n + 1, sizeof *expected), *value = calloc((size_t)n + 1, sizeof *value);
    cd_node*  node  = calloc((size_t)n + 1, sizeof *node);
    cd_graph* graph = NULL;
    CHECK(cd_runtime_reference_set_state(s->reference, &s->in, s->sample) == CARDAN_OK);
    CHECK(routine->reference(s->reference, &s->in, s->sample, expected, &report) == CARDAN_OK);
    CHECK(cd_trace_cheapest(s->traced, routine, &s->in, (cd_trace_search){.regroup = true, .expected = expected},
                            &graph, n, node) == CARDAN_OK);
    cd_tape* tape = cd_tape_create(graph, n, node);
    double*  work = calloc((size_t)cd_tape_work(tape) + 1, sizeof *work);
    for (int k = 0; k < 3; ++k) {
        CHECK(find_state(s, d, 0.05, s->x));
        CHECK(cd_runtime_reference_set_state(s->reference, &s->in, s->x) == CARDAN_OK);
        CHECK(routine->reference(s->reference, &s->in, s->x, expected, &report) == CARDAN_OK);
        cd_tape_run(tape, s->x, work, value);
        const double error = relative_difference(n, value, expected);
        if (error > tolerance) printf("%s: %s: relative difference %.3g\n", s->model->view.name, routine->form, error);
        CHECK(error <= tolerance);
    }
    cd_tape_destroy(tape);
    cd_graph_destroy(graph);
    free(work), free(expected), free(value), free(node);
}

// Derivatives by parameter c as differences of sixth order of the library. Returns a bound of their round-off.
static double difference(test_case* s, const cd_routine_derivative* derived, int c, double* f, double* derivative)
{
    static const double factor[] = {45, -9, 1};
    double*             p        = s->x + s->in.p + c;
    const double        original = *p, h = 2e-3 * (original != 0 ? fabs(original) : 1);
    double              largest = 0;
    memset(derivative, 0, (size_t)derived->nbase_output * sizeof *derivative);
    for (int k = 0; k < 6; ++k) {
        const int side = k % 2 ? -1 : 1, multiple = k / 2 + 1;
        *p = original + side * multiple * h;
        CHECK(cd_derivative_base_reference(derived, &s->in, s->reference, s->x, f, &report) == CARDAN_OK);
        for (int i = 0; i < derived->nbase_output; ++i)
            derivative[i] += side * factor[multiple - 1] * f[i] / (60 * h), largest = fmax(largest, fabs(f[i]));
    }
    *p = original;
    return 1e-13 * largest / h;
}

static void test_derivatives(test_case* s, const cd_routine* routine, double tolerance, dice* d)
{
    cd_routine parametric_routine = *routine;
    parametric_routine.arguments |= CD_TAKES_P;
    const cd_derivative_request request = {
        .base = &parametric_routine, .arguments = CD_TAKES_P, .regroup = true, .dense = true};
    cd_graph*         graph = NULL;
    cd_traced_routine t;
    CHECK(cd_derive_routine(s->traced, &request, &s->in, s->reference, 0, &graph, &t, &report) == CARDAN_OK);
    cd_tape*     tape = cd_tape_create(graph, t.noutput, t.output);
    const size_t n = (size_t)t.derivative->nbase_output, np = (size_t)s->in.np;
    double *     work = calloc((size_t)cd_tape_work(tape) + 1, sizeof *work), *J = calloc(n * np + 1, sizeof *J),
           *f = calloc(2 * n + 2, sizeof *f), *derivative = f + n + 1; // after the values of the routine
    CHECK(find_state(s, d, 0.05, s->x));
    cd_tape_run(tape, s->x, work, J);
    for (int c = 0; c < s->in.np; ++c) {
        const double roundoff = difference(s, t.derivative, c, f, derivative);
        double       error = 0, largest = 0;
        for (size_t i = 0; i < n; ++i) {
            error =
                isfinite(J[i * np + (size_t)c]) ? fmax(error, fabs(J[i * np + (size_t)c] - derivative[i])) : INFINITY;
            largest = fmax(largest, fabs(derivative[i]));
        }
        if (error > tolerance * largest + roundoff)
            printf("%s: %s by %s: difference %.3g, largest value %.3g, round-off %.3g\n", s->model->view.name,
                   routine->form, s->inputs.name[c], error, largest, roundoff);
        CHECK(error <= tolerance * largest + roundoff);
    }
    free(work), free(J), free(f);
    cd_tape_destroy(tape);
    cd_graph_destroy(graph);
    free(t.output), free(t.full_index), free(t.matrix_index);
    cd_routine_derivative_release(t.derivative);
}

static bool is_listed(const char* list, const char* word)
{
    const char*  at = strstr(list, word);
    const size_t n  = strlen(word);
    return at && (at == list || at[-1] == ' ') && (at[n] == ' ' || at[n] == 0);
}

static void compare(const char* file, const char* parameters, const char* forms, double tolerance)
{
    static test_case s;
    dice             d = {.state = 7};
    if (!open_case(&s, file, parameters, &d)) {
        printf("%s: %s\n", file, report.count > 0 ? report.message[0].text : "no state");
        CHECK(false);
    } else {
        for (int i = 0; i < cd_routine_count(); ++i) {
            const cd_routine* routine = cd_routine_at(i);
            if (!is_listed(forms, routine->form)) continue;
            test_values(&s, routine, tolerance, &d);
            test_derivatives(&s, routine, 1e-9, &d);
        }
    }
    close_case(&s);
}

// Check the message that rejects a parameter.
static void test_rejected(const char* file, const char* parameters, const char* parts)
{
    static test_case s;
    dice             d = {.state = 7};
    cardan_report_clear(&report);
    CHECK(!open_case(&s, file, parameters, &d));
    CHECK_CASE(&report, parameters, parts);
    close_case(&s);
}

int main(void)
{
    // trees: lengths, masses, directions of axes
    RUN(compare("models/cart_pole", "length,cart,ball", "impl mass semi exp1 exp2 motion rate energy markers impl_d",
                1e-12));
    RUN(compare("models/double_pendulum", "l1,l2", "impl exp2 motion energy", 1e-12));
    RUN(compare("models/door", "width,height,lean", "impl exp1 energy markers", 1e-12));
    // loops
    RUN(compare("models/four_bar", "a,b,c,d", "motion rate energy", 1e-12));
    RUN(compare("models/slider_crank", "r,l", "motion", 1e-12));
    RUN(compare("models/governor", "ball,k,c,arm", "motion rate", 1e-12));
    RUN(compare("models/driven_slider", "crank,rod,speed", "motion", 1e-12));
    RUN(compare("models/rolling_disc", "r,R", "motion", 1e-12));
    // suspensions: springs, dampers, tyres in formulas; parameters of templates, also of reflected ones
    RUN(compare("models/macpherson", "stiffness,preload,damping,tyre_stiffness,tyre_radius", "motion", 1e-12));
    RUN(compare("models/trailing_arm", "length,drop,torsion_bar,preload,roll_bar", "motion", 1e-12));
    RUN(compare("models/bushing_corner", "radial,axial,conical,torsional,loss", "motion", 1e-12));
    RUN(compare("models/hmmwv", "FL.p.stiffness,RR.p.damping,axle,upright", "motion", 1e-11));
    // worms, gears, shapes and densities; motors
    RUN(compare("models/shoulder/mechanism.yaml", "steel,module,arm_mass", "impl energy", 1e-12));
    RUN(compare("models/puma560", "motors", "impl motion", 1e-12));
    // parameters that determine the structure of a mechanism
    RUN(test_rejected("models/n_four_bar", "l,N", "n_four_bar.yaml:10:10: error|'N'"));
    RUN(test_rejected("models/door", "width,widht", "'widht'|'width'"));
    RUN(test_rejected("models/door", "width,width", "'width'"));
    RUN(test_sentences("test_parameters"));
    return test_end();
}
