// Panel of joints: a slider and a value per coordinate that can be driven. The closed mechanism follows; release frees the coordinate.
import { element } from './dom.js';

// Angles are shown in degrees, displacements in millimetres.
export const display = (unit) => (unit === 'rad' ? { factor: 180 / Math.PI, name: '°', digits: 1 } : unit === 'm' ? { factor: 1000, name: 'mm', digits: 1 } : { factor: 1, name: unit, digits: 3 });

export function createJoints(state, source, bus) {
    const content = element('div', { class: 'rows' });
    const filter = element('input', { type: 'search', placeholder: 'filter', class: 'filter' });
    filter.setAttribute('aria-label', 'Filter joints');
    let rows = [];
    filter.addEventListener('input', () => {
        for (const row of rows) row.element.hidden = !row.name.toLowerCase().includes(filter.value.toLowerCase());
    });

    function build(scene) {
        rows = [];
        scene.joints.forEach((joint, index) => joint.coordinates.forEach((coordinate, axis) => rows.push(makeRow(joint, index, coordinate, axis, scene))));
        filter.hidden = rows.length < 9;
        content.replaceChildren(filter, ...rows.map((row) => row.element));
        if (rows.length === 0) content.append(element('p', { class: 'empty', textContent: 'No joint of this mechanism has a coordinate of one value.' }));
    }

    function makeRow(joint, index, coordinate, axis, scene) {
        const unit = display(coordinate.unit);
        const span = coordinate.unit === 'm' ? scene.length / 2 : Math.PI;
        const lower = (coordinate.lower ?? -span) * unit.factor;
        const upper = (coordinate.upper ?? span) * unit.factor;
        const slider = element('input', { type: 'range', min: lower, max: upper, step: 'any', disabled: !coordinate.drivable });
        const value = element('input', { type: 'number', step: 'any', disabled: !coordinate.drivable, class: 'value' });
        const release = element('button', { type: 'button', class: 'small', textContent: 'release', hidden: true, onclick: () => drive(null) });
        slider.setAttribute('aria-label', coordinate.name);
        value.setAttribute('aria-label', `${coordinate.name} value`);
        const row = { name: coordinate.name, coordinate, unit, slider, value, driven: false, active: false };
        function drive(shown) {
            row.driven = shown !== null;
            release.hidden = !row.driven;
            source.send('drive', { joint: index, axis, value: shown === null ? null : shown / unit.factor });
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
        row.element = element('div', { class: `joint${coordinate.drivable ? '' : ' fixed'}` },
            element('span', { class: 'row-name', textContent: coordinate.name, title: `${joint.joint_type} joint ${joint.name}` }),
            value, element('span', { class: 'unit', textContent: unit.name }), slider, release);
        return row;
    }

    function show(frame) {
        if (!frame.coordinates || content.offsetParent === null) return;
        for (const row of rows) {
            if (row.active) continue;
            let shown = frame.coordinates[row.coordinate.index] * row.unit.factor;
            if (document.activeElement !== row.value) row.value.value = shown.toFixed(row.unit.digits);
            if (row.coordinate.unit === 'rad' && row.coordinate.lower === null) shown -= 360 * Math.round(shown / 360);
            row.slider.value = shown;
        }
    }

    bus.on('scene', build);
    bus.on('frame', show);
    return content;
}
