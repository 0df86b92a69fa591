// Plots of columns over time or against each other: up to six, with a common cursor. Export as PNG, SVG, CSV.
import uPlot from 'uplot';
import { element, saveFile } from '../dom.js';
import { createSamples } from '../data/samples.js';

const most = 6;
const colours = ['#3b6ea8', '#d8712f', '#3f8f5f', '#a8487f', '#8a6d1f', '#6a58b8'];

export function createPlots(state, source, selection, bus, time) {
    const samples = createSamples();
    const list = element('div', { class: 'column-list' });
    const filter = element('input', { type: 'search', placeholder: 'add a column: type to filter', class: 'filter' });
    filter.setAttribute('aria-label', 'Filter columns');
    const abscissa = element('select', { title: 'Horizontal axis' });
    abscissa.setAttribute('aria-label', 'Horizontal axis');
    const area = element('div', { class: 'plots' });
    const exports = element('div', { class: 'exports' }, ...[['PNG', savePicture], ['SVG', saveDrawing], ['CSV', saveTable]]
        .map(([name, run]) => element('button', { type: 'button', class: 'small', textContent: name, onclick: run })));
    const content = element('div', { class: 'plot-panel' }, element('div', { class: 'plot-choice' }, filter, list, element('label', { class: 'inline' }, 'against ', abscissa), exports), area);
    let selected = [];
    let received = [];
    let against = '';
    let plots = [];
    let columns = [];
    let dirty = false;

    filter.addEventListener('input', showList);
    abscissa.addEventListener('change', () => {
        against = abscissa.value;
        request();
    });

    function showList() {
        const wanted = filter.value.toLowerCase();
        const matching = columns.filter((c) => c.name.toLowerCase().includes(wanted)).slice(0, 200);
        list.replaceChildren(...matching.map((c) => {
            const button = element('button', { type: 'button', class: 'column', textContent: c.unit ? `${c.name} [${c.unit}]` : c.name, onclick: () => choose(c.name) });
            button.setAttribute('aria-pressed', String(selected.includes(c.name)));
            return button;
        }));
    }

    function choose(name) {
        if (selected.includes(name)) selected = selected.filter((other) => other !== name);
        else if (selected.length < most) selected = [...selected, name];
        else bus.emit('note', `at most ${most} plots`);
        showList();
        request();
    }

    function request() {
        const names = against && !selected.includes(against) ? [...selected, against] : selected;
        selection.request('plots', names);
        build();
    }

    function receive(names) {
        received = names;
        samples.clear(received.length);
        if (received.length) source.send('history', { from: 0, to: state.last?.t ?? 0, count: 1000 });
        build();
    }

    function build() {
        for (const plot of plots) plot.destroy();
        plots = selected.filter((name) => received.includes(name)).map((name, i) => makePlot(name, colours[i]));
        dirty = true;
    }

    const unitOf = (name) => columns.find((c) => c.name === name)?.unit ?? '';
    const titled = (name) => (unitOf(name) ? `${name} [${unitOf(name)}]` : name);

    function makePlot(name, colour) {
        const ink = getComputedStyle(document.documentElement).getPropertyValue('--ink-soft').trim();
        const line = getComputedStyle(document.documentElement).getPropertyValue('--line').trim();
        const axis = { stroke: ink, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 }, font: '11px system-ui, sans-serif' };
        const path = against !== '';
        const plot = new uPlot({
            width: Math.max(area.clientWidth, 200), height: 130, title: titled(name), legend: { show: false },
            mode: path ? 2 : 1, cursor: path ? {} : { sync: { key: 'cardan' }, drag: { x: true, y: false } },
            scales: { x: { time: false } }, axes: [{ ...axis, label: path ? titled(against) : undefined, labelSize: 16, labelFont: axis.font }, { ...axis, size: 56 }],
            series: path ? [null, { stroke: colour, paths: drawPath }] : [{}, { stroke: colour, width: 1.6, points: { show: false } }],
        }, path ? [null, [[], []]] : [[], []], area);
        plot.root.addEventListener('dblclick', () => {
            if (!path && plot.cursor.left >= 0) time.seek(plot.posToVal(plot.cursor.left, 'x'));
        });
        plot.columnName = name;
        return plot;
    }

    function refresh() {
        if (!dirty || content.offsetParent === null) return;
        dirty = false;
        for (const plot of plots) {
            const y = samples.values[received.indexOf(plot.columnName)] ?? [];
            if (against) plot.setData([null, [samples.values[received.indexOf(against)] ?? [], y]]);
            else plot.setData([samples.t, y]);
        }
    }

    function table() {
        const rows = samples.t.map((t, i) => [t, ...samples.values.map((column) => column[i])].join(','));
        return [['t', ...received].map((name) => (/[",\n]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name)).join(','), ...rows, ''].join('\n');
    }

    function saveTable() {
        saveFile('cardan.csv', 'text/csv', table());
    }

    function savePicture() {
        if (plots.length === 0) return;
        const sources = plots.map((plot) => plot.root.querySelector('canvas'));
        const canvas = element('canvas', { width: Math.max(...sources.map((c) => c.width)), height: sources.reduce((sum, c) => sum + c.height, 0) });
        const pen = canvas.getContext('2d');
        pen.fillStyle = getComputedStyle(document.body).backgroundColor;
        pen.fillRect(0, 0, canvas.width, canvas.height);
        let y = 0;
        for (const picture of sources) {
            pen.drawImage(picture, 0, y);
            y += picture.height;
        }
        canvas.toBlob((blob) => saveFile('cardan.png', 'image/png', blob));
    }

    function saveDrawing() {
        const curves = plots.map((plot, i) => ({
            title: titled(plot.columnName), colour: colours[i], y: samples.values[received.indexOf(plot.columnName)] ?? [],
            x: against ? samples.values[received.indexOf(against)] ?? [] : samples.t,
        }));
        saveFile('cardan.svg', 'image/svg+xml', svgText(curves, against ? titled(against) : 't [s]'));
    }

    bus.on('scene', (scene) => {
        columns = scene.columns ?? [];
        selected = selected.filter((name) => columns.some((c) => c.name === name));
        abscissa.replaceChildren(element('option', { value: '', textContent: 'time' }), ...columns.map((c) => element('option', { value: c.name, textContent: c.name })));
        abscissa.value = columns.some((c) => c.name === against) ? against : '';
        against = abscissa.value;
        showList();
        if (selected.length) request();
    });
    bus.on('columns-selected', receive);
    bus.on('history', (message) => {
        samples.set(message.t, message.values);
        dirty = true;
    });
    bus.on('frame', (frame) => {
        if (!frame.columns || !state.live) return;
        samples.add(frame.t, frame.columns);
        dirty = true;
    });
    bus.on('drawn', refresh);
    bus.on('theme', build);
    new ResizeObserver(() => plots.forEach((plot) => plot.setSize({ width: Math.max(area.clientWidth, 200), height: 130 }))).observe(area);
    return { content, table, opened: () => { dirty = true; refresh(); } };
}

// Curve of one column against another.
function drawPath(plot, seriesIndex) {
    const [xs, ys] = plot.data[seriesIndex];
    const pen = plot.ctx;
    pen.save();
    pen.beginPath();
    pen.rect(plot.bbox.left, plot.bbox.top, plot.bbox.width, plot.bbox.height);
    pen.clip();
    pen.beginPath();
    pen.strokeStyle = plot.series[seriesIndex].stroke();
    pen.lineWidth = 1.6 * devicePixelRatio;
    xs.forEach((x, i) => pen[i ? 'lineTo' : 'moveTo'](plot.valToPos(x, 'x', true), plot.valToPos(ys[i], 'y', true)));
    pen.stroke();
    pen.restore();
    return null;
}

const escape = (text) => text.replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c]);

// Drawing of the curves below each other.
export function svgText(curves, label) {
    const width = 720;
    const height = 180;
    const body = curves.map(({ title, colour, x, y }, i) => {
        const [x0, x1, y0, y1] = [Math.min(...x), Math.max(...x), Math.min(...y), Math.max(...y)];
        const place = (value, from, to, low, high) => (low + (high - low) * (to > from ? (value - from) / (to - from) : 0.5)).toFixed(2);
        const points = x.map((value, k) => `${place(value, x0, x1, 70, width - 10)},${place(y[k], y0, y1, height - 30, 24)}`).join(' ');
        const text = (at, up, anchor, words) => `<text x="${at}" y="${up}" text-anchor="${anchor}">${escape(words)}</text>`;
        return `<g transform="translate(0 ${i * height})"><rect x="70" y="24" width="${width - 80}" height="${height - 54}" fill="none" stroke="#aaa"/>`
            + `<polyline points="${points}" fill="none" stroke="${colour}" stroke-width="1.5"/>${text(width / 2, 16, 'middle', title)}`
            + `${text(66, 32, 'end', y1.toPrecision(4))}${text(66, height - 30, 'end', y0.toPrecision(4))}`
            + `${text(70, height - 14, 'start', x0.toPrecision(4))}${text(width - 10, height - 14, 'end', x1.toPrecision(4))}${text(width / 2, height - 14, 'middle', label)}</g>`;
    });
    return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height * curves.length}" font-family="sans-serif" font-size="12">${body.join('')}</svg>\n`;
}
