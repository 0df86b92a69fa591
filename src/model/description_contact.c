// SPDX-License-Identifier: BSD-3-Clause
// Contacts of a description: shapes, materials, pairs of materials, settings, pairs of bodies.
#include "core/check_arguments.h"
#include "core/memory.h"
#include "math/finite.h"
#include "model/description.h"

#include <limits.h>
#include <stdlib.h>

cardan_shape cardan_shape_default(int body, cardan_shape_kind kind)
{
    return (cardan_shape){.body = body, .kind = kind, .pose = cardan_pose_default(), .rounding = -1};
}

cardan_material cardan_material_default(const char* name) { return (cardan_material){.name = name}; }

cardan_material_pair cardan_material_pair_default(int first, int second)
{
    return (cardan_material_pair){.material = {first, second}, .restitution = -1};
}

cardan_contact_settings cardan_contact_settings_default(void)
{
    return (cardan_contact_settings){.law = CARDAN_CONTACT_RIGID, .impact = CARDAN_IMPACT_AUTOMATIC};
}

void cd_shape_free_arrays(cardan_shape* s)
{
    free((void*)s->point);
    free((void*)s->triangle);
    free((void*)s->field.height);
}

// Whether the numbers of points, triangles and heights are valid sizes of arrays.
static bool are_counts(const cardan_shape* s)
{
    const cardan_height_grid* f = &s->field;
    return s->npoint >= 0 && s->npoint <= INT_MAX / 3 && s->ntriangle >= 0 && s->ntriangle <= INT_MAX / 3 &&
           f->nx >= 0 && f->ny >= 0 && (f->ny == 0 || f->nx <= INT_MAX / f->ny);
}

int cardan_description_add_shape(cardan_description* d, const cardan_shape* shape)
{
    if (!d || !shape || !are_counts(shape)) return CARDAN_NONE;
    cardan_shape s = *shape;
    if (!cd_array_grow((void**)&d->shape, &d->cshape, d->nshape, sizeof s)) return CARDAN_NONE;
    if (!cd_own_string(d, &s.file) || !cd_own_string(d, &s.material) || !cd_own_string(d, &s.location.file))
        return CARDAN_NONE;
    bool ok        = true;
    s.point        = cd_copy_items(shape->point, 3 * shape->npoint, sizeof(double), &ok);
    s.triangle     = cd_copy_items(shape->triangle, 3 * shape->ntriangle, sizeof(int), &ok);
    s.field.height = cd_copy_items(shape->field.height, shape->field.nx * shape->field.ny, sizeof(double), &ok);
    if (!ok) {
        cd_shape_free_arrays(&s);
        return CARDAN_NONE;
    }
    d->shape[d->nshape] = s;
    return d->nshape++;
}

int cardan_description_add_material(cardan_description* d, const cardan_material* material)
{
    if (!d || !material || !material->name) return CARDAN_NONE;
    cardan_material m = *material;
    if (!cd_array_grow((void**)&d->material, &d->cmaterial, d->nmaterial, sizeof m)) return CARDAN_NONE;
    if (!cd_own_string(d, &m.name) || !cd_own_string(d, &m.location.file)) return CARDAN_NONE;
    if (!cd_name_table_add(d->material_names, m.name, d->nmaterial)) return CARDAN_NONE;
    d->material[d->nmaterial] = m;
    return d->nmaterial++;
}

int cardan_description_add_material_pair(cardan_description* d, const cardan_material_pair* pair)
{
    if (!d || !pair) return CARDAN_NONE;
    cardan_material_pair p = *pair;
    if (!cd_array_grow((void**)&d->material_pair, &d->cmaterial_pair, d->nmaterial_pair, sizeof p)) return CARDAN_NONE;
    if (!cd_own_string(d, &p.location.file)) return CARDAN_NONE;
    d->material_pair[d->nmaterial_pair] = p;
    return d->nmaterial_pair++;
}

int cardan_description_add_contact_pair(cardan_description* d, const cardan_contact_pair* pair)
{
    if (!d || !pair) return CARDAN_NONE;
    cardan_contact_pair p = *pair;
    if (!cd_array_grow((void**)&d->contact_pair, &d->ccontact_pair, d->ncontact_pair, sizeof p)) return CARDAN_NONE;
    if (!cd_own_string(d, &p.location.file)) return CARDAN_NONE;
    d->contact_pair[d->ncontact_pair] = p;
    return d->ncontact_pair++;
}

cardan_status cardan_description_set_contact_settings(cardan_description* d, const cardan_contact_settings* settings)
{
    CD_REQUIRE_POINTER(d, "description", NULL);
    CD_REQUIRE_POINTER(settings, "settings", NULL);
    cardan_contact_settings s = *settings;
    if (!cd_own_string(d, &s.location.file)) return CARDAN_NO_MEMORY;
    d->contacts = s;
    return CARDAN_OK;
}

int cardan_description_find_material(const cardan_description* d, const char* name)
{
    return d && name ? cd_name_table_find(d->material_names, name) : CARDAN_NONE;
}
