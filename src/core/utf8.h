// SPDX-License-Identifier: BSD-3-Clause
// UTF-8: length and validity of a character (RFC 3629).
#pragma once

#include <stddef.h>

// Number of bytes of the character at `s` (`size` bytes available); 0 if it is not valid UTF-8.
static inline int cd_utf8_length(const char* s, size_t size)
{
    const unsigned char* u = (const unsigned char*)s;
    if (size == 0) return 0;
    if (u[0] < 0x80) return 1;
    const int n = u[0] >= 0xC2 && u[0] < 0xE0 ? 2 : (u[0] & 0xF0) == 0xE0 ? 3 : u[0] >= 0xF0 && u[0] < 0xF5 ? 4 : 0;
    if (n == 0 || (size_t)n > size) return 0;
    for (int i = 1; i < n; ++i)
        if ((u[i] & 0xC0) != 0x80) return 0;
    // overlong forms, surrogates, code points above U+10FFFF
    if ((u[0] == 0xE0 && u[1] < 0xA0) || (u[0] == 0xED && u[1] > 0x9F)) return 0;
    if ((u[0] == 0xF0 && u[1] < 0x90) || (u[0] == 0xF4 && u[1] > 0x8F)) return 0;
    return n;
}

// Write code point `c` to `out` (4 bytes); returns the number of bytes.
static inline int cd_utf8_encode(unsigned c, char* out)
{
    if (c < 0x80) return out[0] = (char)c, 1;
    if (c < 0x800) return out[0] = (char)(0xC0 | c >> 6), out[1] = (char)(0x80 | (c & 63)), 2;
    if (c < 0x10000) {
        out[0] = (char)(0xE0 | c >> 12);
        out[1] = (char)(0x80 | (c >> 6 & 63));
        out[2] = (char)(0x80 | (c & 63));
        return 3;
    }
    out[0] = (char)(0xF0 | c >> 18);
    out[1] = (char)(0x80 | (c >> 12 & 63));
    out[2] = (char)(0x80 | (c >> 6 & 63));
    out[3] = (char)(0x80 | (c & 63));
    return 4;
}
