// SPDX-License-Identifier: BSD-3-Clause
// Text from outside (names, units, paths, sentences that quote a file) in the languages that Cardan writes: one
// function per language. Printers write such text by these functions and in no other way.
//
// Four kinds of characters can change what a file or a terminal does beyond their own glyph: control characters (C0,
// DEL, C1), line and paragraph separators, bidirectional formatting marks, and bytes that are not UTF-8. Names must
// not hold them (`cd_name_flaw`); where text holds them all the same, it is written with visible escapes such as \x1b
// or \u202e, or with the escapes that the language has.
#pragma once

#include "core/text.h"

// Why a text cannot be a name ("the control character U+001B at character 3"), written into `flaw`; NULL: it can.
enum { CD_FLAW_SIZE = 80 };
const char* cd_name_flaw(const char* name, char flaw[CD_FLAW_SIZE]);
// The same for a text of several lines: line feeds and tabs are allowed.
const char* cd_text_flaw(const char* text, char flaw[CD_FLAW_SIZE]);

// For terminals (cli/support/terminal_print.c) and messages (status.c): the next character of `s`, of which `left`
// bytes are there, in
// visible form: itself, or an escape. Writes `*n` bytes to `out` and returns how many bytes of `s` it stands for.
enum { CD_VISIBLE_SIZE = 12 };
size_t cd_visible_character(const char* s, size_t size, char out[CD_VISIBLE_SIZE], size_t* n);
// All of `s` in visible form, cut where `size` bytes end, at a character, and zero-terminated; needs no memory.
// Returns how many bytes were written.
size_t cd_visible_text(char* out, size_t size, const char* s);

// Inside comments, which they cannot end: // and /* */ of C, with and without trigraphs; # of Python; % of Octave; # of
// YAML.
void cd_escape_c_comment(cd_text* text, const char* s);
void cd_escape_python_comment(cd_text* text, const char* s);
void cd_escape_octave_comment(cd_text* text, const char* s);
void cd_escape_yaml_comment(cd_text* text, const char* s);

// String literals with their quotes; the string that the language reads has the bytes of `s`. In Python, bytes that are
// not UTF-8 become lone surrogates, as file names do ("surrogateescape"); in YAML and JSON they become U+FFFD.
void cd_escape_c_string(cd_text* text, const char* s);
void cd_escape_python_string(cd_text* text, const char* s);
void cd_escape_octave_string(cd_text* text, const char* s); // an expression in brackets where there are such characters
void cd_escape_yaml_string(cd_text* text, const char* s);
void cd_escape_json_string(cd_text* text, const char* s);

// Content of an element or of an attribute in quotes (XML, SVG).
void cd_escape_xml(cd_text* text, const char* s);
// A field (RFC 4180), always on one line; in quotes where it needs them. Spreadsheets run what begins with = + - @ as a
// formula: unless it is a number, an apostrophe is put before it (and one more where it begins with apostrophes and
// then one of these signs), which `cd_unescape_csv` takes away.
void        cd_escape_csv(cd_text* text, const char* s);
const char* cd_unescape_csv(const char* field); // of a field without its quotes
// Markdown of Cardan's own, such as help texts, in a cell of a table. Text from outside is not written as Markdown.
void cd_escape_markdown_cell(cd_text* text, const char* s);
