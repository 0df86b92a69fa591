// SPDX-License-Identifier: BSD-3-Clause
// Messages of the viewer: every kind is read, malformed ones are refused, frames have the layout of the protocol.
#include "test.h"

#include "view/view_protocol.h"

#include <math.h>
#include <string.h>

static bool reads(const char* text, cd_view_message* m) { return cd_view_read_text(text, strlen(text), m); }

static void test_texts(void)
{
    cd_view_message m;
    CHECK(reads("{\"type\": \"play\"}", &m) && m.kind == CD_VIEW_PLAY);
    CHECK(reads("{\"type\": \"step\", \"count\": -3}", &m) && m.count == -3);
    CHECK(reads("{\"type\": \"drive\", \"joint\": 2, \"axis\": 1, \"value\": 0.5}", &m) && m.index == 2 &&
          m.axis == 1 && m.has_value && m.value[0] == 0.5);
    CHECK(reads("{\"type\": \"drive\", \"joint\": 2, \"axis\": 1, \"value\": null}", &m) && !m.has_value);
    CHECK(reads("{\"type\": \"columns\", \"names\": [\"a\", \"b\"]}", &m) && m.ncolumn == 2 &&
          !strcmp(m.column[1], "b"));
    CHECK(reads("{\"type\": \"point\", \"name\": \"B\", \"position\": [1, 2, 3]}", &m) && m.point[2] == 3);
    CHECK(reads("{\"type\": \"drive\", \"joint\": 2, \"axis\": 0, \"rate\": -0.5}", &m) && m.input == CD_VIEW_RATE &&
          m.value[0] == -0.5);
    CHECK(reads("{\"type\": \"effort\", \"joint\": 2, \"axis\": 0, \"formula\": \"sin(t)\"}", &m) &&
          m.input == CD_VIEW_FORMULA && m.has_value && !strcmp(m.name, "sin(t)"));
    CHECK(reads("{\"type\": \"replay\", \"value\": true}", &m) && m.kind == CD_VIEW_REPLAY && m.has_value);
    CHECK(reads("{\"type\": \"motion\", \"index\": null}", &m) && m.index == CARDAN_NONE);
    CHECK(reads("{\"type\": \"mode\", \"index\": 3}", &m) && m.kind == CD_VIEW_MODE && m.index == 3);
    CHECK(reads("{\"type\": \"repair\", \"loop\": 1}", &m) && m.index == 1);
    CHECK(reads("{\"type\": \"method\", \"integrator\": \"rk4\"}", &m) && !strcmp(m.name, "rk4") && !m.has_value);
}

static void test_refused(void)
{
    static const char* const text[] = {
        "",
        "{",
        "[]",
        "{}",
        "{\"type\": 1}",
        "{\"type\": \"unknown\"}",
        "{\"type\": \"play\", \"more\": 1}",
        "{\"type\": \"speed\", \"value\": 0}",
        "{\"type\": \"speed\", \"value\": 11}",
        "{\"type\": \"speed\", \"value\": \"1\"}",
        "{\"type\": \"seek\", \"t\": 1e999}",
        "{\"type\": \"step\", \"count\": 0.5}",
        "{\"type\": \"drive\", \"joint\": -1, \"axis\": 0, \"value\": 0}",
        "{\"type\": \"drive\", \"joint\": 0, \"axis\": 6, \"value\": 0}",
        "{\"type\": \"token\", \"token\": \"0123\"}",
        "{\"type\": \"token\", \"token\": \"ABCDEF0123456789ABCDEF0123456789\"}",
        "{\"type\": \"point\", \"name\": \"\", \"position\": [1, 2, 3]}",
        "{\"type\": \"point\", \"name\": \"B\", \"position\": [1, 2]}",
        "{\"type\": \"flags\", \"value\": 64}",
        "{\"type\": \"drive\", \"joint\": 0, \"axis\": 0}",
        "{\"type\": \"drive\", \"joint\": 0, \"axis\": 0, \"rate\": null}",
        "{\"type\": \"drive\", \"joint\": 0, \"axis\": 0, \"formula\": 1}",
        "{\"type\": \"effort\", \"joint\": 0, \"axis\": 0, \"rate\": 1}",
        "{\"type\": \"replay\", \"value\": 1}",
        "{\"type\": \"motion\", \"index\": -1}",
        "{\"type\": \"mode\"}",
        "{\"type\": \"repair\", \"loop\": null}",
    };
    cd_view_message m;
    for (size_t i = 0; i < sizeof text / sizeof *text; ++i) CHECK(!reads(text[i], &m));
}

static void test_grab(void)
{
    unsigned char   bytes[CD_VIEW_BINARY_SIZE] = {16, 0, 3, 0, 5, 0, 0, 0};
    cd_view_message m;
    bytes[10] = 0x80, bytes[11] = 0x3f; // 1.0f
    CHECK(cd_view_read_binary(bytes, 32, &m) && m.index == 3 && m.number == 5 && m.point[0] == 1 && m.target[2] == 0);
    bytes[1] = 7;
    CHECK(cd_view_read_binary(bytes, 32, &m) && m.slot == 7);
    bytes[1] = 8;
    CHECK(!cd_view_read_binary(bytes, 32, &m));
    bytes[1] = 0;
    bytes[2] = bytes[3] = 255;
    CHECK(cd_view_read_binary(bytes, 32, &m) && m.index == CARDAN_NONE);
    CHECK(!cd_view_read_binary(bytes, 31, &m) && !cd_view_read_binary(bytes, 33, &m));
    bytes[10] = 0xc0, bytes[11] = 0x7f; // not a number
    CHECK(!cd_view_read_binary(bytes, 32, &m));
}

static void test_frame(void)
{
    const cardan_pose     pose     = {{1, 2, 3}, {1, 0, 0, 0}};
    const double          q[2]     = {0.5, 0.25};
    const cardan_reaction reaction = {{1, 2, 3}, {4, 5, 6}, true};
    unsigned char         bytes[256];
    double                t;
    float                 x[7];
    cd_view_frame         f = {.flags       = CD_VIEW_COORDINATES | CD_VIEW_REACTIONS | CD_VIEW_ENERGY,
                               .scene       = 258,
                               .number      = 7,
                               .t           = 1.5,
                               .centre      = {1, 1, 1},
                               .nbody       = 1,
                               .ncoordinate = 2,
                               .njoint      = 1,
                               .pose        = &pose,
                               .coordinate  = q,
                               .reaction    = &reaction};
    CHECK(cd_view_frame_size(&f) == 40 + 28 + 8 + 28 + 32);
    cd_view_write_frame(&f, bytes);
    memcpy(&t, bytes + 16, 8);
    memcpy(x, bytes + 40, 28);
    CHECK(bytes[0] == 1 && bytes[1] == 11 && bytes[2] == 2 && bytes[3] == 1 && bytes[4] == 7 && t == 1.5);
    CHECK(x[0] == 0 && x[1] == 1 && x[2] == 2 && x[3] == 1);
    memcpy(x, bytes + 68, 8);
    CHECK(x[0] == 0.5f && x[1] == 0.25f);
    memcpy(x, bytes + 76, 28);
    CHECK(x[0] == 1 && x[5] == 6 && x[6] == 1);
}

static void test_token(void)
{
    CHECK(cd_view_token_equals("0123456789abcdef0123456789abcdef", "0123456789abcdef0123456789abcdef"));
    CHECK(!cd_view_token_equals("0123456789abcdef0123456789abcdef", "0123456789abcdef0123456789abcdee"));
}

int main(void)
{
    RUN(test_texts());
    RUN(test_refused());
    RUN(test_grab());
    RUN(test_frame());
    RUN(test_token());
    return test_end();
}
