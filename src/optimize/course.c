// SPDX-License-Identifier: BSD-3-Clause
// Columns of results by coordinates and velocities of the model.
#include "optimize/course.h"

#include "core/memory.h"
#include "io/results.h"
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct cd_course {
    cd_result_table* table;
    int*             column[CD_COURSE_SORTS]; // (nq), (nv) ...; -1: none
    int              time;
    double           begin, duration; // [s]
};

static int find_column(const cd_course* c, const char* joint, const char* what, int number)
{
    char name[300];
    snprintf(name, sizeof name, number > 0 ? "%.200s.%s%d" : "%.200s.%s", joint, what, number);
    return cd_results_find(c->table, name);
}

static int find_columns(cd_course* c, const cardan_model* m)
{
    static const char* const sort[CD_COURSE_SORTS] = {"q", "v", "a", "control", "effort"};
    int                      found                 = 0;
    for (int j = 0; j < m->njoint; ++j)
        for (int s = 0; s < CD_COURSE_SORTS; ++s) {
            const bool position = s == CD_COURSE_Q;
            const int  count = position ? m->slot[j].nq : m->slot[j].nv, first = position ? m->slot[j].q : m->slot[j].v;
            for (int i = 0; first >= 0 && i < count; ++i) {
                const int at            = find_column(c, cardan_model_joint_name(m, j), sort[s], count > 1 ? i + 1 : 0);
                c->column[s][first + i] = at;
                found += at >= 0 && position;
            }
        }
    return found;
}

static cardan_status look(cd_course* c, const cardan_model* m, const char* path, cardan_place place,
                          cardan_report* report)
{
    c->time = cd_results_find(c->table, "t");
    if (c->time < 0 || c->table->nrow < 2)
        return cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_TABLE_INVALID, place,
                           "'%s' is no motion: it needs a column t and two rows", path);
    const double* t = c->table->value[c->time];
    for (long i = 1; i < c->table->nrow; ++i)
        if (!(t[i] > t[i - 1]))
            return cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_TABLE_INVALID, place,
                               "'%s' is no motion: its times do not grow at row %ld", path, i + 1);
    c->begin    = t[0];
    c->duration = t[c->table->nrow - 1] - t[0];
    for (int s = 0; s < CD_COURSE_SORTS; ++s) {
        const int n = s == CD_COURSE_Q ? m->nq : m->nv;
        if (!(c->column[s] = cd_allocate((size_t)n + 1, sizeof *c->column[s]))) return CARDAN_NO_MEMORY;
        for (int i = 0; i < n; ++i) c->column[s][i] = -1;
    }
    return find_columns(c, m) > 0 ? CARDAN_OK
                                  : cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_TABLE_INVALID, place,
                                                "'%s' has no column JOINT.q of a joint of '%s'", path, m->view.name);
}

cardan_status cd_course_read(const cardan_model* m, const char* path, cardan_place place, cd_course** course,
                             cardan_report* report)
{
    cd_course*    c = *course = cd_allocate(1, sizeof *c);
    cardan_status status      = c ? cd_results_read(path, &c->table, report) : CARDAN_NO_MEMORY;
    if (status != CARDAN_OK && place.file)
        cardan_note(report, CARDAN_CODE_TASK_NOTE, place, "the task reads its motion from '%s'", path);
    return status == CARDAN_OK ? look(c, m, path, place, report) : status;
}

void cd_course_destroy(cd_course* c)
{
    if (!c) return;
    for (int s = 0; s < CD_COURSE_SORTS; ++s) free(c->column[s]);
    cd_results_destroy(c->table);
    free(c);
}

double cd_course_duration(const cd_course* c) { return c->duration; }

// Row at or before the instant, and the part of the way to the next.
static long row_at(const cd_course* c, double share, double* part)
{
    const double* t  = c->table->value[c->time];
    const double  at = c->begin + share * c->duration, fine = 1e-9 * c->duration;
    long          low = 0, high = c->table->nrow - 1;
    while (high - low > 1) {
        const long middle = (low + high) / 2;
        if (t[middle] <= at + fine)
            low = middle;
        else
            high = middle;
    }
    *part = fmin(fmax((at - t[low]) / (t[high] - t[low]), 0), 1);
    return low;
}

bool cd_course_value(const cd_course* c, cd_course_sort sort, int i, double share, double* value)
{
    const int column = c ? c->column[sort][i] : -1;
    double    part;
    if (column < 0) return false;
    const long    row = row_at(c, share, &part);
    const double* y   = c->table->value[column];
    const double  x   = sort >= CD_COURSE_CONTROL ? y[row] : y[row] + part * (y[row + 1] - y[row]);
    if (!isfinite(x)) return false;
    *value = x;
    return true;
}
