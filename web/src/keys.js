// Table of keys. `?` shows it.
import { element } from './dom.js';

export function createKeys(actions, cartesian) {
    const byKey = new Map(actions.filter((a) => a.run).flatMap((a) => a.keys.map((key) => [key, a])));
    const dialog = element('dialog', { id: 'keys' }, element('h2', { textContent: 'Keys and gestures' }),
        element('table', {}, ...actions.map((a) => element('tr', {}, element('th', { textContent: a.label ?? a.keys.join(' ') }), element('td', { textContent: a.text })))),
        element('form', { method: 'dialog' }, element('button', { class: 'small', textContent: 'close' })));
    dialog.addEventListener('click', (event) => { if (event.target === dialog) dialog.close(); });
    document.body.append(dialog);

    const typing = (node) => node.matches?.('input:not([type=range], [type=checkbox]), select, textarea');
    addEventListener('keydown', (event) => {
        if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
        if (dialog.open && event.key !== '?') return;
        if (cartesian.key(event)) {
            event.preventDefault();
            return;
        }
        const action = byKey.get(event.key.length === 1 ? event.key.toLowerCase() : event.key);
        if (!action || (event.target.matches?.('input[type=range]') && event.key.startsWith('Arrow'))) return;
        if (event.key === ' ' && event.target.matches?.('button, input')) return;
        event.preventDefault();
        action.run();
    });
    addEventListener('keyup', () => cartesian.stop());
    return { show: () => (dialog.open ? dialog.close() : dialog.showModal()) };
}
