// SPDX-License-Identifier: BSD-3-Clause
// What a run says of its energy: a method that controls its error and loses it has failed, and says when; a fixed step
// that is too long follows the motion roughly.
#include "test.h"
#include "simulation/monitors/energy_monitor.h"

static cd_energy_monitor balance(double lost)
{
    cd_energy_monitor b = {0};
    for (int i = 0; i <= 10; ++i)
        cd_energy_monitor_update(&b, (cardan_energies){.kinetic = 1 + (i > 6 ? lost : 0), .potential = -1}, 0, 0,
                                 0.1 * i);
    return b;
}

static void test_adaptive(void)
{
    const cd_energy_monitor b      = balance(0.5);
    cardan_report           report = {0};
    CHECK(cd_report_energy_error(&b, 0.33, 1e-8, &report) == CARDAN_NOT_CONVERGED);
    CHECK(report.count == 1 && report.errors == 1);
    CHECK_HAS(report.message[0].text,
              "most of it between t = 0.6 s and 0.7 s: what was computed from there on is not the "
              "motion of this mechanism");
}

static void test_mild(void)
{
    const cd_energy_monitor b      = balance(1e-2);
    cardan_report           report = {0};
    CHECK(cd_report_energy_error(&b, 1e-2, 1e-8, &report) == CARDAN_OK);
    CHECK(report.count == 1 && report.errors == 0);
    CHECK_HAS(report.message[0].text, "more than a tolerance of 1e-08 explains");
}

static void test_fixed(void)
{
    const cd_energy_monitor b      = balance(0.5);
    cardan_report           report = {0};
    CHECK(cd_report_energy_error(&b, 0.33, 0, &report) == CARDAN_OK);
    CHECK(report.count == 1 && report.errors == 0);
    CHECK_HAS(report.message[0].text, "steps of this length follow the motion of this mechanism only roughly");
}

// What the tolerance allows for is no failure.
static void test_coarse(void)
{
    const cd_energy_monitor b      = balance(0.5);
    cardan_report           report = {0};
    CHECK(cd_report_energy_error(&b, 0.33, 1e-4, &report) == CARDAN_OK);
    CHECK(report.count == 1 && report.errors == 0);
    CHECK_HAS(report.message[0].text,
              "results follow the motion of this mechanism only roughly; give a smaller tolerance");
}

int main(void)
{
    RUN(test_adaptive());
    RUN(test_mild());
    RUN(test_fixed());
    RUN(test_coarse());
    return test_end();
}
