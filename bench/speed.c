// SPDX-License-Identifier: BSD-3-Clause
// bench_speed: Cardan and MuJoCo on the same mechanisms at the same state.
//
//   bench_speed [--robots FOLDER] [--results FOLDER] [UR5|Panda|ANYmal|Talos|humanoid|chain|tree ...]
#include "results.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { SMALLEST = 8, LARGEST = 2048, MOST = 64 };

typedef struct selection {
    const char* robots;  // folder with the models
    const char* results; // folder for CSV and SVG, or NULL
    int         nname;
    char**      name; // selected mechanisms; none: all
} selection;

typedef struct season {
    race race[MOST];
    int  n, failed;
} season;

static bool read_selection(int argc, char** argv, selection* w)
{
    *w    = (selection){.robots = "models/robots"};
    int i = 1;
    for (; i + 1 < argc && strncmp(argv[i], "--", 2) == 0; i += 2) {
        if (strcmp(argv[i], "--robots") == 0)
            w->robots = argv[i + 1];
        else if (strcmp(argv[i], "--results") == 0)
            w->results = argv[i + 1];
        else
            return false;
    }
    w->nname = argc - i;
    w->name  = argv + i;
    return w->nname == 0 || strncmp(w->name[0], "--", 2) != 0;
}

static bool is_selected(const selection* w, const char* name)
{
    for (int i = 0; i < w->nname; ++i)
        if (strcmp(w->name[i], name) == 0) return true;
    return w->nname == 0;
}

// Run one comparison; the description is destroyed.
static void add(season* s, cardan_description* d, const char* family, const char* title, cardan_report* report)
{
    race*      r     = &s->race[s->n];
    const bool watch = isatty(STDERR_FILENO);
    if (watch) fprintf(stderr, "%s ...\r", title);
    if (d && race_run(d, family, title, r, report) == CARDAN_OK) {
        results_print(r);
        ++s->n;
    } else {
        ++s->failed;
        fflush(stdout);
        fprintf(stderr, "\n%s was not measured\n", title);
        for (int i = 0; i < report->count; ++i)
            if (report->message[i].severity == CARDAN_ERROR) fprintf(stderr, "%s\n", report->message[i].text);
    }
    cardan_description_destroy(d);
    cardan_report_clear(report);
}

static void add_family(season* s, const char* family, cardan_report* report)
{
    for (int n = SMALLEST; n <= LARGEST; n *= 2) {
        char title[32];
        snprintf(title, sizeof title, "%s %d", family, n);
        add(s, mechanism_make(family, n), family, title, report);
    }
}

static void report_written(bool written, const char* path)
{
    if (written)
        printf("written: %s\n", path);
    else
        fprintf(stderr, "cannot write %s\n", path);
}

static void save(const season* s, const char* folder)
{
    static const char* const family[] = {"chain", "tree"};
    char                     path[1024];
    snprintf(path, sizeof path, "%s/speed.csv", folder);
    printf("\n");
    report_written(results_csv(s->race, s->n, path), path);
    for (int i = 0; i < 2; ++i) {
        bool any = false;
        for (int k = 0; k < s->n; ++k) any = any || strcmp(s->race[k].family, family[i]) == 0;
        snprintf(path, sizeof path, "%s/%s.svg", folder, family[i]);
        if (any) report_written(results_plot(s->race, s->n, family[i], path), path);
    }
}

int main(int argc, char** argv)
{
    static season s;
    cardan_report report;
    selection     w;
    if (!read_selection(argc, argv, &w)) {
        fprintf(stderr, "usage: bench_speed [--robots FOLDER] [--results FOLDER] "
                        "[UR5|Panda|ANYmal|Talos|humanoid|chain|tree ...]\n");
        return 2;
    }
    cardan_report_clear(&report);
    results_head(clock_pin());
    for (int i = 0; i < robot_count(); ++i) {
        const robot* r = robot_at(i);
        if (is_selected(&w, r->title)) add(&s, robot_load(r, w.robots, &report), "robot", r->title, &report);
    }
    if (is_selected(&w, "chain")) add_family(&s, "chain", &report);
    if (is_selected(&w, "tree")) add_family(&s, "tree", &report);
    results_growth(s.race, s.n, "chain");
    results_growth(s.race, s.n, "tree");
    results_goals(s.race, s.n);
    if (w.results) save(&s, w.results);
    return s.failed > 0;
}
