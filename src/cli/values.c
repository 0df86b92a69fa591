// SPDX-License-Identifier: BSD-3-Clause
// Values of a case as JSON, and numbers as people read them.
#include "cli/values.h"

#include "cli/messages.h"
#include "cli/reactions.h"
#include "core/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void cd_json_joints(cd_json* json, const cd_case* c, const double* q, const double* v, const double* a,
                    const double* effort)
{
    cd_json_object(json, "joints");
    for (int j = 0; j < c->look.njoint; ++j) {
        const cardan_slot slot = c->look.place[j];
        const int         nq = slot.q < 0 ? 0 : slot.nq, nv = slot.q < 0 ? 0 : slot.nv;
        cd_json_object(json, cardan_model_joint_name(c->model, j));
        cd_json_numbers(json, "q", nq, nq ? q + slot.q : q);
        cd_json_numbers(json, "v", nv, nv ? v + slot.v : v);
        if (a) cd_json_numbers(json, "a", nv, nv ? a + slot.v : a);
        if (effort) cd_json_numbers(json, "effort", nv, nv ? effort + slot.v : effort);
        cd_json_end(json);
    }
    cd_json_end(json);
}

bool cd_json_bodies(cd_json* json, const cd_case* c, const double* a)
{
    const cardan_view view = cardan_description_view(cardan_model_description(c->model));
    cardan_motion*    body = cd_allocate((size_t)view.nbody + 1, sizeof *body);
    if (!body) return false;
    cardan_bodies(c->data, a, body);
    cd_json_object(json, "bodies");
    for (int i = 0; i < view.nbody; ++i) {
        cd_json_object(json, view.body[i].name);
        cd_json_numbers(json, "p", 3, body[i].p);
        cd_json_numbers(json, "q", 4, body[i].q);
        cd_json_numbers(json, "v", 3, body[i].v);
        cd_json_numbers(json, "w", 3, body[i].w);
        if (a) cd_json_numbers(json, "a", 3, body[i].a);
        if (a) cd_json_numbers(json, "alpha", 3, body[i].alpha);
        cd_json_end(json);
    }
    cd_json_end(json);
    free(body);
    return true;
}

static void write_wrench(cd_json* json, const cd_reacting_one* one)
{
    cd_json_object(json, one->name);
    cd_json_numbers(json, "force", 3, one->wrench->force);
    cd_json_numbers(json, "torque", 3, one->wrench->torque);
    cd_json_boolean(json, "unique", one->wrench->unique);
    cd_json_end(json);
}

static void write_transmission(cd_json* json, const cd_case* c, const cardan_transmission* t)
{
    cd_json_object(json, t->name);
    cd_json_array(json, "coordinates");
    for (int k = 0; k < t->n; ++k) cd_json_string(json, NULL, cd_coordinate_word(c, t, k).text);
    cd_json_end(json);
    cd_json_numbers(json, "effort", t->n, t->effort);
    cd_json_array(json, "unit");
    for (int k = 0; k < t->n; ++k) cd_json_string(json, NULL, t->unit[k]);
    cd_json_end(json);
    cd_json_boolean(json, "unique", t->unique);
    cd_json_end(json);
}

bool cd_json_reactions(cd_json* json, const cd_case* c, const double* a)
{
    cd_reactions r;
    const int    njoint = c->look.njoint;
    if (!cd_reactions_open(&r, c)) return false;
    const bool known = cd_reactions_at(&r, c->data, a);
    cd_json_object(json, "reactions");
    for (int i = 0; known && i < njoint; ++i) write_wrench(json, &r.one[i]);
    cd_json_end(json);
    if (r.nwrench > njoint) {
        cd_json_object(json, "constraint_reactions");
        for (int i = njoint; known && i < r.nwrench; ++i) write_wrench(json, &r.one[i]);
        cd_json_end(json);
    }
    if (r.ntransmission > 0) {
        cd_json_object(json, "transmissions");
        for (int i = 0; known && i < r.ntransmission; ++i) write_transmission(json, c, &r.transmission[i]);
        cd_json_end(json);
    }
    cd_reactions_close(&r);
    return true;
}

// Names of drivers whose efforts are those of least norm among many; a name that drives several motions once.
static void write_loose_drivers(cd_json* json, const cd_case* c, const cd_efforts* e)
{
    const char* last  = "";
    bool        loose = false;
    for (int i = 0; i < e->n; ++i) loose = loose || !e->unique[i];
    if (!loose) return;
    cd_json_array(json, "drivers_not_unique");
    for (int i = 0; i < e->n; ++i) {
        const char* name = cardan_driver_at(c->data, i).name;
        if (e->unique[i] || strcmp(name, last) == 0) continue;
        cd_json_string(json, NULL, name);
        last = name;
    }
    cd_json_end(json);
}

// One list per driver: a marker's way along a curve has three efforts.
bool cd_json_drivers(cd_json* json, const cd_case* c)
{
    cd_efforts e;
    if (!cd_efforts_open(&e, c)) return false;
    cardan_driver_efforts(c->data, c->a, e.effort, e.unique);
    if (e.n > 0) cd_json_object(json, "drivers");
    for (int i = 0; i < e.n;) {
        const char* name  = cardan_driver_at(c->data, i).name;
        int         count = 1;
        while (i + count < e.n && strcmp(cardan_driver_at(c->data, i + count).name, name) == 0) ++count;
        cd_json_numbers(json, name, count, e.effort + i);
        i += count;
    }
    if (e.n > 0) cd_json_end(json);
    write_loose_drivers(json, c, &e);
    cd_efforts_close(&e);
    return true;
}

void cd_json_states(cd_json* json, const cd_case* c, const double* state)
{
    const cardan_view view = cardan_description_view(cardan_model_description(c->model));
    if (view.nstate == 0) return;
    cd_json_object(json, "states");
    for (int i = 0; i < view.nstate; ++i) cd_json_number(json, view.state[i].name, state[i]);
    cd_json_end(json);
}

int cd_print_text(cd_text* text)
{
    const bool failed = text->failed || cd_end_code(CD_EXIT_DONE) != CD_EXIT_DONE; // no half a report
    if (failed)
        cd_say_no_memory();
    else if (text->length > 0)
        fwrite(text->data, 1, text->length, stdout);
    if (!failed) cd_say_reported();
    if (!failed && text->length > 0 && text->data[text->length - 1] != '\n') putchar('\n');
    cd_text_free(text);
    return failed ? CD_EXIT_INPUT : CD_EXIT_DONE;
}

// "1e-08" is "1e-8" for people.
static void trim_exponent(char* text)
{
    char* e = strchr(text, 'e');
    if (!e) return;
    char* digits = e + 1 + (e[1] == '-' || e[1] == '+');
    while (digits[0] == '0' && digits[1]) memmove(digits, digits + 1, strlen(digits));
}

cd_word cd_number_word(double value)
{
    cd_word word;
    snprintf(word.text, sizeof word.text, "%.5g", fabs(value) < 1e-300 ? 0.0 : value);
    trim_exponent(word.text);
    return word;
}

cd_word cd_small_word(double value)
{
    cd_word word;
    snprintf(word.text, sizeof word.text, "%.2g", value);
    trim_exponent(word.text);
    return word;
}

cd_word cd_wait_word(double seconds)
{
    cd_word word;
    if (seconds < 120)
        snprintf(word.text, sizeof word.text, "%.2g s", seconds);
    else if (seconds < 7200)
        snprintf(word.text, sizeof word.text, "%.0f min", seconds / 60);
    else if (seconds < 172800)
        snprintf(word.text, sizeof word.text, "%.0f h", seconds / 3600);
    else
        snprintf(word.text, sizeof word.text, "%.0f days", seconds / 86400);
    return word;
}

cd_word cd_count_word(long value)
{
    char      digits[32];
    cd_word   word;
    const int n = snprintf(digits, sizeof digits, "%ld", value);
    int       k = 0;
    for (int i = 0; i < n; ++i) {
        if (i > 0 && digits[i - 1] != '-' && (n - i) % 3 == 0) word.text[k++] = ',';
        word.text[k++] = digits[i];
    }
    word.text[k] = 0;
    return word;
}

cd_word cd_plural(long count, const char* one, const char* many)
{
    cd_word word;
    if (count == 0)
        snprintf(word.text, sizeof word.text, "no %.50s", many);
    else
        snprintf(word.text, sizeof word.text, "%.24s %.36s", cd_count_word(count).text, count == 1 ? one : many);
    return word;
}

cd_word cd_vector_word(int count, const double* value, double scale)
{
    cd_word word;
    double  largest = scale;
    for (int i = 0; i < count; ++i) largest = fmax(largest, fabs(value[i]));
    int n = snprintf(word.text, sizeof word.text, "[");
    for (int i = 0; i < count && n < (int)sizeof word.text - 16; ++i)
        n += snprintf(word.text + n, sizeof word.text - (size_t)n, "%s%.4g", i ? ", " : "",
                      fabs(value[i]) <= 1e-14 * largest ? 0.0 : value[i]);
    snprintf(word.text + n, sizeof word.text - (size_t)n, "]");
    return word;
}
