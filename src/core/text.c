// SPDX-License-Identifier: BSD-3-Clause
#include "core/text.h"

#include "core/memory.h"

#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool reserve(cd_text* text, size_t extra)
{
    if (text->failed) return false;
    const size_t needed = text->length + extra + 1;
    if (needed <= text->capacity) return true;
    size_t capacity = text->capacity ? text->capacity : 64;
    while (capacity < needed) capacity *= 2;
    char* grown = realloc(text->data, capacity);
    if (!grown) {
        text->failed = true;
        return false;
    }
    text->data     = grown;
    text->capacity = capacity;
    return true;
}

void cd_text_add_bytes(cd_text* text, const char* s, size_t n)
{
    if (!reserve(text, n)) return;
    memcpy(text->data + text->length, s, n);
    text->length += n;
    text->data[text->length] = '\0';
}

void cd_text_add(cd_text* text, const char* s) { cd_text_add_bytes(text, s, strlen(s)); }

void cd_text_format_v(cd_text* text, const char* format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    const int n = vsnprintf(NULL, 0, format, again);
    va_end(again);
    // out of memory: the C library allocates for long numbers and formats with many conversions, in both calls
    if (n < 0) text->failed = true;
    if (n < 0 || !reserve(text, (size_t)n)) return;
    if (vsnprintf(text->data + text->length, (size_t)n + 1, format, arguments) == n)
        text->length += (size_t)n;
    else
        text->data[text->length] = '\0', text->failed = true;
}

void cd_text_format(cd_text* text, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    cd_text_format_v(text, format, arguments);
    va_end(arguments);
}

void cd_text_number(cd_text* text, double value)
{
    char buffer[40];
    int  digits;
    if (!isfinite(value) || value == 0) {
        cd_text_format(text, "%g", value);
        return;
    }
    // a decimal of up to 15 digits survives conversion to double and back: if 15 digits suffice, the shortest form is a
    // prefix
    const bool tiny = fabs(value) < DBL_MIN; // subnormal: fewer digits
    for (digits = tiny ? 1 : 15; digits <= 17; ++digits) {
        snprintf(buffer, sizeof buffer, "%.*e", digits - 1, value);
        if (strtod(buffer, NULL) == value) break;
    }
    char* e = strchr(buffer, 'e');
    while (!tiny && digits <= 15 && digits > 1 && e[digits - 16] == '0') --digits;
    snprintf(buffer, sizeof buffer, "%.*e", digits - 1, value);
    e                  = strchr(buffer, 'e');
    const int exponent = atoi(e + 1);
    if (exponent >= -4 && exponent < 15) // exact digits; whole numbers below 2^53 are exact
        cd_text_format(text, "%.*f", digits - 1 > exponent ? digits - 1 - exponent : 0, value);
    else
        cd_text_format(text, "%.*se%d", (int)(e - buffer), buffer, exponent);
}

char* cd_text_detach(cd_text* text)
{
    if (!text->failed && !text->data) cd_text_add(text, "");
    char* data = text->failed ? NULL : text->data;
    if (text->failed) free(text->data);
    *text = (cd_text){0};
    return data;
}

void cd_text_free(cd_text* text)
{
    free(text->data);
    *text = (cd_text){0};
}

char* cd_copy_string(const char* s)
{
    if (!s) return NULL;
    const size_t n    = strlen(s) + 1;
    char*        copy = malloc(n);
    if (copy) memcpy(copy, s, n);
    return copy;
}

// Name table: open addressing over a list in order of addition.

typedef struct entry {
    char*    name;
    uint64_t hash;
    int      index;
} entry;

struct cd_name_table {
    entry* list;
    int    count, capacity;
    int*   slot; // (slots) index into list, or -1
    int    slots;
};

static uint64_t hash_of(const char* s)
{
    uint64_t h = 1469598103934665603u; // FNV-1a
    for (; *s; ++s) h = (h ^ (unsigned char)*s) * 1099511628211u;
    return h;
}

cd_name_table* cd_name_table_create(void) { return cd_allocate(1, sizeof(cd_name_table)); }

void cd_name_table_destroy(cd_name_table* names)
{
    if (!names) return;
    for (int i = 0; i < names->count; ++i) free(names->list[i].name);
    free(names->list);
    free(names->slot);
    free(names);
}

// Slot of the name, or the empty slot for it.
static int find_slot(const cd_name_table* names, const char* name, uint64_t hash)
{
    const uint64_t mask = (uint64_t)names->slots - 1;
    for (uint64_t i = hash & mask;; i = (i + 1) & mask) {
        const int at = names->slot[i];
        if (at < 0) return (int)i;
        if (names->list[at].hash == hash && strcmp(names->list[at].name, name) == 0) return (int)i;
    }
}

int cd_name_table_find(const cd_name_table* names, const char* name)
{
    if (!names->slots) return -1;
    const int at = names->slot[find_slot(names, name, hash_of(name))];
    return at < 0 ? -1 : names->list[at].index;
}

static bool rehash(cd_name_table* names)
{
    const int slots = names->slots ? 2 * names->slots : 32;
    int*      slot  = malloc((size_t)slots * sizeof *slot);
    if (!slot) return false;
    free(names->slot);
    names->slot  = slot;
    names->slots = slots;
    for (int i = 0; i < slots; ++i) slot[i] = -1;
    for (int i = 0; i < names->count; ++i) slot[find_slot(names, names->list[i].name, names->list[i].hash)] = i;
    return true;
}

const char* cd_name_table_add(cd_name_table* names, const char* name, int index)
{
    if (2 * (names->count + 1) > names->slots && !rehash(names)) return NULL;
    const uint64_t hash = hash_of(name);
    const int      slot = find_slot(names, name, hash);
    if (names->slot[slot] >= 0) return names->list[names->slot[slot]].name;
    if (!cd_array_grow((void**)&names->list, &names->capacity, names->count, sizeof(entry))) return NULL;
    char* copy = cd_copy_string(name);
    if (!copy) return NULL;
    names->list[names->count] = (entry){copy, hash, index};
    names->slot[slot]         = names->count++;
    return copy;
}

int         cd_name_table_count(const cd_name_table* names) { return names->count; }
const char* cd_name_table_at(const cd_name_table* names, int i)
{
    return i < names->count ? names->list[i].name : NULL;
}

// Twice the edit distance; a change of case counts half, a transposition of neighbours one (Damerau 1964).
static int edit_distance(const char* a, const char* b)
{
    enum { NAME_LENGTH_MAX = 48 };
    const size_t na = strlen(a), nb = strlen(b);
    if (na > NAME_LENGTH_MAX || nb > NAME_LENGTH_MAX) return 2 * NAME_LENGTH_MAX;
    int rows[3][NAME_LENGTH_MAX + 1]; // of the last three letters of a
    for (size_t j = 0; j <= nb; ++j) rows[0][j] = 2 * (int)j;
    for (size_t i = 1; i <= na; ++i) {
        int *now = rows[i % 3], *before = rows[(i + 2) % 3], *earlier = rows[(i + 1) % 3];
        now[0] = 2 * (int)i;
        for (size_t j = 1; j <= nb; ++j) {
            const bool same  = a[i - 1] == b[j - 1];
            const bool alike = tolower((unsigned char)a[i - 1]) == tolower((unsigned char)b[j - 1]);
            int        best  = before[j - 1] + (same ? 0 : alike ? 1 : 2);
            if (before[j] + 2 < best) best = before[j] + 2;
            if (now[j - 1] + 2 < best) best = now[j - 1] + 2;
            const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped && earlier[j - 2] + 2 < best) best = earlier[j - 2] + 2;
            now[j] = best;
        }
    }
    return rows[na % 3][nb];
}

const char* cd_nearest_name(const char* word, const char* (*candidate)(void* user, int i), void* user)
{
    const char* best      = NULL;
    const int   tolerated = strlen(word) <= 3 ? 2 : strlen(word) <= 6 ? 4 : 6;
    int         least     = tolerated + 1;
    for (int i = 0; candidate && i < 10000; ++i) {
        const char* c = candidate(user, i);
        if (!c) break;
        const int d = edit_distance(word, c);
        if (d < least && d < 2 * (int)strlen(word)) {
            least = d;
            best  = c;
        }
    }
    return best;
}
