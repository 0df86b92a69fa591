// Marker moved by keys or buttons along the axes of the world, by inverse kinematics (`move`), while a key or button is held.
import { element } from '../dom.js';

const directions = [['x', [1, 0, 0]], ['y', [0, 1, 0]], ['z', [0, 0, 1]]];

export function createCartesian(state, source, view, bus) {
    const marker = element('select', { class: 'wide' });
    marker.setAttribute('aria-label', 'Marker');
    const speed = element('input', { type: 'number', min: 0, step: 'any', class: 'value' });
    speed.setAttribute('aria-label', 'Speed in m/s');
    const none = element('p', { class: 'empty', textContent: 'This model has no markers.' });
    const controls = element('div', { class: 'rows' }, marker, element('label', { class: 'inline' }, 'speed ', speed, ' m/s'),
        ...directions.map(([name, d]) => element('div', { class: 'axis' }, hold(`−${name}`, d.map((x) => -x)), hold(`+${name}`, d))),
        element('p', { class: 'hint', textContent: 'Drag the arrows at the marker, hold a button, or use the arrow keys and Page Up, Page Down (axes of the view).' }));
    const content = element('div', {}, none, controls);
    let moving = false;

    function hold(label, direction) {
        const button = element('button', { type: 'button', class: 'hold', textContent: label });
        button.addEventListener('pointerdown', () => along(direction));
        for (const end of ['pointerup', 'pointerleave', 'pointercancel', 'blur']) button.addEventListener(end, stop);
        return button;
    }

    function move(velocity) {
        moving = true;
        source.send('move', { marker: Number(marker.value), velocity });
    }

    const along = (direction) => move(direction.map((x) => x * (speed.valueAsNumber || 0)));

    function stop() {
        if (!moving) return;
        moving = false;
        source.send('move', { marker: Number(marker.value), velocity: [0, 0, 0] });
    }

    // Axis of the world nearest to a direction of the view.
    function viewAxis(column, sign) {
        const e = view.controls.camera.matrixWorld.elements.slice(4 * column, 4 * column + 3);
        const k = [0, 1, 2].reduce((best, i) => (Math.abs(e[i]) > Math.abs(e[best]) ? i : best), 0);
        return [0, 1, 2].map((i) => (i === k ? sign * Math.sign(e[k]) : 0));
    }

    const axes = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowUp: [1, 1], ArrowDown: [1, -1], PageUp: [2, -1], PageDown: [2, 1] };
    function key(event) {
        if (!(event.key in axes) || marker.options.length === 0) return false;
        if (!event.repeat) along(viewAxis(...axes[event.key]));
        return true;
    }

    marker.addEventListener('change', () => bus.emit('marker'));
    // Markers of the ground cannot be moved.
    bus.on('scene', (scene) => {
        const markers = (scene.markers ?? []).map((m, index) => ({ ...m, index })).filter((m) => m.body >= 0);
        const selected = marker.selectedOptions[0]?.textContent;
        marker.replaceChildren(...markers.map((m) => element('option', { value: m.index, textContent: m.name, selected: m.name === selected })));
        speed.value = Number((0.1 * scene.length).toPrecision(2));
        none.hidden = markers.length > 0;
        controls.hidden = markers.length === 0;
    });
    return { content, key, move, stop, marker: () => (marker.value === '' ? undefined : state.scene?.markers?.[Number(marker.value)]) };
}
