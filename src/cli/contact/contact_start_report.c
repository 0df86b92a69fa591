// SPDX-License-Identifier: BSD-3-Clause
#include "cli/contact/contact_start_report.h"

#include "analysis/equilibrium/touching_contacts.h"
#include "cli/contact/contact_pairs.h"
#include "cli/report/value_text.h"
#include "cli/support/messages.h"
#include "cli/support/terminal_print.h"
#include "core/memory.h"
#include "model/model.h"

#include <stdlib.h>

static bool is_rigid(const cardan_data* d) { return d->m->contact_scene->settings.law == CARDAN_CONTACT_RIGID; }

static const char* law_name(const cardan_data* d) { return is_rigid(d) ? "rigid" : "compliant"; }

// Solve for the forces of contacts that touch, which decides whether they are unique. Without a solution they count as unique;
// the run then ends with its own message.
static bool solve_forces(cardan_data* d)
{
    double*           a = cd_allocate((size_t)d->m->nv + 1, sizeof *a);
    cd_contact_status problem;
    if (a && cd_contact_complementarity(d, 0, a, &problem) == CARDAN_OK && problem != CD_CONTACT_INFEASIBLE)
        cardan_data_accelerate(d, a, NULL, NULL);
    free(a);
    return a;
}

// Returns false if the model has no contacts, or if there is no memory.
static bool collect(cardan_data* d, cd_contact_pairs* pairs)
{
    *pairs = (cd_contact_pairs){0};
    if (!d || !d->formulation || !d->m->contact_scene || d->m->contact_scene->npair == 0) return false;
    cd_touching touching;
    if (cd_has_rigid_contacts(d)) cd_close_touching_contacts(d, &touching);
    const bool solved = !cd_has_rigid_contacts(d) || touching.nclosed == 0 || solve_forces(d);
    if (solved && cd_contact_pairs_collect(d, pairs)) return true;
    cd_report_no_memory();
    return false;
}

static const char* body_name(const cardan_description_view* view, int body)
{
    return body >= 0 && body < view->nbody ? view->body[body].name : "ground";
}

void cd_contact_check_print(cardan_data* d, const cardan_description_view* view)
{
    cd_contact_pairs pairs;
    if (collect(d, &pairs)) {
        cd_print("  contacts %s law; %s of bodies touch%s at the start\n", law_name(d),
                 cd_plural_text(pairs.n, "pair", "pairs").text, pairs.n == 1 ? "es" : "");
        for (int i = 0; i < pairs.n; ++i) {
            const cd_contact_pair_sum* p = &pairs.pair[i];
            cd_print("           %s - %s: %s", body_name(view, p->body[0]), body_name(view, p->body[1]),
                     cd_plural_text(p->npoint, "contact point", "contact points").text);
            if (p->gap < -1e-9) cd_print(", overlap up to %.3g m", -p->gap);
            cd_print("%s\n", p->is_unique ? "" : "; forces at single points are not unique");
        }
    }
    cd_contact_pairs_free(&pairs);
}

void cd_contact_check_write_json(cd_json_writer* json, cardan_data* d, const cardan_description_view* view)
{
    cd_contact_pairs pairs;
    if (collect(d, &pairs)) {
        cd_json_begin_object(json, "contacts");
        cd_json_string(json, "law", law_name(d));
        cd_json_begin_array(json, "touching");
        for (int i = 0; i < pairs.n; ++i) {
            const cd_contact_pair_sum* p = &pairs.pair[i];
            cd_json_begin_object(json, NULL);
            cd_json_begin_array(json, "bodies");
            for (int k = 0; k < 2; ++k) cd_json_string(json, NULL, body_name(view, p->body[k]));
            cd_json_end(json);
            cd_json_integer(json, "points", p->npoint);
            cd_json_number(json, "overlap", p->gap < 0 ? -p->gap : 0);
            cd_json_boolean(json, "unique", p->is_unique);
            cd_json_end(json);
        }
        cd_json_end(json);
        cd_json_end(json);
    }
    cd_contact_pairs_free(&pairs);
}
