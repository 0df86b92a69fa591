// SPDX-License-Identifier: BSD-3-Clause
// Report on the energy error of a run: an adaptive method with a large error fails and reports the time of the largest
// change; a fixed step that is too long gives a warning.
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

static void test_adaptive_failure(void)
{
    const cd_energy_monitor b      = balance(0.5);
    cardan_report           report = {0};
    CHECK(cd_report_energy_error(&b, 0.33, 1e-8, &report) == CARDAN_NOT_CONVERGED);
    CHECK(report.count == 1 && report.errors == 1);
    CHECK_MESSAGE(&report.message[0], CARDAN_CODE_ENERGY_ERROR, "0.33", "t = 0.6 s", "0.7 s");
}

static void test_adaptive_warning(void)
{
    const cd_energy_monitor b      = balance(1e-2);
    cardan_report           report = {0};
    CHECK(cd_report_energy_error(&b, 1e-2, 1e-8, &report) == CARDAN_OK);
    CHECK(report.count == 1 && report.errors == 0);
    CHECK_MESSAGE(&report.message[0], CARDAN_CODE_ENERGY_ERROR, "0.01", "1e-08");
}

static void test_fixed_step(void)
{
    const cd_energy_monitor b      = balance(0.5);
    cardan_report           report = {0};
    CHECK(cd_report_energy_error(&b, 0.33, 0, &report) == CARDAN_OK);
    CHECK(report.count == 1 && report.errors == 0);
    CHECK_MESSAGE(&report.message[0], CARDAN_CODE_ENERGY_ERROR, "0.33");
}

// An energy error that the tolerance explains is no failure.
static void test_large_tolerance(void)
{
    const cd_energy_monitor b      = balance(0.5);
    cardan_report           report = {0};
    CHECK(cd_report_energy_error(&b, 0.33, 1e-4, &report) == CARDAN_OK);
    CHECK(report.count == 1 && report.errors == 0);
    CHECK_MESSAGE(&report.message[0], CARDAN_CODE_ENERGY_ERROR, "0.33");
}

int main(void)
{
    RUN(test_adaptive_failure());
    RUN(test_adaptive_warning());
    RUN(test_fixed_step());
    RUN(test_large_tolerance());
    RUN(test_sentences("test_energy_balance"));
    return test_end();
}
