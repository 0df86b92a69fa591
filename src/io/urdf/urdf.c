// SPDX-License-Identifier: BSD-3-Clause
// URDF, the robot description of ROS (http://wiki.ros.org/urdf/XML): a tree of links connected by joints. The root link
// is fixed to ground, or free on request. Elements without counterpart in Cardan are noted, once per kind.
#include "io/urdf/urdf.h"

#include "core/memory.h"

#include <stdlib.h>
#include <string.h>

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
    cd_text_free(&u->unread_mesh);
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
