// SPDX-License-Identifier: BSD-3-Clause
// Results columns by coordinates and velocities of the model.
#include "optimize/transcription/recorded_trajectory.h"

#include "core/memory.h"
#include "io/results/result_units.h"
#include "model/model.h"
#include "optimize/optimize_tolerances.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct cd_recorded_trajectory {
    cd_result_table* table;
    int*             column[CD_CHANNEL_COUNT]; // (nq), (nv) ...; -1: none
    int              time;
    double           begin, duration; // [s]
};

static int find_column(const cd_recorded_trajectory* c, const char* joint, const char* what, int number)
{
    char name[300];
    snprintf(name, sizeof name, number > 0 ? "%.200s.%s%d" : "%.200s.%s", joint, what, number);
    return cd_result_table_find_column(c->table, name);
}

static int find_columns(cd_recorded_trajectory* c, const cardan_model* m)
{
    static const char* const channel[CD_CHANNEL_COUNT] = {"q", "v", "a", "control", "effort"};
    int                      found                     = 0;
    for (int j = 0; j < m->njoint; ++j)
        for (int s = 0; s < CD_CHANNEL_COUNT; ++s) {
            const bool position = s == CD_CHANNEL_Q;
            const int  count    = position ? m->tree_range[j].nq : m->tree_range[j].nv,
                      first     = position ? m->tree_range[j].q : m->tree_range[j].v;
            for (int i = 0; first >= 0 && i < count; ++i) {
                const int at = find_column(c, cardan_model_joint_name(m, j), channel[s], count > 1 ? i + 1 : 0);
                c->column[s][first + i] = at;
                found += at >= 0 && position;
            }
        }
    return found;
}

static cardan_status check_and_index(cd_recorded_trajectory* c, const cardan_model* m, const char* path,
                                     cardan_location location, cardan_report* report)
{
    c->time = cd_result_table_find_column(c->table, "t");
    if (c->time < 0 || c->table->nsample < 2)
        return cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_TABLE_INVALID, location,
                           "'%s' is not a trajectory: it needs a column t and at least two rows", path);
    const double* t = c->table->value[c->time];
    for (long i = 1; i < c->table->nsample; ++i)
        if (!(t[i] > t[i - 1]))
            return cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_TABLE_INVALID, location,
                               "'%s' is not a trajectory: its times do not increase at row %ld", path, i + 1);
    c->begin    = t[0];
    c->duration = t[c->table->nsample - 1] - t[0];
    for (int s = 0; s < CD_CHANNEL_COUNT; ++s) {
        const int n = s == CD_CHANNEL_Q ? m->nq : m->nv;
        if (!(c->column[s] = cd_allocate((size_t)n + 1, sizeof *c->column[s]))) return CARDAN_NO_MEMORY;
        for (int i = 0; i < n; ++i) c->column[s][i] = -1;
    }
    return find_columns(c, m) > 0 ? CARDAN_OK
                                  : cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_TABLE_INVALID, location,
                                                "'%s' has no column JOINT.q of a joint of '%s'", path, m->view.name);
}

cardan_status cd_recorded_trajectory_read(const cardan_model* m, const char* path, cardan_location location,
                                          cd_recorded_trajectory** trajectory, cardan_report* report)
{
    cd_recorded_trajectory* c = *trajectory = cd_allocate(1, sizeof *c);
    cardan_status           status          = c ? cd_result_table_read(path, &c->table, report) : CARDAN_NO_MEMORY;
    if (status != CARDAN_OK && location.file)
        cardan_note(report, CARDAN_CODE_TASK_NOTE, location, "the task reads its guess from '%s'", path);
    if (status == CARDAN_OK) cd_result_table_to_si(c->table);
    return status == CARDAN_OK ? check_and_index(c, m, path, location, report) : status;
}

void cd_recorded_trajectory_destroy(cd_recorded_trajectory* c)
{
    if (!c) return;
    for (int s = 0; s < CD_CHANNEL_COUNT; ++s) free(c->column[s]);
    cd_result_table_destroy(c->table);
    free(c);
}

double cd_recorded_trajectory_duration(const cd_recorded_trajectory* c) { return c->duration; }

// Return the sample at or before the time, and the weight of the next one.
static long sample_at(const cd_recorded_trajectory* c, double fraction, double* weight)
{
    const double* t  = c->table->value[c->time];
    const double  at = c->begin + fraction * c->duration, tolerance = cd_sample_time_tolerance * c->duration;
    long          low = 0, high = c->table->nsample - 1;
    while (high - low > 1) {
        const long middle = (low + high) / 2;
        if (t[middle] <= at + tolerance)
            low = middle;
        else
            high = middle;
    }
    *weight = fmin(fmax((at - t[low]) / (t[high] - t[low]), 0), 1);
    return low;
}

bool cd_recorded_trajectory_value(const cd_recorded_trajectory* c, cd_trajectory_channel channel, int i,
                                  double fraction, double* value)
{
    const int column = c ? c->column[channel][i] : -1;
    double    weight;
    if (column < 0) return false;
    const long    sample = sample_at(c, fraction, &weight);
    const double* y      = c->table->value[column];
    const double  x      = channel >= CD_CHANNEL_CONTROL ? y[sample] : y[sample] + weight * (y[sample + 1] - y[sample]);
    if (!isfinite(x)) return false;
    *value = x;
    return true;
}
