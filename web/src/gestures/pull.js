// Pull: press on a body and move. While the simulation plays, a spring acts from the point to the pointer; while it is paused,
// the mechanism is moved so that the point follows. The target moves in the plane through the point that faces the camera, or in the
// plane of a planar mechanism.
import { Vector3 } from 'three';
import { readable, svgElement } from '../dom.js';
import { encodeGrab, noBody } from '../data/frames.js';
import { dragNormal, pointInPlane } from './handle.js';

export function createPull(view, state, source, pins, bus, overlay) {
    let normal = new Vector3(0, 0, 1);
    const target = new Vector3();
    let held = null;
    let number = 0;
    let force = 0;
    let limit = null;
    let limitFresh = false; // the limit holds for the present target
    const spring = svgElement('polyline', { class: 'pull-spring' });
    const end = svgElement('circle', { class: 'pull-end', r: 4 });
    const label = svgElement('text', { class: 'pull-label' });
    const group = svgElement('g', { class: 'pull', visibility: 'hidden' });
    group.append(spring, end, label);
    overlay.append(group);

    function begin(hit, event) {
        held = { body: hit.body, local: hit.local };
        force = 0;
        limit = null;
        target.copy(hit.world);
        normal = dragNormal(view, state.scene);
        move(event);
    }

    function move(event) {
        if (!held) return;
        const place = pointInPlane(view, event, target, normal);
        if (place) target.copy(place);
        send();
        view.redraw();
    }

    // Wheel: nearer and farther along the view.
    function push(distance) {
        const toward = view.controls.camera.getWorldDirection(new Vector3());
        target.addScaledVector(toward, distance);
        send();
        view.redraw();
    }

    function send() {
        number = (number + 1) >>> 0;
        limitFresh = false;
        state.latency.sent(number);
        source.sendBytes(encodeGrab(held.body.index, number, held.local.toArray(), target.toArray()));
    }

    // The spring stays at its target when the pointer is released.
    function pin() {
        if (held && pins.add(held.body.index, held.local.toArray(), target.toArray(), number)) release();
    }

    function clearLimit() {
        if (limit) view.mechanism?.outline([]);
        limit = null;
        view.redraw();
    }

    function release() {
        if (!held) return;
        held = null;
        clearLimit();
        group.setAttribute('visibility', 'hidden');
        number = (number + 1) >>> 0;
        source.sendBytes(encodeGrab(noBody, number));
        view.redraw();
    }

    function draw() {
        if (!held || !view.mechanism) return;
        const from = view.toScreen(held.body.group.localToWorld(held.local.clone()));
        const to = view.toScreen(target);
        if (!from || !to) return;
        group.setAttribute('visibility', 'visible');
        group.classList.toggle('posing', !state.playing);
        spring.setAttribute('points', zigzag(from, to, state.playing));
        end.setAttribute('cx', to.x);
        end.setAttribute('cy', to.y);
        label.textContent = limit ?? (state.playing ? `${readable(force, 3)} N` : '');
        const left = to.x + 12 + 7.5 * label.textContent.length > overlay.clientWidth;
        label.setAttribute('text-anchor', left ? 'end' : 'start');
        label.setAttribute('x', Math.min(to.x, overlay.clientWidth) + (left ? -12 : 12));
        label.setAttribute('y', to.y - 10);
    }

    bus.on('frame', (frame) => {
        force = frame.force;
        if (limit && frame.grab === number && !limitFresh) clearLimit();
    });
    bus.on('limit', (message) => {
        if (!held) {
            bus.emit('note', message.text);
            return;
        }
        limit = message.text;
        view.mechanism.outline(message.bodies ?? []);
        view.redraw();
        limitFresh = true;
    });
    bus.on('drawn', draw);
    bus.on('scene', release);
    return { begin, move, push, pin, release, get held() { return held; } };
}

// Spring of ten teeth between two points on the screen; a straight line while posing.
function zigzag(a, b, teeth) {
    const length = Math.hypot(b.x - a.x, b.y - a.y);
    if (!teeth || length < 12) return `${a.x},${a.y} ${b.x},${b.y}`;
    const x = (b.x - a.x) / length;
    const y = (b.y - a.y) / length;
    const points = [`${a.x},${a.y}`];
    const count = 20;
    const width = Math.min(7, 0.12 * length);
    for (let i = 1; i < count; i++) {
        const along = length * (0.12 + 0.76 * i / count);
        const side = i === 1 || i === count - 1 ? 0 : (i % 2 ? width : -width);
        points.push(`${a.x + x * along - y * side},${a.y + y * along + x * side}`);
    }
    points.push(`${b.x},${b.y}`);
    return points.join(' ');
}
