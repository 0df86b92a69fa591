// SPDX-License-Identifier: BSD-3-Clause
// libyaml's documents into nodes with places.
#include "io/yaml.h"

#include "core/escape.h"
#include "core/text.h"
#include "io/format.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <yaml.h>

enum { DEEPEST = 64 };

typedef struct loader {
    cd_pool*         pool;
    cd_yaml_file*    file;
    cardan_report*   report;
    int*             mistakes;
    yaml_document_t* document;
    unsigned char*   seen; // (nodes of the document) visited before: an alias
    const char*      text;
    size_t           length;
} loader;

cardan_place cd_yaml_place(const cd_yaml* node) { return (cardan_place){node->file->path, node->line, node->column}; }

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
    case CD_YAML_NOTHING:
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

// Bytes to text

static cardan_status read_bytes(const char* path, char** bytes, size_t* length)
{
    FILE* stream = fopen(path, "rb");
    if (!stream) return errno == ENOMEM ? CARDAN_NO_MEMORY : CARDAN_NO_FILE;
    cd_text text = {0};
    char    buffer[16384];
    size_t  n;
    cd_text_add(&text, "");
    while ((n = fread(buffer, 1, sizeof buffer, stream)) > 0) cd_text_add_bytes(&text, buffer, n);
    const bool broken = ferror(stream) != 0; // a folder, for example
    fclose(stream);
    *length = text.length;
    *bytes  = cd_text_take(&text);
    if (broken) free(*bytes);
    return broken ? CARDAN_NO_FILE : *bytes ? CARDAN_OK : CARDAN_NO_MEMORY;
}

// Syntax errors: libyaml's words and place, and how to write it where the cause is a known trap.

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
        if (s[i++] == '\t') return "; YAML indents with spaces, and this line begins with a tab";
    const char* equal    = memchr(s, '=', n);
    const char* question = equal ? memchr(equal, '?', n - (size_t)(equal - s)) : NULL;
    if (question && memchr(question, ':', n - (size_t)(question - s)))
        return "; formulas have no 'c ? a : b', write if(c, a, b) and put the formula in \"quotes\"";
    if (equal && memchr(equal, ',', n - (size_t)(equal - s))) return "; a formula with a comma needs \"quotes\"";
    if (memchr(s, '\t', n)) return "; there is a tab in this line, use spaces";
    return "";
}

// Where libyaml stopped. Of bytes that it cannot read it knows the number only: it reads far ahead of what it parses.
static void stopped_at(const loader* l, const yaml_parser_t* parser, size_t* line, size_t* column)
{
    *line   = parser->problem_mark.line;
    *column = parser->problem_mark.column;
    if (parser->error != YAML_READER_ERROR) return;
    const size_t bytes = parser->problem_offset < l->length ? parser->problem_offset : l->length;
    *line = *column = 0;
    for (size_t i = 0; i < bytes; ++i) {
        const bool end = l->text[i] == '\n';
        *line += end;
        *column = end ? 0 : *column + ((l->text[i] & 0xC0) != 0x80); // bytes that continue a character are none
    }
}

static cardan_status syntax_error(const loader* l, const yaml_parser_t* parser)
{
    if (parser->error == YAML_MEMORY_ERROR || parser->error == YAML_NO_ERROR) return CARDAN_NO_MEMORY;
    ++*l->mistakes;
    const bool reading = parser->error == YAML_READER_ERROR;
    size_t     line, column;
    stopped_at(l, parser, &line, &column);
    const cardan_place place   = {l->file->path, (int)line + 1, (int)column + 1};
    const char*        problem = parser->problem ? parser->problem : "this is not YAML";
    if (parser->context && parser->context_mark.line != line)
        return cardan_fail(l->report, CARDAN_BAD_INPUT, place, "%s (%s that begins in line %d)%s", problem,
                           parser->context, (int)parser->context_mark.line + 1, hint_for(l, line));
    return cardan_fail(l->report, CARDAN_BAD_INPUT, place, "%s%s", problem,
                       reading ? "; a model file is UTF-8 text" : hint_for(l, line));
}

// Nodes

static void mistake(const loader* l, const cd_yaml* node, const char* format, ...)
    __attribute__((format(printf, 3, 4)));
static void mistake(const loader* l, const cd_yaml* node, const char* format, ...)
{
    char    sentence[CARDAN_MESSAGE_LENGTH];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    ++*l->mistakes;
    cardan_fail(l->report, CARDAN_BAD_INPUT, cd_yaml_place(node), "%s", sentence);
}

// Brackets opened and not closed in a formula; quoted names are skipped.
static int open_brackets(const char* s)
{
    int open = 0;
    for (char quote = '\0'; *s; ++s) {
        if (quote ? *s == quote : *s == '"' || *s == '\'')
            quote = quote ? '\0' : *s;
        else if (!quote)
            open += (*s == '(') - (*s == ')');
    }
    return open;
}

static bool split_formula(const cd_yaml* value)
{
    return value->kind == CD_YAML_SCALAR && !value->quoted && value->text[0] == '=' && open_brackets(value->text) > 0;
}

// Entries `from`, ... of a flow list or flow map that were one formula become one again.
static bool join_formula(const loader* l, cd_yaml* node, int from)
{
    cd_yaml* first = node->entry[from].value;
    cd_text  text  = {0};
    int      taken = 0, open = open_brackets(first->text);
    cd_text_add(&text, first->text);
    for (int i = from + 1; i < node->count && open > 0; ++i, ++taken) {
        const cd_yaml* next = node->kind == CD_YAML_LIST ? node->entry[i].value : node->entry[i].key;
        if (next->kind != CD_YAML_SCALAR) break;
        if (node->kind == CD_YAML_MAP && node->entry[i].value->kind != CD_YAML_NOTHING) break;
        open += open_brackets(next->text);
        cd_text_format(&text, ", %s", next->text);
    }
    if (text.failed) return false;
    if (open == 0 && taken > 0) {
        mistake(l, first, "the comma splits this formula in two: write \"%s\" in quotes", text.data);
        first->text   = cd_pool_string(l->pool, text.data, text.length);
        first->quoted = true;
        for (int i = from + 1; i + taken < node->count; ++i) node->entry[i] = node->entry[i + taken];
        node->count -= taken;
    }
    cd_text_free(&text);
    return first->text != NULL;
}

static bool join_formulas(const loader* l, cd_yaml* node)
{
    for (int i = 0; i < node->count; ++i)
        if (split_formula(node->entry[i].value) && !join_formula(l, node, i)) return false;
    return true;
}

// Repeated keys are told and left out.
static bool drop_repeated(const loader* l, cd_yaml* map)
{
    cd_names* names = cd_names_create();
    int       kept  = 0;
    if (!names) return false;
    bool ok = true;
    for (int i = 0; i < map->count && ok; ++i) {
        const cd_yaml* key   = map->entry[i].key;
        const int      first = cd_names_find(names, key->text);
        if (first >= 0) {
            mistake(l, key, "the key '%s' is given twice, first in line %d: one would hide the other", key->text,
                    map->entry[first].key->line);
            continue;
        }
        ok                 = cd_names_add(names, key->text, kept) != NULL;
        map->entry[kept++] = map->entry[i];
    }
    map->count = kept;
    cd_names_destroy(names);
    return ok;
}

static cd_yaml* convert(loader* l, int index, int depth);

static bool convert_list(loader* l, cd_yaml* node, const yaml_node_t* from, int depth)
{
    const yaml_node_item_t* items = from->data.sequence.items.start;
    const int               count = (int)(from->data.sequence.items.top - items);
    node->entry                   = cd_pool_take(l->pool, (size_t)count, sizeof *node->entry);
    if (!node->entry) return false;
    for (int i = 0; i < count; ++i) {
        if (!(node->entry[i].value = convert(l, items[i], depth + 1))) return false;
        ++node->count;
    }
    return from->data.sequence.style != YAML_FLOW_SEQUENCE_STYLE || join_formulas(l, node);
}

static bool convert_map(loader* l, cd_yaml* node, const yaml_node_t* from, int depth)
{
    const yaml_node_pair_t* pairs = from->data.mapping.pairs.start;
    const int               count = (int)(from->data.mapping.pairs.top - pairs);
    node->entry                   = cd_pool_take(l->pool, (size_t)count, sizeof *node->entry);
    if (!node->entry) return false;
    for (int i = 0; i < count; ++i) {
        cd_yaml* key   = convert(l, pairs[i].key, depth + 1);
        cd_yaml* value = key ? convert(l, pairs[i].value, depth + 1) : NULL;
        if (!value) return false;
        if (key->kind != CD_YAML_SCALAR) {
            mistake(l, key, "a key must be a word; for a choice in a formula write \"=if(c, a, b)\"");
            continue;
        }
        char flaw[CD_FLAW];
        if (!key->broken && cd_name_flaw(key->text, flaw))
            mistake(l, key, "this name holds %s; write printable characters alone", flaw), key->broken = true;
        node->entry[node->count++] = (cd_yaml_entry){key, value};
    }
    if (from->data.mapping.style == YAML_FLOW_MAPPING_STYLE && !join_formulas(l, node)) return false;
    return drop_repeated(l, node);
}

static bool convert_scalar(loader* l, cd_yaml* node, const yaml_node_t* from)
{
    const char*  text   = (const char*)from->data.scalar.value;
    const size_t length = from->data.scalar.length;
    node->quoted        = from->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    node->kind          = CD_YAML_SCALAR;
    if (!node->quoted && (length == 0 || strcmp(text, "~") == 0 || strcmp(text, "null") == 0))
        node->kind = CD_YAML_NOTHING;
    char flaw[CD_FLAW];
    if (memchr(text, '\0', length))
        mistake(l, node, "there is a zero byte in this text");
    else if (cd_text_flaw(text, flaw))
        mistake(l, node, "this text holds %s; write printable characters alone", flaw), node->broken = true;
    return (node->text = cd_pool_string(l->pool, text, length)) != NULL;
}

static void check_tag(const loader* l, const cd_yaml* node, const yaml_node_t* from)
{
    const char* plain[] = {YAML_STR_TAG, YAML_SEQ_TAG, YAML_MAP_TAG};
    const char* tag     = (const char*)from->tag;
    for (size_t i = 0; tag && i < sizeof plain / sizeof *plain; ++i)
        if (strcmp(tag, plain[i]) == 0) return;
    if (tag) mistake(l, node, "tags such as '%.40s' have no meaning in a model file", tag);
}

static cd_yaml* convert(loader* l, int index, int depth)
{
    const yaml_node_t* from = yaml_document_get_node(l->document, index);
    cd_yaml*           node = cd_pool_take(l->pool, 1, sizeof *node);
    if (!node || !from) return NULL;
    node->file   = l->file;
    node->line   = (int)from->start_mark.line + 1;
    node->column = (int)from->start_mark.column + 1;
    node->text   = "";
    if (l->seen[index]++ || depth > DEEPEST) {
        if (depth > DEEPEST)
            mistake(l, node, "this is nested more than %d levels deep", DEEPEST);
        else
            mistake(l, node, "an alias (*name) repeats this value; use parameters, templates or repeat instead");
        l->seen[index] = 1;
        node->broken   = true;
        return node;
    }
    check_tag(l, node, from);
    bool ok = true;
    if (from->type == YAML_SEQUENCE_NODE) {
        node->kind = CD_YAML_LIST;
        ok         = convert_list(l, node, from, depth);
    } else if (from->type == YAML_MAPPING_NODE) {
        node->kind = CD_YAML_MAP;
        ok         = convert_map(l, node, from, depth);
    } else {
        ok = convert_scalar(l, node, from);
    }
    return ok ? node : NULL;
}

// Documents

static cardan_status load_document(loader* l, yaml_parser_t* parser)
{
    const cardan_place start = {l->file->path, 1, 1};
    const yaml_node_t* root  = yaml_document_get_root_node(l->document);
    if (!root) return ++*l->mistakes, cardan_fail(l->report, CARDAN_BAD_INPUT, start, "the file is empty");
    const size_t count = (size_t)(l->document->nodes.top - l->document->nodes.start) + 1;
    if (!(l->seen = calloc(count, 1))) return CARDAN_NO_MEMORY;
    l->file->root = convert(l, 1, 0);
    free(l->seen);
    if (!l->file->root) return CARDAN_NO_MEMORY;

    yaml_document_t second;
    if (!yaml_parser_load(parser, &second)) return syntax_error(l, parser);
    const yaml_node_t* more = yaml_document_get_root_node(&second);
    if (more) {
        const cardan_place place = {l->file->path, (int)more->start_mark.line + 1, (int)more->start_mark.column + 1};
        ++*l->mistakes;
        cardan_fail(l->report, CARDAN_BAD_INPUT, place, "a second document begins here; a model file holds one");
    }
    yaml_document_delete(&second);
    return CARDAN_OK;
}

// Brackets that open without end take libyaml the square of their number: what is far beyond the deepest is refused
// before. Those in texts and comments count as well, which no file has so many of.
static cardan_status check_brackets(loader* l)
{
    int    depth = 0, line = 1;
    size_t start = 0;
    for (size_t i = 0; i < l->length; ++i) {
        const char c = l->text[i];
        if (c == '\n') ++line, start = i + 1;
        if (c == '[' || c == '{') ++depth;
        if ((c == ']' || c == '}') && depth > 0) --depth;
        if (depth <= 16 * DEEPEST) continue;
        const cardan_place place = {l->file->path, line, (int)(i - start) + 1};
        ++*l->mistakes;
        return cardan_fail(l->report, CARDAN_BAD_INPUT, place, "this is nested more than %d levels deep", DEEPEST);
    }
    return CARDAN_OK;
}

static cardan_status parse_text(loader* l)
{
    yaml_parser_t   parser;
    yaml_document_t document;
    if (check_brackets(l)) return CARDAN_BAD_INPUT;
    if (!yaml_parser_initialize(&parser)) return CARDAN_NO_MEMORY;
    yaml_parser_set_input_string(&parser, (const unsigned char*)l->text, l->length);
    cardan_status status;
    if (!yaml_parser_load(&parser, &document)) {
        status = syntax_error(l, &parser);
    } else {
        l->document = &document;
        status      = load_document(l, &parser);
        yaml_document_delete(&document);
    }
    yaml_parser_delete(&parser);
    return status;
}

cardan_status cd_yaml_read(cd_pool* pool, cd_yaml_file* file, cardan_report* report, int* mistakes)
{
    loader l = {.pool = pool, .file = file, .report = report, .mistakes = mistakes};
    if (file->text) {
        l.text   = file->text;
        l.length = strlen(file->text);
        return parse_text(&l);
    }
    char*         text   = NULL;
    cardan_status status = read_bytes(file->path, &text, &l.length);
    if (status == CARDAN_NO_FILE) {
        ++*mistakes;
        if (file->included)
            return cardan_fail(report, status, cd_yaml_place(file->included), "the file '%s' cannot be read",
                               file->path);
        if (access(file->path, F_OK) != 0) return cd_fail_missing(file->path, report);
        struct stat s;
        if (stat(file->path, &s) == 0 && S_ISDIR(s.st_mode))
            return cardan_fail(report, status, (cardan_place){.file = file->path},
                               "this is a folder; models are taken from folders, other files must be named");
        return cardan_fail(report, status, (cardan_place){.file = file->path}, "the file cannot be read");
    }
    if (status != CARDAN_OK) return status;
    l.text = text;
    status = parse_text(&l);
    free(text);
    return status;
}
