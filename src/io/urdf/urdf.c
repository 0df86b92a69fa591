// SPDX-License-Identifier: BSD-3-Clause
// URDF, the robot description of ROS (http://wiki.ros.org/urdf/XML): a tree of links connected by joints. The root link
// is fixed to ground, or free on request. Elements without counterpart in Cardan are noted, once per kind.
#include "io/urdf/urdf.h"

#include "core/escape.h"
#include "core/memory.h"
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

static const char* name_of_link(cd_urdf* u, int element)
{
    const char* name = cd_urdf_require_name(u, element);
    if (!name) return NULL;
    const char* cardan_name = cd_urdf_link_name(name);
    if (cardan_name != name)
        cardan_note(u->report, CARDAN_CODE_NAME_CHANGED, cd_xml_at(u->xml, element)->location,
                    "link '%s' is renamed to '%s': ground and world are reserved names of the inertial frame", name,
                    cardan_name);
    return cardan_name;
}

static void list_links(cd_urdf* u)
{
    for (int e = cd_xml_child(u->xml, 0, "link"); e >= 0; e = cd_xml_next(u->xml, e, "link")) {
        const char* name = name_of_link(u, e);
        if (!name) continue;
        const int known = cd_name_table_find(u->link_names, name);
        if (known >= 0) {
            cd_urdf_fail(u, e, "there are two links '%s'; the first is on line %d", name,
                         cd_xml_at(u->xml, u->link[known].element)->location.line);
            continue;
        }
        if (!cd_array_grow((void**)&u->link, &u->link_capacity, u->nlink, sizeof *u->link) ||
            !cd_name_table_add(u->link_names, name, u->nlink)) {
            u->no_memory = true;
            return;
        }
        u->link[u->nlink++] =
            (urdf_link){.name = name, .element = e, .parent_joint = -1, .pose = cardan_pose_default()};
    }
    if (u->nlink == 0 && u->nerror == 0) cd_urdf_fail(u, 0, "the robot has no <link>");
}

// Note elements and attributes that the reader did not use, once per kind; children of an unused element are not noted.
static void note_unused(cd_urdf* u)
{
    for (int i = 1; i < cd_xml_count(u->xml); ++i) {
        cd_xml_element* e = cd_xml_at(u->xml, i);
        if (!cd_xml_at(u->xml, e->parent)->used) continue;
        if (!e->used) cd_urdf_note(u, i, "<%s> in <%s> is not used", e->name, cd_xml_at(u->xml, e->parent)->name);
        for (int k = 0; e->used && k < e->nattribute; ++k)
            if (!e->attribute[k].used)
                cd_urdf_note(u, i, "attribute '%s' of <%s> is not used", e->attribute[k].name, e->name);
    }
}

static void report_notes(cd_urdf* u)
{
    for (int i = 0; i < u->nnote; ++i) {
        const urdf_note* r = &u->note[i];
        if (r->count == 1)
            cardan_note(u->report, CARDAN_CODE_MODEL_NOTE, r->location, "%s", r->text);
        else
            cardan_note(u->report, CARDAN_CODE_MODEL_NOTE, r->location, "%s (%d times; first here)", r->text, r->count);
    }
}

static bool is_robot(cd_urdf* u)
{
    const cd_xml_element* root = cd_xml_at(u->xml, 0);
    if (strcmp(root->name, "robot") != 0) {
        cd_urdf_fail(u, 0, "the root element of a URDF file must be <robot>, not <%s>", root->name);
        return false;
    }
    for (int i = 0; i < cd_xml_count(u->xml); ++i) {
        const char* name = cd_xml_at(u->xml, i)->name;
        if (strncmp(name, "xacro:", 6) != 0) continue;
        cd_urdf_fail(u, i,
                     "<%s> is a macro of xacro, not URDF; expand the file first: xacro robot.urdf.xacro > robot.urdf",
                     name);
        return false;
    }
    return true;
}

static void set_name(cd_urdf* u, const char* name)
{
    cardan_description_set_name(u->description, name);
    const char* kept = cardan_description_get_view(u->description).name;
    if (!kept || strcmp(kept, name) != 0) u->no_memory = true;
}

static void read_robot(cd_urdf* u)
{
    if (!is_robot(u)) return;
    cd_xml_at(u->xml, 0)->used = true;
    const char* name           = cd_xml_get_attribute(u->xml, 0, "name");
    cd_xml_get_attribute(u->xml, 0, "version");
    if (name && *name) {
        name = cd_urdf_require_name(u, 0);
        if (name) set_name(u, name);
    } else
        cd_urdf_warn(u, 0, "the robot has no name; the name 'robot' is used");

    list_links(u);
    if (!u->no_memory) cd_urdf_read_joints(u);
    if (!u->no_memory && !u->nerror) cd_urdf_find_tree(u);
    if (!u->no_memory) cd_urdf_add_links(u);
    if (!u->no_memory && !u->nerror) cd_urdf_add_joints(u);
    if (u->nerror || u->no_memory) return;
    note_unused(u);
    if (!u->no_memory) report_notes(u);
}

static void release(cd_urdf* u)
{
    cd_xml_destroy(u->xml);
    cd_name_table_destroy(u->link_names);
    cd_name_table_destroy(u->joint_names);
    cd_name_table_destroy(u->note_texts);
    free(u->link);
    free(u->joint);
    free(u->note);
}

cardan_status cd_read_urdf(const char* path, const cardan_load_options* options, cardan_description** description,
                           cardan_report* report)
{
    cd_urdf u            = {.path = path, .options = options, .report = report, .root = -1};
    *description         = NULL;
    cardan_status status = cd_xml_read(path, &u.xml, report);
    if (!status) {
        u.description = cardan_description_create("robot");
        u.link_names  = cd_name_table_create();
        u.joint_names = cd_name_table_create();
        u.note_texts  = cd_name_table_create();
        u.no_memory   = !u.description || !u.link_names || !u.joint_names || !u.note_texts;
        if (!u.no_memory) read_robot(&u);
        if (u.no_memory)
            status = cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, (cardan_location){.file = path},
                                 "out of memory");
        else if (u.nerror)
            status = CARDAN_BAD_INPUT;
    }
    if (status)
        cardan_description_destroy(u.description);
    else
        *description = u.description;
    release(&u);
    return status;
}
