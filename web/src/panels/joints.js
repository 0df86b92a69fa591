// Panel of joints: per coordinate a slider and a value. Moving it drives the coordinate and the closed mechanism follows; a driven coordinate
// may be given as position, speed, torque or formula of t, and shows its effort.
import { element, readable } from '../dom.js';

const mostEfforts = 24;
const modes = [['position', 'position'], ['rate', 'speed'], ['effort', 'torque or force']];

// Angles are shown in degrees, displacements in millimetres.
export const display = (unit) => (unit === 'rad' ? { factor: 180 / Math.PI, name: '°', digits: 1, effort: 'N m' }
    : unit === 'm' ? { factor: 1000, name: 'mm', digits: 1, effort: 'N' } : { factor: 1, name: unit, digits: 3, effort: '' });

export function createJoints(state, source, columns, bus) {
    const content = element('div', { class: 'rows' });
    const filter = element('input', { type: 'search', placeholder: 'filter', class: 'filter' });
    filter.setAttribute('aria-label', 'Filter joints');
    let rows = [];
    filter.addEventListener('input', () => {
        for (const row of rows) row.element.hidden = !row.coordinate.name.toLowerCase().includes(filter.value.toLowerCase());
    });

    function build(scene) {
        rows = scene.joints.flatMap((joint, index) => joint.coordinates.map((coordinate, axis) => makeRow(joint, index, coordinate, axis, scene)));
        filter.hidden = rows.length < 9;
        filter.value = '';
        content.replaceChildren(filter, ...rows.map((row) => row.element));
        if (rows.length === 0) content.append(element('p', { class: 'empty', textContent: 'No joint of this mechanism has a coordinate of one value.' }));
    }

    function makeRow(joint, index, coordinate, axis, scene) {
        const unit = display(coordinate.unit);
        const span = coordinate.unit === 'm' ? scene.length / 2 : Math.PI;
        const lower = (coordinate.lower ?? -span) * unit.factor;
        const upper = (coordinate.upper ?? span) * unit.factor;
        const fixed = { disabled: !coordinate.drivable };
        const slider = element('input', { type: 'range', min: lower, max: upper, step: 'any', ...fixed });
        const value = element('input', { type: 'number', step: 'any', class: 'value', ...fixed });
        const mode = element('select', { ...fixed }, ...modes.map(([key, text]) => element('option', { value: key, textContent: text })));
        const formula = element('input', { type: 'text', class: 'formula', placeholder: 'number or formula of t', spellcheck: false, ...fixed });
        const unitName = element('span', { class: 'unit', textContent: unit.name });
        const inputUnit = element('span', { class: 'unit' });
        const release = element('button', { type: 'button', class: 'small', textContent: 'release', onclick: () => free() });
        const effort = element('output', { class: 'effort' });
        const more = element('div', { class: 'drive', hidden: true }, mode, formula, inputUnit, release, effort);
        const open = element('button', { type: 'button', class: 'disclose', textContent: '…', title: 'Speed, torque, formula', ...fixed, onclick: () => { more.hidden = !more.hidden; } });
        for (const [node, name] of [[slider, ''], [value, ' value'], [mode, ' mode'], [formula, ' formula'], [open, ' drive']]) node.setAttribute('aria-label', coordinate.name + name);
        const row = { joint: index, axis, coordinate, unit, slider, value, effort, more, active: false, mode: null };

        const send = (type, values) => source.send(type, { joint: index, axis, ...values });
        function drive(shown) {
            if (state.playing) setMode(row, 'position');
            send('drive', { value: shown / unit.factor });
        }
        function free() {
            send(row.mode === 'effort' ? 'effort' : 'drive', { value: null });
            setMode(row, null);
        }
        function applyFormula() {
            const text = formula.value.trim();
            if (text === '') return;
            const number = Number(text);
            const scale = mode.value === 'effort' ? 1 : unit.factor;
            if (row.mode && (row.mode === 'effort') !== (mode.value === 'effort')) free();
            if (!Number.isFinite(number)) send(mode.value === 'effort' ? 'effort' : 'drive', { formula: text });
            else if (mode.value === 'effort') send('effort', { value: number });
            else send('drive', mode.value === 'rate' ? { rate: number / scale } : { value: number / scale });
            setMode(row, mode.value);
        }
        function showUnit() {
            inputUnit.textContent = mode.value === 'effort' ? unit.effort : mode.value === 'rate' ? `${unit.name}/s` : unit.name;
            formula.title = mode.value === 'effort' ? 'A number, or a formula of t in N m or N' : 'A number in the unit shown, or a formula of t in rad or m';
        }
        slider.addEventListener('pointerdown', () => { row.active = true; });
        slider.addEventListener('input', () => {
            value.value = Number(slider.value).toFixed(unit.digits);
            drive(Number(slider.value));
        });
        slider.addEventListener('change', () => { row.active = false; });
        value.addEventListener('change', () => {
            if (value.value !== '' && Number.isFinite(value.valueAsNumber)) drive(value.valueAsNumber);
        });
        mode.addEventListener('change', showUnit);
        formula.addEventListener('change', applyFormula);
        showUnit();
        row.element = element('div', { class: `joint${coordinate.drivable ? '' : ' fixed'}` },
            element('span', { class: 'row-name', textContent: coordinate.name, title: `${joint.joint_type} joint ${joint.name}` }),
            value, unitName, slider, open, more);
        row.element.addEventListener('pointerenter', () => bus.emit('joint-hover', index));
        row.element.addEventListener('pointerleave', () => bus.emit('joint-hover', -1));
        return row;
    }

    function setMode(row, mode) {
        if (row.mode === mode) return;
        row.mode = mode;
        row.element.classList.toggle('driven', mode !== null);
        if (mode) row.more.hidden = false;
        row.effort.value = '';
        askForEfforts();
    }

    function askForEfforts() {
        const names = rows.filter((row) => row.mode && row.coordinate.effort).map((row) => row.coordinate.effort);
        columns.request('joints', names.slice(0, mostEfforts));
    }

    function show(frame) {
        if (!frame.coordinates || content.offsetParent === null) return;
        for (const row of rows) {
            const effort = row.mode && row.coordinate.effort ? columns.value(frame, row.coordinate.effort) : undefined;
            if (effort !== undefined) row.effort.value = `${readable(effort, 3)} ${row.unit.effort}`;
            if (row.active) continue;
            let shown = frame.coordinates[row.coordinate.index] * row.unit.factor;
            if (document.activeElement !== row.value) row.value.value = shown.toFixed(row.unit.digits);
            if (row.coordinate.unit === 'rad' && row.coordinate.lower === null) shown -= 360 * Math.round(shown / 360);
            row.slider.value = shown;
        }
    }

    // Show the row of a joint that was clicked.
    function reveal(joint) {
        const row = rows.find((r) => r.joint === joint);
        for (const other of rows) other.element.classList.toggle('selected', other === row);
        if (!row) return;
        filter.value = '';
        for (const other of rows) other.element.hidden = false;
        row.element.scrollIntoView({ block: 'nearest' });
        row.slider.focus({ preventScroll: true });
    }

    bus.on('scene', build);
    bus.on('frame', show);
    bus.on('status', (status) => {
        if (!status.drives) return;
        for (const row of rows) {
            const drive = status.drives.find((d) => d.joint === row.joint && d.axis === row.axis);
            if (drive || row.mode) setMode(row, drive ? modes.some(([key]) => key === drive.mode) ? drive.mode : 'position' : null);
        }
    });
    return { content, reveal, opened: (open) => open && state.last && show(state.last) };
}
