// SPDX-License-Identifier: BSD-3-Clause
// Tokenizer of formulas: numbers, names and operators. Frequent characters of other languages have their own error
// messages.
#include "expression/token.h"

#include <ctype.h>
#include <langinfo.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Notations of other languages, and what to write instead.
static const struct {
    const char *sign, *advice;
} hints[] = {
    {"?", "write if(c, a, b) instead of c ? a : b"},
    {":", "write if(c, a, b) instead of c ? a : b"},
    {"=", "a single '=' has no meaning in a formula; write == to compare"},
    {"&", "a single '&' has no meaning in a formula; write && or 'and'"},
    {"|", "a single '|' has no meaning in a formula; write || or 'or', and abs(x) for |x|"},
    {"%", "'%' has no meaning in a formula; write mod(a, b) for the remainder"},
    {"[", "'[' has no meaning in a formula; use parentheses"},
    {"]", "']' has no meaning in a formula; use parentheses"},
    {"{", "'{' has no meaning in a formula; use parentheses"},
    {"}", "'}' has no meaning in a formula; use parentheses"},
    {"\xc3\x97", "'\xc3\x97' has no meaning in a formula; write *"},
    {"\xc2\xb7", "'\xc2\xb7' has no meaning in a formula; write *"},
    {"\xc3\xb7", "'\xc3\xb7' has no meaning in a formula; write /"},
    {"\xc2\xb2", "'\xc2\xb2' has no meaning in a formula; write ^2"},
    {"\xc2\xb3", "'\xc2\xb3' has no meaning in a formula; write ^3"},
    {"\xc2\xb0", "'\xc2\xb0' has no meaning in a formula; write rad(x) for x degrees"},
    {"\xcf\x80", "'\xcf\x80' has no meaning in a formula; write pi"},
    {"\xe2\x88\x92", "'\xe2\x88\x92' is not a minus sign; write -"},
    {"\xe2\x80\x93", "'\xe2\x80\x93' is not a minus sign; write -"},
    {"\xe2\x89\xa4", "'\xe2\x89\xa4' has no meaning in a formula; write <="},
    {"\xe2\x89\xa5", "'\xe2\x89\xa5' has no meaning in a formula; write >="},
    {"\xc2\xa0", "a no-break space is not allowed in a formula; write a space"},
    {"\xe2\x88\x9a", "'\xe2\x88\x9a' has no meaning in a formula; write sqrt(x)"},
};

static cd_token fail_token(cd_parse_error* error, int column, const char* format, ...)
    __attribute__((format(printf, 3, 4)));
static cd_token fail_token(cd_parse_error* error, int column, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    error->column = column;
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    return (cd_token){.kind = CD_TOKEN_ERROR, .start = column, .end = column};
}

// Length of the UTF-8 sequence at s; 0 if it is invalid.
static int sequence_length(const unsigned char* s)
{
    int n = 0;
    if (s[0] < 0x80)
        n = 1;
    else if (s[0] >= 0xc2 && s[0] < 0xe0)
        n = 2;
    else if (s[0] >= 0xe0 && s[0] < 0xf0)
        n = 3;
    else if (s[0] >= 0xf0 && s[0] < 0xf5)
        n = 4;
    for (int i = 1; i < n; ++i)
        if ((s[i] & 0xc0) != 0x80) return 0;
    return n;
}

static cd_token fail_unexpected_character(const char* text, int at, cd_parse_error* error)
{
    for (size_t i = 0; i < sizeof hints / sizeof *hints; ++i)
        if (strncmp(text + at, hints[i].sign, strlen(hints[i].sign)) == 0)
            return fail_token(error, at, "%s", hints[i].advice);
    const unsigned char* s = (const unsigned char*)text + at;
    const int            n = sequence_length(s);
    if (n == 0 || s[0] < 0x20 || s[0] == 0x7f)
        return fail_token(error, at, "the byte 0x%02x has no meaning in a formula", s[0]);
    if (n == 1) return fail_token(error, at, "'%c' has no meaning in a formula", s[0]);
    return fail_token(error, at, "'%.*s' has no meaning in a formula; write names with such letters in quotes", n,
                      text + at);
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$'; }
static bool in_name(char c) { return is_letter(c) || is_digit(c) || c == '.'; }

// digits [. digits] [e [sign] digits], with a digit somewhere before the e
static cd_token read_number(const char* text, int at, cd_parse_error* error)
{
    int end = at;
    while (is_digit(text[end])) ++end;
    if (text[end] == '.') ++end;
    while (is_digit(text[end])) ++end;
    if (text[end] == '.') {
        while (is_digit(text[end]) || text[end] == '.') ++end;
        return fail_token(error, at, "'%.*s' is not a number", end - at < 60 ? end - at : 60, text + at);
    }
    if (text[end] == 'e' || text[end] == 'E') {
        const int digits = end + (text[end + 1] == '+' || text[end + 1] == '-' ? 2 : 1);
        if (is_digit(text[digits])) {
            end = digits;
            while (is_digit(text[end])) ++end;
        }
    }
    // a copy, since strtod would also read 0x10 or 1e5x
    char copy[400];
    if (end - at >= (int)sizeof copy) return fail_token(error, at, "the number has too many digits");
    memcpy(copy, text + at, (size_t)(end - at));
    copy[end - at] = '\0';
    // strtod expects the decimal mark of the locale, formulas have a point
    char* const point = strchr(copy, '.');
    if (point) *point = *nl_langinfo(RADIXCHAR);
    const double value = strtod(copy, NULL);
    if (point) *point = '.';
    if (!isfinite(value)) return fail_token(error, at, "the number '%.60s' is too large", copy);
    return (cd_token){.kind = CD_TOKEN_NUMBER, .start = at, .end = end, .value = value};
}

static cd_token make_name(const char* text, int start, int end, int from, int to, cd_parse_error* error)
{
    cd_token token = {.kind = CD_TOKEN_NAME, .start = start, .end = end};
    if (to - from >= (int)sizeof token.name)
        return fail_token(error, start, "the name is longer than %d characters", CD_TOKEN_NAME_SIZE - 1);
    memcpy(token.name, text + from, (size_t)(to - from));
    return token;
}

static cd_token read_name(const char* text, int at, cd_parse_error* error)
{
    int end = at;
    while (in_name(text[end])) ++end;
    cd_token token = make_name(text, at, end, at, end, error);
    if (token.kind != CD_TOKEN_NAME) return token;
    if (strcmp(token.name, "and") == 0) token.operator_code = '&';
    if (strcmp(token.name, "or") == 0) token.operator_code = '|';
    if (strcmp(token.name, "not") == 0) token.operator_code = CD_OPERATOR_NOT;
    if (token.operator_code) token.kind = CD_TOKEN_OPERATOR;
    return token;
}

static cd_token read_quoted(const char* text, int at, cd_parse_error* error)
{
    const char* close = strchr(text + at + 1, text[at]);
    if (!close) return fail_token(error, at, "the quote is not closed");
    const int end = (int)(close - text);
    if (end == at + 1) return fail_token(error, at, "there is no name between the quotes");
    return make_name(text, at, end + 1, at + 1, end, error);
}

static cd_token read_operator(const char* text, int at, cd_parse_error* error)
{
    static const struct {
        const char* text;
        char        sign;
    } pairs[] = {
        {"**", '^'},
        {"&&", '&'},
        {"||", '|'},
        {"<=", CD_OPERATOR_LESS_EQUAL},
        {">=", CD_OPERATOR_GREATER_EQUAL},
        {"==", CD_OPERATOR_EQUAL},
        {"!=", CD_OPERATOR_UNEQUAL},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; ++i)
        if (strncmp(text + at, pairs[i].text, 2) == 0)
            return (cd_token){.kind = CD_TOKEN_OPERATOR, .start = at, .end = at + 2, .operator_code = pairs[i].sign};
    if (strchr("+-*/^<>!(),", text[at]))
        return (cd_token){.kind = CD_TOKEN_OPERATOR, .start = at, .end = at + 1, .operator_code = text[at]};
    return fail_unexpected_character(text, at, error);
}

cd_token cd_token_read(const char* text, int at, cd_parse_error* error)
{
    while (isspace((unsigned char)text[at])) ++at;
    const char c = text[at];
    if (c == '\0') return (cd_token){.kind = CD_TOKEN_END, .start = at, .end = at};
    if (is_digit(c) || (c == '.' && is_digit(text[at + 1]))) return read_number(text, at, error);
    if (is_letter(c)) return read_name(text, at, error);
    if (c == '"' || c == '\'') return read_quoted(text, at, error);
    return read_operator(text, at, error);
}
