// SPDX-License-Identifier: BSD-3-Clause
#include "cli/contact/contact_report.h"

#include "cli/report/value_text.h"
#include "cli/support/terminal_print.h"

static const char* body_name(const cardan_description_view* view, int body)
{
    return body >= 0 && body < view->nbody ? view->body[body].name : "ground";
}

static bool has_contacts(const cardan_contact_summary* c) { return c->contacts_max > 0 || c->impacts > 0; }

void cd_contact_print_summary(const cardan_contact_summary* c, const cardan_description_view* view)
{
    if (!has_contacts(c)) return;
    cd_print("  contacts: %.3g on average, %d at most; %s", c->contacts_mean, c->contacts_max,
             cd_plural_text(c->impacts, "impact", "impacts").text);
    if (c->impacts > 0) cd_print(" with up to %.4g m/s, %.4g J lost", c->fastest_impact, c->impact_loss);
    if (c->bounces_ended > 0)
        cd_print("; %s of bounces reached", cd_plural_text(c->bounces_ended, "limit", "limits").text);
    if (c->jams > 0) cd_print("; %s (Painleve)", cd_plural_text(c->jams, "jam", "jams").text);
    cd_print("; %.4g J lost by friction\n", c->friction_loss);
    if (c->residual > 0)
        cd_print("  contact law of impacts satisfied to %s of the speed, worst at t = %.6g s between '%s' and '%s'\n",
                 cd_two_digit_text(c->residual).text, c->residual_t, body_name(view, c->residual_body[0]),
                 body_name(view, c->residual_body[1]));
    if (c->restitution_least > 0 && c->restitution_least < 1)
        cd_print("  restitution reduced to %s of its value at least, so that energy does not rise\n",
                 cd_two_digit_text(c->restitution_least).text);
}

void cd_contact_write_json(cd_json_writer* json, const cardan_contact_summary* c, const cardan_description_view* view)
{
    if (!has_contacts(c)) return;
    cd_json_begin_object(json, "contacts");
    cd_json_number(json, "mean", c->contacts_mean);
    cd_json_integer(json, "max", c->contacts_max);
    cd_json_integer(json, "impacts", c->impacts);
    cd_json_integer(json, "bounces_ended", c->bounces_ended);
    cd_json_integer(json, "jams", c->jams);
    cd_json_integer(json, "changes", c->changes);
    cd_json_number(json, "fastest_impact", c->fastest_impact);
    cd_json_number(json, "impact_loss", c->impact_loss);
    cd_json_number(json, "friction_loss", c->friction_loss);
    cd_json_number(json, "overlap_max", c->overlap_max);
    cd_json_number(json, "residual", c->residual);
    if (c->residual > 0) {
        cd_json_number(json, "residual_time", c->residual_t);
        cd_json_begin_array(json, "residual_bodies");
        for (int i = 0; i < 2; ++i) cd_json_string(json, NULL, body_name(view, c->residual_body[i]));
        cd_json_end(json);
    }
    cd_json_end(json);
}
