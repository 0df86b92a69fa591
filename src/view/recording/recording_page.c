// SPDX-License-Identifier: BSD-3-Clause
// The data stand in script elements that no browser executes; the policy admits the scripts and styles of the page by
// their hashes, and no request.
#include "view/recording/recording_page.h"

#include "view/view_page.h"

#include <string.h>

static void add_policy(cd_text* page)
{
    cd_text_format(
        page,
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src %s; style-src %s; "
        "img-src data: blob:; media-src blob:; worker-src blob:; base-uri 'none'; form-action 'none'\">\n",
        cd_view_script_source, cd_view_style_source);
}

// JSON without '<', which could end the element.
static void add_json(cd_text* page, const char* id, const char* json)
{
    cd_text_format(page, "<script type=\"application/json\" id=\"%s\">", id);
    for (const char* s = json; *s;) {
        const size_t n = strcspn(s, "<");
        cd_text_add_bytes(page, s, n);
        s += n;
        if (*s == '<') cd_text_add(page, "\\u003c"), ++s;
    }
    cd_text_add(page, "</script>\n");
}

static void add_base64(cd_text* page, const unsigned char* bytes, size_t n)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char              line[64];
    size_t            used = 0;
    for (size_t i = 0; i < n; i += 3) {
        const unsigned a = bytes[i], b = i + 1 < n ? bytes[i + 1] : 0, c = i + 2 < n ? bytes[i + 2] : 0;
        line[used++] = digit[a >> 2];
        line[used++] = digit[(a & 3) << 4 | b >> 4];
        line[used++] = i + 1 < n ? digit[(b & 15) << 2 | c >> 6] : '=';
        line[used++] = i + 2 < n ? digit[c & 63] : '=';
        if (used < sizeof line) continue;
        cd_text_add_bytes(page, line, used);
        used = 0;
    }
    cd_text_add_bytes(page, line, used);
}

static void add_recording(cd_text* page, const cd_recording_parts* parts)
{
    add_json(page, "cardan-scene", parts->scene);
    add_json(page, "cardan-events", parts->events);
    add_json(page, "cardan-columns", parts->columns);
    cd_text_add(page, "<script type=\"application/octet-stream\" id=\"cardan-frames\">");
    add_base64(page, parts->frames, parts->nframes);
    cd_text_add(page, "</script>\n");
}

void cd_recording_page(const cd_recording_parts* parts, cd_text* page)
{
    static const char policy[] = "<!-- policy -->", recording[] = "<!-- recording -->";
    const char *      start = (const char*)cd_view_page, *end = start + cd_view_page_length;
    const char*       at_policy    = strstr(start, policy); // the bytes end with a zero
    const char*       at_recording = at_policy ? strstr(at_policy, recording) : NULL;
    if (!at_recording) {
        page->failed = true;
        return;
    }
    cd_text_add_bytes(page, start, (size_t)(at_policy - start));
    add_policy(page);
    const char* rest = at_policy + sizeof policy - 1;
    cd_text_add_bytes(page, rest, (size_t)(at_recording - rest));
    add_recording(page, parts);
    rest = at_recording + sizeof recording - 1;
    cd_text_add_bytes(page, rest, (size_t)(end - rest));
}
