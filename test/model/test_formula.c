// SPDX-License-Identifier: BSD-3-Clause
// Formulas of a description: signals they reference, values, and messages with their location in the file.
#include "sentences.h"
#include "test.h"

#include "model/description.h"

static cardan_description* d;
static cardan_report       report;

static void describe(void)
{
    d                = cardan_description_create("test");
    cardan_body  bob = cardan_body_default("bob"), arm = cardan_body_default("arm");
    const int    one = cardan_description_add_body(d, &bob), other = cardan_description_add_body(d, &arm);
    cardan_joint hinge      = cardan_joint_default("hinge", "revolute", CARDAN_GROUND, one);
    hinge.location          = (cardan_location){"file.yaml", 12, 3};
    cardan_joint ball       = cardan_joint_default("left-ball", "spherical", one, other);
    cardan_joint glue       = cardan_joint_default("glue", "fixed", one, other);
    cardan_joint other_type = cardan_joint_default("riddle", "unheard-of", one, other);
    cardan_description_add_joint(d, &hinge);
    cardan_description_add_joint(d, &ball);
    cardan_description_add_joint(d, &glue);
    cardan_description_add_joint(d, &other_type);
    cardan_description_add_marker(d, &(cardan_marker){.name = "FL.tip", .body = one, .pose = cardan_pose_default()});
    cardan_description_add_parameter(d, &(cardan_parameter){.name = "omega", .value = 2.5});
    cardan_description_add_state(d, &(cardan_user_state){.name = "filter", .rate = CARDAN_NONE});
    const double x[] = {0, 1, 2}, y[] = {0, 10, 40};
    cardan_description_add_table(
        d, &(cardan_table){.name = "spring", .count = 3, .x = x, .y = y, .interpolation = CARDAN_INTERPOLATION_LINEAR});
}

static const cardan_location here = {"file.yaml", 30, 10};

static cardan_expression parsed(const char* formula)
{
    cardan_expression expression = CARDAN_NONE;
    cardan_report_clear(&report);
    const cardan_status status = cardan_description_parse(d, formula, here, &expression, &report);
    CHECK(status == CARDAN_OK);
    if (report.count) printf("%s\n", report.message[0].text);
    return expression;
}

// The formula is one signal.
static void check_signal(const char* formula, cardan_signal_kind kind, int a, int b, int component)
{
    const cardan_expression expression = parsed(formula);
    if (expression < 0) return;
    CHECK(cd_node_operation(d->graph, expression) == CD_INPUT);
    const cardan_signal signal = d->signal[cd_node_index(d->graph, expression)];
    const bool          same   = signal.kind == kind && signal.a == a && signal.b == b && signal.component == component;
    if (!same) printf("%s: %d %d %d %d\n", formula, (int)signal.kind, signal.a, signal.b, signal.component);
    CHECK(same);
}

static void check_rejected(const char* formula, const char* parts)
{
    cardan_expression expression = 0;
    cardan_report_clear(&report);
    CHECK(cardan_description_parse(d, formula, here, &expression, &report) == CARDAN_BAD_INPUT);
    CHECK(expression == CARDAN_NONE);
    CHECK(report.errors == 1);
    CHECK_CASE(&report, formula, parts);
}

static void check_number_rejected(const char* formula, const char* parts)
{
    double value;
    cardan_report_clear(&report);
    CHECK(cardan_description_parse_number(d, formula, here, &value, &report) == CARDAN_BAD_INPUT);
    CHECK_CASE(&report, formula, parts);
}

static void test_signals(void)
{
    const int bob = cardan_description_find_marker(d, "bob"), arm = cardan_description_find_marker(d, "arm"),
              tip    = cardan_description_find_marker(d, "FL.tip");
    const int ground = cardan_description_find_marker(d, "ground");
    check_signal("t", CARDAN_SIGNAL_TIME, -1, -1, 0);
    check_signal("filter", CARDAN_SIGNAL_STATE, 0, -1, 0);
    check_signal("q(hinge)", CARDAN_SIGNAL_COORDINATE, 0, -1, 0);
    check_signal("v(hinge)", CARDAN_SIGNAL_SPEED, 0, -1, 0);
    check_signal("q(left-ball, 4)", CARDAN_SIGNAL_COORDINATE, 1, -1, 3);
    check_signal("v('left-ball', 1 + 2)", CARDAN_SIGNAL_SPEED, 1, -1, 2);
    check_signal("x(bob)", CARDAN_SIGNAL_POSITION, bob, -1, 0);
    check_signal("y(FL.tip)", CARDAN_SIGNAL_POSITION, tip, -1, 1);
    check_signal("z(bob, arm)", CARDAN_SIGNAL_POSITION, bob, arm, 2);
    check_signal("z(bob, ground)", CARDAN_SIGNAL_POSITION, bob, -1, 2);
    check_signal("z(ground, bob)", CARDAN_SIGNAL_POSITION, ground, bob, 2);
    check_signal("vx(bob)", CARDAN_SIGNAL_VELOCITY, bob, -1, 0);
    check_signal("vy(bob)", CARDAN_SIGNAL_VELOCITY, bob, -1, 1);
    check_signal("vz(bob, arm)", CARDAN_SIGNAL_VELOCITY, bob, arm, 2);
    check_signal("wx(arm)", CARDAN_SIGNAL_ANGULAR_VELOCITY, arm, -1, 0);
    check_signal("wy(arm)", CARDAN_SIGNAL_ANGULAR_VELOCITY, arm, -1, 1);
    check_signal("wz(arm)", CARDAN_SIGNAL_ANGULAR_VELOCITY, arm, -1, 2);
    check_signal("distance(bob, arm)", CARDAN_SIGNAL_DISTANCE, bob, arm, 0);
    check_signal("distance(ground, arm)", CARDAN_SIGNAL_DISTANCE, arm, -1, 0);
    check_signal("distance(arm, ground)", CARDAN_SIGNAL_DISTANCE, arm, -1, 0);
    check_signal("speed(arm, bob)", CARDAN_SIGNAL_DISTANCE_RATE, bob, arm, 0);
    check_signal("angle(bob, arm)", CARDAN_SIGNAL_ANGLE, bob, arm, 2);
    check_signal("angle(arm, ground, x)", CARDAN_SIGNAL_ANGLE, arm, -1, 0);
    const int count = d->nsignal;
    CHECK(parsed("distance(bob, arm)") == parsed("distance(arm, bob)"));
    CHECK(parsed("-2*v(hinge) + sin(3*t)") == parsed("sin(t*3) - v( hinge )*2"));
    CHECK(d->nsignal == count);
}

static void test_values(void)
{
    double value;
    cardan_report_clear(&report);
    CHECK(cardan_description_parse_number(d, "omega^2 + pi*0", here, &value, &report) == CARDAN_OK);
    CHECK_NEAR(value, 6.25, 0);
    CHECK(cardan_description_parse_number(d, "spring(1.5)", here, &value, &report) == CARDAN_OK);
    CHECK_NEAR(value, 25, 1e-15);
    CHECK(cardan_description_parse_number(d, "if(omega > 2, 1, 1/0)", here, &value, &report) == CARDAN_OK);
    CHECK_NEAR(value, 1, 0);

    const cardan_expression force = parsed("-spring(q(hinge)) - omega*v(hinge)");
    double                  input[100];
    for (int i = 0; i < d->nsignal; ++i) input[i] = d->signal[i].kind == CARDAN_SIGNAL_SPEED ? 3 : 0.5;
    CHECK(cd_node_evaluate(d->graph, force, input, &value) == CARDAN_OK);
    CHECK_NEAR(value, -5 - 7.5, 1e-15);
}

// The column of a message is that of the formula plus the position of the error in the formula.
static void test_messages(void)
{
    check_rejected("2*omga", "file.yaml:30:12: error|'omga'|'omega'");
    check_rejected("1 + q(hing)", "file.yaml:30:16: error|'hing'|'hinge'|12");
    check_rejected("v(elbow)", "file.yaml:30:12: error|'elbow'");
    check_rejected("x(FL.tipp)", "file.yaml:30:12: error|'FL.tipp'|'FL.tip'");
    check_rejected("z(bob, rm)", "file.yaml:30:17: error|'rm'|'arm'");
    check_rejected("q(hinge, 0)", "file.yaml:30:19: error|'0'|1");
    check_rejected("v(left-ball, 4)", "file.yaml:30:23: error|'4'|1|3");
    check_rejected("q(left-ball, 1.5)", "file.yaml:30:23: error|'1.5'|1|4");
    check_rejected("q(glue)", "file.yaml:30:12: error|'glue'");
    check_rejected("q(riddle, 8)", "file.yaml:30:20: error|'8'|1|7");
    check_rejected("q(hinge, j)", "file.yaml:30:19: error|'j'");
    check_rejected("q()", "file.yaml:30:10: error|1|2|0");
    check_rejected("distance(bob)", "file.yaml:30:10: error|2|1");
    check_rejected("x(bob, bob)", "file.yaml:30:12: error|'bob'");
    check_rejected("angle(bob, arm, w)", "file.yaml:30:26: error|'w'");
    check_rejected("2*hinge", "file.yaml:30:12: error|'hinge'");
    check_rejected("2*bob", "file.yaml:30:12: error|'bob'");
    check_rejected("spring + 1", "file.yaml:30:10: error|'spring'");
    check_rejected("v + 1", "file.yaml:30:10: error|'v'");
    check_rejected("sprin(1)", "file.yaml:30:10: error|'sprin'|'spring'");
    check_rejected("spring(q(hing))", "file.yaml:30:19: error|'hing'|'hinge'|12");
    check_rejected("1/0", "file.yaml:30:10: error");
    check_rejected("'\xcf\x89\xcf\x89' + omga", "file.yaml:30:10: error|'\xcf\x89\xcf\x89'");
}

// Columns count characters, not bytes.
static void test_columns_of_characters(void)
{
    cardan_description_add_parameter(d, &(cardan_parameter){.name = "\xcf\x89", .value = 1});
    check_rejected("'\xcf\x89'*omga", "file.yaml:30:14: error|'omga'|'omega'");
}

static void test_numbers_only(void)
{
    check_number_rejected("2*t", "file.yaml:30:12: error|'t'");
    check_number_rejected("filter", "file.yaml:30:10: error|'filter'");
    check_number_rejected("q(hinge)", "file.yaml:30:10: error|'q'");
    check_number_rejected("log(0)", "file.yaml:30:10: error");
    check_number_rejected("omega + ", "file.yaml:30:18: error|'+'");
}

// Without a file location, the message quotes the formula.
static void test_no_location(void)
{
    cardan_expression expression;
    cardan_report_clear(&report);
    CHECK(cardan_description_parse(d, "2*omga", cardan_location_none(), &expression, &report) == CARDAN_BAD_INPUT);
    CHECK_CASE(&report, "without a file", "error: |'2*omga'|3|'omga'|'omega'");
    CHECK(cardan_description_parse(d, "2*omga", cardan_location_none(), &expression, NULL) == CARDAN_BAD_INPUT);
}

int main(void)
{
    describe();
    RUN(test_signals());
    RUN(test_values());
    RUN(test_messages());
    RUN(test_columns_of_characters());
    RUN(test_numbers_only());
    RUN(test_no_location());
    cardan_description_destroy(d);
    RUN(test_sentences("test_formula"));
    return test_end();
}
