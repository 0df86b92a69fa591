// Page of `cardan view`: joins the modules. Frames come from the server or from a recording in the page.
import { createBus } from './bus.js';
import { createColumns } from './data/columns.js';
import { connect } from './data/connection.js';
import { flag } from './data/frames.js';
import { createLatency } from './data/latency.js';
import { hasRecording, playRecording } from './data/recording.js';
import { exposeForTests } from './debug.js';
import { iconButton } from './dom.js';
import { createCartesian } from './gestures/cartesian.js';
import { createGizmo } from './gestures/gizmo.js';
import { createPins } from './gestures/pins.js';
import { createPoints } from './gestures/points.js';
import { createPointer } from './gestures/pointer.js';
import { createPull } from './gestures/pull.js';
import { createTooltip } from './gestures/tooltip.js';
import { createKeys } from './keys.js';
import { keyTable } from './key_table.js';
import { createDiagnosis } from './panels/diagnosis.js';
import { createDisplay } from './panels/display.js';
import { createJoints } from './panels/joints.js';
import { createPanels } from './panels/panels.js';
import { createParameters } from './panels/parameters.js';
import { createPlots } from './panels/plots.js';
import { createProblems } from './panels/problems.js';
import { createSimulation } from './panels/simulation.js';
import { createStatus } from './panels/status.js';
import { createTime } from './panels/time.js';
import { createAnnotations } from './scene/annotations.js';
import { createContacts } from './scene/contacts.js';
import { createHighlight } from './scene/highlight.js';
import { createLabels } from './scene/labels.js';
import { createReactions } from './scene/reactions.js';
import { createTraces } from './scene/traces.js';
import { createView } from './scene/view3d.js';
import { createTheme } from './theme.js';

const wideWindow = 800; // pixels
const panelWidth = 372; // with the tools

const byId = (id) => document.getElementById(id);
const bus = createBus();
const recorded = hasRecording();
const state = {
    scene: null, last: null, playing: false, live: true, flags: flag.coordinates | flag.ghost, latency: createLatency(bus),
    counts: { bodies: 0, joints: 0, coordinates: 0, columns: 0 },
    setFlag(name, on) {
        const flags = on ? state.flags | flag[name] : state.flags & ~flag[name];
        if (flags === state.flags) return;
        state.flags = flags;
        source.send('flags', { value: state.flags });
    },
};
document.body.classList.toggle('recorded', recorded);

const theme = createTheme(bus);
const view = createView(byId('canvas'), theme, bus);

bus.on('scene', (scene) => {
    state.scene = scene;
    state.counts = { bodies: scene.bodies.length, joints: scene.joints.length, coordinates: scene.coordinates, columns: 0 };
    byId('name').textContent = scene.name;
    document.title = `${scene.name} · Cardan`;
    bus.emit('mechanism', view.show(scene));
    source.send('flags', { value: state.flags });
});
bus.on('frame', (frame) => {
    state.last = frame;
    const { mechanism } = view;
    mechanism.setPoses(frame.poses);
    if (frame.coordinates) mechanism.setCoordinates(frame.coordinates);
    mechanism.setGhost(frame.ghost);
    mechanism.setSingular(frame.singular);
    view.follow();
    bus.emit('posed', frame);
    view.redraw();
});

// The modules below send through `source`, which is opened last, when all of them listen.
let opened = null;
const source = { send: (type, values) => opened?.send(type, values), sendBytes: (bytes) => opened?.sendBytes(bytes) };
const columns = createColumns(state, source, bus);
const time = createTime(byId('time'), state, source, bus);
createStatus(byId('status'), bus);
createProblems(byId('problems'), byId('note'), view, bus);
createHighlight(view, bus);
const labels = createLabels(byId('labels'), view, bus);
const annotations = createAnnotations(view, bus);
const traces = createTraces(view, bus);
const reactions = createReactions(view, source, bus);
const contacts = createContacts(view, bus);
const pins = createPins(view, source, bus, byId('overlay'));
const pull = createPull(view, state, source, pins, bus, byId('overlay'));
const display = createDisplay({ state, view, theme, labels, annotations, reactions, contacts, traces, recorded });
const plots = createPlots(state, source, columns, bus, time);
const diagnosis = createDiagnosis(source, bus);
const cartesian = createCartesian(state, source, view, bus);
const gizmo = createGizmo(view, cartesian, bus);
const joints = createJoints(state, source, columns, bus);
const parameters = createParameters(source, bus);
const points = createPoints(view, state, parameters.load, bus);

const cover = (open) => view.setMargins(innerWidth >= wideWindow && open ? panelWidth : 0, byId('bottom').offsetHeight);
const panels = createPanels(byId('tools'), byId('panels'), cover);
cover(false);
if (!recorded) panels.add('joints', 'joints', 'Joints', 'J', joints.content, joints.opened);
panels.add('plots', 'plots', 'Plots', 'P', plots.content, plots.opened);
if (!recorded) {
    panels.add('parameters', 'parameters', 'Model', 'V', parameters.content, points.show);
    panels.add('diagnosis', 'diagnosis', 'Diagnosis', 'D', diagnosis.content, diagnosis.opened);
    panels.add('move', 'move', 'Move a marker', 'C', cartesian.content, gizmo.show);
    panels.add('simulation', 'simulation', 'Simulation', 'S', createSimulation(source, bus));
}
panels.add('display', 'display', 'Display', 'H', display.content);

createPointer(byId('canvas'), view, {
    pull, traces, handles: [gizmo, points], tooltip: createTooltip(document.body, view, reactions), canPull: !recorded,
    selectJoint(joint) {
        panels.toggle('joints', true);
        joints.reveal(joint);
    },
});
const keys = createKeys(keyTable({ recorded, time, pull, pins, view, display, theme, panels, showKeys: () => keys.show() }),
    { key: (event) => panels.isOpen('move') && cartesian.key(event), stop: cartesian.stop });
byId('tools').append(iconButton('fit', 'Fit all (F)', view.fitAll), iconButton('theme', 'Light or dark (T)', theme.toggle), iconButton('help', 'Keys (?)', keys.show));

opened = recorded ? playRecording(state, bus) : connect(state, bus);
exposeForTests({ state, view, traces, pins, contacts, columns, gizmo });
