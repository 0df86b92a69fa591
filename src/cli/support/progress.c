// SPDX-License-Identifier: BSD-3-Clause
// four-bar  [==================      ] 7.4 of 10 s   412x real time   0:03 remaining
#include "cli/support/terminal_print.h"
#include "cli/support/progress.h"
#include "core/clock.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { BAR_WIDTH = 24 };

static volatile sig_atomic_t interrupted; // type that a signal handler may write

static void on_signal(int number)
{
    (void)number;
    interrupted = 1;
}

bool cd_is_interrupted(void) { return interrupted != 0; }

void cd_catch_interrupts(void)
{
    struct sigaction action = {0};
    action.sa_handler       = on_signal;
    action.sa_flags         = (int)SA_RESETHAND;
    struct sigaction hangup;
    if (interrupted) return; // the second signal ends the process
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    if (sigaction(SIGHUP, NULL, &hangup) == 0 && hangup.sa_handler != SIG_IGN) // keep SIGHUP ignored under nohup
        sigaction(SIGHUP, &action, NULL);
}

void cd_progress_begin(cd_progress* progress, const char* name, double start, double end, bool quiet)
{
    cd_catch_interrupts();
    const double now   = cd_clock_wall();
    *progress          = (cd_progress){.name = name, .start = start, .end = end, .wall_begin = now, .wall_shown = now};
    progress->terminal = !quiet && isatty(STDERR_FILENO) == 1;
}

static void format_remaining_time(double seconds, char* text, size_t size)
{
    if (!(seconds < 1e6))
        snprintf(text, size, "-");
    else if (seconds < 3600)
        snprintf(text, size, "%d:%02d", (int)seconds / 60, (int)seconds % 60);
    else
        snprintf(text, size, "%d:%02d:%02d", (int)seconds / 3600, (int)seconds / 60 % 60, (int)seconds % 60);
}

// True if the terminal has not been updated for 0.1 s.
static bool is_update_due(cd_progress* progress)
{
    const double now = cd_clock_wall();
    if (!progress->terminal || now - progress->wall_shown < 0.1) return false;
    progress->wall_shown = now;
    return true;
}

static void draw_bar(double part, char bar[BAR_WIDTH + 1])
{
    memset(bar, ' ', BAR_WIDTH);
    memset(bar, '=', (size_t)(part * BAR_WIDTH));
    bar[BAR_WIDTH] = 0;
}

void cd_progress_show(cd_progress* progress, double t)
{
    if (!is_update_due(progress)) return;
    const double wall = progress->wall_shown - progress->wall_begin, done = t - progress->start,
                 whole = progress->end - progress->start;
    const double part  = whole > 0 ? fmin(fmax(done / whole, 0), 1) : 1;
    char         bar[BAR_WIDTH + 1], remaining[32];
    draw_bar(part, bar);
    format_remaining_time(part > 0 ? wall * (1 - part) / part : INFINITY, remaining, sizeof remaining);
    cd_print_error("\r%s  [%s] %.3g of %g s   %.3gx real time   %s remaining\033[K", progress->name, bar, t,
                   progress->end, wall > 0 ? done / wall : 0, remaining);
    fflush(stderr);
}

// The bar counts all cases; the remaining time is extrapolated from the cases done since the start.
void cd_progress_show_cases(cd_progress* progress, long done, long failed)
{
    if (!is_update_due(progress)) return;
    const double now = (double)done - progress->start, wall = progress->wall_shown - progress->wall_begin;
    char         bar[BAR_WIDTH + 1], remaining[32], bad[40] = "";
    draw_bar(fmin((double)done / progress->end, 1), bar);
    format_remaining_time(now > 0 ? wall * (progress->end - (double)done) / now : INFINITY, remaining,
                          sizeof remaining);
    if (failed > 0) snprintf(bad, sizeof bad, "   %ld failed", failed);
    cd_print_error("\r%s  [%s] %ld of %.0f cases%s   %s remaining\033[K", progress->name, bar, done, progress->end, bad,
                   remaining);
    fflush(stderr);
}

void cd_progress_clear(const cd_progress* progress)
{
    if (progress->terminal) cd_print_error("\r\033[K");
}

void cd_progress_end(cd_progress* progress)
{
    cd_progress_clear(progress);
    progress->terminal = false;
}
