// SPDX-License-Identifier: BSD-3-Clause
// SHA-256 (FIPS 180-4), to identify the content that results were computed from.
#include "core/file.h"

#include <stdint.h>
#include <string.h>

static const uint32_t k[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotate_right(uint32_t x, int n) { return x >> n | x << (32 - n); }

static void add_block(uint32_t h[8], const unsigned char* block)
{
    uint32_t w[64];
    for (int i = 0; i < 16; ++i)
        w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 | (uint32_t)block[4 * i + 2] << 8 |
               block[4 * i + 3];
    for (int i = 16; i < 64; ++i) {
        const uint32_t s0 = rotate_right(w[i - 15], 7) ^ rotate_right(w[i - 15], 18) ^ w[i - 15] >> 3;
        const uint32_t s1 = rotate_right(w[i - 2], 17) ^ rotate_right(w[i - 2], 19) ^ w[i - 2] >> 10;
        w[i]              = w[i - 16] + s0 + w[i - 7] + s1;
    }
    uint32_t s[8];
    memcpy(s, h, sizeof s);
    for (int i = 0; i < 64; ++i) {
        const uint32_t s1 = rotate_right(s[4], 6) ^ rotate_right(s[4], 11) ^ rotate_right(s[4], 25);
        const uint32_t t1 = s[7] + s1 + ((s[4] & s[5]) ^ (~s[4] & s[6])) + k[i] + w[i];
        const uint32_t s0 = rotate_right(s[0], 2) ^ rotate_right(s[0], 13) ^ rotate_right(s[0], 22);
        const uint32_t t2 = s0 + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        memmove(s + 1, s, 7 * sizeof *s);
        s[4] += t1;
        s[0] = t1 + t2;
    }
    for (int i = 0; i < 8; ++i) h[i] += s[i];
}

void cd_sha256(const char* data, size_t length, char digest[65])
{
    uint32_t h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    size_t   done = 0;
    for (; length - done >= 64; done += 64) add_block(h, (const unsigned char*)data + done);

    // the remaining bytes, a one bit, zeros, and the length in bits
    unsigned char tail[128]   = {0};
    const size_t  tail_length = length - done;
    const size_t  size        = tail_length < 56 ? 64 : 128;
    if (tail_length) memcpy(tail, data + done, tail_length);
    tail[tail_length] = 0x80;
    for (int i = 0; i < 8; ++i) tail[size - 1 - (size_t)i] = (unsigned char)((uint64_t)length * 8 >> 8 * i);
    for (size_t i = 0; i < size; i += 64) add_block(h, tail + i);

    static const char hex[] = "0123456789abcdef";
    for (int i = 0; i < 64; ++i) digest[i] = hex[h[i / 8] >> (28 - 4 * (i % 8)) & 15];
    digest[64] = '\0';
}
