// Panel of the diagnosis: degrees of freedom, loops, redundant equations and why, repairs; free motions and modes are played under the pointer.
import { element, readable } from '../dom.js';

export function createDiagnosis(source, bus) {
    const content = element('div', { class: 'diagnosis' }, element('p', { class: 'empty', textContent: 'No diagnosis yet.' }));
    let playing = null;
    let wanted = false;

    function show({ report, loops = [], motions = [], modes = [] }) {
        stop();
        const numbers = [
            ['degrees of freedom', report.degrees_of_freedom ?? report.dof], ['loops', loops.length || undefined],
            ['redundant equations', report.redundant],
        ].filter(([, value]) => typeof value === 'number');
        const table = element('dl', {}, ...numbers.flatMap(([name, value]) => [element('dt', { textContent: name }), element('dd', { textContent: String(value) })]));
        content.replaceChildren(table,
            ...section('Free motions', motions.map((motion, i) => playable('motion', i, motion.text))),
            ...section('Modes', modes.map((mode, i) => playable('mode', i, modeText(mode)))),
            ...section('Loops', loops.map(loopBlock)),
            ...(loops.length ? [] : report.messages ?? []).map(message),
            element('button', { type: 'button', class: 'small', textContent: 'diagnose again', onclick: ask }));
    }

    const section = (title, rows) => (rows.length ? [element('h3', { textContent: title }), ...rows] : []);

    function modeText(mode) {
        const numbers = mode.frequency > 0 ? `${readable(mode.frequency, 3)} Hz, damping ratio ${readable(mode.damping, 2)}` : `no oscillation${mode.damping ? `, damping ratio ${readable(mode.damping, 2)}` : ''}`;
        return mode.text ? `${numbers}: ${mode.text}` : numbers;
    }

    // A row that is played while the pointer is on it, or after a press (touch, keyboard).
    function playable(kind, index, text) {
        const button = element('button', { type: 'button', class: 'playable', textContent: text || `${kind} ${index + 1}`, title: 'Shown while the pointer is here' });
        const start = () => {
            stop();
            playing = kind;
            button.classList.add('playing');
            source.send(kind, { index });
        };
        button.addEventListener('pointerenter', start);
        button.addEventListener('focus', () => { if (button.matches(':focus-visible')) start(); });
        for (const end of ['pointerleave', 'pointercancel', 'blur']) button.addEventListener(end, stop);
        return button;
    }

    function stop() {
        if (!playing) return;
        source.send(playing, { index: null });
        playing = null;
        content.querySelector('.playing')?.classList.remove('playing');
    }

    function loopBlock(loop, index) {
        const block = element('div', { class: `finding ${loop.redundant > 0 ? 'warning' : 'note'}` }, element('p', { textContent: loop.path }));
        if (loop.redundant > 0) block.append(element('p', { textContent: `${loop.redundant} redundant ${loop.redundant === 1 ? 'equation' : 'equations'}${loop.reason ? `: ${loop.reason}` : ''}` }));
        if (loop.indeterminate) block.append(element('p', { class: 'reason', textContent: loop.indeterminate }));
        if (loop.suggestion) {
            block.append(element('p', { class: 'suggestion', textContent: loop.suggestion }),
                element('button', { type: 'button', class: 'small', textContent: 'apply', title: 'Change these joints in memory; the Model panel shows the lines for the file', onclick: () => source.send('repair', { loop: index }) }));
        }
        block.addEventListener('pointerenter', () => bus.emit('loop-hover', loop));
        block.addEventListener('pointerleave', () => bus.emit('loop-hover', null));
        return block;
    }

    // A message is a text with its severity, or an object with both.
    function message(m) {
        const text = typeof m === 'string' ? m : m.text ?? '';
        const severity = (typeof m === 'string' ? /^(note|warning|error): /.exec(m)?.[1] : m.severity) ?? 'note';
        return element('div', { class: `finding ${['warning', 'error'].includes(severity) ? severity : 'note'}` }, element('p', { textContent: text.replace(/^(note|warning|error): /, '') }));
    }

    function ask() {
        source.send('diagnose');
    }

    bus.on('diagnosis', show);
    bus.on('scene', () => { if (wanted) ask(); });
    return {
        content,
        opened(open) {
            wanted = open;
            if (open) ask();
            else stop();
        },
    };
}
