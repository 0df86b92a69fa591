// SPDX-License-Identifier: BSD-3-Clause
// Parameter studies: values, random samples, combinations, collected values of reports and results, lines of the
// journal.
#include "study/case_outcome.h"

#include "core/file.h"
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/cardan-study-XXXXXX";

static const char* write_file(const char* name, const char* text)
{
    static char   path[256];
    cardan_report report = {0};
    snprintf(path, sizeof path, "%s/%s", folder, name);
    CHECK(cd_file_write(path, text, strlen(text), true, &report) == CARDAN_OK);
    return path;
}

static bool read_study(const char* text, cd_parameter_study* study, cardan_report* report)
{
    *report = (cardan_report){0};
    return cd_parameter_study_read(write_file("study.yaml", text), study, report) == CARDAN_OK;
}

static void test_values(void)
{
    cd_parameter_study study;
    cardan_report      report;
    CHECK(read_study("study: 1\nmodel: m.yaml\nvary:\n  a: {from: 0, to: 1, count: 11}\n  b: {from: 1, to: 100, count: "
                     "3, spacing: logarithmic}\n"
                     "  c: [x, =2*pi, 1e-3]\n  d: {from: 0.1, to: 0.5, step: 0.1}\ncollect: [steps]\n",
                     &study, &report));
    CHECK(study.ncase == 11 * 3 * 3 * 5);
    CHECK(strcmp(study.variable[0].text[3], "0.3") == 0 && study.variable[0].number[10] == 1);
    CHECK_NEAR(study.variable[1].number[1], 10, 1e-12);
    CHECK(!study.variable[2].is_numeric && strcmp(study.variable[2].text[0], "x") == 0 &&
          strcmp(study.variable[2].text[2], "1e-3") == 0);
    CHECK_NEAR(study.variable[2].number[1], 6.283185307179586, 1e-15);
    CHECK(study.variable[3].count == 5 && strcmp(study.variable[3].text[2], "0.3") == 0);
    // every combination once; the last variable changes fastest
    CHECK(cd_parameter_study_value_index(&study, 1, &study.variable[3]) == 1 &&
          cd_parameter_study_value_index(&study, 5, &study.variable[2]) == 1 &&
          cd_parameter_study_value_index(&study, 5, &study.variable[3]) == 0);
    CHECK(cd_parameter_study_value_index(&study, study.ncase - 1, &study.variable[0]) == 10);
    cd_parameter_study_free(&study);
}

// Moments of random samples: mean and variance of the distributions, no correlation between names or seeds.
static void test_random_samples(void)
{
    enum { N = 20000 };
    double mean = 0, square = 0, normal = 0, spread = 0, fourth = 0, cross = 0, seeds = 0;
    for (long k = 0; k < N; ++k) {
        const double u = cd_random_uniform(1, "a", k) - 0.5, w = cd_random_uniform(1, "b", k) - 0.5,
                     s = cd_random_uniform(2, "a", k) - 0.5, z = cd_random_normal(1, "a", k);
        CHECK(fabs(u) < 0.5);
        mean += u, square += u * u, cross += u * w, seeds += u * s, normal += z, spread += z * z,
            fourth += z * z * z * z;
    }
    CHECK_NEAR(mean / N, 0, 4 / sqrt(12.0 * N));
    CHECK_NEAR(square / N, 1.0 / 12, 3e-3);
    CHECK_NEAR(cross / N, 0, 4 / (12 * sqrt(N)));
    CHECK_NEAR(seeds / N, 0, 4 / (12 * sqrt(N)));
    CHECK_NEAR(normal / N, 0, 4 / sqrt(N));
    CHECK_NEAR(spread / N, 1, 4 * sqrt(2.0 / N));
    CHECK_NEAR(fourth / N, 3, 4 * sqrt(96.0 / N));
    CHECK(cd_random_uniform(1, "a", 7) == cd_random_uniform(1, "a", 7));
}

static void test_collect(void)
{
    static const char report_text[] =
        "{\"a.b\": {\"c\": [1, [2, 3]]}, \"a\": {\"b\": 4}, \"word\": \"fine\", \"none\": null,"
        " \"events\": [{\"time\": 0.5, \"kind\": \"limit\"}, {\"time\": 0.75, \"kind\": \"stop\"}]}";
    cd_parameter_study study;
    cardan_report      report;
    cd_case_outcome    o = {.status = cd_copy_string("ok"), .is_done = true, .seconds = 3};
    CHECK(read_study("study: 1\nmodel: m.yaml\nvary: {x: [1]}\ncollect:\n  one: \"a.b.c[2][1]\"\n  two: a.b\n  three: "
                     "word\n  four: none\n  five: {event: stop}\n  six: {event: 3}\n"
                     "  seven: {mean: q}\n  eight: {value: q, at: 0.25}\n  nine: {minimum: q}\n  ten: {maximum: q}\n  "
                     "eleven: wall\n",
                     &study, &report));
    char csv[256];
    snprintf(csv, sizeof csv, "%s", write_file("r.csv", "t [s],q [rad]\n0,1\n0.5,3\n1,-2\n"));
    // "a.b" is an object at first, and a number if the period separates two keys
    cd_case_outcome_collect(&o, &study, report_text, strlen(report_text), csv);
    CHECK(cd_case_outcome_is_ok(&o));
    CHECK(o.cell[0].number == 2 && o.cell[1].number == 4 && strcmp(o.cell[2].text, "fine") == 0 &&
          isnan(o.cell[3].number));
    CHECK(o.cell[4].number == 0.75 && isnan(o.cell[5].number) && o.cell[10].number == 3);
    CHECK_NEAR(o.cell[6].number, 0.5 * 2 + 0.5 * 0.5, 1e-15);
    CHECK(o.cell[7].number == 2 && o.cell[8].number == -2 && o.cell[9].number == 3);
    CHECK(strcmp(o.cell[6].unit, "rad") == 0);
    cd_case_outcome_free(&o, study.ncollect);
    cd_parameter_study_free(&study);
}

// Outcomes are read back from the journal with the same bits; lines of other studies and incomplete lines are ignored.
static void test_journal(void)
{
    const cd_study_digest digest = {"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"},
                          other  = {"f123456789abcdef"};
    cd_parameter_study study;
    cardan_report      report;
    cd_study_journal   journal;
    cd_case_outcome    outcome[3] = {0}, o = {.is_done = true, .seconds = 0.1};
    char               path[256];
    CHECK(read_study("study: 1\nmodel: m.yaml\nvary: {x: [1, 2, 3]}\ncollect: [a, b]\n", &study, &report));
    snprintf(path, sizeof path, "%s/j.journal", folder);
    CHECK(cd_study_journal_open(&journal, path, &study, &digest, false, outcome, &report) == CARDAN_OK &&
          journal.ndone == 0 && !journal.is_other_study);
    o.cell           = calloc(2, sizeof *o.cell);
    o.status         = cd_copy_string("ok");
    o.cell[0].number = 0.1 + 0.2;
    o.cell[1].number = NAN;
    o.cell[1].text   = cd_copy_string("two\nlines, \"quoted\"");
    for (long k = 0; k < 3; ++k) {
        cd_text line = {0};
        cd_case_outcome_write_line(&line, k, k == 1 ? &other : &digest, &o, 2);
        CHECK(memchr(line.data, '\n', line.length) == line.data + line.length - 1);
        CHECK(cd_study_journal_append(&journal, line.data, k == 2 ? line.length / 2 : line.length, &report) ==
              CARDAN_OK);
        cd_text_free(&line);
    }
    cd_study_journal_close(&journal);
    CHECK(cd_study_journal_open(&journal, path, &study, &digest, false, outcome, &report) == CARDAN_OK &&
          journal.ndone == 1);
    CHECK(outcome[0].is_done && !outcome[1].is_done && !outcome[2].is_done);
    CHECK(outcome[0].cell[0].number == 0.1 + 0.2 && strcmp(outcome[0].cell[1].text, o.cell[1].text) == 0);
    cd_study_journal second; // an open journal is locked
    CHECK(cd_study_journal_open(&second, path, &study, &digest, false, outcome, &report) == CARDAN_FILE_ERROR);
    cd_study_journal_close(&journal);
    CHECK(cd_study_journal_open(&journal, path, &study, &other, false, outcome, &report) == CARDAN_OK &&
          journal.is_other_study);
    cd_study_journal_close(&journal);
    for (int k = 0; k < 3; ++k) cd_case_outcome_free(&outcome[k], 2);
    cd_case_outcome_free(&o, 2);
    cd_parameter_study_free(&study);
}

int main(void)
{
    char command[300];
    CHECK(mkdtemp(folder) != NULL);
    RUN(test_values());
    RUN(test_random_samples());
    RUN(test_collect());
    RUN(test_journal());
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    CHECK(system(command) == 0);
    return test_end();
}
