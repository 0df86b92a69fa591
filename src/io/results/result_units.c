// SPDX-License-Identifier: BSD-3-Clause
#include "io/results/result_units.h"

#include "core/memory.h"
#include "core/text.h"
#include "math/pi.h"

#include <stdlib.h>
#include <string.h>

typedef struct result_unit {
    const char *name, *si;
    double      size; // in SI units
} result_unit;

static const result_unit units[] = {
#define RESULT_UNIT(name, si, size) {name, si, size},
#include "io/results/result_units.def"
#undef RESULT_UNIT
};

enum { NUNIT = sizeof units / sizeof *units };

const char* cd_result_unit_name(void* user, int i)
{
    (void)user;
    return i < NUNIT ? units[i].name : NULL;
}

static const result_unit* find_unit(const char* name)
{
    for (int i = 0; name && i < NUNIT; ++i)
        if (strcmp(units[i].name, name) == 0) return &units[i];
    return NULL;
}

static cardan_status fail_unit(const char* word, cardan_report* report)
{
    const char* suggestion = cd_nearest_name(word, cd_result_unit_name, NULL);
    if (suggestion)
        return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_UNKNOWN_NAME, cardan_location_none(),
                           "there is no unit '%s' (did you mean '%s'?)", word, suggestion);
    cd_text names = {0};
    for (int i = 0; i < NUNIT; ++i) cd_text_format(&names, i ? ", %s" : "%s", units[i].name);
    cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_UNKNOWN_NAME, cardan_location_none(),
                "there is no unit '%s'; units of results are %s", word, names.data ? names.data : "");
    cd_text_free(&names);
    return CARDAN_BAD_USAGE;
}

// Convert the columns of one SI unit.
static cardan_status apply_unit(cd_unit_conversion* c, const cd_column* column, const char* word, cardan_report* report)
{
    const result_unit* u = find_unit(word);
    if (!u) return fail_unit(word, report);
    for (int i = 0; i < c->ncolumn; ++i) {
        if (!column[i].unit || strcmp(column[i].unit, u->si) != 0) continue;
        if (c->column[i].unit != column[i].unit)
            return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_USAGE, cardan_location_none(),
                               "'%s' and '%s' are both units of columns in %s; name one of them", c->column[i].unit,
                               word, u->si);
        c->column[i].unit = u->name;
        c->size[i]        = u->size;
    }
    return CARDAN_OK;
}

cardan_status cd_unit_conversion_open(cd_unit_conversion* c, int ncolumn, const cd_column* column, const char* list,
                                      cardan_report* report)
{
    *c                   = (cd_unit_conversion){.ncolumn = ncolumn};
    c->column            = cd_allocate((size_t)ncolumn + 1, sizeof *c->column);
    c->size              = cd_allocate((size_t)ncolumn + 1, sizeof *c->size);
    c->value             = cd_allocate((size_t)ncolumn + 1, sizeof *c->value);
    char*         copy   = cd_copy_string(list ? list : "");
    cardan_status status = CARDAN_OK;
    if (!c->column || !c->size || !c->value || !copy)
        status =
            cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(), "out of memory");
    for (int i = 0; status == CARDAN_OK && i < ncolumn; ++i) c->column[i] = column[i], c->size[i] = 1;
    char* rest = copy;
    for (char* word; status == CARDAN_OK && (word = strsep(&rest, ","));) {
        word += strspn(word, " ");
        for (size_t n = strlen(word); n > 0 && word[n - 1] == ' ';) word[--n] = 0;
        if (*word) status = apply_unit(c, column, word, report);
    }
    free(copy);
    return status;
}

void cd_unit_conversion_free(cd_unit_conversion* c)
{
    free(c->column);
    free(c->size);
    free(c->value);
    *c = (cd_unit_conversion){0};
}

const double* cd_unit_convert(cd_unit_conversion* c, const double* value)
{
    for (int i = 0; i < c->ncolumn; ++i) c->value[i] = c->size[i] == 1 ? value[i] : value[i] / c->size[i];
    return c->value;
}

void cd_result_table_to_si(cd_result_table* table)
{
    for (int i = 0; i < table->ncolumn; ++i) {
        const result_unit* u = find_unit(table->column[i].unit);
        if (!u || u->size == 1) continue;
        for (long k = 0; k < table->nsample; ++k) table->value[i][k] *= u->size;
        table->column[i].unit = u->si;
    }
}
