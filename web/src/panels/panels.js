// Panels that fold, behind a slim bar of buttons. All are folded at first.
import { element, iconButton } from '../dom.js';

export function createPanels(tools, container, changed) {
    const panels = new Map();

    function add(id, iconName, title, key, content, opened = () => {}) {
        const panel = element('section', { class: 'panel', id: `panel-${id}`, hidden: true },
            element('header', {}, element('h2', { textContent: title }), iconButton('close', 'Fold', () => toggle(id))), content);
        panel.setAttribute('aria-label', title);
        const button = iconButton(iconName, `${title} (${key})`, () => toggle(id));
        button.setAttribute('aria-expanded', 'false');
        button.id = `button-${id}`;
        tools.append(button);
        container.append(panel);
        panels.set(id, { panel, button, opened });
    }

    function toggle(id, open = panels.get(id).panel.hidden) {
        const { panel, button, opened } = panels.get(id);
        panel.hidden = !open;
        button.setAttribute('aria-expanded', String(open));
        changed([...panels.values()].some((p) => !p.panel.hidden));
        opened(open);
    }

    function foldAll() {
        for (const id of panels.keys()) if (!panels.get(id).panel.hidden) toggle(id, false);
    }

    return { add, toggle, foldAll, has: (id) => panels.has(id), isOpen: (id) => panels.has(id) && !panels.get(id).panel.hidden };
}
