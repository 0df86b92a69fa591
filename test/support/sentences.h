// SPDX-License-Identifier: BSD-3-Clause
// Messages in tests. A test checks the code of a message and the names and numbers that it must contain; the wording is
// kept in one golden file per test program, test/golden/PROGRAM.txt, one sentence per line, numbers as '#'.
//
//   CHECK_MESSAGE(&report.message[0], CARDAN_CODE_LOOP_INCONSISTENT, "'coupler'", "0.7 s");
//   CHECK_SENTENCE(result.description, "'wheel'");
//   CHECK_CASE(&report, input, "model.yaml:3:7|'mas'|'mass'"); // tables of invalid inputs
//   RUN(test_sentences("test_assemble"));           // last in main: compares all sentences so far with the golden file
//
// With the environment variable CARDAN_UPDATE_GOLDEN, test_sentences writes the file instead; review this file before
// the commit.
#pragma once

#include "test.h"

#include <cardan/status.h>
#include <ctype.h>
#include <stdlib.h>

enum { SENTENCES_MAX = 1000, SENTENCE_LENGTH = 1000 };

static char sentences[SENTENCES_MAX][SENTENCE_LENGTH]; // each sentence once, in the order of the checks
static int  sentence_count;

static const char* sentence_folder; // scratch folder, written as FOLDER in sentences

// True if a number begins at `at`: a digit that is not part of a word, a quoted name or a location FILE:LINE:COLUMN.
static inline bool sentence_number_begins(const char* text, const char* at)
{
    const char before = at > text ? at[-1] : ' ';
    const bool sign   = *at == '-' && isdigit((unsigned char)at[1]);
    return (sign || isdigit((unsigned char)*at)) && !isalnum((unsigned char)before) && !strchr("_:.'-", before);
}

static inline const char* sentence_number_end(const char* at)
{
    if (*at == '-') ++at;
    while (isdigit((unsigned char)*at)) ++at;
    if (*at == '.' && isdigit((unsigned char)at[1]))
        for (++at; isdigit((unsigned char)*at);) ++at;
    const int sign = *at == 'e' && (at[1] == '-' || at[1] == '+');
    if (*at == 'e' && isdigit((unsigned char)at[1 + sign]))
        for (at += 1 + sign; isdigit((unsigned char)*at);) ++at;
    return at;
}

// Store a sentence, unless the test function needs a part that is not in this build. Numbers are replaced by '#', line
// ends by spaces and other unprintable bytes by '?'.
static inline void sentence_record(const char* text)
{
    char   masked[SENTENCE_LENGTH];
    size_t n = 0;
    if (test_missing_part) return;
    for (const char* at = text; *at && n + 1 < sizeof masked;) {
        const size_t folder = sentence_folder ? strlen(sentence_folder) : 0;
        if (folder && strncmp(at, sentence_folder, folder) == 0 && n + 7 < sizeof masked) {
            memcpy(masked + n, "FOLDER", 6);
            n += 6;
            at += folder;
        } else if (sentence_number_begins(text, at)) {
            masked[n++] = '#';
            at          = sentence_number_end(at);
        } else {
            masked[n++] = *at == '\n' ? ' ' : *at >= ' ' && *at <= '~' ? *at : '?';
            ++at;
        }
    }
    masked[n] = 0;
    for (int i = 0; i < sentence_count; ++i)
        if (strcmp(sentences[i], masked) == 0) return;
    if (sentence_count == SENTENCES_MAX) {
        printf("more than %d sentences\n", SENTENCES_MAX);
        test_broken = true;
    } else {
        memcpy(sentences[sentence_count++], masked, n + 1);
    }
}

static inline void sentence_check(const char* file, int line, const char* text, const char* const* part)
{
    for (; *part; ++part)
        if (!strstr(text, *part)) {
            printf("%s:%d: \"%s\" is not in \"%s\"\n", file, line, *part, text);
            test_broken = true;
        }
    sentence_record(text);
}

static inline void message_check(const char* file, int line, const cardan_message* message, cardan_code code,
                                 const char* const* part)
{
    if (message->code != code) {
        printf("%s:%d: the code is %s, not %s: %s\n", file, line, cardan_code_name(message->code),
               cardan_code_name(code), message->text);
        test_broken = true;
    }
    for (; *part; ++part)
        if (!strstr(message->text, *part)) {
            printf("%s:%d: \"%s\" is not in \"%s\"\n", file, line, *part, message->text);
            test_broken = true;
        }
    sentence_record(cardan_message_sentence(message));
}

// True if the text contains every part of "part|part|part"; an empty list is contained in every text.
static inline bool sentence_has_parts(const char* text, const char* parts)
{
    char part[SENTENCE_LENGTH];
    while (*parts) {
        const size_t length = strcspn(parts, "|");
        snprintf(part, sizeof part, "%.*s", (int)length, parts);
        if (!strstr(text, part)) return false;
        parts += length + (parts[length] == '|');
    }
    return true;
}

// Store the first message of the report that contains all parts, together with the beginning of its input.
static inline void case_check(const char* file, int line, const cardan_report* report, const char* input,
                              const char* parts)
{
    char text[2 * SENTENCE_LENGTH];
    for (int i = 0; i < report->count; ++i)
        if (sentence_has_parts(report->message[i].text, parts)) {
            snprintf(text, sizeof text, "%.200s => %s [%s]", input, cardan_message_sentence(&report->message[i]),
                     cardan_code_name(report->message[i].code));
            sentence_record(text);
            return;
        }
    printf("%s:%d: no message has %s\n", file, line, parts);
    for (int i = 0; i < report->count; ++i) printf("    %s\n", report->message[i].text);
    test_broken = true;
}

// The text contains all parts of "part|part|..."; the golden file stores it with its input.
static inline void text_case_check(const char* file, int line, const char* text, const char* input, const char* parts)
{
    char line_of_golden[2 * SENTENCE_LENGTH];
    if (!sentence_has_parts(text, parts)) {
        printf("%s:%d: %s is not in \"%s\"\n", file, line, parts, text);
        test_broken = true;
    }
    snprintf(line_of_golden, sizeof line_of_golden, "%.200s => %s", input, text);
    sentence_record(line_of_golden);
}

// A message of the report contains all parts of "part|part|..."; the golden file stores the input with message and
// code.
#define CHECK_CASE(report, input, parts) case_check(__FILE__, __LINE__, (report), (input), (parts))
#define CHECK_TEXT_CASE(text, input, parts) text_case_check(__FILE__, __LINE__, (text), (input), (parts))
// The text contains these names and numbers.
#define CHECK_SENTENCE(text, ...) sentence_check(__FILE__, __LINE__, (text), (const char* const[]){__VA_ARGS__, NULL})
// The message has this code, and its text contains these names and numbers.
#define CHECK_MESSAGE(message, code, ...)                                                                              \
    message_check(__FILE__, __LINE__, (message), (code), (const char* const[]){__VA_ARGS__, NULL})

static inline void sentences_write(const char* path)
{
    FILE* file = fopen(path, "w");
    CHECK(file != NULL);
    for (int i = 0; file && i < sentence_count; ++i) fprintf(file, "%s\n", sentences[i]);
    if (file) CHECK(fclose(file) == 0);
}

// Check that test/golden/NAME.txt contains every sentence of this program, in any order. The file may contain more: some
// checks run only as root, or only without a sanitizer.
static inline void test_sentences(const char* name)
{
    char path[SENTENCE_LENGTH], line[SENTENCE_LENGTH + 2];
    bool found[SENTENCES_MAX] = {false};
    snprintf(path, sizeof path, "%s/test/golden/%s.txt", CARDAN_SOURCE, name);
    if (getenv("CARDAN_UPDATE_GOLDEN")) {
        sentences_write(path);
        return;
    }
    FILE* file = fopen(path, "r");
    CHECK(file != NULL);
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        int i                     = 0;
        while (i < sentence_count && strcmp(sentences[i], line) != 0) ++i;
        if (i < sentence_count) found[i] = true;
    }
    if (file) fclose(file);
    for (int i = 0; i < sentence_count; ++i)
        if (!found[i]) {
            printf("%s lacks this sentence: %s\n", path, sentences[i]);
            test_broken = true;
        }
}
