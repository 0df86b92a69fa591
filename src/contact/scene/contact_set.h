// SPDX-License-Identifier: BSD-3-Clause
// Parts of the contact set that search and following share.
#pragma once

#include "contact/scene/contact_scene.h"
#include "contact/vector3.h"

// Store the geometry of a contact point in a record.
void cd_contact_put(cd_contact* c, const cd_contact_point* p);
// Point c and tangents from a, b and the normal.
void cd_contact_complete(cd_contact* c);
// Whether a point may continue a record: near, with a normal on the same side.
bool cd_contacts_are_close(const cd_contact_set* set, const cd_contact* c, const cd_contact_point* p, double* distance);
