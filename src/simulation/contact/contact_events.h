// SPDX-License-Identifier: BSD-3-Clause
// Event functions of rigid contacts; positive where the states of the contacts are no longer valid (contact_run.h).
#pragma once

typedef enum cd_contact_event_function {
    CD_CONTACT_TOUCH,   // -gap [m]
    CD_CONTACT_FORCE,   // -margin, relative to the largest force
    CD_CONTACT_SPEED,   // -u_t.s [m/s]
    CD_CONTACT_FEATURE, // +-1
    CD_CONTACT_EVENT_FUNCTIONS
} cd_contact_event_function;

struct cd_contact_run;

// Value at the state of the data; *rate: of the gap function, else 0.
double cd_contact_event_value(struct cd_contact_run* run, int function, double* rate);
double cd_contact_event_hysteresis(const struct cd_contact_run* run, int function);
