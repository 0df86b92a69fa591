// SPDX-License-Identifier: BSD-3-Clause
// XML parser by libxml2, which no other file includes. The parser's tree is copied into a list and freed. Locations
// come from a scan of the source, because libxml2 only provides the line where a start tag ends and no column.
#include "io/urdf/xml.h"

#include "core/file.h"
#include "core/memory.h"
#include "core/text.h"

#include <libxml/parser.h>
#include <libxml/tree.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ATTRIBUTES = 1000 }; // of one element

struct cd_xml {
    cd_name_table*          strings; // owns file name, names and values
    cd_xml_element*         element;
    cd_xml_attribute_value* attribute;
    const char*             file;
    int                     count, element_capacity, nattribute, attribute_capacity;
};

void cd_xml_destroy(cd_xml* xml)
{
    if (!xml) return;
    cd_name_table_destroy(xml->strings);
    free(xml->element);
    free(xml->attribute);
    free(xml);
}

int             cd_xml_count(const cd_xml* xml) { return xml->count; }
cd_xml_element* cd_xml_at(cd_xml* xml, int element) { return &xml->element[element]; }

static int find_named(cd_xml* xml, int element, const char* name)
{
    while (element >= 0 && strcmp(xml->element[element].name, name) != 0) element = xml->element[element].next_sibling;
    if (element >= 0) xml->element[element].used = true;
    return element;
}

int cd_xml_child(cd_xml* xml, int element, const char* name)
{
    return find_named(xml, xml->element[element].first_child, name);
}
int cd_xml_next(cd_xml* xml, int element, const char* name)
{
    return find_named(xml, xml->element[element].next_sibling, name);
}

const char* cd_xml_get_attribute(cd_xml* xml, int element, const char* name)
{
    cd_xml_element* e = &xml->element[element];
    for (int i = 0; i < e->nattribute; ++i) {
        if (strcmp(e->attribute[i].name, name) != 0) continue;
        e->attribute[i].used = true;
        return e->attribute[i].value;
    }
    return NULL;
}

// First error of a parse; libxml2 calls record_error for each error.
typedef struct xml_error {
    bool occurred, no_memory;
    int  line, column;
    char text[240];
} xml_error;

#if LIBXML_VERSION >= 21200
static void record_error(void* user, const xmlError* error)
#else
static void record_error(void* user, xmlErrorPtr error)
#endif
{
    xml_error* c = user;
    c->no_memory |= error->code == XML_ERR_NO_MEMORY;
    if (c->occurred || error->level < XML_ERR_ERROR) return;
    c->occurred = true;
    c->line     = error->line;
    c->column   = error->int2;
    snprintf(c->text, sizeof c->text, "%s", error->message ? error->message : "the text is not XML");
    for (size_t n = strlen(c->text); n > 0 && (c->text[n - 1] == '\n' || c->text[n - 1] == ' ');) c->text[--n] = '\0';
}

static cardan_status no_memory(const char* path, cardan_report* report)
{
    return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, (cardan_location){.file = path},
                       "out of memory");
}

static cardan_status check(const char* path, xmlDocPtr document, const xml_error* first, cardan_report* report)
{
    const cardan_location location = {.file = path, .line = first->line, .column = first->column};
    const cardan_location whole    = {.file = path};
    if (first->no_memory) return no_memory(path, report);
    if (!document && !first->occurred)
        return cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_SYNTAX_ERROR, whole, "XML: the text is not XML");
    if (first->occurred)
        return cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_SYNTAX_ERROR, location, "XML: %s", first->text);
    if (document->intSubset || document->extSubset)
        return cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_SYNTAX_ERROR, whole,
                           "XML: a document type (<!DOCTYPE ...>) is not supported; remove it");
    if (!xmlDocGetRootElement(document))
        return cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_SYNTAX_ERROR, whole, "XML: there is no element");
    return CARDAN_OK;
}

static const char* store_string(cd_xml* xml, const char* s) { return cd_name_table_add(xml->strings, s, 0); }

static const char* store_name(cd_xml* xml, const xmlNs* space, const xmlChar* name)
{
    if (!space || !space->prefix) return store_string(xml, (const char*)name);
    cd_text whole = {0};
    cd_text_format(&whole, "%s:%s", (const char*)space->prefix, (const char*)name);
    const char* kept = whole.failed ? NULL : store_string(xml, whole.data);
    cd_text_free(&whole);
    return kept;
}

static bool add_element(cd_xml* xml, xmlNodePtr node, int parent)
{
    if (!cd_array_grow((void**)&xml->element, &xml->element_capacity, xml->count, sizeof *xml->element)) return false;
    cd_xml_element* e = &xml->element[xml->count++];
    *e                = (cd_xml_element){.parent = parent, .first_child = -1, .next_sibling = -1};
    e->name           = store_name(xml, node->ns, node->name);
    e->location       = (cardan_location){.file = xml->file, .line = (int)xmlGetLineNo(node)};
    if (!e->name) return false;
    for (xmlAttrPtr a = node->properties; a; a = a->next) {
        if (!cd_array_grow((void**)&xml->attribute, &xml->attribute_capacity, xml->nattribute, sizeof *xml->attribute))
            return false;
        xmlChar*                value = xmlNodeListGetString(node->doc, a->children, 1);
        cd_xml_attribute_value* to    = &xml->attribute[xml->nattribute++];
        *to                           = (cd_xml_attribute_value){.name = store_name(xml, a->ns, a->name)};
        to->value = value || !a->children ? store_string(xml, value ? (const char*)value : "") : NULL;
        xmlFree(value);
        ++e->nattribute;
        if (!to->name || !to->value) return false;
    }
    return true;
}

// Copy the elements in document order; without recursion, so that nesting depth is not limited.
static bool copy_tree(cd_xml* xml, xmlNodePtr root)
{
    int        parent = -1, before = -1; // previous sibling
    xmlNodePtr node = root;
    while (node) {
        if (node->type == XML_ELEMENT_NODE) {
            const int at = xml->count;
            if (!add_element(xml, node, parent)) return false;
            if (before >= 0)
                xml->element[before].next_sibling = at;
            else if (parent >= 0)
                xml->element[parent].first_child = at;
            before = at;
            if (node->children) {
                parent = at;
                before = -1;
                node   = node->children;
                continue;
            }
        }
        while (node != root && !node->next) {
            node   = node->parent;
            before = parent;
            parent = xml->element[parent].parent;
        }
        node = node == root ? NULL : node->next;
    }
    return true;
}

// Find the next start tag and update line and column; NULL at the end. The text is well formed.
static const char* next_tag(const char* s, const char* end, int* line, int* column)
{
    static const struct {
        const char *open, *close;
    } skipped[]       = {{"<!--", "-->"}, {"<![CDATA[", "]]>"}, {"<?", "?>"}, {"</", ">"}};
    const char* close = NULL;
    for (; s < end; ++s) {
        if (close && strncmp(s, close, strlen(close)) == 0)
            close = NULL;
        else if (!close && *s == '<') {
            for (size_t i = 0; i < sizeof skipped / sizeof *skipped && !close; ++i)
                if (strncmp(s, skipped[i].open, strlen(skipped[i].open)) == 0) close = skipped[i].close;
            if (!close) return s;
        }
        const bool continuation = ((unsigned char)*s & 0xc0) == 0x80; // of a UTF-8 character
        if (*s == '\n') {
            ++*line;
            *column = 1;
        } else if (!continuation) {
            ++*column;
        }
    }
    return NULL;
}

// Reject elements with very many attributes before parsing, because libxml2 compares all pairs of
// attributes of an element.
static cardan_status check_attributes(const char* path, const cd_text* bytes, cardan_report* report)
{
    const char *s = bytes->data, *end = s + bytes->length, *c = s; // c: end of the scanned text
    int         line = 1, column = 1;
    for (; (s = next_tag(s, end, &line, &column)); ++s, ++column) {
        char quote = '\0';
        int  count = 0;
        if (s < c) continue; // inside a tag that is not well formed
        for (c = s; c < end && (quote || *c != '>') && count <= MAX_ATTRIBUTES; ++c) {
            count += !quote && *c == '=';
            if (quote ? *c == quote : *c == '"' || *c == '\'') quote = quote ? '\0' : *c;
        }
        if (count > MAX_ATTRIBUTES)
            return cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_SYNTAX_ERROR,
                               (cardan_location){.file = path, .line = line, .column = column},
                               "XML: this element has more than %d attributes", MAX_ATTRIBUTES);
    }
    return CARDAN_OK;
}

// Set the locations: start tag n of the source is element n. If the counts differ, as may happen with encodings other
// than UTF-8, the lines of libxml2 remain.
static void find_locations(cd_xml* xml, const cd_text* bytes)
{
    for (int pass = 0; pass < 2; ++pass) {
        const char* s    = bytes->data;
        const char* end  = s + bytes->length;
        int         line = 1, column = 1, count = 0;
        while ((s = next_tag(s, end, &line, &column))) {
            if (pass == 1) {
                xml->element[count].location.line   = line;
                xml->element[count].location.column = column;
            }
            ++count;
            ++column;
            ++s;
        }
        if (count != xml->count) return;
    }
}

// Set the attribute pointers of all elements after the array has its final address.
static void link_attributes(cd_xml* xml)
{
    int used = 0;
    for (int i = 0; i < xml->count; ++i) {
        if (xml->element[i].nattribute > 0) xml->element[i].attribute = xml->attribute + used;
        used += xml->element[i].nattribute;
    }
}

static cardan_status copy_document(const char* path, const cd_text* bytes, xmlDocPtr document, cd_xml** xml,
                                   cardan_report* report)
{
    cd_xml* x = cd_allocate(1, sizeof *x);
    if (!x) return no_memory(path, report);
    x->strings = cd_name_table_create();
    x->file    = x->strings ? store_string(x, path) : NULL;
    if (!x->file || !copy_tree(x, xmlDocGetRootElement(document))) {
        cd_xml_destroy(x);
        return no_memory(path, report);
    }
    link_attributes(x);
    find_locations(x, bytes);
    *xml = x;
    return CARDAN_OK;
}

cardan_status cd_xml_read(const char* path, cd_xml** xml, cardan_report* report)
{
    *xml                 = NULL;
    cd_text       bytes  = {0};
    cardan_status status = cd_file_read(path, &bytes.data, &bytes.length, report);
    if (!status && bytes.length == 0)
        status = cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_FILE_FORMAT, (cardan_location){.file = path},
                             "the file is empty");
    if (!status) status = check_attributes(path, &bytes, report);
    if (!status) {
        // redirect the errors of this thread; the previous handler is restored below
        xml_error                    first    = {0};
        const xmlStructuredErrorFunc listener = xmlStructuredError;
        void* const                  user     = xmlStructuredErrorContext;
        xmlSetStructuredErrorFunc(&first, record_error);
        const int options  = XML_PARSE_NONET | XML_PARSE_NOCDATA | XML_PARSE_COMPACT;
        xmlDocPtr document = xmlReadMemory(bytes.data, (int)bytes.length, NULL, NULL, options);
        status             = check(path, document, &first, report);
        if (!status) status = copy_document(path, &bytes, document, xml, report);
        if (document) xmlFreeDoc(document);
        xmlSetStructuredErrorFunc(user, listener);
    }
    cd_text_free(&bytes);
    return status;
}
