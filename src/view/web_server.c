// SPDX-License-Identifier: BSD-3-Clause
// Server on 127.0.0.1 by libwebsockets. A request is answered only if its Host is this server (421 else: names of other
// sites that resolve to the loopback address), a WebSocket only if its Origin is this page (403 else: pages of other
// sites). A client that does not send the token within two seconds, or sends a malformed message, is closed with code
// 1008 and counted.
#include "view/web_server.h"

#include "core/clock.h"
#include "core/memory.h"
#include "core/text.h"
#include "view/view_protocol.h"

#include <libwebsockets.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXTS_MAX = 128, PORTS_TRIED = 100, MESSAGES_PER_SECOND = 240, TOKEN_SECONDS = 2, HEADER_SIZE = 2048 };

typedef struct client {
    struct lws*    wsi; // NULL: free
    bool           joined, refused;
    double         second; // begin of the second in which messages are counted
    int            nmessage;
    char*          received; // (CD_VIEW_TEXT_MAX + 1) message in parts
    size_t         nreceived;
    char*          text[TEXTS_MAX]; // ring
    int            first_text, ntext;
    unsigned char* bytes; // newest frame
    size_t         nbytes, bytes_capacity;
    bool           bytes_wait;
} client;

struct cd_web_server {
    cd_web_settings     settings;
    struct lws_context* context;
    int                 port;
    long                refused;
    client              client[CD_WEB_CLIENTS_MAX];
    unsigned char*      output; // LWS_PRE and a message
    size_t              output_capacity;
    char                security[HEADER_SIZE];
};

// State of a connection for libwebsockets.
typedef struct session {
    int    client;   // index + 1; 0: none
    size_t position; // of the page that is sent
} session;

static bool header_is(struct lws* wsi, enum lws_token_indexes token, const char* prefix, int port)
{
    char value[128], want[128];
    if (lws_hdr_copy(wsi, value, sizeof value, token) <= 0) return false;
    snprintf(want, sizeof want, "%s127.0.0.1:%d", prefix, port);
    if (strcmp(value, want) == 0) return true;
    snprintf(want, sizeof want, "%slocalhost:%d", prefix, port);
    return strcmp(value, want) == 0;
}

static cd_web_server* server_of(struct lws* wsi) { return lws_context_user(lws_get_context(wsi)); }

// ---- the page

static int answer_status(cd_web_server* s, struct lws* wsi, unsigned code)
{
    ++s->refused;
    lws_return_http_status(wsi, code, NULL);
    return -1;
}

static bool add_header(struct lws* wsi, const char* name, const char* value, unsigned char** p, unsigned char* end)
{
    return lws_add_http_header_by_name(wsi, (const unsigned char*)name, (const unsigned char*)value, (int)strlen(value),
                                       p, end) == 0;
}

static int answer_page(cd_web_server* s, struct lws* wsi, session* state)
{
    static const char* const header[][2] = {
        {"x-content-type-options:", "nosniff"},
        {"referrer-policy:", "no-referrer"},
        {"cross-origin-opener-policy:", "same-origin"},
        {"cross-origin-resource-policy:", "same-origin"},
        {"cache-control:", "no-store"},
    };
    unsigned char  buffer[LWS_PRE + HEADER_SIZE + 1024];
    unsigned char *start = buffer + LWS_PRE, *p = start, *end = buffer + sizeof buffer - 1;
    if (lws_add_http_common_headers(wsi, 200, "text/html; charset=utf-8", s->settings.page_length, &p, end)) return -1;
    for (size_t i = 0; i < sizeof header / sizeof *header; ++i)
        if (!add_header(wsi, header[i][0], header[i][1], &p, end)) return -1;
    if (!add_header(wsi, "content-security-policy:", s->security, &p, end)) return -1;
    if (lws_finalize_write_http_header(wsi, start, &p, end)) return -1;
    state->position = 0;
    lws_callback_on_writable(wsi);
    return 0;
}

static int write_page(cd_web_server* s, struct lws* wsi, session* state)
{
    enum { PART = 16384 };
    unsigned char buffer[LWS_PRE + PART];
    const size_t  left = s->settings.page_length - state->position, n = left < PART ? left : PART;
    memcpy(buffer + LWS_PRE, s->settings.page + state->position, n);
    state->position += n;
    const bool last = state->position == s->settings.page_length;
    if (lws_write(wsi, buffer + LWS_PRE, n, last ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP) != (int)n) return -1;
    if (last) return lws_http_transaction_completed(wsi) ? -1 : 0;
    lws_callback_on_writable(wsi);
    return 0;
}

static int on_http(struct lws* wsi, enum lws_callback_reasons reason, void* user, void* in, size_t length)
{
    cd_web_server* s = server_of(wsi);
    switch (reason) {
    case LWS_CALLBACK_HTTP:
        if (!header_is(wsi, WSI_TOKEN_HOST, "", s->port)) return answer_status(s, wsi, 421);
        if (lws_hdr_total_length(wsi, WSI_TOKEN_GET_URI) <= 0) return answer_status(s, wsi, 405);
        if (strcmp(in, "/") != 0) return answer_status(s, wsi, 404);
        return answer_page(s, wsi, user);
    case LWS_CALLBACK_HTTP_WRITEABLE:
        return write_page(s, wsi, user);
    default:
        return lws_callback_http_dummy(wsi, reason, user, in, length);
    }
}

// ---- WebSockets

static int refuse(cd_web_server* s, client* c)
{
    ++s->refused;
    c->refused = true;
    lws_close_reason(c->wsi, LWS_CLOSE_STATUS_POLICY_VIOLATION, NULL, 0);
    return -1;
}

static int begin_client(cd_web_server* s, struct lws* wsi, session* state)
{
    for (int i = 0; i < CD_WEB_CLIENTS_MAX; ++i) {
        client* c = &s->client[i];
        if (c->wsi) continue;
        c->received = malloc(CD_VIEW_TEXT_MAX + 1);
        if (!c->received) return -1;
        c->wsi        = wsi;
        state->client = i + 1;
        lws_set_timer_usecs(wsi, TOKEN_SECONDS * LWS_USEC_PER_SEC);
        return 0;
    }
    ++s->refused;
    lws_close_reason(wsi, LWS_CLOSE_STATUS_POLICY_VIOLATION, NULL, 0);
    return -1;
}

static void end_client(client* c)
{
    for (int i = 0; i < c->ntext; ++i) free(c->text[(c->first_text + i) % TEXTS_MAX]);
    free(c->received);
    free(c->bytes);
    memset(c, 0, sizeof *c);
}

static bool is_right_token(const cd_web_server* s, const client* c, bool is_text)
{
    cd_view_message message;
    return is_text && cd_view_read_text(c->received, c->nreceived, &message) && message.kind == CD_VIEW_TOKEN &&
           cd_view_token_equals(message.name, s->settings.token);
}

static bool is_too_frequent(client* c)
{
    const double now = cd_clock_wall();
    if (now - c->second >= 1) {
        c->second   = now;
        c->nmessage = 0;
    }
    return ++c->nmessage > MESSAGES_PER_SECOND;
}

static int receive(cd_web_server* s, client* c, const char* in, size_t length)
{
    const bool   is_text = !lws_frame_is_binary(c->wsi);
    const size_t longest = is_text ? CD_VIEW_TEXT_MAX : CD_VIEW_BINARY_SIZE;
    if (c->refused || c->nreceived + length > longest) return refuse(s, c);
    memcpy(c->received + c->nreceived, in, length);
    c->nreceived += length;
    if (!lws_is_final_fragment(c->wsi) || lws_remaining_packet_payload(c->wsi) > 0) return 0;
    c->received[c->nreceived] = 0;
    const int index           = (int)(c - s->client);
    bool      good            = !is_too_frequent(c);
    if (good && !c->joined) {
        good = is_right_token(s, c, is_text);
        if (good) {
            c->joined = true;
            lws_set_timer_usecs(c->wsi, LWS_SET_TIMER_USEC_CANCEL);
            s->settings.joined(s->settings.user, index);
        }
    } else if (good) {
        good = s->settings.received(s->settings.user, index, is_text, c->received, c->nreceived);
    }
    c->nreceived = 0;
    return good ? 0 : refuse(s, c);
}

static bool write_message(cd_web_server* s, client* c, const void* bytes, size_t length, enum lws_write_protocol kind)
{
    if (LWS_PRE + length > s->output_capacity) {
        free(s->output);
        s->output          = malloc(LWS_PRE + length);
        s->output_capacity = s->output ? LWS_PRE + length : 0;
        if (!s->output) return false;
    }
    memcpy(s->output + LWS_PRE, bytes, length);
    return lws_write(c->wsi, s->output + LWS_PRE, length, kind) >= (int)length;
}

static int write_next(cd_web_server* s, client* c)
{
    bool good = true;
    if (c->ntext > 0) {
        char* text    = c->text[c->first_text];
        c->first_text = (c->first_text + 1) % TEXTS_MAX;
        --c->ntext;
        good = write_message(s, c, text, strlen(text), LWS_WRITE_TEXT);
        free(text);
    } else if (c->bytes_wait) {
        c->bytes_wait = false;
        good          = write_message(s, c, c->bytes, c->nbytes, LWS_WRITE_BINARY);
    }
    if (c->ntext > 0 || c->bytes_wait) lws_callback_on_writable(c->wsi);
    return good ? 0 : -1;
}

static int on_socket(struct lws* wsi, enum lws_callback_reasons reason, void* user, void* in, size_t length)
{
    cd_web_server* s     = server_of(wsi);
    session*       state = user;
    client*        c     = state && state->client > 0 ? &s->client[state->client - 1] : NULL;
    switch (reason) {
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
        if (!header_is(wsi, WSI_TOKEN_HOST, "", s->port)) return answer_status(s, wsi, 421);
        if (!header_is(wsi, WSI_TOKEN_ORIGIN, "http://", s->port)) return answer_status(s, wsi, 403);
        return 0;
    case LWS_CALLBACK_ESTABLISHED:
        return begin_client(s, wsi, state);
    case LWS_CALLBACK_RECEIVE:
        return c ? receive(s, c, in, length) : -1;
    case LWS_CALLBACK_SERVER_WRITEABLE:
        return c ? write_next(s, c) : 0;
    case LWS_CALLBACK_TIMER:
        return c && !c->joined ? refuse(s, c) : 0;
    case LWS_CALLBACK_CLOSED:
        if (c) end_client(c);
        return 0;
    default:
        return 0;
    }
}

// ---- functions of the header

static struct lws_context* listen_on(cd_web_server* s, int port)
{
    static const struct lws_protocols protocols[] = {
        {.name = "http", .callback = on_http, .per_session_data_size = sizeof(session)},
        {.name = "cardan.1", .callback = on_socket, .per_session_data_size = sizeof(session), .rx_buffer_size = 4096},
        {0}};
    struct lws_context_creation_info info = {.port                 = port,
                                             .iface                = "127.0.0.1",
                                             .protocols            = protocols,
                                             .gid                  = -1,
                                             .uid                  = -1,
                                             .options              = LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND,
                                             .timeout_secs         = 10,
                                             .max_http_header_data = 4096,
                                             .max_http_header_pool = 16,
                                             .user                 = s};
    return lws_create_context(&info);
}

static void name_sources(cd_web_server* s)
{
    snprintf(
        s->security, sizeof s->security,
        "default-src 'none'; script-src 'self' %s; style-src 'self' %s; img-src 'self' data: blob:; "
        "media-src blob:; worker-src blob:; connect-src 'self' ws://127.0.0.1:%d ws://localhost:%d; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'none'",
        s->settings.script_source, s->settings.style_source, s->port, s->port);
}

cardan_status cd_web_server_open(const cd_web_settings* settings, cd_web_server** server, cardan_report* report)
{
    cd_web_server* s = *server = cd_allocate(1, sizeof *s);
    if (!s)
        return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                           "out of memory");
    s->settings = *settings;
    lws_set_log_level(0, NULL);
    for (int i = 0; !s->context && i < (settings->only_port ? 1 : PORTS_TRIED); ++i) {
        s->port    = settings->port + i;
        s->context = listen_on(s, s->port);
    }
    if (s->context) {
        name_sources(s);
        return CARDAN_OK;
    }
    free(s);
    *server = NULL;
    return cardan_fail(report, CARDAN_FILE_ERROR, CARDAN_CODE_STATUS_ONLY, cardan_location_none(),
                       "no server can be opened on 127.0.0.1 at port %d; choose another one by --port", settings->port);
}

bool cd_web_server_poll(cd_web_server* s) { return lws_service(s->context, 0) >= 0; }
void cd_web_server_wake(cd_web_server* s) { lws_cancel_service(s->context); }
int  cd_web_server_port(const cd_web_server* s) { return s->port; }
long cd_web_server_refused(const cd_web_server* s) { return s->refused; }

void cd_web_server_send_text(cd_web_server* s, int index, const char* text)
{
    for (int i = 0; i < CD_WEB_CLIENTS_MAX; ++i) {
        client* c = &s->client[i];
        if (!c->wsi || !c->joined || (index != CD_WEB_ALL_CLIENTS && index != i) || c->ntext == TEXTS_MAX) continue;
        char* copy = cd_copy_string(text);
        if (!copy) continue;
        c->text[(c->first_text + c->ntext++) % TEXTS_MAX] = copy;
        lws_callback_on_writable(c->wsi);
    }
}

static bool keep_bytes(client* c, const unsigned char* bytes, size_t length)
{
    if (length > c->bytes_capacity) {
        free(c->bytes);
        c->bytes          = malloc(length);
        c->bytes_capacity = c->bytes ? length : 0;
        if (!c->bytes) return false;
    }
    memcpy(c->bytes, bytes, length);
    c->nbytes = length;
    return true;
}

void cd_web_server_send_bytes(cd_web_server* s, int index, const unsigned char* bytes, size_t length)
{
    for (int i = 0; i < CD_WEB_CLIENTS_MAX; ++i) {
        client* c = &s->client[i];
        if (!c->wsi || !c->joined || (index != CD_WEB_ALL_CLIENTS && index != i)) continue;
        c->bytes_wait = keep_bytes(c, bytes, length);
        if (c->bytes_wait) lws_callback_on_writable(c->wsi);
    }
}

void cd_web_server_close(cd_web_server* s)
{
    if (!s) return;
    lws_context_destroy(s->context);
    for (int i = 0; i < CD_WEB_CLIENTS_MAX; ++i) end_client(&s->client[i]);
    free(s->output);
    free(s);
}
