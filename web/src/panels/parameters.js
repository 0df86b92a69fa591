// Panel of the model: sliders for parameters, coordinates of design points. A change loads the model again with the new value; the lines that
// have to be changed in the files are listed, to be copied.
import { copyText, element } from '../dom.js';

export function createParameters(source, bus) {
    const rows = element('div', { class: 'rows' });
    const lines = element('div', { class: 'lines', hidden: true });
    const content = element('div', { class: 'rows' }, rows, lines);
    let scene = null;
    const ranges = new Map(); // of sliders, kept while the model is loaded again
    let refreshes = [];
    let busy = false;
    let next = null;

    // At most one load at a time; of the changes that wait the newest is sent.
    function load(type, values) {
        if (busy) {
            next = [type, values];
            return;
        }
        busy = true;
        source.send(type, values);
    }

    function loaded() {
        busy = false;
        if (!next) return;
        const [type, values] = next;
        next = null;
        load(type, values);
    }

    function build(now) {
        if (scene?.name !== now.name) ranges.clear();
        scene = now;
        const active = rows.contains(document.activeElement) ? document.activeElement : null;
        const parameters = scene.parameters ?? [];
        const points = scene.points ?? [];
        const key = JSON.stringify([parameters.map((p) => p.name), points.map((p) => p.name)]);
        if (active && rows.dataset.key === key) {
            for (const refresh of refreshes) refresh(); // the rows stay while one of them is moved
            return;
        }
        refreshes = [];
        rows.dataset.key = key;
        rows.replaceChildren(...section('Parameters', parameters.map(parameterRow)), ...section('Design points [m]', points.map(pointRow)));
        if (parameters.length + points.length === 0) rows.append(element('p', { class: 'empty', textContent: 'This model has no parameters and no points.' }));
    }

    const section = (title, list) => (list.length ? [element('h3', { textContent: title }), ...list] : []);
    const place = ({ file, line }) => (file ? `${file}${line ? `:${line}` : ''}` : '');

    function parameterRow(parameter) {
        const { name, value } = parameter;
        const span = value === 0 ? 1 : Math.abs(value);
        const range = ranges.get(name) ?? [value - span, value + span];
        ranges.set(name, [Math.min(range[0], value), Math.max(range[1], value)]);
        const slider = element('input', { type: 'range', min: ranges.get(name)[0], max: ranges.get(name)[1], step: 'any', value });
        const field = element('input', { type: 'number', step: 'any', value: Number(value.toPrecision(7)), class: 'value' });
        slider.setAttribute('aria-label', name);
        field.setAttribute('aria-label', `${name} value`);
        slider.addEventListener('input', () => {
            const rounded = Number(Number(slider.value).toPrecision(4));
            field.value = rounded;
            load('set', { parameter: name, value: rounded });
        });
        field.addEventListener('change', () => {
            if (!Number.isFinite(field.valueAsNumber)) return;
            slider.value = field.value;
            load('set', { parameter: name, value: field.valueAsNumber });
        });
        refreshes.push(() => {
            if ([slider, field].includes(document.activeElement)) return;
            const { value: now } = scene.parameters.find((p) => p.name === name);
            slider.value = now;
            field.value = Number(now.toPrecision(7));
        });
        return element('div', { class: 'joint' }, element('span', { class: 'row-name', textContent: name, title: `${name}  ${place(parameter)}` }), field, element('span', { class: 'unit' }), slider);
    }

    function pointRow(point) {
        const { name, position } = point;
        const fields = position.map((x, i) => {
            const field = element('input', { type: 'number', step: 'any', value: Number(x.toPrecision(7)), class: 'value' });
            field.setAttribute('aria-label', `${name} ${'xyz'[i]}`);
            return field;
        });
        for (const field of fields) {
            field.addEventListener('change', () => {
                const moved = fields.map((f) => f.valueAsNumber);
                if (moved.every(Number.isFinite)) load('point', { name, position: moved });
            });
        }
        return element('div', { class: 'point' }, element('span', { class: 'row-name', textContent: name, title: `${name}  ${place(point)}` }), ...fields);
    }

    function showLines(message) {
        const changed = message.lines ?? [];
        lines.hidden = changed.length === 0 && !message.settings?.length;
        const text = changed.map((l) => l.after).join('\n');
        const button = (label, title, run) => element('button', { type: 'button', class: 'small', textContent: label, title, onclick: run });
        lines.replaceChildren(element('h3', { textContent: 'Changes for the file' }),
            ...changed.map((l) => element('div', { class: 'change' }, element('span', { class: 'place', textContent: place(l) }),
                element('del', { textContent: l.before ?? '' }), element('ins', { textContent: l.after ?? '' }))),
            element('div', { class: 'buttons' },
                ...(changed.length ? [button('copy', 'Copy the new lines', () => copyText(`${text}\n`))] : []),
                ...(message.settings?.length ? [button('copy --set', 'Copy arguments for the command line', () => copyText(settingsText(message.settings)))] : []),
                button('revert', 'Load the files as they are', () => source.send('revert'))));
    }

    const settingsText = (settings) => settings.map((text) => `--set '${text}'`).join(' ');

    bus.on('scene', build);
    bus.on('scene', loaded);
    bus.on('problem', (message) => { if (message.messages.length) loaded(); });
    bus.on('lines', showLines);
    return { content, load };
}
