// SPDX-License-Identifier: BSD-3-Clause
// URDF links form a tree: one root, every other link the child of one joint. Poses are computed outward from the root,
// all coordinates zero: T_child = T_parent origin.
#include "core/memory.h"
#include "io/urdf/urdf.h"
#include "math/quaternion.h"

#include <math.h>
#include <stdlib.h>

static int line_of(cd_urdf* u, int element) { return cd_xml_at(u->xml, element)->location.line; }

static void assign_parent_joints(cd_urdf* u)
{
    for (int i = 0; i < u->njoint; ++i) {
        const urdf_joint* joint = &u->joint[i];
        urdf_link*        child = &u->link[joint->child];
        if (child->parent_joint < 0)
            child->parent_joint = i;
        else
            cd_urdf_fail(
                u, joint->element,
                "link '%s' is the child of two joints, '%s' (line %d) and '%s'; links of a URDF file must form a tree",
                child->name, u->joint[child->parent_joint].name, line_of(u, u->joint[child->parent_joint].element),
                joint->name);
    }
}

// Return the parent link, or -1.
static int parent_of(const cd_urdf* u, int link)
{
    return u->link[link].parent_joint < 0 ? -1 : u->joint[u->link[link].parent_joint].parent;
}

// Report the cycle that is reached by going inward from `link`, which is not connected to a root.
static void fail_cycle(cd_urdf* u, int link)
{
    for (int i = 0; i < u->nlink; ++i) link = parent_of(u, link); // now on the cycle
    int at = link;
    for (int i = parent_of(u, link); i != at; i = parent_of(u, i))
        if (i < link) link = i; // start with the link that comes first in the file
    cd_text path  = {0};
    int     shown = 0;
    at            = link;
    cd_text_format(&path, "'%s'", u->link[link].name);
    do {
        at = parent_of(u, at);
        if (++shown <= 6 || at == link)
            cd_text_format(&path, " -> '%s'", u->link[at].name);
        else if (shown == 7)
            cd_text_add(&path, " -> ...");
    } while (at != link);
    if (path.failed)
        u->no_memory = true;
    else
        cd_urdf_fail(u, u->joint[u->link[link].parent_joint].element, "the links form a cycle (child -> parent): %s",
                     path.data);
    cd_text_free(&path);
}

static void find_root(cd_urdf* u)
{
    for (int i = 0; i < u->nlink; ++i) {
        if (u->link[i].parent_joint >= 0) continue;
        if (u->root < 0)
            u->root = i;
        else
            cd_urdf_fail(
                u, u->link[i].element,
                "there are two roots, '%s' (line %d) and '%s': every link but one must be the child of a joint",
                u->link[u->root].name, line_of(u, u->link[u->root].element), u->link[i].name);
    }
}

// Order the links so that every link follows its parent. Returns their number, less than nlink if there is a cycle.
static int order_outward(const cd_urdf* u, int* order, int* first, int* next)
{
    for (int i = 0; i < u->nlink; ++i) first[i] = -1;
    for (int i = u->nlink - 1; i >= 0; --i) {
        const int parent = parent_of(u, i);
        if (parent < 0) continue;
        next[i]       = first[parent];
        first[parent] = i;
    }
    int count = 0;
    if (u->root >= 0) order[count++] = u->root;
    for (int k = 0; k < count; ++k)
        for (int child = first[order[k]]; child >= 0; child = next[child]) order[count++] = child;
    return count;
}

static void compute_link_poses(cd_urdf* u, const int* order)
{
    for (int k = 1; k < u->nlink; ++k) {
        urdf_link*        link  = &u->link[order[k]];
        const urdf_joint* joint = &u->joint[link->parent_joint];
        link->pose              = pose_mul(u->link[joint->parent].pose, joint->origin);
        q4_normalize(link->pose.q);
        if (!isfinite(link->pose.p[0]) || !isfinite(link->pose.p[1]) || !isfinite(link->pose.p[2])) {
            cd_urdf_fail(u, joint->element, "joint '%s': the position of link '%s' is not finite", joint->name,
                         link->name);
            return;
        }
    }
}

void cd_urdf_find_tree(cd_urdf* u)
{
    assign_parent_joints(u);
    if (u->nerror) return;
    find_root(u);
    if (u->nerror) return;

    int* work = cd_allocate(3 * (size_t)u->nlink, sizeof *work);
    if (!work) {
        u->no_memory = true;
        return;
    }
    int *order = work, *first = work + u->nlink, *next = work + 2 * u->nlink;
    if (order_outward(u, order, first, next) == u->nlink) {
        compute_link_poses(u, order);
    } else {
        // reuse first[] to mark the links connected to the root
        const int reached = order_outward(u, order, first, next);
        for (int i = 0; i < u->nlink; ++i) first[i] = 0;
        for (int k = 0; k < reached; ++k) first[order[k]] = 1;
        int unreached = 0;
        while (first[unreached]) ++unreached;
        fail_cycle(u, unreached);
    }
    free(work);
}
