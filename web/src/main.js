// Page of `cardan view`: joins the modules. Frames come from the server or from a recording in the page.
import { createAnnotations } from './annotations.js';
import { createBus } from './bus.js';
import { createCartesian } from './cartesian.js';
import { connect } from './connection.js';
import { createDiagnosis } from './diagnosis.js';
import { element, iconButton, saveFile } from './dom.js';
import { flag } from './frames.js';
import { createJoints } from './joints.js';
import { createKeys } from './keys.js';
import { createLabels } from './labels.js';
import { createLatency } from './latency.js';
import { createPanels } from './panels.js';
import { createParameters } from './parameters.js';
import { createPlots } from './plots.js';
import { createPointer } from './pointer.js';
import { createProblems } from './problems.js';
import { createPull } from './pull.js';
import { createReactions } from './reactions.js';
import { hasRecording, playRecording } from './recording.js';
import { createStatus } from './status.js';
import { createTheme } from './theme.js';
import { createTime } from './time.js';
import { createTraces } from './traces.js';
import { createView } from './view3d.js';

const byId = (id) => document.getElementById(id);
const bus = createBus();
const state = {
    scene: null, last: null, playing: false, live: true, flags: flag.coordinates, latency: createLatency(bus),
    counts: { bodies: 0, joints: 0, coordinates: 0, columns: 0 },
    setFlag(name, on) {
        state.flags = on ? state.flags | flag[name] : state.flags & ~flag[name];
        source.send('flags', { value: state.flags });
    },
};

const theme = createTheme(bus);
const view = createView(byId('canvas'), theme, bus);

bus.on('scene', (scene) => {
    state.scene = scene;
    const indices = scene.joints.flatMap((joint) => joint.coordinates.map((c) => c.index));
    state.counts = { bodies: scene.bodies.length, joints: scene.joints.length, coordinates: Math.max(-1, ...indices) + 1, columns: 0 };
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
    bus.emit('posed', frame);
    view.redraw();
});

// The modules below send through `source`, which is opened last, when all of them listen.
let opened = null;
const source = { send: (type, values) => opened?.send(type, values), sendBytes: (bytes) => opened?.sendBytes(bytes) };
const time = createTime(byId('time'), state, source, bus);
createStatus(byId('status'), state, source, bus);
createProblems(byId('problems'), byId('note'), view, bus);
const labels = createLabels(byId('labels'), view, bus);
const annotations = createAnnotations(view, bus);
const traces = createTraces(view, bus);
const reactions = createReactions(view, bus);
const pull = createPull(view, state, source, bus, byId('overlay'));
createPointer(byId('canvas'), view, pull, traces);

const toggles = new Map();
const display = element('div', { class: 'rows' });
function addToggle(id, text, set) {
    const box = element('input', { type: 'checkbox', id: `toggle-${id}`, onchange: () => set(box.checked) });
    display.append(element('label', { class: 'toggle' }, box, text));
    toggles.set(id, () => {
        box.checked = !box.checked;
        set(box.checked);
    });
}
addToggle('names', 'names', labels.set);
addToggle('frames', 'frames', annotations.setFrames);
addToggle('centres', 'mass centres', annotations.setCentres);
addToggle('reactions', 'reactions', (on) => {
    reactions.set(on);
    state.setFlag('reactions', on);
});
addToggle('ghost', 'earlier motion (ghost)', (on) => state.setFlag('ghost', on));
display.append(
    element('button', { type: 'button', class: 'small', textContent: 'clear traces', onclick: () => { traces.clear(); view.redraw(); } }),
    element('button', { type: 'button', class: 'small', textContent: 'save picture', onclick: () => view.picture((blob) => saveFile('mechanism.png', 'image/png', blob)) }),
    element('p', { class: 'hint', textContent: 'Alt+click on a body traces the path of the point.' }));

const panels = createPanels(byId('tools'), byId('panels'));
const plots = createPlots(state, source, bus, time);
const diagnosis = createDiagnosis(source, bus);
const cartesian = createCartesian(state, source, view, bus);
const recorded = hasRecording();
if (!recorded) panels.add('joints', 'joints', 'Joints', 'J', createJoints(state, source, bus));
panels.add('plots', 'plots', 'Plots', 'P', plots.content, plots.opened);
if (!recorded) {
    panels.add('parameters', 'parameters', 'Model', 'V', createParameters(source, bus));
    panels.add('diagnosis', 'diagnosis', 'Diagnosis', 'D', diagnosis.content, diagnosis.opened);
    panels.add('move', 'move', 'Move a marker', 'C', cartesian.content);
}
panels.add('display', 'display', 'Display', 'H', display);
const open = (id) => () => byId(`panel-${id}`) && panels.toggle(id);
const keys = createKeys([
    { keys: [], label: 'press on a body', text: 'pull it; while paused: move the mechanism' },
    { keys: [], label: 'press elsewhere', text: 'turn the camera; right button or Shift: pan; wheel: zoom' },
    { keys: [], label: 'double click', text: 'centre the view on the point' },
    { keys: [], label: 'Alt+click', text: 'trace the path of the point' },
    { keys: [' '], label: 'Space', text: 'play, pause', run: time.toggle },
    { keys: ['.'], text: 'one frame forward', run: () => time.step(1) },
    { keys: [','], text: 'one frame back', run: () => time.step(-1) },
    { keys: ['ArrowLeft'], label: '←', text: 'ten frames back in the history', run: () => time.scrub(-10) },
    { keys: ['ArrowRight'], label: '→', text: 'ten frames forward in the history', run: () => time.scrub(10) },
    { keys: ['r'], label: 'R', text: 'reset', run: time.reset },
    { keys: ['g'], label: 'G', text: 'release the pulled body', run: pull.release },
    { keys: ['f'], label: 'F', text: 'fit all', run: view.fitAll },
    { keys: ['1'], text: 'front view', run: () => { view.controls.standard.front(); view.fitAll(); } },
    { keys: ['2'], text: 'side view', run: () => { view.controls.standard.side(); view.fitAll(); } },
    { keys: ['3'], text: 'top view', run: () => { view.controls.standard.top(); view.fitAll(); } },
    { keys: ['0'], text: 'initial view', run: view.home },
    { keys: ['n'], label: 'N', text: 'names', run: toggles.get('names') },
    { keys: ['a'], label: 'A', text: 'frames', run: toggles.get('frames') },
    { keys: ['m'], label: 'M', text: 'mass centres', run: toggles.get('centres') },
    { keys: ['w'], label: 'W', text: 'reactions', run: toggles.get('reactions') },
    { keys: ['t'], label: 'T', text: 'light or dark theme', run: theme.toggle },
    { keys: ['j'], label: 'J', text: 'panel of joints', run: open('joints') },
    { keys: ['p'], label: 'P', text: 'panel of plots', run: open('plots') },
    { keys: ['v'], label: 'V', text: 'panel of the model', run: open('parameters') },
    { keys: ['d'], label: 'D', text: 'panel of the diagnosis', run: open('diagnosis') },
    { keys: ['c'], label: 'C', text: 'panel to move a marker', run: open('move') },
    { keys: ['h'], label: 'H', text: 'panel of the display', run: open('display') },
    { keys: ['Escape'], label: 'Esc', text: 'fold all panels', run: panels.foldAll },
    { keys: ['?'], text: 'this list', run: () => keys.show() },
], { key: (event) => byId('panel-move') && panels.isOpen('move') && cartesian.key(event), stop: cartesian.stop });
byId('tools').append(iconButton('fit', 'Fit all (F)', view.fitAll), iconButton('theme', 'Light or dark (T)', theme.toggle), iconButton('help', 'Keys (?)', keys.show));

opened = recorded ? playRecording(state, bus) : connect(state, bus);

if (new URLSearchParams(location.search).has('debug')) {
    Object.defineProperty(window, 'cardan', {
        value: Object.freeze({
            get last() { return state.last; },
            get latency() { return state.latency.histogram(); },
            get playing() { return state.playing; },
            get traces() { return traces.count; },
            screen(body, point) {
                const { group } = view.mechanism.bodies[body];
                return view.toScreen(group.localToWorld(group.position.clone().fromArray(point)));
            },
        }),
    });
}
