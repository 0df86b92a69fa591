// SPDX-License-Identifier: BSD-3-Clause
// Rows of the closed contacts at the state of the data (contact_rows.c).
#pragma once

#include "dynamics/contacts/contacts.h"
#include "dynamics/data.h"

// Geometry of the known points, and values of the joint coordinates. open_too: also of points that are open.
void cd_contacts_update_geometry(cardan_data* d, bool open_too);
// Elements, rows on twists and on velocities, velocities Jc v and `bias` of u' = Jc a + bias.
void cd_contacts_update_rows(cardan_data* d);
// Rows on the velocities of the model from those on twists; point: place of the rows, or NULL.
void cd_contact_joint_rows(const cardan_data* d, const double* point, cd_row_block* b);
// ---- contact_response.c
// Rows of the elements on the velocities of the model, and the rows whose responses will be computed.
void cd_contacts_make_basis(cardan_data* d);
// Rows, and the Delassus matrix c->W with the responses; the factor of the state is computed if there is none.
cardan_status cd_contacts_update_delassus(cardan_data* d);
// Problem of the current elements with right side q.
cd_contact_problem cd_contacts_problem(const cd_contacts* c, double scale);
// x (nv) += X'p, and multiplier (or NULL) += Y'p
void cd_contacts_add_response(const cardan_data* d, const double* p, double* x, double* multiplier);
// y (nrow) = Jc x
void cd_contacts_times(const cardan_data* d, const double* x, double* y);
// Direction of slip of a point at its velocity: that of the state while the velocity is of the order of round-off, or has
// reversed within a step; in the tangents of the contact.
void cd_contact_slip_direction(const cd_contacts* c, const cd_contact* contact, const double velocity[2],
                               double direction[2]);

// Bounds of the friction of joints, after their levels changed.
void cd_contacts_update_bounds(cardan_data* d);

// ---- contact_acceleration.c
// Keep, and restore, accelerations a and multipliers without contacts.
void cd_contacts_keep_free(cardan_data* d, const double* a);
void cd_contacts_restore_free(cardan_data* d, double* a);
// q = Jc a + bias, and the scale of its terms.
void cd_contacts_set_right_side(cardan_data* d, const double* a);
// Store forces or impulses p in the records, in world axes.
void cd_contacts_store(cardan_data* d, const double* p, bool impulses);
// Add the accelerations and multipliers of forces p to a and to those of the data.
void cd_contacts_apply(cardan_data* d, const double* p, double* a);
