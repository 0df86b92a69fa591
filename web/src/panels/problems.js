// Messages of the loader with file, line and column; the last mechanism stays, faded. Notes about reloads.
import { element, iconButton, readable } from '../dom.js';

export function createProblems(container, note, view, bus) {
    let timer = 0;

    function show(messages) {
        view.mechanism?.setFaded(messages.some((m) => m.severity === 'error'));
        view.redraw();
        container.replaceChildren();
        if (messages.length === 0) return;
        container.append(iconButton('close', 'Close', () => container.replaceChildren()), element('ol', {}, ...messages.slice(0, 20).map(row)));
    }

    const place = (m) => (m.file ? [m.file, m.line, m.column].filter((x) => x !== null && x !== undefined && x !== 0).join(':') : '');
    const row = (m) => element('li', { class: m.severity === 'error' ? 'error' : 'warning' },
        element('span', { class: 'place', textContent: place(m) }), element('span', { textContent: m.text }),
        element('span', { class: 'code', textContent: m.code ?? '' }));

    function say(text) {
        note.textContent = text;
        clearTimeout(timer);
        timer = setTimeout(() => { note.textContent = ''; }, 8000);
    }

    bus.on('problem', (message) => show(message.messages));
    bus.on('reloaded', (message) => {
        const changes = message.changed.slice(0, 4).map((c) => `${c.name} ${readable(c.before)} → ${readable(c.after)}`).join(', ');
        say(`loaded ${new Date().toLocaleTimeString()}${changes ? `: ${changes}` : ', no parameter changed'}`);
    });
    bus.on('event', (event) => say(`${event.t.toFixed(2)} s: ${event.text}`));
    bus.on('note', say);
}
