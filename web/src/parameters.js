// Panel of the model: sliders for parameters, coordinates of points. A change loads the model again with the new value; "copy" gives
// the lines for the model file.
import { copyText, element } from './dom.js';

export function createParameters(source, bus) {
    const content = element('div', { class: 'rows' });
    let scene = null;
    const changed = { parameters: new Map(), points: new Map() };
    const copy = element('button', { type: 'button', class: 'small', textContent: 'copy changed lines', onclick: () => copyText(yamlLines(changed, scene)) });

    function build(next) {
        const active = content.contains(document.activeElement) ? document.activeElement.dataset.key : null;
        scene = next;
        const parameters = (scene.parameters ?? []).map(parameterRow);
        const points = (scene.points ?? []).map(pointRow);
        content.replaceChildren(...section('Parameters', parameters), ...section('Points [m]', points));
        if (parameters.length + points.length === 0) content.append(element('p', { class: 'empty', textContent: 'This model has no parameters.' }));
        else content.append(copy);
        if (active) content.querySelector(`[data-key="${CSS.escape(active)}"]`)?.focus();
    }

    const section = (title, rows) => (rows.length ? [element('h3', { textContent: title }), ...rows] : []);

    function parameterRow({ name, value }) {
        const span = value === 0 ? 1 : Math.abs(value);
        const slider = element('input', { type: 'range', min: value - span, max: value + span, step: 'any', value });
        const field = element('input', { type: 'number', step: 'any', value: Number(value.toPrecision(7)), class: 'value' });
        slider.setAttribute('aria-label', name);
        slider.dataset.key = `parameter ${name}`;
        field.setAttribute('aria-label', `${name} value`);
        const set = (next) => {
            changed.parameters.set(name, next);
            source.send('set', { parameter: name, value: next });
        };
        slider.addEventListener('input', () => { field.value = Number(Number(slider.value).toPrecision(4)); });
        slider.addEventListener('change', () => set(Number(Number(slider.value).toPrecision(4))));
        field.addEventListener('change', () => { if (Number.isFinite(field.valueAsNumber)) set(field.valueAsNumber); });
        return element('div', { class: 'joint' }, element('span', { class: 'row-name', textContent: name, title: name }), field, element('span', { class: 'unit' }), slider);
    }

    function pointRow({ name, position }) {
        const fields = position.map((x, i) => {
            const field = element('input', { type: 'number', step: 'any', value: Number(x.toPrecision(7)), class: 'value' });
            field.setAttribute('aria-label', `${name} ${'xyz'[i]}`);
            return field;
        });
        for (const field of fields) {
            field.addEventListener('change', () => {
                const next = fields.map((f) => f.valueAsNumber);
                if (!next.every(Number.isFinite)) return;
                changed.points.set(name, next);
                source.send('point', { name, position: next });
            });
        }
        return element('div', { class: 'point' }, element('span', { class: 'row-name', textContent: name, title: name }), ...fields);
    }

    bus.on('scene', build);
    return content;
}

// Lines of the model file: those that were changed, or all.
export function yamlLines(changed, scene) {
    const any = changed.parameters.size + changed.points.size > 0;
    const parameters = any ? [...changed.parameters] : (scene.parameters ?? []).map((p) => [p.name, p.value]);
    const points = any ? [...changed.points] : (scene.points ?? []).map((p) => [p.name, p.position]);
    const lines = [];
    if (parameters.length) lines.push('parameters:', ...parameters.map(([name, value]) => `  ${name}: ${value}`));
    if (points.length) lines.push('points:', ...points.map(([name, p]) => `  ${name}: [${p.join(', ')}]`));
    return `${lines.join('\n')}\n`;
}
