// SPDX-License-Identifier: BSD-3-Clause
// Messages of the viewer to and from bytes. Reading is strict: what the protocol does not allow is refused.
#include "view/view_protocol.h"

#include "core/json.h"

#include <math.h>
#include <string.h>

typedef struct reader {
    const cd_json_document* document;
    const cd_json_node*     root;
    cd_view_message*        message;
} reader;

static const cd_json_node* member(const reader* r, const char* key) { return cd_json_find(r->document, r->root, key); }

static bool read_number(const reader* r, const char* key, double lower, double upper, double* value)
{
    const cd_json_node* node = member(r, key);
    if (!node || node->kind != CD_JSON_NUMBER || !isfinite(node->number)) return false;
    *value = node->number;
    return *value >= lower && *value <= upper;
}

static bool read_integer(const reader* r, const char* key, int lower, int upper, int* value)
{
    double number;
    if (!read_number(r, key, lower, upper, &number) || number != floor(number)) return false;
    *value = (int)number;
    return true;
}

static bool copy_string(const cd_json_node* node, char out[CD_VIEW_NAME_SIZE])
{
    if (!node || node->kind != CD_JSON_STRING) return false;
    const size_t length = strlen(node->string);
    if (length == 0 || length >= CD_VIEW_NAME_SIZE) return false;
    memcpy(out, node->string, length + 1);
    return true;
}

static bool read_vector(const reader* r, const char* key, double value[3])
{
    const cd_json_node* node = member(r, key);
    if (!node || node->kind != CD_JSON_ARRAY || node->count != 3) return false;
    const cd_json_node* item = node->first;
    for (int i = 0; i < 3; ++i, item = item->next) {
        if (item->kind != CD_JSON_NUMBER || !(fabs(item->number) <= 1e9)) return false;
        value[i] = item->number;
    }
    return true;
}

static bool read_nothing(reader* r) { return r->root->count == 1; }

static bool read_token(reader* r)
{
    if (!copy_string(member(r, "token"), r->message->name)) return false;
    return strspn(r->message->name, "0123456789abcdef") == CD_VIEW_TOKEN_DIGITS &&
           !r->message->name[CD_VIEW_TOKEN_DIGITS];
}

static bool read_step(reader* r) { return read_integer(r, "count", -100000, 100000, &r->message->count); }
static bool read_speed(reader* r) { return read_number(r, "value", 0.01, 10, &r->message->value[0]); }
static bool read_seek(reader* r) { return read_number(r, "t", -1e9, 1e9, &r->message->value[0]); }
static bool read_flags(reader* r) { return read_integer(r, "value", 0, CD_VIEW_FLAGS_ALL, &r->message->count); }
static bool read_exact(reader* r) { return read_number(r, "duration", 1e-6, 3600, &r->message->value[0]); }

static bool read_replay(reader* r)
{
    const cd_json_node* value = member(r, "value");
    r->message->has_value     = value && value->number != 0;
    return value && value->kind == CD_JSON_BOOLEAN;
}

static bool read_loop(reader* r) { return read_integer(r, "loop", 0, 1 << 24, &r->message->index); }

// motion and mode: an index, or null
static bool read_index(reader* r)
{
    const cd_json_node* index = member(r, "index");
    r->message->index         = CARDAN_NONE;
    return index && (index->kind == CD_JSON_NULL || read_integer(r, "index", 0, 1 << 24, &r->message->index));
}

static bool read_axis(reader* r)
{
    return read_integer(r, "joint", 0, 1 << 24, &r->message->index) &&
           read_integer(r, "axis", 0, CARDAN_JOINT_VELOCITIES_MAX - 1, &r->message->axis);
}

// The value or the formula of a coordinate; null: none.
static bool read_effort(reader* r)
{
    const cd_json_node *value = member(r, "value"), *formula = member(r, "formula");
    if (!read_axis(r) || !value == !formula) return false;
    r->message->has_value = !value || value->kind != CD_JSON_NULL;
    if (!r->message->has_value) return true;
    if (value) return read_number(r, "value", -1e12, 1e12, &r->message->value[0]);
    r->message->input = CD_VIEW_FORMULA;
    return copy_string(formula, r->message->name);
}

static bool read_drive(reader* r)
{
    if (!member(r, "rate")) return read_effort(r);
    r->message->input     = CD_VIEW_RATE;
    r->message->has_value = true;
    return r->root->count == 4 && read_axis(r) && read_number(r, "rate", -1e12, 1e12, &r->message->value[0]);
}

static bool read_move(reader* r)
{
    return read_integer(r, "marker", 0, 1 << 24, &r->message->index) && read_vector(r, "velocity", r->message->target);
}

static bool read_set(reader* r)
{
    return copy_string(member(r, "parameter"), r->message->name) &&
           read_number(r, "value", -1e15, 1e15, &r->message->value[0]);
}

static bool read_point(reader* r)
{
    return copy_string(member(r, "name"), r->message->name) && read_vector(r, "position", r->message->point);
}

static bool read_columns(reader* r)
{
    const cd_json_node* names = member(r, "names");
    if (!names || names->kind != CD_JSON_ARRAY || names->count > CD_VIEW_COLUMNS_MAX) return false;
    for (const cd_json_node* item = names->first; item; item = item->next)
        if (!copy_string(item, r->message->column[r->message->ncolumn++])) return false;
    return true;
}

static bool read_history(reader* r)
{
    return read_number(r, "from", -1e9, 1e9, &r->message->value[0]) &&
           read_number(r, "to", -1e9, 1e9, &r->message->value[1]) &&
           read_integer(r, "count", 1, 10000, &r->message->count);
}

static bool read_method(reader* r)
{
    if (member(r, "integrator") && !copy_string(member(r, "integrator"), r->message->name)) return false;
    if (member(r, "formulation") && !copy_string(member(r, "formulation"), r->message->formulation)) return false;
    r->message->has_value = member(r, "step") != NULL;
    return !r->message->has_value || read_number(r, "step", 1e-7, 1, &r->message->value[0]);
}

static const struct {
    const char*          type;
    cd_view_message_kind kind;
    int                  nmember; // largest number of members, the type included
    bool (*read)(reader*);
} kinds[] = {
    {"token", CD_VIEW_TOKEN, 2, read_token},
    {"play", CD_VIEW_PLAY, 1, read_nothing},
    {"pause", CD_VIEW_PAUSE, 1, read_nothing},
    {"reset", CD_VIEW_RESET, 1, read_nothing},
    {"step", CD_VIEW_STEP, 2, read_step},
    {"speed", CD_VIEW_SPEED, 2, read_speed},
    {"seek", CD_VIEW_SEEK, 2, read_seek},
    {"drive", CD_VIEW_DRIVE, 4, read_drive},
    {"effort", CD_VIEW_EFFORT, 4, read_effort},
    {"move", CD_VIEW_MOVE, 3, read_move},
    {"set", CD_VIEW_SET, 3, read_set},
    {"point", CD_VIEW_POINT, 3, read_point},
    {"columns", CD_VIEW_COLUMNS, 2, read_columns},
    {"history", CD_VIEW_HISTORY, 4, read_history},
    {"flags", CD_VIEW_FLAGS, 2, read_flags},
    {"method", CD_VIEW_METHOD, 4, read_method},
    {"exact", CD_VIEW_EXACT, 2, read_exact},
    {"diagnose", CD_VIEW_DIAGNOSE, 1, read_nothing},
    {"replay", CD_VIEW_REPLAY, 2, read_replay},
    {"repair", CD_VIEW_REPAIR, 2, read_loop},
    {"revert", CD_VIEW_REVERT, 1, read_nothing},
    {"motion", CD_VIEW_MOTION, 2, read_index},
    {"mode", CD_VIEW_MODE, 2, read_index},
};

static bool read_object(reader* r)
{
    const cd_json_node* type = r->root->kind == CD_JSON_OBJECT ? member(r, "type") : NULL;
    if (!type || type->kind != CD_JSON_STRING) return false;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
        if (strcmp(type->string, kinds[i].type) != 0) continue;
        r->message->kind = kinds[i].kind;
        return r->root->count <= kinds[i].nmember && kinds[i].read(r);
    }
    return false;
}

bool cd_view_read_text(const char* text, size_t length, cd_view_message* message)
{
    cd_json_document* document = NULL;
    memset(message, 0, sizeof *message);
    if (length > CD_VIEW_TEXT_MAX || cd_json_parse(text, length, "message", &document, NULL) != CARDAN_OK) return false;
    reader     r    = {document, cd_json_root(document), message};
    const bool good = read_object(&r);
    cd_json_destroy(document);
    return good;
}

static uint32_t get_u32(const unsigned char* b)
{
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static double get_f32(const unsigned char* b)
{
    const uint32_t bits = get_u32(b);
    float          value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

bool cd_view_read_binary(const unsigned char* bytes, size_t length, cd_view_message* message)
{
    memset(message, 0, sizeof *message);
    if (length != CD_VIEW_BINARY_SIZE || bytes[0] != 16 || bytes[1] >= CD_VIEW_SLOTS) return false;
    const int body  = bytes[2] | bytes[3] << 8;
    message->kind   = CD_VIEW_GRAB;
    message->slot   = bytes[1];
    message->index  = body == 65535 ? CARDAN_NONE : body;
    message->number = get_u32(bytes + 4);
    for (int i = 0; i < 3; ++i) {
        message->point[i]  = get_f32(bytes + 8 + 4 * i);
        message->target[i] = get_f32(bytes + 20 + 4 * i);
        if (!(fabs(message->point[i]) <= 1e9) || !(fabs(message->target[i]) <= 1e9)) return false;
    }
    return true;
}

// ---- frames

static unsigned char* put_u32(unsigned char* b, uint32_t value)
{
    for (int i = 0; i < 4; ++i) b[i] = (unsigned char)(value >> (8 * i));
    return b + 4;
}

static unsigned char* put_f32(unsigned char* b, double value)
{
    const float narrow = (float)value;
    uint32_t    bits;
    memcpy(&bits, &narrow, sizeof bits);
    return put_u32(b, bits);
}

static unsigned char* put_f64(unsigned char* b, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return put_u32(put_u32(b, (uint32_t)bits), (uint32_t)(bits >> 32));
}

static unsigned char* put_poses(unsigned char* b, const cd_view_frame* f, const cardan_pose* pose)
{
    for (int i = 0; i < f->nbody; ++i) {
        for (int k = 0; k < 3; ++k) b = put_f32(b, pose[i].p[k] - f->centre[k]);
        for (int k = 0; k < 4; ++k) b = put_f32(b, pose[i].q[k]);
    }
    return b;
}

static unsigned char* put_reactions(unsigned char* b, const cd_view_frame* f)
{
    for (int i = 0; i < f->njoint; ++i) {
        for (int k = 0; k < 3; ++k) b = put_f32(b, f->reaction[i].force[k]);
        for (int k = 0; k < 3; ++k) b = put_f32(b, f->reaction[i].torque[k]);
        b = put_f32(b, f->reaction[i].unique);
    }
    return b;
}

size_t cd_view_frame_size(const cd_view_frame* f)
{
    size_t size = CD_VIEW_HEADER_SIZE + 28 * (size_t)f->nbody;
    if (f->flags & CD_VIEW_COORDINATES) size += 4 * (size_t)f->ncoordinate;
    if (f->flags & CD_VIEW_REACTIONS) size += 28 * (size_t)f->njoint;
    if (f->flags & CD_VIEW_VALUES) size += 8 * (size_t)f->ncolumn;
    if (f->flags & CD_VIEW_ENERGY) size += 32;
    if (f->flags & CD_VIEW_GHOST) size += 28 * (size_t)f->nbody;
    return size;
}

void cd_view_write_frame(const cd_view_frame* f, unsigned char* b)
{
    *b++ = 1;
    *b++ = (unsigned char)f->flags;
    *b++ = (unsigned char)f->scene;
    *b++ = (unsigned char)(f->scene >> 8);
    b    = put_u32(put_u32(b, f->number), f->grab_number);
    b    = put_f64(put_f32(b, f->grab_force), f->t);
    b    = put_f32(put_f32(b, f->position_violation), f->velocity_violation);
    b    = put_f32(put_f32(b, f->singular_value), f->rate);
    b    = put_poses(b, f, f->pose);
    for (int i = 0; f->flags & CD_VIEW_COORDINATES && i < f->ncoordinate; ++i) b = put_f32(b, f->coordinate[i]);
    if (f->flags & CD_VIEW_REACTIONS) b = put_reactions(b, f);
    for (int i = 0; f->flags & CD_VIEW_VALUES && i < f->ncolumn; ++i) b = put_f64(b, f->column[i]);
    for (int i = 0; f->flags & CD_VIEW_ENERGY && i < 4; ++i) b = put_f64(b, f->energy[i]);
    if (f->flags & CD_VIEW_GHOST) put_poses(b, f, f->ghost);
}

bool cd_view_token_equals(const char* a, const char* b)
{
    unsigned difference = 0;
    for (int i = 0; i < CD_VIEW_TOKEN_DIGITS; ++i) difference |= (unsigned char)(a[i] ^ b[i]);
    return difference == 0;
}
