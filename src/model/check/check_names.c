// SPDX-License-Identifier: BSD-3-Clause
// Names of a description must be printable text on one line: they are written into code, tables, pictures and messages.
// Readers of files reject others with their location; here descriptions made in C are checked.
#include "core/escape.h"
#include "model/check/check_description.h"

static cardan_status check(const char* what, const char* name, cardan_location location, cardan_report* report)
{
    char defect[CD_FLAW_SIZE];
    if (!name || !cd_name_error(name, defect)) return CARDAN_OK;
    return cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_INVALID_NAME, location,
                       "the %s '%.100s' contains %s; names must be printable text on one line", what, name, defect);
}

#define CHECK_ALL(what, count, list, member)                                                                           \
    for (int i = 0; i < (count); ++i)                                                                                  \
        if (check((what), (list)[i].member, (list)[i].location, report) != CARDAN_OK) status = CARDAN_BAD_INPUT

cardan_status cd_check_names(const cardan_description_view* view, cardan_report* report)
{
    cardan_status status = check("name of the model", view->name, cardan_location_none(), report);
    CHECK_ALL("name of a body", view->nbody, view->body, name);
    CHECK_ALL("name of a joint", view->njoint, view->joint, name);
    for (int i = 0; i < view->nmarker; ++i) { // a body is also a marker, and already checked
        const cardan_marker* m    = &view->marker[i];
        const bool           body = m->body >= 0 && m->body < view->nbody && m->name == view->body[m->body].name;
        if (!body && check("name of a marker", m->name, m->location, report) != CARDAN_OK) status = CARDAN_BAD_INPUT;
    }
    CHECK_ALL("name of a table", view->ntable, view->table, name);
    CHECK_ALL("name of a force", view->nforce, view->force, name);
    CHECK_ALL("name of a constraint", view->nconstraint, view->constraint, name);
    CHECK_ALL("name of a state", view->nstate, view->state, name);
    CHECK_ALL("name of an output", view->noutput, view->output, name);
    CHECK_ALL("unit of an output", view->noutput, view->output, unit);
    CHECK_ALL("name of a parameter", view->nparameter, view->parameter, name);
    CHECK_ALL("name of a material", view->nmaterial, view->material, name);
    const cardan_suspension* s = view->suspension;
    CHECK_ALL("name of a wheel", s ? s->nwheel : 0, s->wheel, name);
    return status;
}
