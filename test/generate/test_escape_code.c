// SPDX-License-Identifier: BSD-3-Clause
// Generated code of a mechanism whose names contain every byte and sequences that end comments or strings. It differs
// from the code with plain names only in comments and name strings, compiles, and has the same behaviour. Descriptions
// created in C with such names are rejected by the compilation of the model.
#include "run_command.h"
#include "sentences.h"
#include "test.h"

#include "model/model.h"

#include <cardan/cardan.h>
#include <cardan/generate.h>
#include <stdlib.h>
#include <unistd.h>

static const char mechanism[] = "cardan: 1\n"
                                "name: harmless\n"
                                "gravity: [0, -9.81, 0]\n"
                                "parameters: {mass: 2}\n"
                                "points: {A: [0, 0, 0], B: [0.5, 0.9, 0], C: [2.6, 1.4, 0], D: [2, 0, 0]}\n"
                                "bodies:\n"
                                "  crank:   {rod: [A, B], mass: 1}\n"
                                "  coupler: {rod: [B, C], mass: =mass}\n"
                                "  rocker:  {rod: [C, D], mass: 1.5}\n"
                                "markers:\n"
                                "  tip: {on: coupler, at: C}\n"
                                "joints:\n"
                                "  A: {revolute: [ground, crank],   at: A, axis: z, start: {v: 1}}\n"
                                "  B: {revolute: [crank, coupler],  at: B, axis: z}\n"
                                "  C: {revolute: [coupler, rocker], at: C, axis: z}\n"
                                "  D: {revolute: [rocker, ground],  at: D, axis: z}\n"
                                "states:\n"
                                "  s: {rate: =v(A)}\n";

static char          folder[] = "/tmp/cardan-escape-XXXXXX";
static char          every[256]; // all bytes except zero
static cardan_report report;

static const char* const hostile[] = {every,
                                      "x\n#include \"/etc/passwd\"\nint broken = ;\n",
                                      "x\\",
                                      "x?\?/",
                                      "*/ int broken = ; /*",
                                      "\"}; int broken = ; //",
                                      "x\r\nimport broken\r\n",
                                      "'; error('broken'); x = '",
                                      "\\\n\\\r\n?\?/\n \\ \n",
                                      "\xe2\x80\xae\xe2\x81\xa6 a \xe2\x80\xa8 b \xc2\x85 c",
                                      "\\\"",
                                      "\xff\xfe\xc0\x80\xed\xa0\x80",
                                      "%{\n%}\n...\n"};
enum { HOSTILE = sizeof hostile / sizeof *hostile };

static void save(const char* sub, const char* name, const char* content)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s/%s", folder, sub, name);
    FILE* f = fopen(path, "wb");
    CHECK(f && fwrite(content, 1, strlen(content), f) == strlen(content));
    if (f) CHECK(fclose(f) == 0);
}

// Replace the names of the model and of its description, which share their lists, by hostile[first], hostile[first+1],
// ...
static void replace_names(cardan_model* m, int first)
{
    int k        = first;
    m->view.name = hostile[k++ % HOSTILE];
    for (int i = 0; i < m->view.njoint; ++i) {
        const char* name                       = hostile[k++ % HOSTILE];
        ((cardan_joint*)m->view.joint)[i].name = name;
        m->joint[i].name                       = name;
    }
    for (int i = 0; i < m->view.nmarker; ++i) ((cardan_marker*)m->view.marker)[i].name = hostile[k++ % HOSTILE];
    for (int i = 0; i < m->view.nbody; ++i) ((cardan_body*)m->view.body)[i].name = hostile[k++ % HOSTILE];
    for (int i = 0; i < m->view.nstate; ++i) ((cardan_user_state*)m->view.state)[i].name = hostile[k++ % HOSTILE];
    for (int i = 0; i < m->view.nparameter; ++i)
        ((cardan_parameter*)m->view.parameter)[i].name = hostile[k++ % HOSTILE];
}

// Write the generated code to a folder: first = -1: plain names, else names from hostile[first] on. The file `lost`
// holds the expected names of the joints that close loops in hexadecimal digits.
static void generate(const char* language, int first, const char* sub)
{
    cardan_description*     d       = NULL;
    cardan_model*           m       = NULL;
    cardan_generated*       g       = NULL;
    cardan_generate_options options = cardan_generate_options_default();
    options.forms                   = "motion,markers,mass";
    options.language                = language;
    options.name                    = "escaped";
    cardan_report_clear(&report);
    CHECK(run("mkdir %s/%s", folder, sub));
    CHECK(cardan_description_load_text(mechanism, "any.yaml", NULL, &d, &report) == CARDAN_OK);
    CHECK(d && cardan_model_compile(d, CARDAN_TREE_BREADTH_FIRST, &m, &report) == CARDAN_OK);
    if (m && first >= 0) replace_names(m, first);
    CHECK(m && cardan_generated_create(m, &options, &g, &report) == CARDAN_OK);
    for (int i = 0; g && i < cardan_generated_file_count(g); ++i)
        save(sub, cardan_generated_file_name(g, i), cardan_generated_file_text(g, i));
    char lost[2000] = "";
    for (int i = 0; m && i < m->ncut; ++i) {
        size_t n = strlen(lost);
        n += (size_t)snprintf(lost + n, sizeof lost - n, "6a6f696e742027"); // joint '
        for (const char* s = m->joint[m->cut[i]].name; *s; ++s)
            n += (size_t)snprintf(lost + n, sizeof lost - n, "%02x", (unsigned)(unsigned char)*s);
        snprintf(lost + n, sizeof lost - n, "27\n");
    }
    CHECK(*lost);
    save(sub, "lost", lost);
    cardan_generated_destroy(g);
    cardan_model_destroy(m);
    cardan_description_destroy(d);
}

// Compile with several dialects; the self-test passes and the name strings equal the names.
static void test_c(void)
{
    static const char main_text[] =
        "#include \"escaped.h\"\n#include <stdio.h>\nint main(void)\n{\n"
        "    for (const char* s = escaped_lost(1); *s; ++s) printf(\"%02x\", (unsigned)(unsigned char)*s);\n"
        "    return printf(\"\\n\") < 0;\n}\n";
    static const char* const dialects[] = {"-std=c17", "-std=gnu17 -trigraphs", "-std=gnu17"};
    generate("c", -1, "c");
    for (int first = 0; first < HOSTILE; ++first) {
        char sub[16];
        snprintf(sub, sizeof sub, "c%d", first);
        generate("c", first, sub);
        CHECK(run("python3 test/data/escape_code.py %s/c %s/%s c", folder, folder, sub));
        save(sub, "main.c", main_text);
        const char* dialect = dialects[first % 3];
        CHECK(run(
            "cd %s/%s && ${CC:-cc} %s -Wall -Wextra -Werror -O0 -c escaped.c && ${CC:-cc} %s -Wall -Wextra -Werror -O0 "
            "-o main main.c escaped.o -lm && ./main | cmp - lost",
            folder, sub, dialect, dialect));
        if (first < 3)
            CHECK(
                run("cd %s/%s && ${CC:-cc} %s -O1 -DSELFTEST -o test escaped.c -lm && ./test >out && grep -q agree out",
                    folder, sub, dialect));
    }
}

static void test_language(const char* language)
{
    generate(language, -1, language);
    for (int first = 0; first < HOSTILE; ++first) {
        char sub[16];
        snprintf(sub, sizeof sub, "%s%d", language, first);
        generate(language, first, sub);
        CHECK(run("python3 test/data/escape_code.py %s/%s %s/%s %s", folder, language, folder, sub, language));
    }
}

static cardan_description* pendulum(const char* model, const char* body, const char* joint)
{
    cardan_description* d = cardan_description_create(model);
    cardan_body         b = cardan_body_default(body);
    b.mass                = 1;
    b.centre[0]           = 1;
    const int    i        = cardan_description_add_body(d, &b);
    cardan_joint j        = cardan_joint_default(joint, "revolute", CARDAN_GROUND, i);
    CHECK(i == 0 && cardan_description_add_joint(d, &j) == 0);
    return d;
}

static void check_rejected(cardan_description* d, const char* parts)
{
    cardan_model* m = NULL;
    cardan_report_clear(&report);
    CHECK(cardan_model_compile(d, CARDAN_TREE_BREADTH_FIRST, &m, &report) == CARDAN_BAD_INPUT && !m);
    CHECK(report.count == 1);
    CHECK_CASE(&report, "", parts);
    cardan_model_destroy(m);
    cardan_description_destroy(d);
}

static void test_description(void)
{
    check_rejected(pendulum("x\n#include <a>", "arm", "hinge"), "'x\\n#include <a>'|U+000A|2");
    check_rejected(pendulum("p", "arm\x1b", "hinge"), "'arm\\x1b'|U+001B|4");
    check_rejected(pendulum("p", "arm", "\xe2\x80\xaehinge"), "'\\u202ehinge'|U+202E|1");
    cardan_description* d = pendulum("p", "arm", "hinge");
    cardan_description_set_name(d, "\xff");
    char* text = cardan_description_save_text(d);
    CHECK(!text); // the text could not be read again
    free(text);
    check_rejected(d, "'\\xff'|0xFF|1");
    d = pendulum("p", "arm", "hinge");
    cardan_description_add_marker(d, &(cardan_marker){.name = "a\tb", .pose = cardan_pose_default()});
    check_rejected(d, "'a\\tb'|U+0009|2");
    d = pendulum("p", "arm", "hinge");
    cardan_description_add_output(
        d, &(cardan_output){.name = "o", .unit = "m\n", .value = cardan_description_add_constant(d, 1)});
    check_rejected(d, "'m\\n'|U+000A|2");
    d = pendulum("p", "arm", "hinge");
    cardan_description_add_parameter(d, &(cardan_parameter){.name = "a\x7f"});
    check_rejected(d, "'a\\x7f'|U+007F|2");
}

// Printable names that a model file cannot contain: code is generated.
static void test_quotes(void)
{
    cardan_description*           d       = pendulum("a \"b\" $c", "arm", "\"hinge\"");
    cardan_model*                 m       = NULL;
    cardan_generated*             g       = NULL;
    const cardan_generate_options options = {.forms = "mass"};
    cardan_report_clear(&report);
    CHECK(cardan_model_compile(d, CARDAN_TREE_BREADTH_FIRST, &m, &report) == CARDAN_OK);
    CHECK(cardan_generated_create(m, &options, &g, &report) == CARDAN_OK && report.count == 0);
    CHECK_HAS(cardan_generated_file_text(g, 1), "revolute '\"hinge\"'");
    cardan_generated_destroy(g);
    cardan_model_destroy(m);
    cardan_description_destroy(d);
}

int main(void)
{
    if (!mkdtemp(folder)) return 1;
    for (int i = 0; i < 255; ++i) every[i] = (char)(i + 1);
    RUN(test_description());
    RUN(test_quotes());
    RUN(test_c());
    RUN(test_language("python"));
    RUN(test_language("octave"));
    run("rm -r %s", folder);
    RUN(test_sentences("test_escape_code"));
    return test_end();
}
