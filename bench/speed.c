// SPDX-License-Identifier: BSD-3-Clause
// bench_speed: Cardan and MuJoCo on the same mechanisms in the same state.
#include "peer.h"
#include "race.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_messages(const cardan_report* report)
{
    for (int i = 0; i < report->count; ++i)
        if (report->message[i].severity == CARDAN_ERROR) fprintf(stderr, "%s\n", report->message[i].text);
}

static void print_race(const race* r)
{
    printf("\n%s: %d velocities, %d links (MuJoCo: %d bodies), %d rounds. Agreement: efforts %.0e, accelerations %.0e, balance %.0e\n", r->title, r->nv,
           r->nlink, r->nbody, r->rounds, r->inverse_error, r->forward_error, r->balance_error);
    printf("  %-18s %31s %31s %23s\n", "", "Cardan [us] (quartiles)", "MuJoCo [us] (quartiles)", "Cardan / MuJoCo");
    for (int k = 0; k < NQUANTITY; ++k) {
        const spread c = r->cardan[k], m = r->mujoco[k], x = r->ratio[k];
        printf("  %-18s %11.3f (%.3f..%.3f) %11.3f (%.3f..%.3f) %8.3f (%.3f..%.3f)\n", quantity_name[k], c.middle, c.low, c.high, m.middle, m.low,
               m.high, x.middle, x.low, x.high);
    }
}

// Reads or makes a mechanism, races it, prints; false where that failed, and why is said.
static bool measure(cardan_description* d, const char* family, const char* title, cardan_report* report, race* r)
{
    const bool fine = d && race_run(d, family, title, r, report) == CARDAN_OK;
    if (fine) print_race(r);
    print_messages(report);
    cardan_description_destroy(d);
    return fine;
}

int main(int argc, char** argv)
{
    const char* folder = argc > 1 ? argv[1] : "models/robots";
    const char* only   = argc > 2 ? argv[2] : NULL;
    const int   core   = clock_pin();
    printf("core %d\nCardan: %s\nMuJoCo %s: Debian's package\n", core, CARDAN_FLAGS, peer_version());
    cardan_report report;
    race r;
    for (int i = 0; i < robot_count(); ++i) {
        if (only && strcmp(only, robot_at(i)->title) != 0) continue;
        cardan_report_clear(&report);
        measure(robot_load(robot_at(i), folder, &report), "robot", robot_at(i)->title, &report, &r);
    }
    for (int n = 8; n <= 2048; n *= 2) {
        if (only && strcmp(only, "chain") != 0) continue;
        cardan_report_clear(&report);
        measure(mechanism_chain(n), "chain", "chain", &report, &r);
    }
    for (int n = 8; n <= 2048; n *= 2) {
        if (only && strcmp(only, "tree") != 0) continue;
        cardan_report_clear(&report);
        measure(mechanism_tree(n), "tree", "tree", &report, &r);
    }
    return 0;
}
