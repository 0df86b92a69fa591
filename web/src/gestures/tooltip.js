// Text next to the pointer: the name of the body or joint under it, and its reaction where reactions are shown.
import { element } from '../dom.js';

export function createTooltip(container, view, reactions) {
    const node = element('div', { id: 'tooltip', hidden: true });
    container.append(node);

    function textOf(hit) {
        if (!hit || typeof hit === 'string') return hit;
        if (hit.joint === undefined) return hit.body.name;
        const joint = view.mechanism.joints[hit.joint];
        return reactions.describe(hit.joint) ?? `${joint.name}: ${joint.description.joint_type}`;
    }

    return {
        hide() { node.hidden = true; },
        show(event, hit) {
            const text = textOf(hit);
            node.hidden = !text;
            if (!text) return;
            node.textContent = text;
            node.style.transform = `translate(${event.clientX + 14}px, ${event.clientY + 16}px)`;
        },
    };
}
