// SPDX-License-Identifier: BSD-3-Clause
// What a run says of its energy: a method that controls its error and loses it has failed, and says when; a fixed step
// that is too long follows the motion roughly.
#include "sentences.h"
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
    CHECK_MESSAGE(&report.message[0], CARDAN_CODE_ENERGY_ERROR, "0.33", "t = 0.6 s", "0.7 s");
}

static void test_mild(void)
{
    const cd_energy_monitor b      = balance(1e-2);
    cardan_report           report = {0};
    CHECK(cd_report_energy_error(&b, 1e-2, 1e-8, &report) == CARDAN_OK);
    CHECK(report.count == 1 && report.errors == 0);
    CHECK_MESSAGE(&report.message[0], CARDAN_CODE_ENERGY_ERROR, "0.01", "1e-08");
}

static void test_fixed(void)
{
    const cd_energy_monitor b      = balance(0.5);
    cardan_report           report = {0};
    CHECK(cd_report_energy_error(&b, 0.33, 0, &report) == CARDAN_OK);
    CHECK(report.count == 1 && report.errors == 0);
    CHECK_MESSAGE(&report.message[0], CARDAN_CODE_ENERGY_ERROR, "0.33");
}

// What the tolerance allows for is no failure.
static void test_coarse(void)
{
    const cd_energy_monitor b      = balance(0.5);
    cardan_report           report = {0};
    CHECK(cd_report_energy_error(&b, 0.33, 1e-4, &report) == CARDAN_OK);
    CHECK(report.count == 1 && report.errors == 0);
    CHECK_MESSAGE(&report.message[0], CARDAN_CODE_ENERGY_ERROR, "0.33");
}

int main(void)
{
    RUN(test_adaptive());
    RUN(test_mild());
    RUN(test_fixed());
    RUN(test_coarse());
    RUN(test_sentences("test_energy_balance"));
    return test_end();
}
