// SPDX-License-Identifier: BSD-3-Clause
// JSON: written documents are read back unchanged, errors have a location, mutated documents do not crash the reader.
#include "core/json.h"

#include "sentences.h"
#include "test.h"

#include <stdint.h>
#include <stdlib.h>

static void test_writer(void)
{
    cd_text        text = {0};
    cd_json_writer json = cd_json_writer_to(&text);
    cd_json_begin_object(&json, NULL);
    cd_json_string(&json, "name", "a \"b\" \\ \n\t\x01 \xC3\xA9 \xFF.");
    cd_json_number(&json, "third", 1.0 / 3);
    cd_json_number(&json, "nothing", NAN);
    cd_json_integer(&json, "steps", 4812);
    cd_json_boolean(&json, "unique", true);
    cd_json_null(&json, "none");
    cd_json_numbers(&json, "p", 3, (const double[]){0, -0.5, INFINITY});
    cd_json_begin_array(&json, "rows");
    cd_json_begin_object(&json, NULL);
    cd_json_end(&json);
    cd_json_begin_array(&json, NULL);
    cd_json_number(&json, NULL, 1);
    cd_json_end(&json);
    cd_json_end(&json);
    cd_json_end(&json);
    CHECK_TEXT(text.data, "{\n"
                          "  \"name\": \"a \\\"b\\\" \\\\ \\n\\t\\u0001 \xC3\xA9 \xEF\xBF\xBD.\",\n"
                          "  \"third\": 0.33333333333333331,\n"
                          "  \"nothing\": null,\n"
                          "  \"steps\": 4812,\n"
                          "  \"unique\": true,\n"
                          "  \"none\": null,\n"
                          "  \"p\": [0, -0.5, null],\n"
                          "  \"rows\": [\n"
                          "    {},\n"
                          "    [\n"
                          "      1\n"
                          "    ]\n"
                          "  ]\n"
                          "}\n");
    cd_text_free(&text);
}

static void test_writer_depth(void)
{
    cd_text        text = {0};
    cd_json_writer json = cd_json_writer_to(&text);
    for (int i = 0; i < CD_JSON_DEPTH; ++i) cd_json_begin_array(&json, NULL);
    CHECK(!text.failed);
    cd_json_begin_array(&json, NULL);
    CHECK(text.failed);
    cd_text_free(&text);
}

static cd_json_document* parse(const char* text, cardan_report* report)
{
    cd_json_document* document = NULL;
    cardan_report_clear(report);
    const cardan_status status = cd_json_parse(text, strlen(text), "s.json", &document, report);
    CHECK((status == CARDAN_OK) == (document != NULL));
    CHECK((status == CARDAN_OK) == (report->errors == 0));
    return document;
}

static void test_parser(void)
{
    cardan_report     report;
    cd_json_document* d =
        parse("\xEF\xBB\xBF{\"time\": 1.5e1, \"joints\": {\"h\\u00e9\\ud83d\\ude00\": {\"q\": [0.1, -2]}},\n"
              " \"ok\": true, \"none\": null, \"text\": \"a\\n\\\"\\/\", \"empty\": []}",
              &report);
    CHECK(d != NULL);
    if (!d) return;
    const cd_json_node* root = cd_json_root(d);
    CHECK(root->kind == CD_JSON_OBJECT && root->count == 6);
    CHECK_NEAR(cd_json_find(d, root, "time")->number, 15, 0);
    const cd_json_node* joints = cd_json_find(d, root, "joints");
    CHECK_TEXT(joints->first->key, "h\xC3\xA9\xF0\x9F\x98\x80");
    const cd_json_node* q = cd_json_find(d, joints->first, "q");
    double              value[2];
    CHECK(q && cd_json_read_numbers(d, q, "q", 2, value, &report) == CARDAN_OK);
    CHECK(value[0] == 0.1 && value[1] == -2);
    CHECK(cd_json_find(d, root, "ok")->number == 1);
    CHECK(cd_json_find(d, root, "none")->kind == CD_JSON_NULL);
    CHECK_TEXT(cd_json_find(d, root, "text")->string, "a\n\"/");
    CHECK(cd_json_find(d, root, "empty")->count == 0);
    CHECK(cd_json_find(d, root, "q") == NULL);
    CHECK(cd_json_find(d, q, "q") == NULL);
    const cardan_location place = cd_json_location(d, cd_json_find(d, root, "ok"));
    CHECK(place.line == 2 && place.column == 8);
    const cardan_location key = cd_json_key_location(d, cd_json_find(d, root, "none"));
    CHECK(key.line == 2 && key.column == 14);
    cd_json_destroy(d);
}

static void test_errors(void)
{
    static const struct {
        const char *text, *parts; // of the message
    } cases[] = {
        {"", "s.json:1:1: error"},
        {"{\"a\": 1,\n \"b\" 2}", "s.json:2:6: error|':'|'2'"},
        {"{\"a\": 1,\n \"a\": 2}", "s.json:2:2: error|'a'|1"},
        {"{a: 1}", "s.json:1:2: error|'a'"},
        {"[1, 2", "s.json:1:6: error|','|']'"},
        {"[1 2]", "s.json:1:4: error|','|']'|'2'"},
        {"[1,\n]", "s.json:1:3: error|']'"},
        {"[1] x", "s.json:1:5: error|'x'"},
        {"[NaN]", "s.json:1:2: error"},
        {"[1e999]", "s.json:1:2: error"},
        {"[01]", "s.json:1:2: error|0"},
        {"[1.]", "s.json:1:2: error"},
        {"[2e]", "s.json:1:2: error"},
        {"[-]", "s.json:1:2: error|'-'"},
        {"['a']", "s.json:1:2: error"},
        {"// x\n1", "s.json:1:1: error"},
        {"{\"a\": }", "s.json:1:7: error|'}'"},
        {"[\"\xC3\xA9\", x]", "s.json:1:7: error|'x'"},
        {"[\"a\nb\"]", "s.json:1:2: error"},
        {"[\"a", "s.json:1:2: error"},
        {"[\"\\x\"]", "s.json:1:3: error"},
        {"[\"\\ud800\"]", "s.json:1:3: error"},
        {"[\"\\u0000\"]", "s.json:1:3: error"},
        {"[\"\\u00g0\"]", "s.json:1:3: error"},
        {"[\"\t\"]", "s.json:1:3: error"},
        {"[\"\xFF\"]", "s.json:1:3: error"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        cardan_report     report;
        cd_json_document* d = parse(cases[i].text, &report);
        CHECK(d == NULL);
        CHECK(report.errors == 1);
        CHECK_CASE(&report, cases[i].text, cases[i].parts);
        cd_json_destroy(d);
    }
}

static void test_depth(void)
{
    cardan_report report;
    char          text[2 * CD_JSON_DEPTH + 16] = "";
    memset(text, '[', CD_JSON_DEPTH);
    memset(text + CD_JSON_DEPTH, ']', CD_JSON_DEPTH);
    cd_json_document* d = parse(text, &report);
    CHECK(d != NULL);
    cd_json_destroy(d);

    char* deep = malloc(1000001);
    if (!deep) return;
    memset(deep, '[', 1000000);
    deep[1000000] = '\0';
    d             = parse(deep, &report);
    CHECK(d == NULL);
    CHECK_CASE(&report, "[[[...", "s.json:1:65: error|64");
    cd_json_destroy(d);
    free(deep);
}

static void test_invalid_numbers(void)
{
    cardan_report     report;
    double            value[3];
    cd_json_document* d = parse("{\"a\": 1, \"b\": [1, 2], \"c\": [1, \"x\"], \"e\": {}}", &report);
    if (!d) return;
    const cd_json_node* root = cd_json_root(d);
    CHECK(cd_json_read_numbers(d, cd_json_find(d, root, "a"), "a", 1, value, &report) == CARDAN_OK);
    CHECK(value[0] == 1);
    cd_json_read_numbers(d, cd_json_find(d, root, "b"), "joint 'h': q", 3, value, &report);
    cd_json_read_numbers(d, cd_json_find(d, root, "c"), "joint 'h': q", 2, value, &report);
    cd_json_read_numbers(d, cd_json_find(d, root, "e"), "joint 'h': q", 2, value, &report);
    CHECK_CASE(&report, "[1, 2]", "s.json:1:15: error|joint 'h': q|3|2");
    CHECK_CASE(&report, "[1, \"x\"]", "s.json:1:32: error|joint 'h': q");
    CHECK_CASE(&report, "{}", "s.json:1:43: error|joint 'h': q|2");
    cd_json_destroy(d);
}

// Every double is read back with the same bits.
static void test_round_trip(void)
{
    uint64_t       seed = 1;
    cd_text        text = {0};
    cd_json_writer json = cd_json_writer_to(&text);
    double         value[1000];
    cardan_report  report;
    for (int i = 0; i < 1000;) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        memcpy(&value[i], &seed, sizeof seed);
        i += isfinite(value[i]);
    }
    cd_json_numbers(&json, NULL, 1000, value);
    cd_json_document* d = parse(text.data, &report);
    double            back[1000];
    CHECK(d && cd_json_read_numbers(d, cd_json_root(d), "x", 1000, back, &report) == CARDAN_OK);
    CHECK(memcmp(value, back, sizeof value) == 0);
    cd_json_destroy(d);
    cd_text_free(&text);
}

// A mutated document gives either a document or exactly one message.
static void test_mutations(void)
{
    static const char text[]   = "{\"time\": 0.5, \"joints\": {\"hinge\": {\"q\": [0.1, -2e-3], \"v\": [null, true]},\n"
                                 "\"b\\u00e9\": \"x\\\\y\"}, \"bodies\": {}, \"list\": [[], {}, false, \"\xC3\xA9\"]}";
    static const char bytes[]  = "{}[]\",:\\u0e-+.ntf \n\xC3\xFF/9";
    uint64_t          seed     = 7;
    int               rejected = 0;
    for (int round = 0; round < 5000; ++round) {
        char   copy[sizeof text];
        size_t length = sizeof text - 1;
        memcpy(copy, text, sizeof text);
        for (int k = 0; k < 1 + round % 4; ++k) {
            seed              = seed * 6364136223846793005u + 1442695040888963407u;
            const size_t at   = (size_t)(seed >> 33) % length;
            const size_t pick = (size_t)(seed >> 20) % (sizeof bytes - 1);
            if (seed >> 63)
                copy[at] = bytes[pick];
            else if (seed >> 62 & 1)
                copy[length = at + 1] = '\0';
            else
                memmove(copy + at, copy + at + 1, length - at), length -= length > 1;
        }
        char* exact = malloc(length + 1); // exact size, so that sanitizers detect reads beyond the end
        if (!exact) return;
        memcpy(exact, copy, length);
        exact[length] = '\0';
        cardan_report     report;
        cd_json_document* d = NULL;
        cardan_report_clear(&report);
        const cardan_status status = cd_json_parse(exact, length, "m.json", &d, &report);
        CHECK((status == CARDAN_OK && d && report.count == 0) ||
              (status == CARDAN_BAD_INPUT && !d && report.count == 1));
        rejected += status != CARDAN_OK;
        cd_json_destroy(d);
        free(exact);
    }
    CHECK(rejected > 2500);
}

// 100,000 members on one line are read in linear time.
static void test_large(void)
{
    cd_text text = {0};
    cd_text_add(&text, "{");
    for (int i = 0; i < 100000; ++i) cd_text_format(&text, "%s\"joint%d\": %d", i ? "," : "", i, i);
    cd_text_add(&text, "}");
    cardan_report     report;
    cd_json_document* d = parse(text.data, &report);
    CHECK(d != NULL);
    if (d) {
        CHECK(cd_json_root(d)->count == 100000);
        CHECK_NEAR(cd_json_find(d, cd_json_root(d), "joint77777")->number, 77777, 0);
    }
    cd_json_destroy(d);
    cd_text_free(&text);
}

int main(void)
{
    RUN(test_writer());
    RUN(test_writer_depth());
    RUN(test_parser());
    RUN(test_errors());
    RUN(test_depth());
    RUN(test_invalid_numbers());
    RUN(test_round_trip());
    RUN(test_mutations());
    RUN(test_large());
    RUN(test_sentences("test_json"));
    return test_end();
}
