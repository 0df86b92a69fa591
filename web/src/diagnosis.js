// Panel of the diagnosis that `cardan check --json` prints: degrees of freedom, loops, redundant equations and why, suggestions.
import { element } from './dom.js';

export function createDiagnosis(source, bus) {
    const content = element('div', { class: 'diagnosis' }, element('p', { class: 'empty', textContent: 'No diagnosis yet.' }));

    function show(report) {
        const numbers = [
            ['degrees of freedom', report.dof], ['bodies', report.bodies], ['joints', report.joints], ['loops', report.loops],
            ['redundant equations', report.redundant],
        ].filter(([, value]) => value !== undefined);
        const table = element('dl', {}, ...numbers.flatMap(([name, value]) => [element('dt', { textContent: name }), element('dd', { textContent: String(value) })]));
        const messages = (report.messages ?? []).map((m) => message(typeof m === 'string' ? m : m.text ?? ''));
        content.replaceChildren(table, ...messages);
        if (report.auto?.reason) content.append(element('p', { class: 'reason', textContent: `Formulation: ${report.auto.reason}.` }));
    }

    // The suggestion is the last part of a message, after "; to make ...".
    function message(text) {
        const severity = /^(note|warning|error): /.exec(text)?.[1] ?? 'note';
        const body = text.replace(/^(note|warning|error): /, '');
        const cut = body.search(/; to make /);
        const parts = cut < 0 ? [body, ''] : [`${body.slice(0, cut)}.`, body.slice(cut + 2)];
        const block = element('div', { class: `finding ${severity}` }, element('p', { textContent: parts[0] }));
        if (parts[1]) block.append(element('p', { class: 'suggestion', textContent: parts[1][0].toUpperCase() + parts[1].slice(1) }));
        return block;
    }

    bus.on('diagnosis', (answer) => show(answer.report));
    return { content, opened: (open) => open && source.send('diagnose') };
}
