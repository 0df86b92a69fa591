// SPDX-License-Identifier: BSD-3-Clause
// Which shapes of a description touch, with which properties, and contact points that continue from search to search.
#include "contact_models.h"
#include "test.h"

#include "contact/scene/contact_scene.h"
#include "dynamics/data.h"
#include "dynamics/state.h"

#include <cardan/contact_state.h>

static cardan_model* compile(cardan_description* d, cardan_report* report)
{
    cardan_model* m = NULL;
    *report         = (cardan_report){0};
    cardan_model_compile(d, CARDAN_TREE_BREADTH_FIRST, &m, report);
    return m;
}

static int pair_count(cardan_description* d)
{
    cardan_report report;
    cardan_model* m = compile(d, &report);
    CHECK(m != NULL);
    for (int i = 0; i < report.count; ++i) printf("%s\n", report.message[i].text);
    const int n = m && m->contact_scene ? m->contact_scene->npair : 0;
    cardan_model_destroy(m);
    return n;
}

// Four links with a sphere each: a-b and b-c are hinged, and d is hinged to b at the point of c. A free ball.
static cardan_description* describe_links(void)
{
    cardan_description* d = cardan_description_create("links");
    add_materials(d, 0.5, 0.4, 0);
    int body[4];
    for (int i = 0; i < 4; ++i) {
        const char* const name[] = {"a", "b", "c", "d"};
        body[i]                  = add_contact_body(d, name[i], 1, 1, 1, 1, i, 0, 0);
        add_touching(d, body[i], CARDAN_SHAPE_SPHERE, 0.1, 0, 0, at(0, 0, 0), "rubber");
        if (i == 1) add_touching(d, body[i], CARDAN_SHAPE_SPHERE, 0.1, 0, 0, at(0.3, 0, 0), "rubber");
    }
    add_planar_hinge(d, "ab", body[0], body[1], 0.5, 0, 0);
    add_planar_hinge(d, "bc", body[1], body[2], 1.5, 0, 0);
    add_planar_hinge(d, "bd", body[1], body[3], 1.5, 0, 0);
    return d;
}

static void test_pairs(void)
{
    cardan_description* d = describe_links();
    CHECK(pair_count(d) == 2); // a with c, a with d; c and d share a node
    add_floor(d);
    CHECK(pair_count(d) == 7); // and the floor with five spheres
    cardan_contact_pair pair = {.body = {0, 2}, .ignored = true};
    cardan_description_add_contact_pair(d, &pair);
    CHECK(pair_count(d) == 6);
    pair = (cardan_contact_pair){.body = {1, 0}}; // hinged, but listed: two spheres
    cardan_description_add_contact_pair(d, &pair);
    CHECK(pair_count(d) == 8);
    cardan_contact_settings settings = cardan_contact_settings_default();
    settings.listed_pairs_only       = true;
    cardan_description_set_contact_settings(d, &settings);
    CHECK(pair_count(d) == 2);
    cardan_description_destroy(d);
}

// A joint holds a body to ground; a free joint does not.
static void test_ground_joints(void)
{
    for (int i = 0; i < 2; ++i) {
        cardan_description* d = cardan_description_create("ground");
        add_materials(d, 0.5, 0.4, 0);
        const int body = add_contact_body(d, "a", 1, 1, 1, 1, 0, 0, 1);
        add_touching(d, body, CARDAN_SHAPE_SPHERE, 0.1, 0, 0, at(0, 0, 0), "rubber");
        add_floor(d);
        cardan_joint j = cardan_joint_default("j", i ? "prismatic" : "free", CARDAN_GROUND, body);
        j.frame_first  = at(0, 0, 1);
        cardan_description_add_joint(d, &j);
        CHECK(pair_count(d) == !i);
        cardan_description_destroy(d);
    }
}

static void test_properties(void)
{
    cardan_description* d = describe_ball();
    cardan_report       report;
    cardan_model*       m = compile(d, &report);
    CHECK(m && m->contact_scene && m->contact_scene->nproperties == 1);
    const cd_contact_properties* p = &m->contact_scene->properties[0];
    CHECK(p->static_friction == 0.6 && p->kinetic_friction == 0.4 && p->restitution == 0.5);
    cardan_model_destroy(m);
    cardan_description_destroy(d);

    d                       = cardan_description_create("missing pair");
    const cardan_material a = cardan_material_default("ice"), b = cardan_material_default("steel");
    cardan_description_add_material(d, &a);
    cardan_description_add_material(d, &b);
    const int body = add_contact_body(d, "ball", 1, 1, 1, 1, 0, 0, 1);
    add_touching(d, body, CARDAN_SHAPE_SPHERE, 0.1, 0, 0, at(0, 0, 0), "ice");
    add_touching(d, CARDAN_GROUND, CARDAN_SHAPE_PLANE, 1, 1, 0, at(0, 0, 0), "steel");
    CHECK(!compile(d, &report) && report.count == 1 && report.message[0].code == CARDAN_CODE_UNKNOWN_NAME);
    CHECK_HAS(report.message[0].text, "'ball' and 'ground'");
    CHECK_HAS(report.message[0].text, "'ice' and 'steel'");
    cardan_description_destroy(d);
}

// The ball moves to x and to the height z above the floor; its joint is at (0.1, 0.2, 0.3).
static void move(cardan_data* d, double x, double z)
{
    double q[7];
    memcpy(q, d->m->q_start, sizeof q);
    q[0] = x - 0.1;
    q[2] = z - 0.3;
    cardan_data_set_state(d, 0, q, d->m->v_start, d->m->state_start);
}

static void test_continuation(void)
{
    cardan_description* description = describe_ball();
    cardan_report       report;
    cardan_model*       m = compile(description, &report);
    cardan_data*        d = NULL;
    CHECK(cardan_data_create(m, cardan_formulation_find("order-n"), &d, &report) == CARDAN_OK);
    move(d, 0, 0.3001);
    cd_contacts_search(d, 0.01);
    CHECK(cd_contacts_count(d) == 1);
    cd_contact* c  = cd_contacts_point(d, 0);
    const long  id = c->id;
    c->state.mode  = CD_CONTACT_STICK;
    c->force[2]    = 7;
    CHECK_NEAR(c->gap, 1e-4, 1e-12);
    CHECK(c->body[0] == 0 && c->body[1] == CARDAN_GROUND && c->normal[2] == 1);
    move(d, 0.5, 0.299); // a search continues it
    cd_contacts_search(d, 0.01);
    CHECK(cd_contacts_count(d) == 1 && c->id == id && c->state.mode == CD_CONTACT_STICK && c->force[2] == 7);
    CHECK_NEAR(c->point[0], 0.5, 1e-12);
    move(d, 0.6, 0.3004); // and following, beyond the margin too
    CHECK_NEAR(cd_contacts_velocity(d, 0).gap, 4e-4, 1e-12);
    CHECK(!c->lost && !c->moved);
    move(d, 0.6, 0.9); // no features are near: the point is carried
    CHECK_NEAR(cd_contacts_velocity(d, 0).gap, 0.6, 1e-2);
    CHECK(c->lost);
    cd_contacts_search(d, 0.01); // dropped
    CHECK(cd_contacts_count(d) == 0);
    move(d, 0.6, 0.3);
    cd_contacts_search(d, 0.01); // a new one
    CHECK(cd_contacts_count(d) == 1 && c->id != id && c->state.mode == CD_CONTACT_OPEN);
    cardan_data_destroy(d);
    cardan_model_destroy(m);
    cardan_description_destroy(description);
}

// The public list of contacts, with the force of a ball at rest.
static void test_public_contacts(void)
{
    cardan_description* description = describe_ball();
    cardan_report       report;
    cardan_model*       m = compile(description, &report);
    cardan_data*        d = NULL;
    cardan_contact      contact[2];
    double              a[6], v[6] = {0.3, 0, 0, 0, 0, 0};
    CHECK(cardan_data_create(m, cardan_formulation_find("order-n"), &d, &report) == CARDAN_OK);
    cardan_data_set_state(d, 0, m->q_start, v, NULL);
    CHECK(cardan_data_contacts(d, 0, NULL) == 0 && cardan_data_contacts(NULL, 0, NULL) == -1);
    CHECK(cardan_data_contacts(d, 2, NULL) == -1);
    cd_contacts_search(d, 0.01);
    const cd_contact_state slip = {.mode = CD_CONTACT_SLIP, .direction = {1, 0, 0}};
    cd_contacts_set_state(d, 0, &slip);
    CHECK(cardan_data_accelerate(d, a, NULL, &report) == CARDAN_OK);
    CHECK(cardan_data_contacts(d, 2, contact) == 1);
    CHECK(contact[0].body[0] == 0 && contact[0].body[1] == CARDAN_GROUND && contact[0].is_unique);
    CHECK(contact[0].phase == CARDAN_CONTACT_SLIPS && fabs(contact[0].gap) < 1e-15);
    CHECK_NEAR(contact[0].force[0], -0.4 * 2 * 9.81, 1e-10);
    CHECK_NEAR(contact[0].force[2], 2 * 9.81, 1e-10);
    CHECK_NEAR(contact[0].sliding_velocity[0], 0.3, 1e-13);
    CHECK_NEAR(contact[0].point[2], 0, 1e-15);
    cardan_data_destroy(d);
    cardan_model_destroy(m);
    cardan_description_destroy(description);
}

int main(void)
{
    RUN(test_pairs());
    RUN(test_ground_joints());
    RUN(test_properties());
    RUN(test_continuation());
    RUN(test_public_contacts());
    return test_end();
}
