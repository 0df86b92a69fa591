// SPDX-License-Identifier: BSD-3-Clause
// Plots: rounded ticks, decimation that keeps extremes, missing values, and messages about values that cannot be
// plotted.
#include "draw/plot/plot.h"
#include "draw/plot/plot_results.h"
#include "sentences.h"
#include "xml_check.h"

#include <stdlib.h>

static cardan_report report;

static void test_rounded_numbers(void)
{
    CHECK_NEAR(cd_nice_below(7), 5, 0);
    CHECK_NEAR(cd_nice_below(0.0199), 0.01, 1e-16);
    CHECK_NEAR(cd_nice_below(2000), 2000, 0);
    CHECK_NEAR(cd_nice_above(7), 10, 0);
    CHECK_NEAR(cd_nice_above(2.1), 5, 0);
    CHECK_NEAR(cd_nice_above(1.1e-3), 2e-3, 1e-18);
    CHECK_NEAR(cd_nice_above(1), 1, 0);
    CHECK(cd_nice_below(0) == 0 && cd_nice_below(-1) == 0 && cd_nice_below(INFINITY) == 0);
}

static void check_ticks(double low, double high, int requested, const char* expected, const char* expected_note)
{
    cd_ticks t;
    char     text[400] = "", note[64];
    cd_ticks_linear(&t, low, high, requested);
    for (int i = 0; i < t.count; ++i) {
        CHECK(t.value[i] >= low - 1e-6 * (high - low) && t.value[i] <= high + 1e-6 * (high - low));
        strcat(strcat(text, i ? " " : ""), t.text[i]);
    }
    cd_ticks_note(&t, note, sizeof note);
    CHECK_TEXT(text, expected);
    CHECK_TEXT(note, expected_note);
}

static void test_linear_ticks(void)
{
    check_ticks(0, 10, 5, "0 2 4 6 8 10", "");
    check_ticks(-0.3, 0.3, 6, "\u22120.3 \u22120.2 \u22120.1 0.0 0.1 0.2 0.3", "");
    check_ticks(0, 0.0007, 4, "0 200 400 600", "\u00D710\u207B\u2076");
    check_ticks(-2.5e6, 1e6, 4, "\u22122 \u22121 0 1", "\u00D710\u2076");
    check_ticks(19.62, 19.62 + 3e-9, 4, "0 1 2 3", "\u00D710\u207B\u2079 + 19.62");
    check_ticks(-1000.002, -999.998, 4, "\u22120.002 \u22120.001 0.000 0.001 0.002", "\u2212 1000");
    check_ticks(0.05, 0.07, 2, "0.05 0.06 0.07", "");
    check_ticks(-5.4, 4.0, 2, "\u22125.0 \u22122.5 0.0 2.5", "");
    check_ticks(-4.9, 3.5, 2, "\u22122.5 0.0 2.5", "");
    check_ticks(-19.3, 24.3, 2, "\u221210 0 10 20", "");
    check_ticks(0.3, 4.6, 2, "1 2 3 4", "");
    check_ticks(-0.0004, 0.0007, 2, "\u2212250 0 250 500", "\u00D710\u207B\u2076");
}

static void check_log_ticks(double low, double high, int requested, const char* expected)
{
    cd_ticks t;
    char     text[400] = "";
    cd_ticks_log(&t, low, high, requested);
    for (int i = 0; i < t.count; ++i) strcat(strcat(text, i ? " " : ""), t.text[i]);
    CHECK_TEXT(text, expected);
}

static void test_log_ticks(void)
{
    check_log_ticks(8, 2048, 8, "10 20 50 100 200 500 1000 2000");
    check_log_ticks(1e-2, 1e3, 5, "0.01 0.1 1 10 100 1000");
    check_log_ticks(1e-9, 1e-3, 4, "10\u207B\u2078 10\u207B\u2076 10\u207B\u2074");
    check_log_ticks(1e6, 3e6, 8, "1.0 1.5 2.0 2.5 3.0");
    check_log_ticks(3, 17, 2, "5 10 15");
    check_log_ticks(3e-9, 3e-4, 1, "10\u207B\u2078 10\u207B\u2076 10\u207B\u2074");
}

// Every range has at least three ticks and few more, in ascending order inside the range.
static void test_ticks_of_random_ranges(void)
{
    for (int power = -300; power <= 300; power += 7)
        for (int k = 1; k < 10; ++k) {
            const double size = k * pow(10, power);
            cd_ticks     t;
            for (int requested = 1; requested <= 5; ++requested) {
                cd_ticks_linear(&t, -0.3 * size, size, requested);
                CHECK(t.count >= 3 && t.count <= (requested < 5 ? 6 : 8));
                for (int i = 1; i < t.count; ++i) CHECK(t.value[i] > t.value[i - 1]);
                if (power < -290 || power > 290) continue;
                cd_ticks_log(&t, size, size * (1 + k * k), requested);
                CHECK(t.count >= 3 && t.count <= 8);
                for (int i = 1; i < t.count; ++i) CHECK(t.value[i] > t.value[i - 1]);
            }
        }
}

static char* plot_text(const cd_plot* plot)
{
    cd_text svg = {0};
    cardan_report_clear(&report);
    CHECK(cd_plot_svg(plot, &svg, &report) == CARDAN_OK);
    char* text = cd_text_detach(&svg);
    CHECK_TEXT(xml_problem(text), "");
    return text;
}

static char* plot_one(long count, const double* x, const double* y, bool log)
{
    const cd_curve curve = {.name = "c", .count = count, .x = x, .y = y};
    const cd_panel panel = {.name = "angle", .unit = "rad", .log = log, .ncurve = 1, .curve = &curve};
    const cd_plot  plot  = {.title = "a & b", .x_name = "t", .x_unit = "s", .npanel = 1, .panel = &panel};
    return plot_text(&plot);
}

// Data of the curve: the last path of the plot.
static const char* last_path(const char* svg)
{
    const char* last = NULL;
    for (const char* at = strstr(svg, "<path d=\""); at; at = strstr(at + 1, "<path d=\"")) last = at;
    return last ? last + 9 : "";
}

// One million points with one maximum and one minimum: decimation keeps both at their full height.
static void test_decimation_keeps_extremes(void)
{
    enum { COUNT = 1000000 };
    double* x = malloc(COUNT * sizeof *x);
    double* y = malloc(COUNT * sizeof *y);
    if (!x || !y) return;
    for (int i = 0; i < COUNT; ++i) {
        x[i] = i * 1e-5;
        y[i] = sin(x[i]);
    }
    y[333333]    = 50;
    y[777777]    = -50;
    char*  svg   = plot_one(COUNT, x, y, false);
    double least = INFINITY, most = -INFINITY;
    int    count = 0;
    for (const char* at = last_path(svg); *at != '"';) {
        double px, py;
        int    used;
        CHECK(sscanf(at + 1, "%lf %lf%n", &px, &py, &used) == 2);
        least = fmin(least, py);
        most  = fmax(most, py);
        at += 1 + used;
        ++count;
    }
    CHECK(count > 1000 && count < 4 * 800);
    // margin of six per cent between the data and the edges of the panel
    double      left, top = 0, bottom = 0;
    const char* frame = strstr(svg, "<path");
    while (frame && sscanf(frame, "<path d=\"M%lf %lfV%lf", &left, &top, &bottom) != 3)
        frame = strstr(frame + 1, "<path");
    CHECK_NEAR((bottom - most) / (most - least), 0.06, 1e-3);
    CHECK_NEAR((least - top) / (most - least), 0.06, 1e-3);
    CHECK(strlen(svg) < 100000);
    free(svg);
    free(x);
    free(y);
}

static void test_missing_values_and_points(void)
{
    const double x[] = {0, 1, 2, 3, 4, 5, 6}, y[] = {0, 1, NAN, 2, INFINITY, 1, 0};
    char*        svg  = plot_one(7, x, y, false);
    const char*  path = last_path(svg);
    char         data[400];
    snprintf(data, sizeof data, "%.*s", (int)strcspn(path, "\""), path);
    CHECK(xml_count(data, "M") == 3); // three pieces
    CHECK(xml_count(data, "L") == 2);
    CHECK(xml_count(data, "m-1 0a1 1") == 1); // one of them a single point
    free(svg);

    free(plot_one(1, x, y, false));
    free(plot_one(0, x, y, false));
    const double constant[] = {2, 2, 2}, nothing[] = {NAN, NAN, NAN}, huge[] = {-1e308, 0, 1e308},
                 tiny[] = {0, 5e-324, 1e-323};
    svg                 = plot_one(3, x, constant, false);
    CHECK_HAS(svg, ">2.0</text>");
    free(svg);
    free(plot_one(3, x, nothing, false));
    free(plot_one(3, x, huge, false));
    free(plot_one(3, x, tiny, false));
}

static void test_log_plot(void)
{
    double n[6], t[6];
    for (int i = 0; i < 6; ++i) {
        n[i] = 8 << i;
        t[i] = 1e-3 * pow(n[i], 1.5);
    }
    const cd_curve curve = {
        .name = "order-n", .count = 6, .x = n, .y = t, .shows_points = true, .shows_exponent = true};
    const cd_panel panel = {.name = "time", .unit = "us", .log = true, .ncurve = 1, .curve = &curve};
    const cd_plot  plot  = {.x_name = "joints", .x_log = true, .npanel = 1, .panel = &panel};
    CHECK_NEAR(cd_curve_exponent(&curve), 1.5, 1e-12);
    char* svg = plot_text(&plot);
    CHECK_HAS(svg, ">order-n (slope 1.50)</text>");
    // a power function is a straight line in a log-log plot
    double x[6], y[6];
    int    count = 0;
    for (const char* at = strstr(svg, "<g fill="); at && count < 6; ++count) {
        at = strstr(at + 1, "<circle cx=");
        if (!at || sscanf(at, "<circle cx=\"%lf\" cy=\"%lf\"", &x[count], &y[count]) != 2) break;
    }
    CHECK(count == 6);
    for (int i = 2; i < count; ++i)
        CHECK_NEAR((y[i] - y[i - 1]) / (x[i] - x[i - 1]), (y[1] - y[0]) / (x[1] - x[0]), 1e-3);
    free(svg);

    t[2] = 0;
    t[3] = -1;
    free(plot_text(&plot));
    CHECK_MESSAGE(&report.message[0], CARDAN_CODE_VALUES_OMITTED, "warning: ", "'order-n'", "2 of 6 ");
    const cd_curve short_curve = {.name = "a", .count = 1, .x = n, .y = t};
    CHECK(isnan(cd_curve_exponent(&short_curve)));
}

static cd_result_table* read_table(const char* text)
{
    cd_result_table* table = NULL;
    CHECK(cd_result_table_parse(text, strlen(text), "r.csv", &table, &report) == CARDAN_OK);
    return table;
}

static const char two_joints[] =
    "t [s],a.q [rad],b.q [rad],a.v [rad/s],b.v [rad/s],e [J]\n0,1,2,3,4,5\n1,2,3,4,5,5\n2,1,0,1,0,5\n";

static char* plot_runs(int nrun, const cd_plot_run* run, const cd_plot_options* options, cardan_status expected)
{
    cd_text svg = {0};
    cardan_report_clear(&report);
    CHECK(cd_plot_results(nrun, run, options, &svg, &report) == expected);
    char* text = cd_text_detach(&svg);
    if (expected == CARDAN_OK) CHECK_TEXT(xml_problem(text), "");
    return text;
}

// One panel per unit; a legend in panels with several curves, the name at the axis in panels with one curve.
static void test_panels_by_unit(void)
{
    cd_result_table*      table   = read_table(two_joints);
    const cd_plot_run     run     = {"one", table};
    const cd_plot_options options = {.title = "two joints"};
    char*                 svg     = plot_runs(1, &run, &options, CARDAN_OK);
    CHECK_HAS(svg, ">angle [rad]</text>");
    CHECK_HAS(svg, ">angular velocity [rad/s]</text>");
    CHECK_HAS(svg, ">e [J]</text>");
    CHECK_HAS(svg, ">t [s]</text>");
    CHECK(xml_count(svg, ">a.q</text>") == 1 && xml_count(svg, ">e</text>") == 0 && xml_count(svg, ">one</text>") == 0);
    CHECK(xml_count(svg, "stroke-dasharray") == 0);
    free(svg);

    const char* const     pattern[] = {"*.q", "e"};
    const cd_plot_options chosen    = {.npattern = 2, .pattern = pattern};
    svg                             = plot_runs(1, &run, &chosen, CARDAN_OK);
    CHECK(xml_count(svg, ">b.q</text>") == 1 && xml_count(svg, ">a.v</text>") == 0 &&
          xml_count(svg, ">e [J]</text>") == 1);
    free(svg);
    cd_result_table_destroy(table);
}

static void test_several_runs(void)
{
    cd_result_table * a = read_table(two_joints), *b = read_table("t [s],a.q [rad]\n0,2\n2,2\n");
    const cd_plot_run run[]  = {{"coarse", a}, {"fine", b}};
    const char *const both[] = {"*.q"}, *const one[] = {"a.q"};
    const cd_plot_options many = {.npattern = 1, .pattern = both}, single = {.npattern = 1, .pattern = one};
    char*                 svg = plot_runs(2, run, &many, CARDAN_OK);
    CHECK(xml_count(svg, ">coarse</text>") == 1 && xml_count(svg, ">fine</text>") == 1);
    CHECK(xml_count(svg, "stroke-dasharray") == 2); // the second run of a.q and its legend
    CHECK(xml_count(svg, ">a.q</text>") == 1);
    free(svg);
    svg = plot_runs(2, run, &single, CARDAN_OK); // the runs differ by colour
    CHECK(xml_count(svg, "stroke-dasharray") == 0);
    CHECK(xml_count(svg, ">a.q [rad]</text>") == 1);
    free(svg);
    cd_result_table_destroy(a);
    cd_result_table_destroy(b);
}

static void test_messages(void)
{
    cd_result_table*      table   = read_table(two_joints);
    const cd_plot_run     run     = {"one", table};
    const char* const     wrong[] = {"a.p", "elephant"};
    const cd_plot_options unknown = {.npattern = 2, .pattern = wrong}, axis = {.x = "time"};
    free(plot_runs(1, &run, &unknown, CARDAN_BAD_INPUT));
    CHECK_MESSAGE(&report.message[0], CARDAN_CODE_UNKNOWN_NAME, "error: ", "'a.p'", "'a.q'");
    CHECK_MESSAGE(&report.message[1], CARDAN_CODE_UNKNOWN_NAME, "error: ", "'elephant'", " t, a.q, b.q, a.v, b.v, e");
    free(plot_runs(1, &run, &axis, CARDAN_BAD_INPUT));
    CHECK_MESSAGE(&report.message[0], CARDAN_CODE_UNKNOWN_NAME, "error: ", "'time'", " t, a.q, b.q, a.v, b.v, e");
    cd_result_table_destroy(table);

    cd_result_table*      lone     = read_table("t [s]\n0\n1\n");
    const cd_plot_run     lone_run = {"lone", lone};
    const cd_plot_options any      = {0};
    free(plot_runs(1, &lone_run, &any, CARDAN_BAD_INPUT));
    CHECK_MESSAGE(&report.message[0], CARDAN_CODE_NOTHING_TO_DRAW, "error: ", "'t'");
    cd_result_table_destroy(lone);

    cd_result_table*  empty     = read_table("t [s],x [m]\n");
    const cd_plot_run empty_run = {"nothing.csv", empty};
    free(plot_runs(1, &empty_run, &any, CARDAN_OK));
    CHECK_MESSAGE(&report.message[0], CARDAN_CODE_NOTHING_TO_DRAW, "warning: ", "nothing.csv");
    cd_result_table_destroy(empty);
}

// Of a table with many columns, those that fit are plotted; a message reports the others.
static void test_wide_table(void)
{
    cd_text text = {0};
    cd_text_add(&text, "t [s]");
    for (int i = 0; i < 40; ++i) cd_text_format(&text, ",j%d.q [rad]", i);
    cd_text_add(&text, "\n0");
    for (int i = 0; i < 40; ++i) cd_text_format(&text, ",%d", i);
    cd_text_add(&text, "\n");
    cd_result_table*      table   = read_table(text.data);
    const cd_plot_run     run     = {"wide", table};
    const cd_plot_options options = {0};
    free(plot_runs(1, &run, &options, CARDAN_OK));
    CHECK_MESSAGE(&report.message[0], CARDAN_CODE_CURVES_OMITTED, "note: 12 ", " 28 ");
    cd_result_table_destroy(table);
    cd_text_free(&text);
}

// Outputs and states of the user are plotted before columns of joints, wherever they are in the table.
static void test_outputs_first(void)
{
    cd_text text = {0};
    cd_text_add(&text, "t [s]");
    for (int i = 0; i < 40; ++i) cd_text_format(&text, ",j%d.q [rad]", i);
    cd_text_add(&text, ",tilt [rad]\n0");
    for (int i = 0; i <= 40; ++i) cd_text_format(&text, ",%d", i);
    cd_text_add(&text, "\n");
    cd_result_table*      table   = read_table(text.data);
    const cd_plot_run     run     = {"wide", table};
    const cd_plot_options options = {0};
    char*                 svg     = plot_runs(1, &run, &options, CARDAN_OK);
    const char *          tilt = strstr(svg, ">tilt</text>"), *joint = strstr(svg, ">j0.q</text>");
    CHECK(tilt && joint && tilt < joint);
    CHECK(xml_count(svg, ">j10.q</text>") == 1 && xml_count(svg, ">j11.q</text>") == 0);
    free(svg);
    cd_result_table_destroy(table);
    cd_text_free(&text);
}

int main(void)
{
    RUN(test_rounded_numbers());
    RUN(test_linear_ticks());
    RUN(test_log_ticks());
    RUN(test_ticks_of_random_ranges());
    RUN(test_decimation_keeps_extremes());
    RUN(test_missing_values_and_points());
    RUN(test_log_plot());
    RUN(test_panels_by_unit());
    RUN(test_several_runs());
    RUN(test_messages());
    RUN(test_wide_table());
    RUN(test_outputs_first());
    RUN(test_sentences("test_plot"));
    return test_end();
}
