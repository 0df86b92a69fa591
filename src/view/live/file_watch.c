// SPDX-License-Identifier: BSD-3-Clause
// Watch of files by inotify. Editors write a file in place or rename another file to its name; both are events of the
// folder.
#include "view/live/file_watch.h"

#include "core/clock.h"
#include "core/text.h"

#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

static const double settling = 0.05; // [s] between the first event and the report

void cd_file_watch_open(cd_file_watch* w)
{
    memset(w, 0, sizeof *w);
    w->descriptor = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
}

void cd_file_watch_close(cd_file_watch* w)
{
    for (int i = 0; i < w->count; ++i) free(w->name[i]);
    if (w->descriptor >= 0) close(w->descriptor);
    memset(w, 0, sizeof *w);
    w->descriptor = -1;
}

static int watch_folder(cd_file_watch* w, const char* path, size_t length)
{
    char* folder = length > 0 ? strndup(path, length) : cd_copy_string(path[0] == '/' ? "/" : ".");
    if (!folder) return -1;
    const int watch = inotify_add_watch(w->descriptor, folder, IN_CLOSE_WRITE | IN_MOVED_TO);
    free(folder);
    return watch;
}

void cd_file_watch_add(cd_file_watch* w, const char* path)
{
    if (w->descriptor < 0 || w->count == CD_WATCHED_FILES_MAX) return;
    const char* slash  = strrchr(path, '/');
    const int   folder = watch_folder(w, path, slash ? (size_t)(slash - path) : 0);
    char*       name   = cd_copy_string(slash ? slash + 1 : path);
    if (folder < 0 || !name) {
        free(name);
        return;
    }
    w->folder[w->count] = folder;
    w->name[w->count++] = name;
}

static bool is_watched(const cd_file_watch* w, const struct inotify_event* event)
{
    for (int i = 0; i < w->count; ++i)
        if (event->len > 0 && event->wd == w->folder[i] && strcmp(event->name, w->name[i]) == 0) return true;
    return false;
}

bool cd_file_watch_take(cd_file_watch* w)
{
    _Alignas(struct inotify_event) char buffer[4096];
    ssize_t                             length;
    while (w->descriptor >= 0 && (length = read(w->descriptor, buffer, sizeof buffer)) > 0)
        for (const char* p = buffer; p < buffer + length;) {
            const struct inotify_event* event = (const void*)p;
            if (is_watched(w, event) && w->changed == 0) w->changed = cd_clock_wall();
            p += sizeof *event + event->len;
        }
    if (w->changed == 0 || cd_clock_wall() < w->changed + settling) return false;
    w->changed = 0;
    return true;
}
