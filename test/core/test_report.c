// SPDX-License-Identifier: BSD-3-Clause
// Reports: limits of the number of messages, and messages of one report appended to another.
#include "test.h"

#include "core/report.h"

static cardan_report from, to;

static void fill(cardan_report* report, int errors, int warnings, int notes)
{
    cardan_report_clear(report);
    for (int i = 0; i < errors; ++i)
        cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_STATUS_ONLY, cardan_location_none(), "error %d", i);
    for (int i = 0; i < warnings; ++i)
        cardan_warn(report, CARDAN_CODE_STATUS_ONLY, cardan_location_none(), "warning %d", i);
    for (int i = 0; i < notes; ++i) cardan_note(report, CARDAN_CODE_STATUS_ONLY, cardan_location_none(), "note %d", i);
}

static int count_stored(const cardan_report* report, cardan_severity severity)
{
    int count = 0;
    for (int i = 0; i < report->count; ++i) count += report->message[i].severity == severity;
    return count;
}

static void test_appended(void)
{
    fill(&from, 2, 1, 1);
    fill(&to, 1, 1, 0);
    cd_report_append(&to, &from, CD_APPEND_ALL);
    CHECK(to.count == 6 && to.errors == 3 && to.dropped == 0);
    CHECK_TEXT(to.message[2].text, "error: error 0");
    CHECK_TEXT(to.message[5].text, "note: note 0");
    cd_report_append(NULL, &from, CD_APPEND_ALL);
}

static void test_append_by_severity(void)
{
    fill(&from, 2, 3, 4);
    fill(&to, 0, 0, 0);
    cd_report_append(&to, &from, CD_APPEND_ERRORS);
    CHECK(to.count == 2 && to.errors == 2 && to.dropped == 0);
    cd_report_append(&to, &from, CD_APPEND_WARNINGS);
    CHECK(to.count == 5 && to.errors == 2 && count_stored(&to, CARDAN_WARNING) == 3 &&
          count_stored(&to, CARDAN_NOTE) == 0);
}

// A report stores at most 20 errors and 20 other messages in any order; further ones are counted.
static void test_limits(void)
{
    fill(&from, 15, 15, 0);
    fill(&to, 12, 10, 0);
    cd_report_append(&to, &from, CD_APPEND_ALL);
    CHECK(count_stored(&to, CARDAN_ERROR) == CARDAN_REPORT_ERRORS && to.errors == 27);
    CHECK(count_stored(&to, CARDAN_WARNING) == CARDAN_REPORT_MESSAGES - CARDAN_REPORT_ERRORS);
    CHECK(to.count == CARDAN_REPORT_MESSAGES && to.dropped == 7 + 5);
    cardan_fail(&to, CARDAN_BAD_INPUT, CARDAN_CODE_STATUS_ONLY, cardan_location_none(), "one more");
    CHECK(to.count == CARDAN_REPORT_MESSAGES && to.errors == 28 && to.dropped == 13);
}

// Messages that did not fit into the first report are counted in the second.
static void test_dropped_before(void)
{
    fill(&from, 23, 24, 0);
    CHECK(from.errors == 23 && from.dropped == 7);
    fill(&to, 0, 0, 0);
    cd_report_append(&to, &from, CD_APPEND_ERRORS);
    CHECK(to.count == 20 && to.errors == 23 && to.dropped == 3);
    fill(&to, 0, 0, 0);
    cd_report_append(&to, &from, CD_APPEND_WARNINGS);
    CHECK(to.count == 20 && to.errors == 0 && to.dropped == 4);
}

static void test_message(void)
{
    cardan_report report = {0};
    char          path[2 * CARDAN_FILE_LENGTH];
    cardan_fail(&report, CARDAN_BAD_INPUT, CARDAN_CODE_UNKNOWN_NAME, (cardan_location){"model.yaml", 3, 7}, "no '%s'",
                "a");
    cardan_warn(&report, CARDAN_CODE_STIFF, cardan_location_none(), "stiff");
    memset(path, 'x', sizeof path);
    memcpy(path + sizeof path - 8, "/m.yaml", 8);
    cardan_note(&report, CARDAN_CODE_MODEL_NOTE, (cardan_location){path, 1, 2}, "a long path");
    const cardan_message* m = report.message;
    CHECK(m[0].severity == CARDAN_ERROR && m[0].code == CARDAN_CODE_UNKNOWN_NAME);
    CHECK_TEXT(m[0].text, "model.yaml:3:7: error: no 'a'");
    CHECK_TEXT(cardan_message_sentence(&m[0]), "no 'a'");
    CHECK_TEXT(cardan_message_location(&m[0]).file, "model.yaml");
    CHECK(cardan_message_location(&m[0]).line == 3 && cardan_message_location(&m[0]).column == 7);
    CHECK_TEXT(m[1].text, "warning: stiff");
    CHECK_TEXT(cardan_message_sentence(&m[1]), "stiff");
    CHECK(!cardan_message_location(&m[1]).file);
    CHECK(strlen(m[2].location.file) < CARDAN_FILE_LENGTH);
    CHECK_HAS(m[2].location.file, "/m.yaml");
    cardan_fail(&report, CARDAN_NO_MEMORY, CARDAN_CODE_STATUS_ONLY, cardan_location_none(), "no memory for it");
    CHECK(m[3].code == CARDAN_CODE_OUT_OF_MEMORY && report.no_memory);
}

int main(void)
{
    RUN(test_message());
    RUN(test_appended());
    RUN(test_append_by_severity());
    RUN(test_limits());
    RUN(test_dropped_before());
    return test_end();
}
