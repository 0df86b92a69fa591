// SPDX-License-Identifier: BSD-3-Clause
// Collect the frames of a recording and write the page: the finest precision is used with which the frames take at most
// 3 bytes per body and frame, found by bisection over powers of 2. If that were coarser than 1/512 of the length of the
// scene, columns are left out; fast motions that do not fit without columns either take more bytes.
#include "view/recording/recording.h"

#include "core/file.h"
#include "core/json.h"
#include "core/memory.h"
#include "view/recording/gzip.h"
#include "view/recording/recording_page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    BYTES_PER_BODY_AND_FRAME = 3,
    BITS_MAX                 = 18,
    BITS_MIN                 = 9,
    BITS_COARSEST            = -20,
    COLUMNS_MAX              = 24,
    EVENTS_MAX               = 1000
};
static const size_t page_max = 20 << 20; // bytes of a page without --force

struct cd_recording {
    const cd_live_model* model;
    cd_recorded_series   series;
    int                  capacity;
    int                  column[COLUMNS_MAX]; // of the model
    int                  nevent;
    cd_text              events; // items of the list, without brackets
};

// Columns of a recording: outputs, energy, coordinates; at most as many as there are bodies, and two.
static void choose_columns(cd_recording* r)
{
    static const cd_value_kind order[] = {CD_VALUE_OUTPUT, CD_VALUE_Q, CD_VALUE_ENERGY};
    const int nbody = r->series.nbody, most = nbody < 2 ? 2 : nbody > COLUMNS_MAX ? COLUMNS_MAX : nbody;
    for (int k = 0; k < 3; ++k)
        for (int i = 0; i < r->model->ncolumn && r->series.ncolumn < most; ++i)
            if (r->model->column[i].kind == order[k]) r->column[r->series.ncolumn++] = i;
}

cd_recording* cd_recording_create(const cd_live_model* model, double interval)
{
    cd_recording* r = cd_allocate(1, sizeof *r);
    if (!r) return NULL;
    r->model  = model;
    r->series = (cd_recorded_series){.nbody = model->view.nbody, .interval = interval};
    choose_columns(r);
    r->series.stride = 7 * r->series.nbody + r->series.ncolumn;
    return r;
}

void cd_recording_destroy(cd_recording* r)
{
    if (!r) return;
    cd_text_free(&r->events);
    free(r->series.value);
    free(r);
}

static double* add_frame(cd_recording* r)
{
    const size_t size = (size_t)r->series.stride;
    if (r->series.nframe == r->capacity) {
        const int room  = r->capacity > 0 ? 2 * r->capacity : 256;
        double*   value = realloc(r->series.value, (size_t)room * size * sizeof *value);
        if (!value) return NULL;
        r->series.value = value;
        r->capacity     = room;
    }
    return r->series.value + (size_t)r->series.nframe++ * size;
}

bool cd_recording_add_frame(cd_recording* r, double t, const double energy[3])
{
    const cd_live_model* m    = r->model;
    const double         next = r->series.start + r->series.nframe * r->series.interval;
    if (r->series.nframe == 0) r->series.start = t;
    if (r->series.nframe > 0 && t < next - 0.01 * r->series.interval) return true;
    double* value = add_frame(r);
    if (!value) return false;
    for (int i = 0; i < m->view.nbody; ++i, value += 7) {
        for (int k = 0; k < 3; ++k) value[k] = m->pose[i].p[k] - m->centre[k];
        for (int k = 0; k < 4; ++k) value[3 + k] = m->pose[i].q[k];
    }
    for (int i = 0; i < r->series.ncolumn; ++i) value[i] = cd_value_column_value(m, r->column[i], energy);
    return true;
}

void cd_recording_add_event(cd_recording* r, double t, const char* kind, const char* text)
{
    if (r->nevent == EVENTS_MAX) return;
    if (r->nevent++ > 0) cd_text_add(&r->events, ",");
    cd_json_writer json = cd_json_writer_to(&r->events);
    cd_json_begin_object(&json, NULL);
    cd_json_number(&json, "t", t);
    cd_json_string(&json, "kind", kind);
    cd_json_string(&json, "text", text);
    cd_json_end(&json);
}

// ---- frames

typedef struct packed_frames {
    unsigned char* bytes;
    size_t         length;
} packed_frames;

static size_t base64_length(size_t n) { return (n + 2) / 3 * 4; }

// Frames with a precision of 2^-bits. *fits: they can be encoded; *small: and take at most 3 bytes per body and frame.
static cardan_status pack(const cd_recording* r, int bits, packed_frames* packed, bool* fits, bool* small,
                          cardan_report* report)
{
    unsigned char* bytes;
    size_t         length;
    *packed = (packed_frames){0};
    const bool encoded =
        cd_recording_encode(&r->series, cd_recording_precision_of(bits, r->model->length), &bytes, &length, fits);
    const cardan_status status = encoded
                                     ? cd_gzip(bytes, length, &packed->bytes, &packed->length, report)
                                     : cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY,
                                                   cardan_location_none(), "out of memory while encoding a recording");
    free(bytes);
    const size_t most = (size_t)r->series.nframe * (size_t)r->series.nbody * BYTES_PER_BODY_AND_FRAME;
    *small            = *fits && base64_length(packed->length) <= most + CD_RECORDING_FIXED_BYTES;
    return status;
}

// Frames at the least precision that is good enough, with as many columns as fit; *bits: that precision.
static cardan_status pack_coarse(cd_recording* r, int* bits, packed_frames* packed, bool* small, cardan_report* report)
{
    bool          fits;
    cardan_status status;
    *bits = BITS_MIN;
    while ((status = pack(r, *bits, packed, &fits, small, report)) == CARDAN_OK && !*small) {
        if (!fits && *bits > BITS_COARSEST)
            --*bits;
        else if (r->series.ncolumn > 1)
            r->series.ncolumn /= 2;
        else
            break;
        free(packed->bytes);
    }
    return status;
}

static cardan_status pack_finest(cd_recording* r, packed_frames* best, cardan_report* report)
{
    int           low, high = BITS_MAX + 1; // `low` is small, `high` is not
    bool          fits, small;
    cardan_status status = pack_coarse(r, &low, best, &small, report);
    while (status == CARDAN_OK && small && high - low > 1) {
        const int     middle = (low + high) / 2;
        packed_frames packed;
        status = pack(r, middle, &packed, &fits, &small, report);
        if (status == CARDAN_OK && small) {
            free(best->bytes);
            *best = packed;
            low   = middle;
        } else {
            free(packed.bytes);
            high  = middle;
            small = true;
        }
    }
    return status;
}

// ---- page

static void write_columns(const cd_recording* r, cd_text* text)
{
    cd_json_writer json = cd_json_writer_to(text);
    cd_json_begin_object(&json, NULL);
    cd_json_begin_array(&json, "names");
    for (int i = 0; i < r->series.ncolumn; ++i) cd_json_string(&json, NULL, r->model->column[r->column[i]].name);
    cd_json_end(&json);
    cd_json_begin_array(&json, "units");
    for (int i = 0; i < r->series.ncolumn; ++i) cd_json_string(&json, NULL, r->model->column[r->column[i]].unit);
    cd_json_end(&json);
    cd_json_end(&json);
}

static cardan_status write_page(const cd_recording* r, const char* scene, const packed_frames* frames, cd_text* page)
{
    cd_text columns = {0}, events = {0};
    write_columns(r, &columns);
    cd_text_format(&events, "[%s]", r->events.data ? r->events.data : "");
    const cd_recording_parts parts = {.scene   = scene,
                                      .events  = events.data,
                                      .columns = columns.data,
                                      .frames  = frames->bytes,
                                      .nframes = frames->length};
    if (!columns.failed && !events.failed) cd_recording_page(&parts, page);
    const bool failed = columns.failed || events.failed || page->failed;
    cd_text_free(&columns);
    cd_text_free(&events);
    return failed ? CARDAN_NO_MEMORY : CARDAN_OK;
}

static cardan_status check_size(const cd_text* page, const char* path, bool force, cardan_report* report)
{
    if (force || page->length <= page_max) return CARDAN_OK;
    return cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_STATUS_ONLY, cardan_location_none(),
                       "'%s' would have %.1f MB, more than 20 MB; --force writes it, a shorter --duration makes it "
                       "smaller",
                       path, (double)page->length / (1 << 20));
}

cardan_status cd_recording_write(cd_recording* r, const char* path, bool force, cardan_report* report)
{
    cd_text       scene = {0}, page = {0};
    packed_frames frames = {0};
    cardan_status status = cd_view_scene(r->model, 1, &scene, report);
    if (status == CARDAN_OK) status = pack_finest(r, &frames, report);
    if (status == CARDAN_OK) status = write_page(r, scene.data, &frames, &page);
    if (status == CARDAN_OK) status = check_size(&page, path, force, report);
    if (status == CARDAN_OK) status = cd_file_write(path, page.data, page.length, force, report);
    cd_text_free(&scene);
    cd_text_free(&page);
    free(frames.bytes);
    return status;
}
