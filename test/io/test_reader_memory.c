// SPDX-License-Identifier: BSD-3-Clause
// Memory of the readers: at most 64 MB plus 200 times the size of the file for any content, except repetitions that a
// model requests. Each text is read by a child process, whose maximal resident size is compared.
#include "core/json.h"
#include "core/text.h"
#include "io/format.h"
#include "io/results/results.h"
#include "test.h"

#include <cardan/optimize.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
enum { MEASURED = 0 }; // sanitizers do not release freed memory
#elif defined __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
enum { MEASURED = 0 };
#else
enum { MEASURED = 1 };
#endif
#else
enum { MEASURED = 1 };
#endif

static char path[] = P_tmpdir "/cardan-memory-XXXXXX";

typedef void reading(const cd_text* text);

static void read_model(const cd_text* text)
{
    cardan_report       report      = {0};
    cardan_description* description = NULL;
    cardan_description_load_text(text->data, "model.yaml", NULL, &description, &report);
    cardan_description_destroy(description);
}

static void read_task(const cd_text* text)
{
    cardan_report report = {0};
    cardan_task*  task   = NULL;
    cardan_task_load_text(text->data, "task.yaml", NULL, &task, &report);
    cardan_task_destroy(task);
}

static void read_json(const cd_text* text)
{
    cardan_report     report   = {0};
    cd_json_document* document = NULL;
    cd_json_parse(text->data, text->length, "state.json", &document, &report);
    cd_json_destroy(document);
}

static void read_results(const cd_text* text)
{
    cardan_report    report = {0};
    cd_result_table* table  = NULL;
    cd_result_table_parse(text->data, text->length, "results.csv", &table, &report);
    cd_result_table_destroy(table);
}

static void write_file(const cd_text* text)
{
    FILE* file = fopen(path, "wb");
    if (!file || fwrite(text->data, 1, text->length, file) != text->length || fclose(file) != 0) exit(1);
}

static void read_urdf(const cd_text* text)
{
    const cardan_load_options options     = cardan_load_options_default();
    cardan_report             report      = {0};
    cardan_description*       description = NULL;
    write_file(text);
    cd_read_urdf(path, &options, &description, &report);
    cardan_description_destroy(description);
}

static void read_table(const cd_text* text)
{
    cd_text model = {0};
    write_file(text);
    cd_text_format(&model, "cardan: 1\ntables: {f: {csv: %s}}\noutputs: {o: =f(t)}\n", path);
    read_model(&model);
    cd_text_free(&model);
}

// Text of `size` bytes: `head`, then `piece` repeated, where %d is a running number, then `tail`.
static void fill(cd_text* text, const char* head, const char* piece, const char* tail, size_t size)
{
    cd_text_add(text, head);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    for (int i = 0; text->length < size; ++i) cd_text_format(text, piece, i, i + 1);
#pragma GCC diagnostic pop
    cd_text_add(text, tail);
}

static const struct {
    const char *name, *head, *piece, *tail;
    reading*    read;
} texts[] = {
    {"question marks", "", "? ", "", read_model},
    {"dashes", "", "- ", "", read_model},
    {"brackets", "", "[", "", read_model},
    {"braces", "", "{a: ", "", read_model},
    {"pairs", "[", ":,", ":]", read_model},
    {"nulls", "{", "a,", "}", read_model},
    {"lines of nulls", "", "-\n", "", read_model},
    {"empty lists", "[", "[],", "]", read_model},
    {"aliases", "a: &a 1\nb: [", "*a,", "1]\n", read_model},
    {"anchors", "", "- &a%d 1\n", "", read_model},
    {"laughs", "", "a%d: &a%d [x,x,x,x,x,x,x,x]\n", "", read_model},
    {"keys", "cardan: 1\n", "a%d:\n", "", read_model},
    {"parameters", "cardan: 1\nparameters:\n", " a%d: 1\n", "", read_model},
    {"reversed parameters", "cardan: 1\nparameters:\n", " a%d: =a%d\n", "", read_model},
    {"points", "cardan: 1\npoints:\n", " a%d: [0,0,0]\n", "", read_model},
    {"bodies", "cardan: 1\nbodies:\n", " a%d: {}\n", "", read_model},
    {"markers", "cardan: 1\nmarkers:\n", " a%d: {on: ground}\n", "", read_model},
    {"joints", "cardan: 1\nbodies: {b: {}}\njoints:\n", " a%d: {fixed: [ground,b]}\n", "", read_model},
    {"states", "cardan: 1\nstates:\n", " a%d: {rate: 1}\n", "", read_model},
    {"outputs", "cardan: 1\noutputs:\n", " a%d: =t\n", "", read_model},
    {"forces", "cardan: 1\nbodies: {b: {}}\nforces:\n", " a%d: {spring: [ground,b]}\n", "", read_model},
    {"a formula", "cardan: 1\noutputs: {a: \"=1", "+t", "\"}\n", read_model},
    {"numbers of a table", "cardan: 1\ntables: {f: {x: [", "%d,", "], y: []}}\n", read_model},
    {"one word", "", "a", "", read_model},
    {"task", "cardan: 1\ntask: ", "? ", "", read_task},
    {"commas", "[", ",", "", read_json},
    {"zeros", "[0", ",0", "]", read_json},
    {"empty arrays", "[[]", ",[]", "]", read_json},
    {"colons", "{", ":", "", read_json},
    {"members", "{\"x\":0", ",\"%d\":0", "}", read_json},
    {"elements", "<robot name='r'>", "<a/>", "</robot>", read_urdf},
    {"open elements", "", "<a>", "", read_urdf},
    {"attributes", "<robot name='r'", " a%d=''", "/>", read_urdf},
    {"links", "<robot name='r'>", "<link name='%d'/>", "</robot>", read_urdf},
    {"characters", "<robot name='r'>", "<a/>x", "</robot>", read_urdf},
    {"rows", "x,y\n", "%d,1\n", "", read_table},
    {"fields", "x,y\n1,2", ",2", "\n", read_table},
    {"results", "t,q\n", "%d,1\n", "", read_results},
    {"columns", "t", ",q%d", "\n0", read_results},
    {"empty fields", "t,a,b,c,d\n", ",,,,\n", "", read_results},
};

static void test_text(int i, size_t size)
{
    cd_text text = {0};
    fill(&text, texts[i].head, texts[i].piece, texts[i].tail, size);
    struct rusage usage;
    int           status;
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        texts[i].read(&text);
        _exit(0);
    }
    CHECK(wait4(child, &status, 0, &usage) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    const double used = (double)usage.ru_maxrss * 1024, allowed = 64e6 + 200.0 * (double)text.length;
    if (MEASURED && used > allowed) printf("%s: %.0f MB, allowed are %.0f\n", texts[i].name, used / 1e6, allowed / 1e6);
    CHECK(!MEASURED || used <= allowed);
    if (getenv("CARDAN_MEMORY_TELL"))
        printf("%-20s %8.1f per byte\n", texts[i].name, (used - 10e6) / (double)text.length);
    cd_text_free(&text);
}

int main(void)
{
    const int file = mkstemp(path);
    if (file < 0) return 1;
    close(file);
    for (int i = 0; i < (int)(sizeof texts / sizeof *texts); ++i) RUN(test_text(i, 1 << 20));
    RUN(test_text(0, 8 << 20));
    unlink(path);
    return test_end();
}
