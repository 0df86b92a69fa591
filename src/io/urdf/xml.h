// SPDX-License-Identifier: BSD-3-Clause
// XML file as a list of elements in document order, each with its location. Text between elements is discarded.
#pragma once

#include <cardan/status.h>

typedef struct cd_xml_attribute_value {
    const char *name, *value;
    bool        used; // requested by the reader; unused attributes are noted
} cd_xml_attribute_value;

typedef struct cd_xml_element {
    const char*     name;                              // with its prefix: "xacro:macro"
    cardan_location location;                          // of the '<'
    int             parent, first_child, next_sibling; // elements; -1: none. Children follow their element in the list
    bool            used;                              // requested by the reader
    int             nattribute;
    cd_xml_attribute_value* attribute;
} cd_xml_element;

typedef struct cd_xml cd_xml;

// Read a file. On failure *xml is NULL and the report has the location of the error.
cardan_status cd_xml_read(const char* path, cd_xml** xml, cardan_report* report);
void          cd_xml_destroy(cd_xml* xml);

int             cd_xml_count(const cd_xml* xml); // at least 1: element 0 is the root
cd_xml_element* cd_xml_at(cd_xml* xml, int element);
// Lookups by name mark the result as used.
int         cd_xml_child(cd_xml* xml, int element, const char* name);         // first child of that name, or -1
int         cd_xml_next(cd_xml* xml, int element, const char* name);          // next sibling of that name, or -1
const char* cd_xml_get_attribute(cd_xml* xml, int element, const char* name); // value, or NULL
