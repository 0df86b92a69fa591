// Pins: springs that stay when the pointer leaves, in slots 1 to 7. They are drawn as the server reports them; a press on the end of one
// releases it.
import { Vector3 } from 'three';
import { readable, svgElement } from '../dom.js';
import { encodeGrab, noBody } from '../data/frames.js';

const slots = [1, 2, 3, 4, 5, 6, 7];

export function createPins(view, source, bus, overlay) {
    let pins = [];
    const group = svgElement('g', { class: 'pins' });
    overlay.append(group);

    function add(body, point, target, number) {
        const slot = slots.find((k) => !pins.some((pin) => pin.slot === k));
        if (slot === undefined) {
            bus.emit('note', `at most ${slots.length} pins`);
            return false;
        }
        source.sendBytes(encodeGrab(body, number, point, target, slot));
        show([...pins, { slot, body, point, target, force: 0 }]);
        return true;
    }

    function release(slot) {
        source.sendBytes(encodeGrab(noBody, 0, undefined, undefined, slot));
        show(pins.filter((pin) => pin.slot !== slot));
    }

    function show(list) {
        pins = list;
        group.replaceChildren();
        for (const pin of pins) {
            pin.line = svgElement('line', { class: 'pin-line' });
            pin.end = svgElement('circle', { class: 'pin-end', r: 6 });
            pin.end.addEventListener('pointerdown', () => release(pin.slot));
            const title = svgElement('title');
            title.textContent = 'Release this pin';
            pin.end.append(title);
            pin.label = svgElement('text', { class: 'pull-label' });
            pin.label.textContent = pin.force > 0 ? `${readable(pin.force, 3)} N` : '';
            group.append(pin.line, pin.end, pin.label);
        }
        draw();
    }

    const world = new Vector3();
    function draw() {
        for (const pin of pins) {
            const carrier = view.mechanism?.bodies[pin.body];
            const from = carrier && view.toScreen(carrier.group.localToWorld(world.fromArray(pin.point)));
            const to = from && view.toScreen(world.fromArray(pin.target));
            for (const node of [pin.line, pin.end, pin.label]) node.setAttribute('visibility', to ? 'visible' : 'hidden');
            if (!to) continue;
            for (const [key, value] of [['x1', from.x], ['y1', from.y], ['x2', to.x], ['y2', to.y]]) pin.line.setAttribute(key, value);
            pin.end.setAttribute('cx', to.x);
            pin.end.setAttribute('cy', to.y);
            pin.label.setAttribute('x', to.x + 11);
            pin.label.setAttribute('y', to.y - 9);
        }
    }

    const same = (list) => list.length === pins.length && list.every((grab, i) => grab.slot === pins[i].slot && grab.body === pins[i].body);
    bus.on('status', (status) => {
        const now = (status.grabs ?? []).filter((grab) => grab.slot > 0);
        if (!same(now)) return show(now.map((grab) => ({ ...grab })));
        now.forEach((grab, i) => {
            Object.assign(pins[i], { point: grab.point, target: grab.target });
            pins[i].label.textContent = `${readable(grab.force, 3)} N`;
        });
    });
    bus.on('scene', () => show([]));
    bus.on('drawn', draw);
    return { add, releaseAll: () => pins.slice().forEach((pin) => release(pin.slot)), get count() { return pins.length; } };
}
