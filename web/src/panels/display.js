// Panel of the display: what is drawn in addition to the mechanism, and a picture of it.
import { element, saveFile } from '../dom.js';

export function createDisplay({ state, view, labels, annotations, reactions, contacts, traces, recorded }) {
    const content = element('div', { class: 'rows' });
    const toggles = new Map();

    function addToggle(id, text, set, on = false) {
        const box = element('input', { type: 'checkbox', id: `toggle-${id}`, checked: on, onchange: () => set(box.checked) });
        content.append(element('label', { class: 'toggle' }, box, text));
        toggles.set(id, () => {
            box.checked = !box.checked;
            set(box.checked);
        });
    }

    addToggle('names', 'names', labels.set);
    addToggle('frames', 'frames', annotations.setFrames);
    addToggle('centres', 'mass centres', annotations.setCentres);
    if (!recorded) {
        addToggle('reactions', 'reactions', (on) => {
            reactions.set(on);
            state.setFlag('reactions', on);
        });
        addToggle('contacts', 'contact points and forces', (on) => {
            contacts.set(on);
            state.setFlag('contacts', on);
        });
        addToggle('ghost', 'other motion (ghost)', (on) => {
            state.setFlag('ghost', on);
            if (!on) view.mechanism?.setGhost(null);
            view.redraw();
        }, true);
    }
    addToggle('shadow', 'shadow', (on) => view.setShadow(on), true);
    const press = (text, run) => element('button', { type: 'button', class: 'small', textContent: text, onclick: run });
    content.append(element('div', { class: 'buttons' },
        press('clear traces', () => { traces.clear(); view.redraw(); }),
        press('save picture', () => view.picture((blob) => saveFile('mechanism.png', 'image/png', blob)))),
    element('p', { class: 'hint', textContent: 'Alt+click on a body traces the path of the point.' }));
    return { content, toggle: (id) => () => toggles.get(id)?.() };
}
