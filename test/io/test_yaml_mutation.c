// SPDX-License-Identifier: BSD-3-Clause
// Robustness of the reader: mutated files and very long files.
#include "sentences.h"
#include "yaml_text.h"

#include "core/text.h"

#include <stdint.h>

static uint64_t seed = 20240607;

static unsigned random_below(unsigned below)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(seed >> 33) % below;
}

static char* read_whole(const char* path, size_t* length)
{
    cd_text text = {0};
    char    buffer[4096];
    size_t  n;
    FILE*   stream = fopen(path, "r");
    while (stream && (n = fread(buffer, 1, sizeof buffer, stream)) > 0) cd_text_add_bytes(&text, buffer, n);
    if (stream) fclose(stream);
    *length = text.length;
    return cd_text_detach(&text);
}

// Bytes changed, removed, doubled; keywords inserted; lines moved.
static void mutate(cd_text* out, const char* text, size_t length)
{
    static const char* const words[] = {"=",
                                        "$i",
                                        "$(",
                                        "[",
                                        "]",
                                        "{",
                                        "}",
                                        ": ",
                                        ", ",
                                        "\n",
                                        "  ",
                                        "\t",
                                        "&a ",
                                        "*a",
                                        "? ",
                                        "- ",
                                        "~",
                                        "\"",
                                        "'",
                                        "#",
                                        "1e999",
                                        "-1",
                                        ".inf",
                                        "=1/0",
                                        "=q(",
                                        "=x(tip",
                                        "ground",
                                        "relative: a",
                                        "mirror: y",
                                        "for: i in 1..3",
                                        "include: model.yaml",
                                        "\xff",
                                        "\xc3",
                                        "|\n",
                                        "!!int "};
    const unsigned           count   = 1 + random_below(4);
    size_t                   at[4];
    for (unsigned i = 0; i < count; ++i) at[i] = random_below((unsigned)length);
    for (size_t i = 0; i < length; ++i) {
        bool kept = true;
        for (unsigned k = 0; k < count; ++k) {
            if (at[k] != i) continue;
            const unsigned action = random_below(5);
            if (action == 0) kept = false;
            if (action == 1) cd_text_add(out, words[random_below(sizeof words / sizeof *words)]);
            if (action == 2) cd_text_add_bytes(out, text + i, 1);
            if (action == 3) cd_text_format(out, "%c", (int)(1 + random_below(255))), kept = false;
            if (action == 4) {
                const size_t from = random_below((unsigned)length), remaining = length - from;
                cd_text_add_bytes(out, text + from, remaining < 40 ? remaining : 40);
            }
        }
        if (kept) cd_text_add_bytes(out, text + i, 1);
    }
}

static void test_mutations(const char* path, int count)
{
    size_t length   = 0;
    char*  text     = read_whole(path, &length);
    int    rejected = 0, unreported = 0;
    CHECK(text && length > 100);
    for (int i = 0; i < count; ++i) {
        cd_text mutated = {0};
        mutate(&mutated, text, length);
        cardan_description* d = yaml_load_with(mutated.data, NULL);
        rejected += !d;
        unreported += !d && yaml_report.errors == 0;
        cardan_description_destroy(d);
        cd_text_free(&mutated);
    }
    CHECK(unreported == 0);      // every rejection is reported
    CHECK(rejected > count / 4); // most mutations are rejected
    free(text);
}

// Truncation at any byte.
static void test_truncation(const char* path)
{
    size_t length = 0;
    char*  text   = read_whole(path, &length);
    for (size_t n = 0; n < length; n += 7) {
        char* part = strndup(text, n);
        cardan_description_destroy(yaml_load_with(part, NULL));
        free(part);
    }
    free(text);
}

// A chain of 100,000 bodies, each relative to the previous one: a search whose cost is quadratic would not end.
static void test_long_chain(void)
{
    const char* const text =
        "cardan: 1\nparameters: {n: 100000}\nrepeat:\n  - for: i in 1..n\n"
        "    bodies: {b$i: {relative: \"b$(i-1)\", at: [0, 0, -1], mass: 1, inertia: [0.1, 0.1, 0.01]}}\n"
        "    joints: {j$i: {revolute: [\"b$(i-1)\", b$i], relative: b$i, at: [0, 0, =0.5 + 0*i], axis: y, damping: "
        "0.1}}\n"
        "bodies: {b0: {at: [0, 0, 0]}}\n";
    cardan_description* d = yaml_load(text);
    CHECK(cardan_description_get_view(d).nbody == 100001 && cardan_description_get_view(d).njoint == 100000);
    CHECK_NEAR(cardan_description_get_view(d).body[cardan_description_find_body(d, "b100000")].pose.p[2], -100000,
               1e-12);
    cardan_description_destroy(d);
}

// The chain in reverse order: the reader does not recurse along it.
static void test_reversed_chain(void)
{
    const char* const text =
        "cardan: 1\nrepeat:\n  - for: i in 1..100000\n"
        "    bodies: {b$i: {relative: \"b$(i+1)\", at: [0, 0, -1]}}\nbodies: {b100001: {at: [0, 0, 0]}}\n";
    cardan_description* d = yaml_load(text);
    CHECK_NEAR(cardan_description_get_view(d).body[cardan_description_find_body(d, "b1")].pose.p[2], -100000, 1e-12);
    cardan_description_destroy(d);
}

// Chains of parameters in both orders and a circular one: time and stack are independent of the order.
static void test_parameter_chains(void)
{
    enum { COUNT = 100000 };
    cd_text text = {0};
    cd_text_add(&text, "cardan: 1\nparameters:\n");
    for (int i = 0; i < COUNT; ++i) cd_text_format(&text, "  p%d: =p%d + 1\n", i, i + 1);
    const size_t length = text.length;
    cd_text_format(&text, "  p%d: 1\n", COUNT);
    cardan_description* d = yaml_load(text.data);
    CHECK(d && cardan_description_get_view(d).parameter[0].value == COUNT + 1);
    cardan_description_destroy(d);

    text.length = length;
    cd_text_format(&text, "  p%d: =nowhere\n", COUNT); // one error, reported once
    CHECK(yaml_load_with(text.data, NULL) == NULL && yaml_report.errors == 1);
    CHECK_CASE(&yaml_report, "chain with an unknown name", "model.yaml:100003:13: error|'p100000'|'nowhere'");

    text.length = length;
    cd_text_format(&text, "  p%d: =p0\n", COUNT);
    CHECK(yaml_load_with(text.data, NULL) == NULL && yaml_report.errors == 1);
    CHECK_CASE(&yaml_report, "cycle", "'p0'|p0 (line 3) -> p1 (line 4) -> p2 (line 5) -> ");
    cd_text_free(&text);
}

// Parameters that depend on each other through points, tables and settings, each before its dependencies.
static void test_parameters_through_others(void)
{
    const char* const              text    = "cardan: 1\n"
                                             "parameters: {a: \"=x(P) + b\", b: =g(c), c: =d, d: =x(Q) + e, e: 7, f: 2}\n"
                                             "points: {P: [=c, 0, 0], Q: [=f, 0, 0]}\n"
                                             "tables: {g: {x: [0, =f * 10], y: [0, 40]}}\n"
                                             "bodies: {k: {mass: =a}}\n";
    const cardan_parameter_setting setting = {"e", "=f + 1"};
    const cardan_load_options      options = {.nsetting = 1, .setting = &setting};
    cardan_description*            d       = yaml_load_with(text, &options);
    if (!d) yaml_print();
    CHECK(d && cardan_description_get_view(d).parameter[0].value == 15);
    cardan_description_destroy(d);
    // a point and a parameter with the same name are not circular
    d = yaml_load("cardan: 1\nparameters: {A: =x(A)}\npoints: {A: [3, 0, 0]}\nbodies: {k: {mass: =A}}\n");
    CHECK(d && cardan_description_get_view(d).parameter[0].value == 3);
    cardan_description_destroy(d);
}

// Settings without a formula, or with a formula that cannot be part of the file.
static void test_settings(void)
{
    static const struct {
        const char *value, *parts; // of the message
    } rejected[] = {{"=", "'a'"}, {"", "'a'"}, {" ", "'a'"}, {"1+", "'a'|'+'"}, {"=1 +", "'a'|'+'"}, {"=a", "'a'"}};
    for (size_t i = 0; i < sizeof rejected / sizeof *rejected; ++i) {
        const cardan_parameter_setting setting = {"a", rejected[i].value};
        const cardan_load_options      options = {.nsetting = 1, .setting = &setting};
        CHECK(yaml_load_with("cardan: 1\nparameters: {a: 1 + 1}\nbodies: {b: {mass: =a}}\n", &options) == NULL);
        CHECK(yaml_report.errors == 1);
        CHECK_CASE(&yaml_report, rejected[i].value, rejected[i].parts);
    }
}

// Unbounded nesting, brackets in comments, many directives, one long line.
static void test_depth(void)
{
    cd_text text = {0};
    cd_text_add(&text, "cardan: 1\nname: ");
    for (int i = 0; i < 100000; ++i) cd_text_add(&text, "[");
    CHECK(yaml_load_with(text.data, NULL) == NULL && yaml_report.errors > 0);
    CHECK_CASE(&yaml_report, "nested sequences", "64");
    cd_text_free(&text);

    for (int i = 0; i < 100000; ++i) cd_text_add(&text, "? ");
    CHECK(yaml_load_with(text.data, NULL) == NULL && yaml_report.errors == 1);
    CHECK_CASE(&yaml_report, "nested keys", "model.yaml:1:131: error|64");
    cd_text_free(&text);

    cd_text_add(&text, "cardan: 1 # ");
    for (int i = 0; i < 100000; ++i) cd_text_add(&text, "[{");
    cardan_description_destroy(yaml_load(text.data));
    cd_text_free(&text);

    for (int i = 0; i < 100000; ++i) cd_text_format(&text, "%%TAG !a%d! b\n", i);
    CHECK(yaml_load_with(text.data, NULL) == NULL && yaml_report.errors == 1);
    CHECK_CASE(&yaml_report, "directives", "model.yaml:101:1: error|100");
    cd_text_free(&text);

    cd_text_add(&text, "[");
    for (int i = 0; i < 30000; ++i) cd_text_add(&text, "=(,");
    for (int i = 0; i < 30000; ++i) cd_text_add(&text, "=f(1,2),");
    cd_text_add(&text, "]\n...\n");
    for (int i = 0; i < 100000; ++i) cd_text_format(&text, "%%TAG !a%d! b\n", i);
    CHECK(yaml_load_with(text.data, NULL) == NULL);
    CHECK_CASE(&yaml_report, "directives of a second document", "model.yaml:103:1: error|100");
    cd_text_free(&text);

    cd_text_add(&text, "cardan: 1\nparameters:\n  p0: 1\n");
    for (int i = 1; i < 3000; ++i) cd_text_format(&text, "  p%d: =p%d + 1\n", i, i - 1);
    cardan_description* d = yaml_load(text.data);
    CHECK(d && cardan_description_get_view(d).parameter[2999].value == 3000);
    cardan_description_destroy(d);
    cd_text_free(&text);
}

int main(void)
{
    yaml_begin();
    RUN(test_mutations(CARDAN_SOURCE "/test/data/yaml/limb.yaml", 1000));
    RUN(test_mutations(CARDAN_SOURCE "/test/data/yaml/corner.yaml", 1000));
    RUN(test_truncation(CARDAN_SOURCE "/test/data/yaml/corner.yaml"));
    RUN(test_long_chain());
    RUN(test_reversed_chain());
    RUN(test_depth());
    RUN(test_parameter_chains());
    RUN(test_parameters_through_others());
    RUN(test_settings());
    yaml_end();
    RUN(test_sentences("test_yaml_mutation"));
    return test_end();
}
