// SPDX-License-Identifier: BSD-3-Clause
// Messages at an element of a URDF file, and readers of its attributes: names, numbers, origins.
#include "core/escape.h"
#include "core/memory.h"
#include "io/urdf/urdf.h"
#include "math/quaternion.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGE_SIZE = 400 };

#define FORMAT_MESSAGE(text, format)                                                                                   \
    char    text[MESSAGE_SIZE];                                                                                        \
    va_list arguments;                                                                                                 \
    va_start(arguments, format);                                                                                       \
    vsnprintf(text, sizeof text, format, arguments);                                                                   \
    va_end(arguments)

void cd_urdf_fail(cd_urdf* u, int element, const char* format, ...)
{
    FORMAT_MESSAGE(text, format);
    ++u->nerror;
    cardan_fail(u->report, CARDAN_BAD_INPUT, CARDAN_CODE_MODEL_INVALID, cd_xml_at(u->xml, element)->location, "%s",
                text);
}

void cd_urdf_warn(cd_urdf* u, int element, const char* format, ...)
{
    FORMAT_MESSAGE(text, format);
    if (u->options->strict)
        cd_urdf_fail(u, element, "%s", text);
    else
        cardan_warn(u->report, CARDAN_CODE_MODEL_DOUBTFUL, cd_xml_at(u->xml, element)->location, "%s", text);
}

void cd_urdf_note(cd_urdf* u, int element, const char* format, ...)
{
    FORMAT_MESSAGE(text, format);
    const int known = cd_name_table_find(u->note_texts, text);
    if (known >= 0) {
        ++u->note[known].count;
        return;
    }
    const char* kept = cd_name_table_add(u->note_texts, text, u->nnote);
    if (!kept || !cd_array_grow((void**)&u->note, &u->note_capacity, u->nnote, sizeof *u->note)) {
        u->no_memory = true;
        return;
    }
    u->note[u->nnote++] = (urdf_note){.text = kept, .location = cd_xml_at(u->xml, element)->location, .count = 1};
}

const char* cd_urdf_name_candidate(void* names, int i) { return cd_name_table_at(names, i); }

const char* cd_urdf_require_attribute(cd_urdf* u, int element, const char* attribute)
{
    const char* value = cd_xml_get_attribute(u->xml, element, attribute);
    if (!value) cd_urdf_fail(u, element, "<%s> has no attribute '%s'", cd_xml_at(u->xml, element)->name, attribute);
    return value;
}

const char* cd_urdf_require_name(cd_urdf* u, int element)
{
    char        flaw[CD_FLAW_SIZE];
    const char* name = cd_urdf_require_attribute(u, element, "name");
    if (!name || !cd_name_error(name, flaw)) return name;
    cd_urdf_fail(u, element, "the name '%s' of <%s> contains %s; use printable characters only", name,
                 cd_xml_at(u->xml, element)->name, flaw);
    return NULL;
}

// Read one decimal number at *s and advance. Words such as nan and hexadecimal numbers are rejected.
static bool scan_number(const char** s, double* value)
{
    const char*  start  = *s + strspn(*s, " \t\r\n");
    const size_t length = strcspn(start, " \t\r\n");
    if (length == 0 || strspn(start, "+-.0123456789eE") < length) return false;
    char* end;
    *value = strtod(start, &end) + 0.0; // -0 becomes 0
    *s     = end;
    return end == start + length && isfinite(*value);
}

bool cd_urdf_read_numbers(cd_urdf* u, int element, const char* attribute, bool needed, int count, double* value)
{
    const char* text =
        needed ? cd_urdf_require_attribute(u, element, attribute) : cd_xml_get_attribute(u->xml, element, attribute);
    if (!text) return false;
    double      read[16];
    const char* s = text;
    int         n = 0;
    while (n < count && scan_number(&s, &read[n])) ++n;
    if (n < count || s[strspn(s, " \t\r\n")]) {
        char wanted[24];
        snprintf(wanted, sizeof wanted, count == 1 ? "a number" : "%d numbers", count);
        cd_urdf_fail(u, element, "<%s>: %s=\"%s\" is not %s", cd_xml_at(u->xml, element)->name, attribute, text,
                     wanted);
        return false;
    }
    memcpy(value, read, (size_t)count * sizeof *value);
    return true;
}

bool cd_urdf_read_number(cd_urdf* u, int element, const char* attribute, bool needed, double* value)
{
    return cd_urdf_read_numbers(u, element, attribute, needed, 1, value);
}

int cd_urdf_single_child(cd_urdf* u, int element, const char* child)
{
    const int first = cd_xml_child(u->xml, element, child);
    for (int e = first; e >= 0 && (e = cd_xml_next(u->xml, e, child)) >= 0;)
        cd_urdf_fail(u, e, "<%s> has a second <%s>; the first is on line %d", cd_xml_at(u->xml, element)->name, child,
                     cd_xml_at(u->xml, first)->location.line);
    return first;
}

// Roll about x, then pitch about y, then yaw about z, all fixed axes: R = Rz(yaw) Ry(pitch) Rx(roll).
static void quaternion_from_rpy(const double rpy[3], double q[4])
{
    const double roll[4]  = {cos(rpy[0] / 2), sin(rpy[0] / 2), 0, 0};
    const double pitch[4] = {cos(rpy[1] / 2), 0, sin(rpy[1] / 2), 0};
    const double yaw[4]   = {cos(rpy[2] / 2), 0, 0, sin(rpy[2] / 2)};
    q4_mul(pitch, roll, q);
    q4_mul(yaw, q, q);
}

void cd_urdf_read_origin(cd_urdf* u, int element, cardan_pose* pose)
{
    *pose              = cardan_pose_default();
    const int origin   = cd_urdf_single_child(u, element, "origin");
    double    angle[3] = {0};
    if (origin < 0) return;
    cd_urdf_read_numbers(u, origin, "xyz", false, 3, pose->p);
    cd_urdf_read_numbers(u, origin, "rpy", false, 3, angle);
    quaternion_from_rpy(angle, pose->q);
}

const char* cd_urdf_link_name(const char* name)
{
    return strcmp(name, "ground") == 0 ? "ground_link" : strcmp(name, "world") == 0 ? "world_link" : name;
}
