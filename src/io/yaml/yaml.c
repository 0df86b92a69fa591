// SPDX-License-Identifier: BSD-3-Clause
// Parser: events of libyaml to nodes with locations.
#include "io/yaml/yaml.h"

#include "core/escape.h"
#include "core/file.h"
#include "core/memory.h"
#include "core/text.h"
#include "io/format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <yaml.h>

enum { MAX_DEPTH = 64, MAX_DIRECTIVES = 100 };

// List or map whose end event has not occurred yet.
typedef struct unfinished_collection {
    cd_yaml* node;
    cd_yaml* key;   // of the next value; NULL: a key follows
    int      first; // index of its first entry in the array of the loader
    bool     flow;  // written in brackets
} unfinished_collection;

typedef struct loader {
    cd_pool*              pool;
    cd_yaml_file*         file;
    cardan_report*        report;
    int*                  nerror;
    const char*           text;
    size_t                length;
    cd_yaml_entry*        entry; // (nentry) of all unfinished collections
    int                   nentry, entry_capacity;
    unfinished_collection stack[MAX_DEPTH + 1];
    int                   depth;
    bool                  stopped; // nested too deeply
} loader;

cardan_location cd_yaml_location(const cd_yaml* node)
{
    return (cardan_location){node->file->path, node->line, node->column};
}

cd_yaml* cd_yaml_get(const cd_yaml* map, const char* key)
{
    if (!map || map->kind != CD_YAML_MAP) return NULL;
    for (int i = 0; i < map->count; ++i)
        if (strcmp(map->entry[i].key->text, key) == 0) return map->entry[i].value;
    return NULL;
}

const char* cd_yaml_describe(const cd_yaml* node, char* buffer, size_t size)
{
    switch (node->kind) {
    case CD_YAML_NULL:
        snprintf(buffer, size, "nothing");
        break;
    case CD_YAML_SCALAR:
        snprintf(buffer, size, "'%.60s'", node->text);
        break;
    case CD_YAML_LIST:
        snprintf(buffer, size, "a list of %d", node->count);
        break;
    case CD_YAML_MAP:
        snprintf(buffer, size, "a map of keys");
        break;
    }
    return buffer;
}

// ---- syntax errors: message and location of libyaml, with a hint for common causes

static const char* line_start(const loader* l, size_t line)
{
    const char* s = l->text;
    for (size_t i = 0; i < line; ++i) {
        const char* end = memchr(s, '\n', (size_t)(l->text + l->length - s));
        if (!end) break;
        s = end + 1;
    }
    return s;
}

static const char* hint_for(const loader* l, size_t line)
{
    const char*  s       = line_start(l, line);
    const char*  newline = memchr(s, '\n', (size_t)(l->text + l->length - s));
    const size_t n       = newline ? (size_t)(newline - s) : (size_t)(l->text + l->length - s);
    size_t       i       = 0;
    while (i < n && (s[i] == ' ' || s[i] == '\t'))
        if (s[i++] == '\t') return "; this line begins with a tab, but YAML requires spaces for indentation";
    const char* equal    = memchr(s, '=', n);
    const char* question = equal ? memchr(equal, '?', n - (size_t)(equal - s)) : NULL;
    if (question && memchr(question, ':', n - (size_t)(question - s)))
        return "; write if(c, a, b) instead of 'c ? a : b', and put the formula in \"quotes\"";
    if (equal && memchr(equal, ',', n - (size_t)(equal - s))) return "; put a formula with a comma in \"quotes\"";
    if (memchr(s, '\t', n)) return "; this line contains a tab; use spaces";
    return "";
}

// Position at which libyaml stopped. For unreadable bytes only their offset is known, because libyaml reads
// far ahead of its parser.
static void error_position(const loader* l, const yaml_parser_t* parser, size_t* line, size_t* column)
{
    *line   = parser->problem_mark.line;
    *column = parser->problem_mark.column;
    if (parser->error != YAML_READER_ERROR) return;
    const size_t bytes = parser->problem_offset < l->length ? parser->problem_offset : l->length;
    *line = *column = 0;
    for (size_t i = 0; i < bytes; ++i) {
        const bool end = l->text[i] == '\n';
        *line += end;
        *column = end ? 0 : *column + ((l->text[i] & 0xC0) != 0x80); // continuation bytes do not count
    }
}

static cardan_status syntax_error(const loader* l, const yaml_parser_t* parser)
{
    if (parser->error == YAML_MEMORY_ERROR || parser->error == YAML_NO_ERROR) return CARDAN_NO_MEMORY;
    ++*l->nerror;
    const bool is_encoding_error = parser->error == YAML_READER_ERROR;
    size_t     line, column;
    error_position(l, parser, &line, &column);
    const cardan_location location = {l->file->path, (int)line + 1, (int)column + 1};
    const char*           problem  = parser->problem ? parser->problem : "this is not YAML";
    if (parser->context && parser->context_mark.line != line)
        return cardan_fail(l->report, CARDAN_BAD_INPUT, CARDAN_CODE_SYNTAX_ERROR, location,
                           "%s (%s that begins in line %d)%s", problem, parser->context,
                           (int)parser->context_mark.line + 1, hint_for(l, line));
    return cardan_fail(l->report, CARDAN_BAD_INPUT, CARDAN_CODE_SYNTAX_ERROR, location, "%s%s", problem,
                       is_encoding_error ? "; the file must be UTF-8 text" : hint_for(l, line));
}

// ---- nodes

static void fail_at(const loader* l, const cd_yaml* node, const char* format, ...)
    __attribute__((format(printf, 3, 4)));
static void fail_at(const loader* l, const cd_yaml* node, const char* format, ...)
{
    char    message[CARDAN_MESSAGE_LENGTH];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    ++*l->nerror;
    cardan_fail(l->report, CARDAN_BAD_INPUT, CARDAN_CODE_SYNTAX_ERROR, cd_yaml_location(node), "%s", message);
}

// Number of brackets in a formula that are not closed; quoted names are skipped.
static int unclosed_brackets(const char* s)
{
    int unclosed = 0;
    for (char quote = '\0'; *s; ++s) {
        if (quote ? *s == quote : *s == '"' || *s == '\'')
            quote = quote ? '\0' : *s;
        else if (!quote)
            unclosed += (*s == '(') - (*s == ')');
    }
    return unclosed;
}

static bool is_split_formula(const cd_yaml* value)
{
    return value->kind == CD_YAML_SCALAR && !value->is_quoted && value->text[0] == '=' &&
           unclosed_brackets(value->text) > 0;
}

// Join the entries of a flow list or flow map, beginning at `from`, that were one formula, in the first of them.
// Another formula ends it. Returns the number of entries merged into it; -1 without memory.
static int join_formula(const loader* l, const cd_yaml* node, int from)
{
    cd_yaml* first   = node->entry[from].value;
    cd_text  text    = {0};
    int      nmerged = 0, unclosed = unclosed_brackets(first->text);
    cd_text_add(&text, first->text);
    for (int i = from + 1; i < node->count && unclosed > 0; ++i, ++nmerged) {
        const cd_yaml* next = node->kind == CD_YAML_LIST ? node->entry[i].value : node->entry[i].key;
        if (next->kind != CD_YAML_SCALAR || next->text[0] == '=') break;
        if (node->kind == CD_YAML_MAP && node->entry[i].value->kind != CD_YAML_NULL) break;
        unclosed += unclosed_brackets(next->text);
        cd_text_format(&text, ", %s", next->text);
    }
    const bool joined = unclosed == 0 && nmerged > 0 && !text.failed;
    if (joined) {
        fail_at(l, first, "the comma splits this formula into two values: write \"%s\" in quotes", text.data);
        first->text      = cd_pool_string(l->pool, text.data, text.length);
        first->is_quoted = true;
    }
    const bool failed = text.failed || !first->text;
    cd_text_free(&text);
    return failed ? -1 : joined ? nmerged : 0;
}

static bool join_formulas(const loader* l, cd_yaml* node)
{
    int count = 0;
    for (int i = 0, nmerged; i < node->count; i += 1 + nmerged) {
        nmerged = is_split_formula(node->entry[i].value) ? join_formula(l, node, i) : 0;
        if (nmerged < 0) return false;
        node->entry[count++] = node->entry[i];
    }
    node->count = count;
    return true;
}

// Report repeated keys and remove them. Returns false without memory.
static bool drop_duplicate_keys(const loader* l, cd_yaml* map)
{
    cd_name_table* names = cd_name_table_create();
    int            kept  = 0;
    if (!names) return false;
    bool ok = true;
    for (int i = 0; i < map->count && ok; ++i) {
        const cd_yaml* key   = map->entry[i].key;
        const int      first = cd_name_table_find(names, key->text);
        if (first >= 0) {
            fail_at(l, key, "the key '%s' is defined twice, first in line %d", key->text, map->entry[first].key->line);
            continue;
        }
        ok                 = cd_name_table_add(names, key->text, kept) != NULL;
        map->entry[kept++] = map->entry[i];
    }
    map->count = kept;
    cd_name_table_destroy(names);
    return ok;
}

// A list of two words as a key, [a, b], becomes a word "[a, b]" that keeps its two entries: a pair.
static bool make_pair_key(const loader* l, cd_yaml* key)
{
    cd_text text = {0};
    cd_text_format(&text, "[%s, %s]", key->entry[0].value->text, key->entry[1].value->text);
    key->kind = CD_YAML_SCALAR;
    key->text = text.failed ? NULL : cd_pool_string(l->pool, text.data, text.length);
    cd_text_free(&text);
    return key->text != NULL;
}

static bool is_pair(const cd_yaml* key)
{
    return key->kind == CD_YAML_LIST && key->count == 2 && key->entry[0].value->kind == CD_YAML_SCALAR &&
           key->entry[1].value->kind == CD_YAML_SCALAR;
}

// Add a node to the current collection. Unfinished collections form a stack; the entries of all of them are consecutive
// in one array. Memory is proportional to the file: aliases are not expanded, and excessive nesting ends the parse.

static bool add_entry(loader* l, cd_yaml* node)
{
    unfinished_collection* o = l->depth > 0 ? &l->stack[l->depth - 1] : NULL;
    if (!o) return l->file->root = node, true;
    if (o->node->kind == CD_YAML_MAP && !o->key) return o->key = node, true;
    cd_yaml* key = o->key;
    o->key       = NULL;
    if (key && is_pair(key) && !make_pair_key(l, key)) return false;
    if (key && key->kind != CD_YAML_SCALAR) {
        fail_at(l, key, "a key must be a word; for a conditional in a formula write \"=if(c, a, b)\"");
        return true;
    }
    char flaw[CD_FLAW_SIZE];
    if (key && !key->has_error && cd_name_error(key->text, flaw))
        fail_at(l, key, "this name contains %s; use printable characters only", flaw), key->has_error = true;
    if (!cd_array_grow((void**)&l->entry, &l->entry_capacity, l->nentry, sizeof *l->entry)) return false;
    l->entry[l->nentry++] = (cd_yaml_entry){key, node};
    return true;
}

static void begin_collection(loader* l, cd_yaml* node, bool flow)
{
    l->stack[l->depth++] = (unfinished_collection){.node = node, .first = l->nentry, .flow = flow};
}

static bool end_collection(loader* l)
{
    const unfinished_collection o = l->stack[--l->depth];
    const int                   n = l->nentry - o.first;
    o.node->entry                 = cd_pool_alloc(l->pool, (size_t)n, sizeof *o.node->entry);
    if (!o.node->entry) return false;
    if (n > 0) memcpy(o.node->entry, l->entry + o.first, (size_t)n * sizeof *o.node->entry);
    o.node->count = n;
    l->nentry     = o.first;
    if (o.flow && !join_formulas(l, o.node)) return false;
    return (n < 2 || o.node->kind != CD_YAML_MAP || drop_duplicate_keys(l, o.node)) && add_entry(l, o.node);
}

static bool set_scalar(loader* l, cd_yaml* node, const yaml_event_t* from)
{
    const char*  text   = (const char*)from->data.scalar.value;
    const size_t length = from->data.scalar.length;
    node->is_quoted     = from->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    node->kind          = CD_YAML_SCALAR;
    if (!node->is_quoted && (length == 0 || strcmp(text, "~") == 0 || strcmp(text, "null") == 0))
        node->kind = CD_YAML_NULL;
    char flaw[CD_FLAW_SIZE];
    if (memchr(text, '\0', length))
        fail_at(l, node, "this text contains a zero byte");
    else if (cd_text_flaw(text, flaw))
        fail_at(l, node, "this text contains %s; use printable characters only", flaw), node->has_error = true;
    return length == 0 || (node->text = cd_pool_string(l->pool, text, length)) != NULL;
}

static void check_tag(const loader* l, const cd_yaml* node, const yaml_char_t* given)
{
    const char* plain[] = {YAML_STR_TAG, YAML_SEQ_TAG, YAML_MAP_TAG, "!"};
    const char* tag     = (const char*)given;
    for (size_t i = 0; tag && i < sizeof plain / sizeof *plain; ++i)
        if (strcmp(tag, plain[i]) == 0) return;
    if (tag) fail_at(l, node, "tags such as '%.40s' are not supported", tag);
}

// Handle one event of the document. Returns false without memory.
static bool handle_event(loader* l, const yaml_event_t* e)
{
    if (e->type == YAML_SEQUENCE_END_EVENT || e->type == YAML_MAPPING_END_EVENT) return end_collection(l);
    cd_yaml* node = cd_pool_alloc(l->pool, 1, sizeof *node);
    if (!node) return false;
    *node = (cd_yaml){
        .file = l->file, .line = (int)e->start_mark.line + 1, .column = (int)e->start_mark.column + 1, .text = ""};
    if (l->depth > MAX_DEPTH) {
        fail_at(l, node, "nested deeper than %d levels", MAX_DEPTH);
        return l->stopped = true;
    }
    switch (e->type) {
    case YAML_ALIAS_EVENT:
        fail_at(l, node, "aliases (*%.40s) are not supported; use parameters, templates or repeat",
                (const char*)e->data.alias.anchor);
        node->has_error = true;
        return add_entry(l, node);
    case YAML_SCALAR_EVENT:
        check_tag(l, node, e->data.scalar.tag);
        return set_scalar(l, node, e) && add_entry(l, node);
    case YAML_SEQUENCE_START_EVENT:
        check_tag(l, node, e->data.sequence_start.tag);
        node->kind = CD_YAML_LIST;
        begin_collection(l, node, e->data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE);
        return true;
    case YAML_MAPPING_START_EVENT:
        check_tag(l, node, e->data.mapping_start.tag);
        node->kind = CD_YAML_MAP;
        begin_collection(l, node, e->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE);
        return true;
    default:
        return true;
    }
}

// ---- documents

static void fail_second_document(loader* l, yaml_mark_t at)
{
    const cardan_location location = {l->file->path, (int)at.line + 1, (int)at.column + 1};
    ++*l->nerror;
    cardan_fail(l->report, CARDAN_BAD_INPUT, CARDAN_CODE_SYNTAX_ERROR, location,
                "a second document begins here; a file must contain one document");
}

// Read the events of the stream, which must contain one document. A second one is rejected at its first value.
static cardan_status read_events(loader* l, yaml_parser_t* parser)
{
    int documents = 0;
    for (bool end = false; !end && !l->stopped;) {
        yaml_event_t e;
        if (!yaml_parser_parse(parser, &e)) return syntax_error(l, parser);
        bool ok = true;
        end     = e.type == YAML_STREAM_END_EVENT;
        if (e.type == YAML_DOCUMENT_START_EVENT) {
            ++documents;
        } else if (documents > 1) {
            fail_second_document(l, e.start_mark);
            end = true;
        } else if (documents == 1 && !end && e.type != YAML_DOCUMENT_END_EVENT) {
            ok = handle_event(l, &e);
        }
        yaml_event_delete(&e);
        if (!ok) return CARDAN_NO_MEMORY;
    }
    if (l->stopped) return l->file->root = NULL, CARDAN_BAD_INPUT;
    if (documents > 0) return CARDAN_OK;
    ++*l->nerror;
    return cardan_fail(l->report, CARDAN_BAD_INPUT, CARDAN_CODE_FILE_FORMAT, (cardan_location){l->file->path, 1, 1},
                       "the file is empty");
}

// Reject files with many directives (%TAG, %YAML), which are useless here and for which libyaml needs quadratic time.
// Directives precede a document: at the start of the file, or after a line "...".
static cardan_status check_directives(loader* l)
{
    const char *s = l->text, *end = l->text + l->length;
    int         line = 1, count = 0;
    bool        before = true; // no value of a document so far
    if (l->length >= 3 && memcmp(s, "\xEF\xBB\xBF", 3) == 0) s += 3;
    for (; s < end && count <= MAX_DIRECTIVES; ++line) {
        count += before && *s == '%';
        const char* newline = memchr(s, '\n', (size_t)(end - s));
        before              = (before && strchr("%# \t\r\n", *s)) || (end - s >= 3 && memcmp(s, "...", 3) == 0);
        s                   = newline ? newline + 1 : end;
    }
    if (count <= MAX_DIRECTIVES) return CARDAN_OK;
    ++*l->nerror;
    return cardan_fail(l->report, CARDAN_BAD_INPUT, CARDAN_CODE_SYNTAX_ERROR,
                       (cardan_location){l->file->path, line - 1, 1},
                       "there are more than %d directives (lines that begin with %%)", MAX_DIRECTIVES);
}

static cardan_status parse_text(loader* l)
{
    yaml_parser_t parser;
    if (check_directives(l)) return CARDAN_BAD_INPUT;
    if (!yaml_parser_initialize(&parser)) return CARDAN_NO_MEMORY;
    yaml_parser_set_input_string(&parser, (const unsigned char*)l->text, l->length);
    const cardan_status status = read_events(l, &parser);
    yaml_parser_delete(&parser);
    free(l->entry);
    return status;
}

static cardan_status fail_read(const cd_yaml_file* file, cardan_status status, const char* reason,
                               cardan_report* report)
{
    if (file->included_by)
        return cardan_fail(report, status, CARDAN_CODE_FILE_NOT_READABLE, cd_yaml_location(file->included_by),
                           "the file '%s' %s", file->path, reason);
    if (access(file->path, F_OK) != 0) return cd_fail_missing_file(file->path, report);
    struct stat s;
    if (stat(file->path, &s) == 0 && S_ISDIR(s.st_mode))
        return cardan_fail(report, status, CARDAN_CODE_FILE_NOT_READABLE, (cardan_location){.file = file->path},
                           "this is a folder; only a model can be given by its folder, other files by their path");
    return cardan_fail(report, status, CARDAN_CODE_FILE_NOT_READABLE, (cardan_location){.file = file->path},
                       "the file %s", reason);
}

cardan_status cd_yaml_read(cd_pool* pool, cd_yaml_file* file, cardan_report* report, int* nerror)
{
    loader l = {.pool = pool, .file = file, .report = report, .nerror = nerror};
    if (file->text) {
        l.text   = file->text;
        l.length = strlen(file->text);
        return parse_text(&l);
    }
    char*         text = NULL;
    char          reason[CD_REASON_SIZE];
    cardan_status status = cd_file_read_with_reason(file->path, &text, &l.length, reason);
    if (status == CARDAN_FILE_ERROR) return ++*nerror, fail_read(file, status, reason, report);
    if (status != CARDAN_OK) return status;
    l.text = text;
    status = parse_text(&l);
    free(text);
    return status;
}
