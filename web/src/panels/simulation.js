// Panel of the simulation: integrator, step and formulation of the live simulation; "run exactly" simulates as `cardan run` does and replays it.
import { element } from '../dom.js';

export function createSimulation(source, bus) {
    const integrator = element('select', { class: 'wide' });
    const formulation = element('select', { class: 'wide' });
    const step = element('input', { type: 'number', min: 0, step: 'any', class: 'value' });
    const duration = element('input', { type: 'number', min: 0, step: 'any', value: 10, class: 'value' });
    const replay = element('input', { type: 'checkbox', id: 'replay' });
    const exact = element('button', { type: 'button', class: 'small', textContent: 'run exactly', onclick: () => source.send('exact', { duration: duration.valueAsNumber }) });
    const late = element('p', { class: 'late' });
    for (const [node, name] of [[integrator, 'Integrator'], [formulation, 'Formulation'], [step, 'Step in ms'], [duration, 'Duration in s']]) node.setAttribute('aria-label', name);
    const row = (text, ...nodes) => element('label', { class: 'setting' }, element('span', { textContent: text }), ...nodes);
    const content = element('div', { class: 'rows' },
        row('integrator', integrator), row('step [ms]', step), row('formulation', formulation), late,
        element('h3', { textContent: 'Exact run' }),
        element('p', { class: 'hint', textContent: 'The live simulation has a fixed step. An exact run has the integrator and tolerance of cardan run.' }),
        row('duration [s]', duration), exact,
        element('label', { class: 'toggle' }, replay, 'play shows the history'));

    integrator.addEventListener('change', () => source.send('method', { integrator: integrator.value }));
    formulation.addEventListener('change', () => source.send('method', { formulation: formulation.value }));
    step.addEventListener('change', () => { if (step.valueAsNumber > 0) source.send('method', { step: step.valueAsNumber / 1000 }); });
    replay.addEventListener('change', () => source.send('replay', { value: replay.checked }));

    const fill = (select, names) => select.replaceChildren(...names.map((name) => element('option', { value: name, textContent: name })));
    function choose(select, name) {
        if (document.activeElement === select || !name) return;
        if (![...select.options].some((option) => option.value === name)) select.append(element('option', { value: name, textContent: name }));
        select.value = name;
    }

    bus.on('hello', (hello) => {
        fill(integrator, hello.integrators ?? []);
        fill(formulation, hello.formulations ?? []);
    });
    bus.on('status', (status) => {
        choose(integrator, status.integrator);
        choose(formulation, status.formulation);
        if (document.activeElement !== step && status.step > 0) step.value = Number((1000 * status.step).toPrecision(4));
        if (document.activeElement !== replay) replay.checked = status.replay === true;
        late.textContent = status.late ?? '';
    });
    return content;
}
