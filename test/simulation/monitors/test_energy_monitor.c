// SPDX-License-Identifier: BSD-3-Clause
// Energy error E - E_start - W on given sequences of energies and work: maxima, the interval of the largest change, the
// relative error, and what is reported for which tolerance.
#include "prepared_run.h"

#include "simulation/monitors/energy_monitor.h"

static cardan_energies energies(double kinetic, double potential)
{
    return (cardan_energies){.kinetic = kinetic, .potential = potential};
}

static void test_maxima(void)
{
    cd_energy_monitor m = {0};
    cd_energy_monitor_update(&m, energies(2, -5), -3, 0, 0.5); // error 0
    CHECK_NEAR(m.error_max, 0, 0);
    cd_energy_monitor_update(&m, energies(4, -6), -3, 2, 1.0);  // -2 + 3 - 2 = -1
    cd_energy_monitor_update(&m, energies(3, 1), -3, 6.5, 1.5); // 4 + 3 - 6.5 = 0.5
    cd_energy_monitor_update(&m, energies(1, 2), -3, -7, 2.0);  // 3 + 3 + 7 = 13
    cd_energy_monitor_update(&m, energies(1, 2), -3, -6, 2.5);  // 12
    CHECK_NEAR(m.kinetic_max, 4, 0);
    CHECK_NEAR(m.potential_max, 6, 0);
    CHECK_NEAR(m.work_max, 7, 0);
    CHECK_NEAR(m.error_max, 13, 1e-15);
    CHECK_NEAR(m.last_error, 12, 1e-15);
    CHECK_NEAR(m.last_t, 2.5, 0);
    CHECK_NEAR(m.change_max, 12.5, 1e-15);
    CHECK_NEAR(m.change_start, 1.5, 0);
    CHECK_NEAR(m.change_end, 2.0, 0);
}

// Body of 2 kg, length 3 m: the smallest scale is a millionth of |V| + |W| + m L^2/s^2.
static void test_relative_error(void)
{
    prepared_run r;
    if (run_compile(&r,
                    describe_text("cardan: 1\nname: body\nbodies: {b: {mass: 2, inertia: [1, 1, 1], at: [0, 0, 0]}}\n"
                                  "joints: {j: {revolute: [ground, b], at: [0, 0, 0], axis: z}}\n"),
                    "cholesky")) {
        cd_energy_monitor m = {.kinetic_max = 4, .potential_max = 100, .work_max = 50, .error_max = 0.5};
        CHECK_NEAR(cd_energy_monitor_relative_error(&m, r.model, 3), 0.125, 1e-15);
        m.kinetic_max = 1e-9;
        CHECK_NEAR(cd_energy_monitor_relative_error(&m, r.model, 3), 0.5 / (1e-6 * (100 + 50 + 2 * 9)), 1e-12);
        CHECK_NEAR(cd_energy_monitor_relative_error(&(cd_energy_monitor){0}, r.model, 0), 0, 0);
    }
    run_close(&r);
}

// Status, and number and severity of messages. tolerance 0: a fixed-step method.
static void check_report(double relative_error, double tolerance, cardan_status expected, int count,
                         cardan_severity severity)
{
    const cd_energy_monitor m = {
        .kinetic_max = 1, .error_max = relative_error, .change_start = 0.25, .change_end = 0.375};
    cardan_report report = {0};
    CHECK(cd_report_energy_error(&m, relative_error, tolerance, &report) == expected);
    CHECK(report.count == count && messages_with(&report, CARDAN_CODE_ENERGY_ERROR) == count);
    if (count > 0) CHECK(report.message[0].severity == severity);
    if (expected != CARDAN_OK) CHECK(strstr(report.message[0].text, "0.25") && strstr(report.message[0].text, "0.375"));
}

static void test_reports(void)
{
    check_report(0.05, 0, CARDAN_OK, 0, CARDAN_NOTE);
    check_report(0.11, 0, CARDAN_OK, 1, CARDAN_WARNING);
    // limits at tolerance 1e-9: 1e-4; at 1e-6: 1e-2; at 1e-4: 1e4 tolerances explain any error
    check_report(0.9e-4, 1e-9, CARDAN_OK, 0, CARDAN_NOTE);
    check_report(1.1e-4, 1e-9, CARDAN_OK, 1, CARDAN_WARNING);
    check_report(0.9e-2, 1e-6, CARDAN_OK, 0, CARDAN_NOTE);
    check_report(1.1e-2, 1e-6, CARDAN_OK, 1, CARDAN_WARNING);
    check_report(0.11, 1e-6, CARDAN_NOT_CONVERGED, 1, CARDAN_ERROR);
    check_report(0.5, 1e-4, CARDAN_OK, 1, CARDAN_WARNING);
    check_report(1.1, 1e-4, CARDAN_NOT_CONVERGED, 1, CARDAN_ERROR);
}

// An error that is small relative to the potential energy and the work is no loss of the energy of the mechanism.
static void test_other_energies(void)
{
    cd_energy_monitor m      = {.kinetic_max = 1, .potential_max = 50, .work_max = 50, .error_max = 0.5};
    cardan_report     report = {0};
    CHECK(cd_report_energy_error(&m, 0.5, 1e-6, &report) == CARDAN_OK && report.count == 1); // warning, no error
    CHECK(report.message[0].severity == CARDAN_WARNING);
    m.potential_max = m.work_max = 10; // 0.01 of 21 J is less than 0.5 J
    CHECK(cd_report_energy_error(&m, 0.5, 1e-6, NULL) == CARDAN_NOT_CONVERGED);
}

static void test_note(void)
{
    cardan_report report = {0};
    cd_note_energy_error(0.09, true, &report);
    CHECK(report.count == 0);
    cd_note_energy_error(0.11, true, &report);
    CHECK(report.count == 1 && report.message[0].severity == CARDAN_NOTE &&
          report.message[0].code == CARDAN_CODE_ENERGY_ERROR);
}

int main(void)
{
    RUN(test_maxima());
    RUN(test_relative_error());
    RUN(test_reports());
    RUN(test_other_energies());
    RUN(test_note());
    return test_end();
}
