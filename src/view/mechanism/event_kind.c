// SPDX-License-Identifier: BSD-3-Clause
// Names of events in the protocol of the viewer.
#include "view/mechanism/event_kind.h"

const char* cd_event_kind_name(cardan_event_kind kind)
{
    switch (kind) {
    case CARDAN_EVENT_JOINT_LIMIT:
        return "limit";
    case CARDAN_EVENT_STOP_CONDITION:
        return "stop";
    case CARDAN_EVENT_SINGULAR:
        return "singular";
    case CARDAN_EVENT_NEAR_SINGULAR:
        return "near_singular";
    case CARDAN_EVENT_BRANCH_SWITCH:
        return "branch";
    case CARDAN_EVENT_VIOLATION_LIMIT:
    case CARDAN_EVENT_VIOLATION_GROWTH:
        return "violation";
    case CARDAN_EVENT_CURVE_CORNER:
        return "corner";
    case CARDAN_EVENT_CURVE_END:
        return "curve_end";
    case CARDAN_EVENT_IMPACT:
    case CARDAN_EVENT_JAM:
        return "impact";
    case CARDAN_EVENT_BOUNCES_END:
    case CARDAN_EVENT_TOUCH:
    case CARDAN_EVENT_LIFT:
    case CARDAN_EVENT_SLIP:
    case CARDAN_EVENT_STICK:
        return "contact";
    }
    return "failure";
}
