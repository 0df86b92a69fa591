// SPDX-License-Identifier: BSD-3-Clause
// Names that contain every byte in pictures, plots, heat maps, tables, JSON documents and terminal output. The output
// must be printable, must be parsed by other programs (test/data/escape_print.py) and must have the number of lines of
// the output with plain names.
#include "cli/support/terminal_print.c" // NOLINT: its print to any stream is tested
#include "core/json.h"
#include "draw/draw_mechanism.h"
#include "draw/plot/plot_heat_map.h"
#include "draw/plot/plot_svg.h"
#include "io/results/results.h"
#include "study/case_outcome.h"

#include "test.h"

#include <cardan/cardan.h>
#include <stdlib.h>
#include <unistd.h>

static char          folder[] = "/tmp/cardan-escape-XXXXXX";
static char          every[256]; // all bytes except zero
static cardan_report report;

static const char* const name[] = {every,
                                   "</text></svg><script>",
                                   "\" onload=\"x",
                                   "]]> &#10; &amp;",
                                   "=cmd|' /C calc'!A0",
                                   "\"a\",b\n\"c\",d",
                                   "\x1b[31m\r\xe2\x80\xae",
                                   "\xff\xc0\x80"};
enum { NAMES = sizeof name / sizeof *name };

static const char* path_of(const char* file)
{
    static char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    return path;
}

static void save(const char* file, cd_text* text)
{
    FILE* f = fopen(path_of(file), "wb");
    CHECK(f && text->data && !text->failed && fwrite(text->data, 1, text->length, f) == text->length);
    if (f) CHECK(fclose(f) == 0);
    cd_text_free(text);
}

static void check_files(const char* kind, int count)
{
    char command[300];
    snprintf(command, sizeof command, "python3 test/data/escape_print.py %s %s %d", folder, kind, count);
    CHECK(system(command) == 0);
}

static void test_pictures(void)
{
    static const double x[] = {1, 2, 3}, y[] = {1, 4, 2}, z[] = {0, 1, 2};
    for (int i = 0; i < NAMES; ++i) {
        char                          file[40];
        cd_text                       svg     = {0};
        const cd_draw_options         options = cd_draw_options_default();
        cardan_body                   body    = cardan_body_default(name[i]);
        cardan_joint                  joint = cardan_joint_default(name[(i + 1) % NAMES], "revolute", CARDAN_GROUND, 0);
        const cardan_description_view view = {.name = name[i], .nbody = 1, .njoint = 1, .body = &body, .joint = &joint};
        const cd_curve                curve = {.name = name[i], .count = 3, .x = x, .y = y, .shows_points = true};
        const cd_panel    panel = {.name = name[i], .unit = name[(i + 1) % NAMES], .ncurve = 1, .curve = &curve};
        const cd_plot_key key   = {.name = name[i], .colour = -1};
        const cd_plot     plot  = {.title    = name[i],
                                   .subtitle = name[(i + 1) % NAMES],
                                   .x_name   = name[i],
                                   .x_unit   = name[i],
                                   .npanel   = 1,
                                   .nkey     = 1,
                                   .panel    = &panel,
                                   .key      = &key};
        const cd_heat_map map   = {.title    = name[i],
                                   .subtitle = name[i],
                                   .x_name   = name[i],
                                   .y_name   = name[i],
                                   .name     = name[i],
                                   .unit     = name[i],
                                   .count    = 3,
                                   .x        = x,
                                   .y        = y,
                                   .value    = z};
        body.mass               = 1;
        body.centre[0]          = 1;
        snprintf(file, sizeof file, "draw%d.svg", i);
        CHECK(cd_draw_mechanism_svg(&view, 0, NULL, &options, &svg, &report) == CARDAN_OK);
        save(file, &svg);
        snprintf(file, sizeof file, "plot%d.svg", i);
        CHECK(cd_plot_svg(&plot, &svg, &report) == CARDAN_OK);
        save(file, &svg);
        snprintf(file, sizeof file, "map%d.svg", i);
        CHECK(cd_heat_map_svg(&map, &svg, &report) == CARDAN_OK);
        save(file, &svg);
    }
    check_files("svg", 3 * NAMES);
}

static void test_tables(void)
{
    cd_results* results = NULL;
    cd_column   column[NAMES + 1];
    double      value[NAMES + 1] = {0};
    column[0]                    = (cd_column){"t", "s"};
    for (int i = 0; i < NAMES; ++i) column[i + 1] = (cd_column){name[i], name[(i + 1) % NAMES]};
    CHECK(cd_results_create(path_of("results.csv"), NAMES + 1, column, false, &results, &report) == CARDAN_OK);
    CHECK(results && cd_results_write_sample(results, value) == CARDAN_OK &&
          cd_results_close(results, &report) == CARDAN_OK);

    cd_text            text     = {0};
    cd_study_variable  variable = {.name = name[0], .count = 1, .text = (const char*[]){name[4]}};
    cd_collected_value collect  = {.name = name[1]};
    cd_parameter_study plan     = {.nvariable   = 1,
                                   .variable    = &variable,
                                   .ncollect    = 1,
                                   .collect     = &collect,
                                   .ncase       = 1,
                                   .naxis       = 1,
                                   .axis_length = (int[]){1}};
    cd_study_cell      cell     = {.text = (char*)(uintptr_t)name[5], .unit = (char*)(uintptr_t)name[2]};
    cd_case_outcome    outcome  = {.is_done = true, .status = "ok", .reason = (char*)(uintptr_t)name[6], .cell = &cell};
    cd_study_table_write_csv(&plan, &outcome, &text);
    save("study.csv", &text);
    check_files("csv", 2);

    cd_json_writer json = cd_json_writer_to(&text);
    cd_json_begin_object(&json, NULL);
    for (int i = 0; i < NAMES; ++i) cd_json_string(&json, name[i], name[i]);
    cd_json_end(&json);
    save("names.json", &text);
    check_files("json", 1);
}

// ---- terminal

static int print_to(FILE* stream, const char* format, ...) __attribute__((format(printf, 2, 3)));
static int print_to(FILE* stream, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int n = print(stream, format, arguments);
    va_end(arguments);
    return n;
}

// Equal to printf where no byte needs an escape.
#define CHECK_PRINT(...)                                                                                               \
    do {                                                                                                               \
        char      expected[8000], *got = NULL;                                                                         \
        size_t    size   = 0;                                                                                          \
        const int n      = snprintf(expected, sizeof expected, __VA_ARGS__);                                           \
        FILE*     stream = open_memstream(&got, &size);                                                                \
        CHECK(print_to(stream, __VA_ARGS__) == n);                                                                     \
        fclose(stream);                                                                                                \
        CHECK_TEXT(got, expected);                                                                                     \
        free(got);                                                                                                     \
    } while (0)

static void test_printf(void)
{
    char long_text[3000];
    memset(long_text, 'x', sizeof long_text - 1);
    long_text[sizeof long_text - 1] = '\0';
    CHECK_PRINT("plain\n\ttext 100%%\033[K\r\n");
    CHECK_PRINT("%s|%10s|%-10s|%*s|%-*s|%.2s|%.*s|%-6.3s|", "a", "b", "c", 5, "d", 6, "e", "fghi", 3, "jklmn", "opqr");
    CHECK_PRINT("%*s|%s|%c|%5c|%-3c|", -8, "left", "\xc3\xa4\xe2\x82\xac", 'x', 'y', 'z');
    CHECK_PRINT("%d %i %5d %-5d| %05d %+d % d %ld %lld %zu %u %x %#X %lu", 1, -2, 3, 4, 5, 6, 7, 8L, -9LL, (size_t)10,
                11U, 255U, 255U, 12UL);
    CHECK_PRINT("%g %.3g %10.4f %-12.6e| %.*g %*.*f %.0f %G %a", 1.5, 0.00012345, 3.14159, 1e-10, 7, 1.0 / 3, 9, 2, 2.5,
                1e300, 1e-20, 0.5);
    CHECK_PRINT("%f %s", 1e300, long_text);
    CHECK_PRINT("%s%s%s", long_text, "", long_text);
}

static void test_terminal(void)
{
    char*  got    = NULL;
    size_t size   = 0;
    FILE*  stream = open_memstream(&got, &size);
    print_to(stream, "\r%s|%8s|%-8s|%c|%.3s|%.2s|\033[K\n", "\x1b[31m\n", "\t", "\x07", '\x1b', "a\xe2\x82\xac",
             "\xe2\x80\xae");
    fclose(stream);
    CHECK_TEXT(got, "\r\\x1b[31m\\n|      \\t|\\x07    |\\x1b|a||\033[K\n");
    free(got);
    for (int i = 0; i < NAMES; ++i) {
        char flaw[CD_FLAW_SIZE];
        stream = open_memstream(&got, &size);
        print_to(stream, "%s", name[i]);
        fclose(stream);
        CHECK(!cd_text_flaw(got, flaw));
        free(got);
        // messages of the library
        cardan_report_clear(&report);
        cardan_warn(&report, CARDAN_CODE_STATUS_ONLY, (cardan_location){.file = name[i], .line = 1, .column = 2},
                    "'%s'", name[i]);
        CHECK(report.count == 1 && !cd_text_flaw(report.message[0].text, flaw));
    }
    // a message that is too long is truncated after a complete character
    char euros[3 * CARDAN_MESSAGE_LENGTH + 1] = "";
    for (int i = 0; i < CARDAN_MESSAGE_LENGTH; ++i) strcat(euros, "\xe2\x82\xac");
    for (int shift = 0; shift < 3; ++shift) {
        char flaw[CD_FLAW_SIZE];
        cardan_report_clear(&report);
        cardan_note(&report, CARDAN_CODE_STATUS_ONLY, cardan_location_none(), "%.*s%s", shift, "ab", euros);
        CHECK(!cd_text_flaw(report.message[0].text, flaw) && !strchr(report.message[0].text, '\\'));
    }
}

int main(void)
{
    if (!mkdtemp(folder)) return 1;
    for (int i = 0; i < 255; ++i) every[i] = (char)(i + 1);
    RUN(test_pictures());
    RUN(test_tables());
    RUN(test_printf());
    RUN(test_terminal());
    char command[100];
    snprintf(command, sizeof command, "rm -r %s", folder);
    CHECK(system(command) == 0);
    return test_end();
}
