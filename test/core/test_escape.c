// SPDX-License-Identifier: BSD-3-Clause
// Escaping of text in every language that Cardan writes. Input: each byte alone and between others, and sequences that
// end comments, continue lines, reverse the writing direction or are invalid UTF-8. The interpreters and compilers of
// each language (test/data/escape.py) read the files; the strings they read must equal the input.
#include "core/escape.h"
#include "core/json.h"
#include "core/utf8.h"
#include "io/results/results.h"

#include "run_command.h"
#include "test.h"

#include <cardan/cardan.h>
#include <stdlib.h>
#include <unistd.h>

enum { MOST = 1000, LONGEST = 64 };

static char text[MOST][LONGEST];
static int  ntext;
static char folder[] = "/tmp/cardan-escape-XXXXXX";

static const char* const nasty[] = {
    "*/", "/*", "*/ int x; /*", "//", "\\", "x\\", "?\?/", "x?\?/", "?\?\?/", "?\?/\n", "\\\n", "x\\\r\n", "x\\ \n",
    "?\?=?\?(", "x\n#include <stdio.h>\n", "x\r#error\r", "x\n__attribute__((constructor)) static void f(void) {}\n",
    "\"", "\"\"\"", "'", "'''", "\\'", "\\\"", "\\x41", "\\101", "\\u0041", "\\n", "\\0", "%", "%{", "%}", "%s%n%d",
    "#{", "...", "{}", "$x", "$(touch x)", "`touch x`", "!x", "[a]", "{a: b}", "a: b", "- a", "| a", "a #b", "# a",
    "*a", "&a", "~", "null", "yes", " a", "a ", "a,b", "a;b", "a\tb", "=cmd|' /C calc'!A0", "=1+1", "+x", "-x", "@x",
    "'=x", "''=x", "'x", "-1.5", "+2e-3", "-", "", "<", ">", "&", "&amp;", "&#10;", "]]>", "<!--", "-->", "--",
    "</text>", "<script>", "coding: utf-7", "coding=latin-1", "-*- coding:cp037 -*-", "\x1b[31mred", "\x1b]0;title\x07",
    "\b\b\b",
    "\xc2\x9b"
    "31m",
    // bidirectional marks, separators, byte order mark
    "\xd8\x9c", "\xe2\x80\x8e", "\xe2\x80\x8f", "\xe2\x80\xaa", "\xe2\x80\xab", "\xe2\x80\xac", "\xe2\x80\xad",
    "a\xe2\x80\xae"
    "b",
    "\xe2\x81\xa6", "\xe2\x81\xa7", "\xe2\x81\xa8", "\xe2\x81\xa9", "\xc2\x85",
    "a\xe2\x80\xa8"
    "b",
    "\xe2\x80\xa9", "\xef\xbb\xbf", "\xef\xbb\xbfx",
    // invalid UTF-8: surrogates, overlong forms, too large, truncated; noncharacters
    "\xed\xa0\x80", "\xc0\x80", "\xe0\x80\xaf", "\xf4\x90\x80\x80", "\xe2\x80", "\xf0\x9f\x98", "\xef\xbf\xbe",
    "\xef\xbf\xbf", "\xf0\x9f\xbf\xbe", "\xef\xb7\x90",
    // plain text
    "arm 1", "Gelenk-\xc3\xa4\xc3\xb6\xc3\xbc", "\xe5\x85\xb3\xe8\x8a\x82", "\xf0\x9f\x98\x80", "\xef\xbf\xbd",
    "a\xc2\xa0"
    "b"};

static void add(const char* s, size_t n)
{
    if (ntext == MOST || n >= LONGEST) abort();
    memcpy(text[ntext], s, n);
    text[ntext++][n] = '\0';
}

static void make_texts(void)
{
    for (int b = 1; b < 256; ++b) {
        const char c = (char)b;
        add((const char[]){c}, 1);
        add((const char[]){'a', c, 'b'}, 3);
        add((const char[]){c, c, '/'}, 3);
    }
    for (size_t i = 0; i < sizeof nasty / sizeof *nasty; ++i) add(nasty[i], strlen(nasty[i]));
}

static void save(const char* name, cd_text* content)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE* f = fopen(path, "wb");
    CHECK(f && !content->failed && fwrite(content->data, 1, content->length, f) == content->length);
    if (f) CHECK(fclose(f) == 0);
    cd_text_free(content);
}

// The input in hexadecimal digits, for test/data/escape.py.
static void write_texts(void)
{
    cd_text out = {0};
    for (int i = 0; i < ntext; ++i) {
        for (const char* s = text[i]; *s; ++s) cd_text_format(&out, "%02x", (unsigned)(unsigned char)*s);
        cd_text_add(&out, "\n");
    }
    save("texts", &out);
}

// C program that counts the statements before, between and after comments and compares strings with their bytes.
static void test_c(void)
{
    cd_text out = {0};
    cd_text_add(&out, "#include <stdio.h>\n#include <string.h>\n\nstatic const struct {\n    const char* s;\n"
                      "    unsigned char bytes[64];\n} all[] = {\n");
    for (int i = 0; i < ntext; ++i) {
        cd_text_add(&out, "    {");
        cd_escape_c_string(&out, text[i]);
        cd_text_add(&out, ", {");
        for (const char* s = text[i]; *s; ++s) cd_text_format(&out, "%d, ", (unsigned char)*s);
        cd_text_add(&out, "0}},\n");
    }
    cd_text_format(&out, "};\n\nint main(void)\n{\n    int n = 0, good = 0;\n");
    for (int i = 0; i < ntext; ++i) {
        cd_text_add(&out, "    ++n; // ");
        cd_escape_c_comment(&out, text[i]);
        cd_text_add(&out, "\n    ++n; /* ");
        cd_escape_c_comment(&out, text[i]);
        cd_text_add(&out, "*/ ++n; /*");
        cd_escape_c_comment(&out, text[i]);
        cd_text_add(&out, " */\n");
    }
    cd_text_format(&out,
                   "    for (int i = 0; i < %d; ++i) good += strcmp(all[i].s, (const char*)all[i].bytes) == 0;\n"
                   "    return n == %d && good == %d ? 0 : 1;\n}\n",
                   ntext, 3 * ntext, ntext);
    save("c.c", &out);
    static const char* const options[] = {"-std=c17 -Wpedantic", "-std=c17 -trigraphs", "-std=gnu17 -trigraphs",
                                          "-std=gnu17"};
    for (size_t i = 0; i < sizeof options / sizeof *options; ++i)
        CHECK(run("cd %s && ${CC:-cc} %s -Wall -Wextra -Werror -o c c.c && ./c", folder, options[i]));
}

static void test_python(void)
{
    cd_text out = {0};
    cd_text_add(&out, "# ");
    cd_escape_python_comment(&out, "-*- coding: utf-7 -*- coding=utf-7");
    cd_text_add(&out, "\nn = 0\nall = []\n");
    for (int i = 0; i < ntext; ++i) {
        cd_text_add(&out, "n += 1  # ");
        cd_escape_python_comment(&out, text[i]);
        cd_text_add(&out, "\nall.append(");
        cd_escape_python_string(&out, text[i]);
        cd_text_add(&out, ")\n");
    }
    save("strings.py", &out);
    CHECK(run("python3 test/data/escape.py %s python", folder));
}

static void test_octave(void)
{
    cd_text out = {0};
    cd_text_add(&out, "n = 0;\nall = {};\n");
    for (int i = 0; i < ntext; ++i) {
        cd_text_add(&out, "n = n + 1; % ");
        cd_escape_octave_comment(&out, text[i]);
        cd_text_add(&out, "\nall{end + 1} = ");
        cd_escape_octave_string(&out, text[i]);
        cd_text_add(&out, ";\n");
    }
    cd_text_add(&out,
                "f = fopen('octave.out', 'w');\nfprintf(f, '%d\\n', n);\n"
                "for i = 1:numel(all)\n  fprintf(f, '%02x', uint8(all{i}));\n  fprintf(f, '\\n');\nend\nfclose(f);\n");
    save("strings.m", &out);
    CHECK(run("python3 test/data/escape.py %s octave", folder));
}

static void test_json(void)
{
    cd_text out = {0};
    for (int i = 0; i < ntext; ++i) {
        cd_text_add(&out, i ? ",\n" : "[");
        cd_escape_json_string(&out, text[i]);
    }
    cd_text_add(&out, "]\n");
    save("strings.json", &out);
    CHECK(run("python3 test/data/escape.py %s json", folder));
}

static void test_xml(void)
{
    cd_text out = {0};
    cd_text_add(&out, "<all>\n");
    for (int i = 0; i < ntext; ++i) {
        cd_text_add(&out, "<text name=\"");
        cd_escape_xml(&out, text[i]);
        cd_text_add(&out, "\" other='");
        cd_escape_xml(&out, text[i]);
        cd_text_add(&out, "'>");
        cd_escape_xml(&out, text[i]);
        cd_text_add(&out, "</text>\n");
    }
    cd_text_add(&out, "</all>\n");
    save("strings.xml", &out);
    CHECK(run("python3 test/data/escape.py %s xml", folder));
}

static void test_csv(void)
{
    cd_text out = {0};
    for (int i = 0; i < ntext; ++i) {
        cd_text_format(&out, "%d,", i);
        cd_escape_csv(&out, text[i]);
        cd_text_add(&out, ",end\n");
    }
    save("strings.csv", &out);
    CHECK(run("python3 test/data/escape.py %s csv", folder));
}

static bool is_printable(const char* s)
{
    char flaw[CD_FLAW_SIZE];
    return !cd_name_error(s, flaw);
}

// Printable text is read back unchanged from a model file, other text is rejected; a comment ends with its line.
static void test_yaml(void)
{
    for (int i = 0; i < ntext; ++i) {
        cardan_report       report = {0};
        cardan_description* d      = NULL;
        cd_text             out    = {0};
        cd_text_add(&out, "# ");
        cd_escape_yaml_comment(&out, text[i]);
        cd_text_add(&out, "\ncardan: 1\nname: ");
        cd_escape_yaml_string(&out, text[i]);
        cd_text_add(&out, " # ");
        cd_escape_yaml_comment(&out, text[i]);
        cd_text_add(&out, "\nbodies: {arm: {mass: 1}}\n");
        const cardan_status status = cardan_description_load_text(out.data, "m.yaml", NULL, &d, &report);
        if (is_printable(text[i])) {
            CHECK(status == CARDAN_OK);
            if (d) CHECK_TEXT(cardan_description_get_view(d).name, text[i]);
        } else if (cd_utf8_length(text[i], strlen(text[i])) > 0 && !strchr(out.data, '\xBD')) {
            CHECK(status == CARDAN_BAD_INPUT && report.count == 1);
            CHECK_HAS(report.message[0].text, "m.yaml:3:7: error: ");
        }
        for (int k = 0; k < report.count; ++k) CHECK(is_printable(report.message[k].text));
        cardan_description_destroy(d);
        cd_text_free(&out);
    }
}

// Cardan reads the tables and documents that it wrote.
static void test_read_back(void)
{
    for (int i = 0; i < ntext; ++i) {
        const size_t n = strlen(text[i]);
        if (n == 0 || !is_printable(text[i]) || text[i][n - 1] == ']') continue; // [...] is a unit
        cardan_report     report   = {0};
        cd_result_table*  table    = NULL;
        cd_json_document* document = NULL;
        cd_text           out      = {0};
        cd_text_add(&out, "time,");
        cd_escape_csv(&out, text[i]);
        cd_text_add(&out, "\n0,1\n");
        const bool number = text[i][strspn(text[i], "0123456789.eE+-")] == '\0'; // a number is not a column name
        if (!number) {
            CHECK(cd_result_table_parse(out.data, out.length, "r.csv", &table, &report) == CARDAN_OK);
            if (table) CHECK_TEXT(table->column[1].name, text[i]);
            cd_result_table_destroy(table);
        }
        cd_text_free(&out);
        cd_escape_json_string(&out, text[i]);
        CHECK(cd_json_parse(out.data, out.length, "r.json", &document, &report) == CARDAN_OK);
        if (document) CHECK_TEXT(cd_json_root(document)->string, text[i]);
        cd_json_destroy(document);
        cd_text_free(&out);
    }
}

// Terminal output is printable for every input; printable input is unchanged.
static void test_terminal(void)
{
    char small[8], once[1000], twice[1000];
    for (int i = 0; i < ntext; ++i) {
        cd_text cell = {0};
        cd_visible_text(once, sizeof once, text[i]);
        CHECK(is_printable(once));
        if (is_printable(text[i])) CHECK_TEXT(once, text[i]);
        cd_visible_text(twice, sizeof twice, once);
        CHECK_TEXT(twice, once);
        const size_t n = cd_visible_text(small, sizeof small, text[i]);
        CHECK(n == strlen(small) && n < sizeof small && is_printable(small) && strncmp(small, once, n) == 0);
        cd_escape_markdown_cell(&cell, text[i]);
        cd_text_add(&cell, "");
        CHECK(is_printable(cell.data));
        for (const char* s = strchr(cell.data, '|'); s; s = strchr(s + 1, '|')) CHECK(s > cell.data && s[-1] == '\\');
        cd_text_free(&cell);
    }
    cd_visible_text(once, sizeof once, "a\x1b[0m\n\xe2\x80\xae\xff\xc2\x9b\\");
    CHECK_TEXT(once, "a\\x1b[0m\\n\\u202e\\xff\\u009b\\");
}

static void test_names(void)
{
    char flaw[CD_FLAW_SIZE];
    CHECK(!cd_name_error("Gelenk \xc3\xa4 / 'b' \\ \"c\" */ \xf0\x9f\x98\x80", flaw));
    CHECK_TEXT(cd_name_error("ab\n", flaw), "the line break U+000A at character 3");
    CHECK_TEXT(cd_name_error("\xc3\xa4\x1b", flaw), "the control character U+001B at character 2");
    CHECK_TEXT(cd_name_error("\x7f", flaw), "the control character U+007F at character 1");
    CHECK_TEXT(cd_name_error("\xc2\x9b", flaw), "the control character U+009B at character 1");
    CHECK_TEXT(cd_name_error("a\xe2\x80\xae", flaw), "the invisible mark U+202E at character 2");
    CHECK_TEXT(cd_name_error("a\xe2\x80\xa8", flaw), "the line break U+2028 at character 2");
    CHECK_TEXT(cd_name_error("a\xff", flaw), "the byte 0xFF, which is not UTF-8, at character 2");
    CHECK(!cd_text_flaw("=a +\n\tb\n", flaw) && cd_text_flaw("a\rb", flaw) && cd_text_flaw("a\x1b", flaw));
    // bytes below 0x20, DEL and bytes of no character
    for (int b = 1; b < 256; ++b) CHECK(!!cd_name_error((const char[]){(char)b, 0}, flaw) == (b < 0x20 || b >= 0x7F));
}

int main(void)
{
    if (!mkdtemp(folder)) return 1;
    make_texts();
    write_texts();
    RUN(test_names());
    RUN(test_terminal());
    RUN(test_c());
    RUN(test_python());
    RUN(test_octave());
    RUN(test_json());
    RUN(test_xml());
    RUN(test_csv());
    RUN(test_yaml());
    RUN(test_read_back());
    run("rm -r %s", folder);
    return test_end();
}
