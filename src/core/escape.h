// SPDX-License-Identifier: BSD-3-Clause
// Escaping of external text (names, units, paths, messages that quote a file), one function per output language. All
// writers print such text through these functions.
//
// Four kinds of characters can change the meaning of a file or the behaviour of a terminal: control characters (C0,
// DEL, C1), line and paragraph separators, bidirectional formatting marks, and bytes that are not UTF-8. Names must not
// contain them (`cd_name_error`); in other text they are written as visible escapes such as \x1b or \u202e, or as the
// escapes of the language.
#pragma once

#include "core/text.h"

// Reason why a text cannot be a name ("the control character U+001B at character 3"), written to `flaw`; NULL: valid.
enum { CD_FLAW_SIZE = 80 };
const char* cd_name_error(const char* name, char flaw[CD_FLAW_SIZE]);
// The same for text of several lines: line feeds and tabs are allowed.
const char* cd_text_flaw(const char* text, char flaw[CD_FLAW_SIZE]);

// For terminals (cli/support/terminal_print.c) and messages (status.c): write the next character of `s` (`size` bytes)
// in visible form, as it is or as an escape. Writes `*n` bytes to `out` and returns the number of bytes of `s`
// consumed.
enum { CD_VISIBLE_SIZE = 12 };
size_t cd_visible_character(const char* s, size_t size, char out[CD_VISIBLE_SIZE], size_t* n);
// Write `s` in visible form, truncated to `size` bytes at a character, zero-terminated; allocates nothing. Returns the
// number of bytes written.
size_t cd_visible_text(char* out, size_t size, const char* s);

// Text inside comments, which it cannot end: // and /* */ of C, with and without trigraphs; # of Python; % of Octave; #
// of YAML.
void cd_escape_c_comment(cd_text* text, const char* s);
void cd_escape_python_comment(cd_text* text, const char* s);
void cd_escape_octave_comment(cd_text* text, const char* s);
void cd_escape_yaml_comment(cd_text* text, const char* s);

// String literals with quotes; the string that the language reads has the bytes of `s`. In Python, bytes that are not
// UTF-8 become lone surrogates, as in file names ("surrogateescape"); in YAML and JSON they become U+FFFD.
void cd_escape_c_string(cd_text* text, const char* s);
void cd_escape_python_string(cd_text* text, const char* s);
void cd_escape_octave_string(cd_text* text, const char* s); // an expression in brackets if there are such characters
void cd_escape_yaml_string(cd_text* text, const char* s);
void cd_escape_json_string(cd_text* text, const char* s);

// Content of an element or of a quoted attribute (XML, SVG).
void cd_escape_xml(cd_text* text, const char* s);
// A CSV field (RFC 4180), always on one line, quoted if necessary. Spreadsheets evaluate fields that begin with = + - @
// as formulas: unless the field is a number, an apostrophe is put before it (and one more if it begins with apostrophes
// followed by one of these signs); `cd_unescape_csv` removes it.
void        cd_escape_csv(cd_text* text, const char* s);
const char* cd_unescape_csv(const char* field); // argument: a field without its quotes
// Markdown of Cardan itself, such as help texts, in a table cell. External text is never written as Markdown.
void cd_escape_markdown_cell(cd_text* text, const char* s);
