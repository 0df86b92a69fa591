// SPDX-License-Identifier: BSD-3-Clause
// Result files: values are read back with the same bits, every file format is complete, errors have a location.
#include "io/results/results.h"

#include "core/file.h"
#include "core/json.h"
#include "sentences.h"
#include "test.h"

#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

static char          folder[256];
static char          name[512];
static cardan_report report;

static const char* path_of(const char* file)
{
    snprintf(name, sizeof name, "%s/%s", folder, file);
    return name;
}

static char* content_of(const char* file)
{
    char*  data   = NULL;
    size_t length = 0;
    CHECK(cd_file_read(path_of(file), &data, &length, &report) == CARDAN_OK);
    return data;
}

static void test_header_and_rows(void)
{
    const cd_column column[] = {{"t", "s"}, {"hinge.q", "rad"}, {"a \"b\", c", NULL}, {"x", ""}};
    cd_results*     results  = NULL;
    cardan_report_clear(&report);
    CHECK(cd_results_create(path_of("a.csv"), 4, column, false, &results, &report) == CARDAN_OK);
    CHECK(cd_results_write_sample(results, (const double[]){0, 0.1, NAN, -INFINITY}) == CARDAN_OK);
    CHECK(access(path_of("a.csv"), F_OK) != 0);
    CHECK(cd_results_sample_count(results) == 1);
    CHECK(cd_results_close(results, &report) == CARDAN_OK);
    char* text = content_of("a.csv");
    CHECK_TEXT(text, "t [s],hinge.q [rad],\"a \"\"b\"\", c\",x\n0,0.10000000000000001,,-inf\n");
    free(text);

    // existing files are rejected before the second run begins
    CHECK(cd_results_create(path_of("a.csv"), 4, column, false, &results, &report) == CARDAN_FILE_ERROR);
    CHECK(results == NULL);
    CHECK_CASE(&report, "an existing file", "a.csv: error");
    CHECK(cd_results_create(path_of("a.csv"), 1, column, true, &results, &report) == CARDAN_OK);
    cd_results_discard(results);
    text = content_of("a.csv");
    CHECK_HAS(text, "hinge.q");
    free(text);
    unlink(path_of("a.csv"));
}

static void test_round_trip_of_bits(void)
{
    enum { ROWS = 500, COLUMNS = 3 };
    const cd_column column[COLUMNS] = {{"t", "s"}, {"a,b", "m/s^2"}, {"c", NULL}};
    static double   value[ROWS][COLUMNS];
    uint64_t        seed    = 3;
    cd_results*     results = NULL;
    CHECK(cd_results_create(path_of("b.csv"), COLUMNS, column, false, &results, &report) == CARDAN_OK);
    for (int i = 0; i < ROWS; ++i) {
        for (int j = 0; j < COLUMNS; ++j) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            memcpy(&value[i][j], &seed, sizeof seed);
        }
        cd_results_write_sample(results, value[i]);
    }
    CHECK(cd_results_close(results, &report) == CARDAN_OK);

    cd_result_table* table = NULL;
    CHECK(cd_result_table_read(path_of("b.csv"), &table, &report) == CARDAN_OK);
    CHECK(table && table->ncolumn == COLUMNS && table->nsample == ROWS);
    for (int j = 0; table && j < COLUMNS; ++j) {
        CHECK_TEXT(table->column[j].name, column[j].name);
        CHECK_TEXT(table->column[j].unit, column[j].unit ? column[j].unit : "");
        for (int i = 0; i < ROWS; ++i) {
            const double back = table->value[j][i];
            CHECK(memcmp(&back, &value[i][j], sizeof back) == 0 || (isnan(back) && isnan(value[i][j])));
        }
    }
    CHECK(table && cd_result_table_find_column(table, "a,b") == 1 && cd_result_table_find_column(table, "d") == -1);
    cd_result_table_destroy(table);
    unlink(path_of("b.csv"));
}

static void test_single_column(void)
{
    const cd_column column  = {"x", NULL};
    cd_results*     results = NULL;
    CHECK(cd_results_create(path_of("c.csv"), 1, &column, false, &results, &report) == CARDAN_OK);
    cd_results_write_sample(results, (const double[]){NAN});
    cd_results_write_sample(results, (const double[]){2});
    CHECK(cd_results_close(results, &report) == CARDAN_OK);
    cd_result_table* table = NULL;
    CHECK(cd_result_table_read(path_of("c.csv"), &table, &report) == CARDAN_OK);
    CHECK(table && table->nsample == 2 && isnan(table->value[0][0]) && table->value[0][1] == 2);
    cd_result_table_destroy(table);
    unlink(path_of("c.csv"));
}

static cd_result_table* parse(const char* text)
{
    cd_result_table* table = NULL;
    cardan_report_clear(&report);
    const cardan_status status = cd_result_table_parse(text, strlen(text), "r.csv", &table, &report);
    CHECK((status == CARDAN_OK) == (table != NULL));
    CHECK((status == CARDAN_OK) == (report.errors == 0));
    return table;
}

static void test_foreign_tables(void)
{
    cd_result_table* t = parse(
        "\xEF\xBB\xBF# made elsewhere\r\n\r\n time [s] ; \"x;y [m]\";z\r\n1;2;3\r\n# between\n 4 ;;nan\n\"7\";8;9");
    CHECK(t != NULL);
    if (!t) return;
    CHECK(t->ncolumn == 3 && t->nsample == 3);
    CHECK_TEXT(t->column[0].name, "time");
    CHECK_TEXT(t->column[0].unit, "s");
    CHECK(t->value[0][2] == 7 && t->value[2][2] == 9);
    CHECK(isnan(t->value[1][1]) && isnan(t->value[2][1]) && t->value[0][1] == 4);
    cd_result_table_destroy(t);

    t = parse("a\tb\n1\t\n\t2\n");
    CHECK(t && t->ncolumn == 2 && t->nsample == 2 && isnan(t->value[0][1]) && isnan(t->value[1][0]) &&
          t->value[1][1] == 2);
    cd_result_table_destroy(t);

    t = parse("t [s],x\n0,1\n1,2\n2");
    CHECK(t && t->nsample == 2);
    CHECK_CASE(&report, "an incomplete last line", "r.csv:4:1: warning|1|2");
    cd_result_table_destroy(t);

    t = parse("t,x\n");
    CHECK(t && t->nsample == 0);
    cd_result_table_destroy(t);
}

static void test_errors(void)
{
    static const struct {
        const char *text, *parts; // of the message
    } cases[] = {
        {"", "r.csv: error"},
        {"# only\n\n", "r.csv: error"},
        {"0,1\n2,3\n", "r.csv:1:1: error|'0'|'t [s],x [m]'"},
        {"t,,x\n", "r.csv:1:3: error|2"},
        {"t,x,t [s]\n", "r.csv:1:5: error|'t'"},
        {"t,x\n0,1\n0,one\n", "r.csv:3:3: error|'one'|'x'"},
        {"t,x\n0,1,2\n3,4\n", "r.csv:2:1: error|3|2"},
        {"t,x\n0\n3,4\n", "r.csv:2:1: error|1|2"},
        {"t,x\n0,\"1\n2", "r.csv:2:3: error"},
        {"t,x\n0,\"1\"2\n", "r.csv:2:3: error"},
        {"\"t\n\",x\n0,y\n", "r.csv:1:1: error|1|'t\\n'|000|2"},
        {"t,x\x1b\n0,1\n", "r.csv:1:3: error|2|'x\\x1b'|001"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        cd_result_table* t = parse(cases[i].text);
        CHECK(t == NULL);
        CHECK_CASE(&report, cases[i].text, cases[i].parts);
        cd_result_table_destroy(t);
    }
    cd_result_table* t = NULL;
    cardan_report_clear(&report);
    CHECK(cd_result_table_parse("t,x\n0,1\0002\n", 11, "r.csv", &t, &report) == CARDAN_BAD_INPUT);
    CHECK_CASE(&report, "a zero byte", "r.csv:2:3: error");

    // many errors are reported at once, up to a limit
    cd_result_table* many = parse("t\na\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\nm\nn\no\np\nq\nr\ns\nt\nu\nv\n");
    CHECK(many == NULL && report.errors == 20);
}

// The time is linear in the length of a line, and columns of messages are correct.
static void test_wide_table(void)
{
    enum { COUNT = 200000 };
    char* text = malloc(COUNT * 10 + COUNT * 2 + 10);
    if (!text) return;
    char* at = text;
    for (int i = 0; i < COUNT; ++i) at += sprintf(at, "%sc%d", i ? "," : "", i);
    const size_t header = (size_t)(at - text);
    for (int i = 0; i < COUNT; ++i) at += sprintf(at, "%c%d", i ? ',' : '\n', i % 10);
    cd_result_table* table = parse(text);
    CHECK(table && table->ncolumn == COUNT && table->nsample == 1 && table->value[COUNT - 2][0] == 8);
    cd_result_table_destroy(table);
    text[header + 2 * COUNT - 1] = 'x'; // the last value
    CHECK(!parse(text));
    CHECK_CASE(&report, "a wide table", "r.csv:2:399999: error|'x'|'c199999'");
    free(text);
}

static void test_mutations(void)
{
    static const char text[]   = "# run\nt [s],\"a \"\"b\"\" [m]\",c\n0,0.25,1e-3\n1,,nan\n2,\"3\",-inf\n\n3,4,5\n";
    static const char bytes[]  = ",;\"\n\r#[]e-+.0 \t\xC3\xFFx";
    uint64_t          seed     = 11;
    int               rejected = 0;
    for (int round = 0; round < 5000; ++round) {
        char   copy[sizeof text];
        size_t length = sizeof text - 1;
        memcpy(copy, text, sizeof text);
        for (int k = 0; k < 1 + round % 4; ++k) {
            seed              = seed * 6364136223846793005u + 1442695040888963407u;
            const size_t at   = (size_t)(seed >> 33) % length;
            const size_t pick = (size_t)(seed >> 20) % sizeof bytes;
            if (seed >> 63)
                copy[at] = bytes[pick];
            else if (seed >> 62 & 1)
                length = at + 1;
            else
                memmove(copy + at, copy + at + 1, length - at), length -= length > 1;
        }
        char* exact = malloc(length);
        if (!exact) return;
        memcpy(exact, copy, length);
        cd_result_table* t = NULL;
        cardan_report_clear(&report);
        const cardan_status status = cd_result_table_parse(exact, length, "m.csv", &t, &report);
        CHECK((status == CARDAN_OK && t && report.errors == 0) ||
              (status == CARDAN_BAD_INPUT && !t && report.errors > 0));
        rejected += status != CARDAN_OK;
        cd_result_table_destroy(t);
        free(exact);
    }
    CHECK(rejected > 1000);
}

static void test_manifest(void)
{
    const cd_manifest_entry fact[] = {
        cd_manifest_text("command", "cardan run 'a b'"), cd_manifest_text("model.file", "pendulum.yaml"),
        cd_manifest_text("model.sha256", "00ff"),        cd_manifest_number("settings.tolerance", 1e-8),
        cd_manifest_integer("settings.rows", 1001),      cd_manifest_boolean("interrupted", false),
    };
    cardan_report_clear(&report);
    CHECK(cd_manifest_write(path_of("four.bar.csv"), 6, fact, &report) == CARDAN_OK);
    char* text = content_of("four.bar.manifest.json");
    CHECK_TEXT(text, "{\n"
                     "  \"cardan\": \"0.1.0\",\n"
                     "  \"results\": \"four.bar.csv\",\n"
                     "  \"command\": \"cardan run 'a b'\",\n"
                     "  \"model\": {\n"
                     "    \"file\": \"pendulum.yaml\",\n"
                     "    \"sha256\": \"00ff\"\n"
                     "  },\n"
                     "  \"settings\": {\n"
                     "    \"tolerance\": 1e-08,\n"
                     "    \"rows\": 1001\n"
                     "  },\n"
                     "  \"interrupted\": false\n"
                     "}\n");
    cd_json_document* document = NULL;
    CHECK(text && cd_json_parse(text, strlen(text), "m", &document, &report) == CARDAN_OK);
    cd_json_destroy(document);
    free(text);

    char digest[65];
    CHECK(cd_file_write(path_of("model"), "abc", 3, false, &report) == CARDAN_OK);
    CHECK(cd_file_content_hash(path_of("model"), digest, &report) == CARDAN_OK);
    CHECK_TEXT(digest, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    unlink(path_of("model"));
    unlink(path_of("four.bar.manifest.json"));
}

static void test_names(void)
{
    static const struct {
        const char *path, *sibling;
    } cases[] = {
        {"results/a.csv", "results/a.svg"}, {"a.b/c", "a.b/c.svg"}, {".hidden", ".hidden.svg"}, {"x.1.csv", "x.1.svg"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char* sibling = cd_results_sibling_path(cases[i].path, ".svg");
        CHECK_TEXT(sibling, cases[i].sibling);
        free(sibling);
    }
    char* line = cd_command_line(4, (const char* const[]){"cardan", "run", "it's", ""});
    CHECK_TEXT(line, "cardan run 'it'\\''s' ''");
    free(line);
}

int main(void)
{
    snprintf(folder, sizeof folder, "%s/cardan-XXXXXX", P_tmpdir);
    if (!mkdtemp(folder)) return 1;
    RUN(test_header_and_rows());
    RUN(test_round_trip_of_bits());
    RUN(test_single_column());
    RUN(test_foreign_tables());
    RUN(test_errors());
    RUN(test_wide_table());
    RUN(test_mutations());
    RUN(test_manifest());
    RUN(test_names());
    RUN(CHECK(rmdir(folder) == 0)); // no file remains
    RUN(test_sentences("test_results"));
    return test_end();
}
