// SPDX-License-Identifier: BSD-3-Clause
// printf for terminals: string arguments are escaped. Allocates no memory, so that it works when memory is exhausted.
#include "cli/support/terminal_print.h"

#include "core/escape.h"
#include "core/utf8.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef struct output {
    FILE*  stream;
    char   bytes[1024]; // printed at once: standard error is unbuffered and shared with other processes
    size_t used;
    int    count;
} output;

// Conversion of a format, e.g. %-*.3lf.
typedef struct conversion {
    char flags[8], length[3], kind;
    int  width, precision; // -1: none
} conversion;

static void flush_buffer(output* o)
{
    fwrite(o->bytes, 1, o->used, o->stream);
    o->used = 0;
}

static void append_bytes(output* o, const char* s, size_t n)
{
    o->count += (int)n;
    while (n > 0) {
        if (o->used == sizeof o->bytes) flush_buffer(o);
        const size_t room = sizeof o->bytes - o->used, part = n < room ? n : room;
        memcpy(o->bytes + o->used, s, part);
        o->used += part;
        s += part;
        n -= part;
    }
}

static void put_blanks(output* o, int n)
{
    while (n-- > 0) append_bytes(o, " ", 1);
}

// Bytes of the string: all, or the whole characters that fit into the precision.
static size_t bytes_of(const char* s, int precision)
{
    if (precision < 0) return strlen(s);
    const size_t n    = strnlen(s, (size_t)precision);
    size_t       last = n;
    while (last > 0 && n - last < 3 && ((unsigned char)s[last - 1] & 0xC0) == 0x80) --last;
    const bool cut = n == (size_t)precision && last > 0 && (unsigned char)s[last - 1] >= 0xC0 &&
                     cd_utf8_length(s + last - 1, n - last + 1) == 0;
    return cut ? last - 1 : n;
}

static void put_string(output* o, const conversion* c, const char* s)
{
    if (!s) s = "(null)";
    const size_t length = bytes_of(s, c->precision);
    char         form[CD_VISIBLE_SIZE];
    size_t       n, wide = 0;
    for (size_t at = 0; at < length; wide += n) at += cd_visible_character(s + at, length - at, form, &n);
    const int  blanks       = c->width > (int)wide ? c->width - (int)wide : 0;
    const bool left_aligned = strchr(c->flags, '-') != NULL;
    if (!left_aligned) put_blanks(o, blanks);
    for (size_t at = 0; at < length;) {
        at += cd_visible_character(s + at, length - at, form, &n);
        append_bytes(o, form, n);
    }
    if (left_aligned) put_blanks(o, blanks);
}

// Read the number after a width or a point; '*' takes it from the arguments.
static int read_number(const char** s, va_list* arguments)
{
    int n = 0;
    if (**s == '*') return ++*s, va_arg(*arguments, int);
    for (; **s >= '0' && **s <= '9'; ++*s) n = 10 * n + (**s - '0');
    return n;
}

// Read the conversion after a '%'; returns a pointer behind it.
static const char* read_conversion(const char* s, va_list* arguments, conversion* c)
{
    *c       = (conversion){.width = -1, .precision = -1};
    size_t n = 0;
    for (; *s && strchr("-+ #0", *s); ++s)
        if (n + 2 < sizeof c->flags) c->flags[n++] = *s;
    if (*s == '*' || (*s >= '1' && *s <= '9')) c->width = read_number(&s, arguments);
    if (c->width < -1 && n + 1 < sizeof c->flags) c->flags[n] = '-', c->width = -c->width; // as printf does
    if (*s == '.') ++s, c->precision = read_number(&s, arguments);
    for (n = 0; *s && strchr("hlzjt", *s) && n + 1 < sizeof c->length; ++s) c->length[n++] = *s;
    c->kind = *s;
    return *s ? s + 1 : s;
}

// Print a number by snprintf, one conversion at a time.
static void put_number(output* o, const conversion* c, va_list* arguments)
{
    char      format[64], text[512];
    int       n     = snprintf(format, sizeof format, "%%%s", c->flags);
    const int wide  = c->length[0] == 'l' ? 1 + (c->length[1] == 'l') : c->length[0] ? 3 : 0;
    const int width = c->width, precision = c->precision;
    if (width >= 0) n += snprintf(format + n, sizeof format - (size_t)n, "%d", width < 200 ? width : 200);
    if (precision >= 0) n += snprintf(format + n, sizeof format - (size_t)n, ".%d", precision < 100 ? precision : 100);
    snprintf(format + n, sizeof format - (size_t)n, "%s%c", c->length, c->kind);
    if (strchr("di", c->kind))
        n = wide == 0   ? snprintf(text, sizeof text, format, va_arg(*arguments, int))
            : wide == 1 ? snprintf(text, sizeof text, format, va_arg(*arguments, long))
            : wide == 2 ? snprintf(text, sizeof text, format, va_arg(*arguments, long long))
                        : snprintf(text, sizeof text, format, va_arg(*arguments, intmax_t));
    else if (strchr("uxXo", c->kind))
        n = wide == 0   ? snprintf(text, sizeof text, format, va_arg(*arguments, unsigned))
            : wide == 1 ? snprintf(text, sizeof text, format, va_arg(*arguments, unsigned long))
            : wide == 2 ? snprintf(text, sizeof text, format, va_arg(*arguments, unsigned long long))
                        : snprintf(text, sizeof text, format, va_arg(*arguments, size_t));
    else
        n = snprintf(text, sizeof text, format, va_arg(*arguments, double));
    if (n > 0) append_bytes(o, text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}

static int print(FILE* stream, const char* format, va_list arguments)
{
    output  o = {.stream = stream};
    va_list arguments_copy;
    va_copy(arguments_copy, arguments);
    for (const char* s = format; *s;) {
        const size_t plain = strcspn(s, "%");
        append_bytes(&o, s, plain);
        s += plain;
        if (!*s) break;
        conversion c;
        s = read_conversion(s + 1, &arguments_copy, &c);
        if (c.kind == 's')
            put_string(&o, &c, va_arg(arguments_copy, const char*));
        else if (c.kind == 'c') {
            const char one[2] = {(char)va_arg(arguments_copy, int), 0};
            put_string(&o, &c, one);
        } else if (c.kind == '%')
            append_bytes(&o, "%", 1);
        else
            put_number(&o, &c, &arguments_copy);
    }
    va_end(arguments_copy);
    flush_buffer(&o);
    return o.count;
}

int cd_print(const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int n = print(stdout, format, arguments);
    va_end(arguments);
    return n;
}

int cd_print_error(const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int n = print(stderr, format, arguments);
    va_end(arguments);
    return n;
}

void cd_print_bytes(const char* bytes, size_t count) { fwrite(bytes, 1, count, stdout); }
