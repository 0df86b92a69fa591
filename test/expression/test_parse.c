// SPDX-License-Identifier: BSD-3-Clause
// Formula parser: values, precedence, every error with its column, printed text parsed again, a thousand mutations.
#include "random_expressions.h"
#include "sentences.h"
#include "test.h"

#include "expression/builtin_functions.h"
#include "expression/parse.h"

static cd_graph* g;

// Scope with omega = 2, k = 3, "long name" = 7, inputs x0..x2, a table `ramp` and a function twice(name).
static cd_node scope_name(void* user, const char* name)
{
    (void)user;
    if (strcmp(name, "omega") == 0) return cd_constant(g, 2);
    if (strcmp(name, "k") == 0) return cd_constant(g, 3);
    if (strcmp(name, "FL.wheel$1") == 0) return cd_constant(g, 5);
    if (strcmp(name, "long name") == 0) return cd_constant(g, 7);
    if (name[0] == 'x' && name[1] >= '0' && name[1] <= '2' && !name[2]) return cd_input(g, name[1] - '0');
    return CD_NO_NODE;
}

static cd_node scope_call(void* user, const char* name, int count, const char* const* argument, cd_call_error* error)
{
    (void)user;
    if (strcmp(name, "twice") != 0) return CD_NO_NODE;
    for (int i = 0; i < count; ++i)
        if (scope_name(NULL, argument[i]) < 0)
            return cd_call_fail(error, i, "there is nothing called '%s'", argument[i]);
    if (count != 1) return cd_call_fail(error, -1, "twice takes 1 name, not %d", count);
    return cd_binary(g, CD_MUL, cd_constant(g, 2), scope_name(NULL, argument[0]));
}

static const char* scope_candidate(void* user, int i)
{
    static const char* const names[] = {"omega", "k", "FL.wheel$1", "long name", "twice", "ramp"};
    (void)user;
    return i < 6 ? names[i] : NULL;
}

static int scope_table(void* user, const char* name)
{
    (void)user;
    return strcmp(name, "ramp") == 0 ? 0 : -1;
}

static bool scope_explain(void* user, const char* name, char* why, size_t size)
{
    (void)user;
    if (strcmp(name, "t") != 0) return false;
    snprintf(why, size, "no time here");
    return true;
}

static const cd_parse_scope scope = {NULL, scope_name, scope_call, scope_candidate, scope_table, scope_explain};

static double value_of(const char* text)
{
    cd_parse_error error;
    const cd_node  node = cd_parse(g, text, &scope, &error);
    if (node < 0) printf("%s: column %d: %s\n", text, error.column, error.text);
    return node < 0 ? NAN : plain_evaluate(g, node, (const double[]){10, 20, 30});
}

static void check_error(const char* text, int column, const char* parts)
{
    cd_parse_error error;
    CHECK(cd_parse(g, text, &scope, &error) == CD_NO_NODE);
    CHECK_TEXT_CASE(error.text, text, parts);
    if (error.column != column) printf("%s: column %d, not %d\n", text, error.column, column);
    CHECK(error.column == column);
}

static void test_numbers(void)
{
    CHECK_NEAR(value_of("42"), 42, 0);
    CHECK_NEAR(value_of(" 1e-3 "), 1e-3, 0);
    CHECK_NEAR(value_of("1.5E+2"), 150, 0);
    CHECK_NEAR(value_of(".5"), 0.5, 0);
    CHECK_NEAR(value_of("5."), 5, 0);
    CHECK_NEAR(value_of("0.1"), 0.1, 0);
    CHECK_NEAR(value_of("pi"), 3.14159265358979323846, 0);
}

static void test_precedence(void)
{
    CHECK_NEAR(value_of("1 + 2*3"), 7, 0);
    CHECK_NEAR(value_of("(1 + 2)*3"), 9, 0);
    CHECK_NEAR(value_of("8 - 3 - 2"), 3, 0);
    CHECK_NEAR(value_of("16/4/2"), 2, 0);
    CHECK_NEAR(value_of("-2^2"), -4, 0);
    CHECK_NEAR(value_of("(-2)^2"), 4, 0);
    CHECK_NEAR(value_of("2^3^2"), 512, 0);
    CHECK_NEAR(value_of("2**3"), 8, 0);
    CHECK_NEAR(value_of("2^-1"), 0.5, 0);
    CHECK_NEAR(value_of("2*-3"), -6, 0);
    CHECK_NEAR(value_of("--3"), 3, 0);
    CHECK_NEAR(value_of("+3 - +2"), 1, 0);
    CHECK_NEAR(value_of("3*2^2"), 12, 0);
    CHECK_NEAR(value_of("-x0^2"), -100, 0);
}

static void test_comparison_and_logic(void)
{
    CHECK_NEAR(value_of("1 < 2"), 1, 0);
    CHECK_NEAR(value_of("2 <= 1"), 0, 0);
    CHECK_NEAR(value_of("x0 > 9"), 1, 0);
    CHECK_NEAR(value_of("x0 >= 10.5"), 0, 0);
    CHECK_NEAR(value_of("x0 == 10"), 1, 0);
    CHECK_NEAR(value_of("x0 != 10"), 0, 0);
    CHECK_NEAR(value_of("1 + 1 < 3"), 1, 0);
    CHECK_NEAR(value_of("x0 < 5 or x1 > 15 and x2 > 99"), 0, 0);
    CHECK_NEAR(value_of("(x0 > 5 || x1 > 15) && x2 < 99"), 1, 0);
    CHECK_NEAR(value_of("not x0 < 5"), 1, 0);
    CHECK_NEAR(value_of("not x0 > 5 or 1"), 1, 0);
    CHECK_NEAR(value_of("!x0 < 5"), 1, 0);
    CHECK_NEAR(value_of("!(x0 > 5)"), 0, 0);
    CHECK_NEAR(value_of("if(x0 > x1, 1, if(x2 > 25, 2, 3))"), 2, 0);
}

static void test_functions(void)
{
    CHECK_NEAR(value_of("atan2(1, -1)"), atan2(1, -1), 1e-15);
    CHECK_NEAR(value_of("min(4, 2, 3)"), 2, 0);
    CHECK_NEAR(value_of("max(x0, x1, x2, 5)"), 30, 0);
    CHECK_NEAR(value_of("clamp(x0, 0, 3)"), 3, 0);
    CHECK_NEAR(value_of("clamp(-x0, 0, 3)"), 0, 0);
    CHECK_NEAR(value_of("hypot(3, 4)"), 5, 1e-15);
    CHECK_NEAR(value_of("hypot(2, 3, 6)"), 7, 1e-15);
    CHECK_NEAR(value_of("deg(pi/2)"), 90, 1e-15);
    CHECK_NEAR(value_of("rad(180)"), 3.14159265358979323846, 1e-15);
    CHECK_NEAR(value_of("sqr(x0)"), 100, 0);
    CHECK_NEAR(value_of("pow(2, 0.5)"), sqrt(2), 1e-15);
    CHECK_NEAR(value_of("log10(x0)"), 1, 1e-15);
    CHECK_NEAR(value_of("ln(exp(2))"), 2, 1e-15);
    CHECK_NEAR(value_of("mod(-1, 3)"), 2, 0);
    CHECK_NEAR(value_of("step(x0, 8, 12)"), 0.5, 1e-15);
    CHECK_NEAR(value_of("step(x0, 8, 16)"), 0.15625, 1e-15);
    CHECK_NEAR(value_of("step(x0, 12, 20)"), 0, 0);
    CHECK_NEAR(value_of("smoothstep(x0, 8, 16)"), 0.103515625, 1e-15);
    CHECK_NEAR(value_of("smoothstep(x0, 0, 5)"), 1, 0);
    CHECK_NEAR(value_of("ramp(0.25 + 0.25)"), 1, 1e-15);
    CHECK_NEAR(value_of("twice( omega )"), 4, 0);
    CHECK_NEAR(value_of("twice(\"long name\")"), 14, 0);
    CHECK_NEAR(value_of("'long name' + \"omega\""), 9, 0);
    CHECK_NEAR(value_of("FL.wheel$1*2"), 10, 0);
}

// Blends have continuous derivatives at their ends: the cubic one to first order, the quintic to second order.
static void test_blends_are_smooth(void)
{
    cd_parse_error error;
    const cd_node  blend[] = {cd_parse(g, "step(x0, 1, 3)", &scope, &error),
                              cd_parse(g, "smoothstep(x0, 1, 3)", &scope, &error)};
    for (int i = 0; i < 2; ++i) {
        const cd_node first = cd_derivative(g, blend[i], 0), second = cd_derivative(g, first, 0);
        for (int end = 1; end <= 3; end += 2) {
            CHECK_NEAR(plain_evaluate(g, first, (const double[3]){end + 1e-9}), 0, 1e-8);
            CHECK_NEAR(plain_evaluate(g, first, (const double[3]){end - 1e-9}), 0, 1e-8);
            if (i == 1) CHECK_NEAR(plain_evaluate(g, second, (const double[3]){end + 1e-9}), 0, 1e-7);
            if (i == 1) CHECK_NEAR(plain_evaluate(g, second, (const double[3]){end - 1e-9}), 0, 1e-7);
        }
        CHECK_NEAR(plain_evaluate(g, first, (const double[3]){2}), i ? 0.9375 : 0.75, 1e-14);
    }
}

// Every function of the table can be called with its signature and has a description.
static void test_function_table(void)
{
    for (const cd_function_entry* row = cd_function_entries(); row->name; ++row) {
        const int    function = cd_function_find(row->name);
        char         text[64], why[200];
        const size_t n = strlen(row->name);
        CHECK(strncmp(row->signature, row->name, n) == 0 && row->signature[n] == '(');
        CHECK(strlen(row->summary) > 2);
        CHECK(!cd_function_check_arguments(function, 0, why, sizeof why));
        int count = 1;
        for (const char* s = row->signature; *s; ++s) count += *s == ',';
        if (strstr(row->signature, "...")) --count;
        CHECK(cd_function_check_arguments(function, count, why, sizeof why));
        snprintf(text, sizeof text, "%s(%s)", row->name,
                 count == 1   ? "0.5"
                 : count == 2 ? "0.5, 0.25"
                              : "0.5, 0.25, 0.75");
        CHECK(isfinite(value_of(text)));
    }
    CHECK(cd_function_find("no such function") == -1);
}

static void test_unknown_names(void)
{
    check_error("omga*3", 0, "'omga'|'omega'");
    check_error("1 + Omega", 4, "'Omega'|'omega'");
    check_error("zebrafish", 0, "'zebrafish'");
    check_error("2*sinn(1)", 2, "'sinn'|'sin'");
    check_error("2*twise(omega)", 2, "'twise'|'twice'");
    check_error("bananas(1)", 0, "'bananas'");
    check_error("sin + 1", 0, "'sin'");
    check_error("k(2 + 1)", 0, "'k'");
    check_error("pi(2)", 0, "'pi'");
    check_error("3*t", 2, "");
    check_error("twice(omga)", 6, "'omga'");
    check_error("twice( \"omga\" )", 8, "'omga'");
    check_error("twice(k, k)", 0, "1|2");
    check_error("twice(k, )", 9, "'twice'");
}

static void test_wrong_arguments(void)
{
    check_error("1 + sin()", 4, "1|0");
    check_error("sin(1, 2)", 0, "1|2");
    check_error("atan2(1)", 0, "2|1");
    check_error("min(1)", 0, "2|1");
    check_error("if(1, 2)", 0, "3|2");
    check_error("ramp(1, 2)", 0, "'ramp'|1|2");
    check_error("max(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)", 68, "32");
    check_error("twice(k,k,k,k,k,k,k,k,k,k,k,k,k,k,k,k,k,k,k,k,k,k,k,k,k,k,k,k,k,k,k,k,k)", 0, "32");
}

static void test_structure(void)
{
    check_error("", 0, "");
    check_error("  ", 0, "");
    check_error("1 +", 3, "'+'");
    check_error("* 2", 0, "'*'");
    check_error("(1 + )", 5, "'+'");
    check_error("max(1, )", 7, "','");
    check_error("2*(3 + 4", 2, "");
    check_error("sin(1", 3, "");
    check_error("twice(k", 5, "");
    check_error("1 + 2)", 5, "");
    check_error("2*()", 2, "");
    check_error("2x0", 1, "'2'|'x0'|'*'");
    check_error("(2 x0)", 3, "'2'|'x0'|'*'");
    check_error("2(x0)", 1, "'2'|'('|'*'");
    check_error("sin(2 3)", 6, "'2'|'3'|'*'");
    check_error("0x10", 1, "'0'|'x10'|'*'");
    check_error("1,5", 1, "'.'");
    check_error("(1,5)", 2, "'.'");
    check_error("0 < x0 < 1", 7, "");
}

static void test_numbers_and_characters(void)
{
    check_error("1.2.3", 0, "'1.2.3'");
    check_error("1e999", 0, "'1e999'");
    check_error("x0 > 0 ? 1 : 2", 7, "");
    check_error("x0 = 2", 3, "'='");
    check_error("x0 & x1", 3, "'&'|'and'");
    check_error("|x0|", 0, "'|'|'or'");
    check_error("7 % 2", 2, "'%'");
    check_error("[1]", 0, "'['");
    check_error("1 @ 2", 2, "'@'");
    check_error("1 + \x07", 4, "0x07");
    check_error("1 + \xff", 4, "0xff");
    check_error("2\xc3\x97"
                "3",
                1, "'\xc3\x97'");
    check_error("x0\xc2\xb2", 2, "'\xc2\xb2'|2");
    check_error("2*\xcf\x80", 2, "'\xcf\x80'");
    check_error("1 \xe2\x88\x92 2", 2, "'\xe2\x88\x92'");
    check_error("\xcf\x89*2", 0, "'\xcf\x89'");
    check_error("\"omega", 0, "");
    check_error("''", 0, "");
    char text[400];
    memset(text, 'a', 300);
    text[300] = '\0';
    check_error(text, 0, "255");
}

// The nesting depth is bounded, the length is not.
static void test_depth(void)
{
    enum { MANY = 100000 };
    static const struct {
        const char* piece;
        bool        fits;
    } row[]    = {{"(", false},    {"-", false}, {"sin(", false}, {"2^", false},
                  {"not ", false}, {"1+", true}, {"x0*", true},   {"ramp(", false}};
    char* text = malloc(8 * MANY);
    for (size_t i = 0; i < sizeof row / sizeof *row; ++i) {
        cd_parse_error error;
        char*          end = text;
        for (int k = 0; k < MANY; ++k) end = stpcpy(end, row[i].piece);
        strcpy(end, "1");
        const cd_node node = cd_parse(g, text, &scope, &error);
        CHECK((node >= 0) == row[i].fits);
        if (!row[i].fits) CHECK_TEXT_CASE(error.text, "nested formula", "200");
    }
    char* end = text;
    for (int k = 0; k < 200; ++k) *end++ = '(';
    *end++ = '7';
    for (int k = 0; k < 200; ++k) *end++ = ')';
    *end = '\0';
    CHECK_NEAR(value_of(text), 7, 0);
    free(text);
}

// Printed text is parsed to the same node.
static void test_printed_text_is_parsed(uint64_t seed)
{
    expression_random r = {seed};
    printf("seed %llu\n", (unsigned long long)seed);
    for (int trial = 0; trial < 2000; ++trial) {
        const double   input[] = {random_between(&r, -2, 2), random_between(&r, -2, 2), random_between(&r, -2, 2)};
        const cd_node  node    = random_expression(g, &r, 10, 3, input, -1);
        char*          text    = cd_node_text(g, node, NULL, NULL);
        cd_parse_error error;
        const cd_node  again = cd_parse(g, text, &scope, &error);
        if (again != node && !strstr(text, " ...")) printf("%s: %s\n", text, again < 0 ? error.text : "another node");
        CHECK(again == node || strstr(text, " ..."));
        free(text);
    }
}

static void test_absent_scope(void)
{
    cd_parse_error       error;
    const cd_parse_scope empty = {0};
    CHECK(cd_parse(g, "2*pi", NULL, &error) == cd_parse(g, "pi*2", &empty, NULL));
    CHECK(cd_parse(g, "omega", &empty, &error) == CD_NO_NODE);
    CHECK_TEXT_CASE(error.text, "omega without a scope", "'omega'");
    CHECK(cd_parse(g, "coss(1)", NULL, &error) == CD_NO_NODE);
    CHECK_TEXT_CASE(error.text, "coss without a scope", "'coss'|'cos'");
    CHECK(error.status == CARDAN_BAD_INPUT);
}

// Bytes changed, removed, inserted or doubled: the result is a node or an error with a column inside the text.
static void test_mutations(uint64_t seed)
{
    static const char* const formulas[] = {
        "-2*x0 + sin(3*x1)^2/(1 + omega)",
        "if(x0 > 1 and not x1 <= 2, twice('long name'), ramp(x2))",
        "max(1, 2.5e-3, clamp(x0, -1, 1)) != step(x1, 0, 1) || !(x2 == 4)",
        "atan2(x1, x0) - mod(x2, 2*pi)**2",
    };
    static const char alphabet[] = "()+-*/^,.<>=!&|'\"e019x \t\n\xc3\x97\xff?";
    expression_random r          = {seed};
    int               good       = 0;
    printf("seed %llu\n", (unsigned long long)seed);
    for (int trial = 0; trial < 5000; ++trial) {
        char text[200] = "";
        strcpy(text, formulas[trial % 4]);
        for (int k = random_below(&r, 4); k >= 0; --k) {
            const size_t n = strlen(text), at = n ? (size_t)random_below(&r, (int)n) : 0;
            const char   c = alphabet[random_below(&r, (int)sizeof alphabet - 1)];
            switch (random_below(&r, 4)) {
            case 0:
                text[at] = c;
                break;
            case 1:
                text[at] = (char)(1 + random_below(&r, 255));
                break;
            case 2:
                memmove(text + at, text + at + (n > 0), n - at);
                break;
            default:
                if (n + 2 < sizeof text) {
                    memmove(text + at + 1, text + at, n - at + 1);
                    text[at] = c;
                }
            }
        }
        // in memory of the exact size, so that sanitizers detect reads beyond the end
        char*          exact = strdup(text);
        cd_parse_error error;
        const cd_node  node = cd_parse(g, exact, &scope, &error);
        CHECK(node >= 0 || (error.text[0] && error.column >= 0 && error.column <= (int)strlen(exact)));
        good += node >= 0;
        free(exact);
    }
    printf("%d of 5000 are still formulas\n", good);
    CHECK(good > 100 && good < 4000);
}

int main(void)
{
    const double tx[] = {0, 1}, ty[] = {0, 2};
    g = cd_graph_create();
    cd_graph_add_table(g, 2, tx, ty, false);
    RUN(test_numbers());
    RUN(test_precedence());
    RUN(test_comparison_and_logic());
    RUN(test_functions());
    RUN(test_blends_are_smooth());
    RUN(test_function_table());
    RUN(test_unknown_names());
    RUN(test_wrong_arguments());
    RUN(test_structure());
    RUN(test_numbers_and_characters());
    RUN(test_depth());
    RUN(test_absent_scope());
    RUN(test_mutations(90210));
    cd_graph_destroy(g);
    g = cd_graph_create();
    RUN(test_printed_text_is_parsed(1618));
    cd_graph_destroy(g);
    RUN(test_sentences("test_parse"));
    return test_end();
}
