// Names of bodies and joints next to them; a name that would cover another is left out.
import { Vector3 } from 'three';
import { element } from '../dom.js';

export function createLabels(container, view, bus) {
    let items = [];
    let visible = false;

    function build(mechanism) {
        const bodies = mechanism.bodies.map((body) => ({ text: body.name, kind: 'body', place: (p) => body.group.localToWorld(middle(body, p)) }));
        const joints = mechanism.joints.map((joint) => ({ text: joint.name, kind: 'joint', place: (p) => joint.frame.getWorldPosition(p) }));
        items = [...joints, ...bodies].map((item) => ({ ...item, node: element('span', { class: `label label-${item.kind}`, textContent: item.text }) }));
        container.replaceChildren(...items.map((item) => item.node));
        for (const item of items) item.width = 7 * item.text.length + 8;
    }

    function middle(body, target) {
        target.set(0, 0, 0);
        for (const p of body.points) target.add(p);
        return target.divideScalar(body.points.length);
    }

    const point = new Vector3();
    function draw() {
        container.hidden = !visible;
        if (!visible) return;
        const placed = [];
        for (const item of items) {
            const at = view.toScreen(item.place(point));
            const box = at && { x: at.x + 12, y: at.y - 22, width: item.width, height: 18 };
            const free = box && !placed.some((other) => overlap(box, other));
            item.node.hidden = !free;
            if (!free) continue;
            placed.push(box);
            item.node.style.transform = `translate(${Math.round(box.x)}px, ${Math.round(box.y)}px)`;
        }
    }

    const overlap = (a, b) => a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
    bus.on('mechanism', build);
    bus.on('drawn', draw);
    return { set(on) { visible = on; view.redraw(); } };
}
