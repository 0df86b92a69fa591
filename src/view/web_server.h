// SPDX-License-Identifier: BSD-3-Clause
// Server of the page and of WebSockets on the loopback interface. Clients that have sent the token exchange messages.
#pragma once

#include <cardan/status.h>
#include <stddef.h>

typedef struct cd_web_server cd_web_server;

enum { CD_WEB_ALL_CLIENTS = -1, CD_WEB_CLIENTS_MAX = 8 };

typedef struct cd_web_settings {
    int                  port;                         // first one that is tried
    bool                 only_port;                    // no other one is tried
    const unsigned char* page;                         // bytes of the page ...
    size_t               page_length;                  // ... and their number
    const char *         script_source, *style_source; // hashes of its scripts and styles: "'sha256-...'"
    const char*          token;                        // 32 hexadecimal digits
    void*                user;
    // A client has sent the right token.
    void (*joined)(void* user, int client);
    // A message of a client; `bytes` is zero-terminated. False: the message is malformed, the client is refused.
    bool (*received)(void* user, int client, bool is_text, const char* bytes, size_t length);
} cd_web_settings;

cardan_status cd_web_server_open(const cd_web_settings* settings, cd_web_server** server, cardan_report* report);
// Wait for something to do and do it; returns after cd_web_server_wake. False: the server has failed.
bool cd_web_server_poll(cd_web_server* server);
void cd_web_server_wake(cd_web_server* server); // from any thread
// Send to one client or to all. Texts keep their order; bytes replace those that wait.
void cd_web_server_send_text(cd_web_server* server, int client, const char* text);
void cd_web_server_send_bytes(cd_web_server* server, int client, const unsigned char* bytes, size_t length);
void cd_web_server_close(cd_web_server* server);
int  cd_web_server_port(const cd_web_server* server);
long cd_web_server_refused(const cd_web_server* server); // connections and messages that were refused
