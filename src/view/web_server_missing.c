// SPDX-License-Identifier: BSD-3-Clause
// The server in a build without libwebsockets.
#include "view/web_server.h"

#include "core/parts.h"

cardan_status cd_web_server_open(const cd_web_settings* settings, cd_web_server** server, cardan_report* report)
{
    (void)settings;
    *server = NULL;
    return cd_fail_missing_part(report, "viewer", cardan_location_none(), "the command view");
}
bool cd_web_server_poll(cd_web_server* server) { return (void)server, false; }
void cd_web_server_wake(cd_web_server* server) { (void)server; }
void cd_web_server_send_text(cd_web_server* server, int client, const char* text)
{
    (void)server, (void)client, (void)text;
}
void cd_web_server_send_bytes(cd_web_server* server, int client, const unsigned char* bytes, size_t length)
{
    (void)server, (void)client, (void)bytes, (void)length;
}
void cd_web_server_close(cd_web_server* server) { (void)server; }
int  cd_web_server_port(const cd_web_server* server) { return (void)server, 0; }
long cd_web_server_refused(const cd_web_server* server) { return (void)server, 0; }
