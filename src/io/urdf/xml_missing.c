// SPDX-License-Identifier: BSD-3-Clause
// XML parser in a build without libxml2: reading reports the missing part, so that the other functions are not reached.
#include "io/urdf/xml.h"

#include "core/parts.h"

#include <stddef.h>

cardan_status cd_xml_read(const char* path, cd_xml** xml, cardan_report* report)
{
    *xml = NULL;
    return cd_fail_missing_part(report, "libxml2", (cardan_location){.file = path}, "the reader of URDF files");
}

void cd_xml_destroy(cd_xml* xml) { (void)xml; }

int cd_xml_count(const cd_xml* xml)
{
    (void)xml;
    return 0;
}

cd_xml_element* cd_xml_at(cd_xml* xml, int element)
{
    (void)xml, (void)element;
    return NULL;
}

int cd_xml_child(cd_xml* xml, int element, const char* name)
{
    (void)xml, (void)element, (void)name;
    return -1;
}

int cd_xml_next(cd_xml* xml, int element, const char* name) { return cd_xml_child(xml, element, name); }

const char* cd_xml_get_attribute(cd_xml* xml, int element, const char* name)
{
    (void)xml, (void)element, (void)name;
    return NULL;
}
