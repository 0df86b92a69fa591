// The page in Chromium against the server of fake_server.mjs, and a recording from a file. CHROMIUM names another browser.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, beforeEach, afterEach, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { chromium } from 'playwright-core';
import { startServer } from './fake_server.mjs';
import { poses, scene } from './four_bar.mjs';

const web = join(dirname(fileURLToPath(import.meta.url)), '..');
const folder = mkdtempSync(join(tmpdir(), 'cardan-page-'));
const file = join(folder, 'view.html');
let browser, server, page, errors;

before(async () => {
    const built = spawnSync(process.execPath, [join(web, 'build.mjs'), file], { encoding: 'utf8' });
    assert.equal(built.status, 0, built.stderr);
    browser = await chromium.launch({
        executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
        args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'],
    });
});
after(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true });
});
async function openPage(address) {
    errors = [];
    page = await browser.newPage({ viewport: { width: 1000, height: 640 }, colorScheme: 'light' });
    page.on('console', (message) => { if (message.type() === 'error') errors.push(message.text()); });
    page.on('pageerror', (error) => errors.push(String(error)));
    await page.goto(address);
    await page.waitForFunction(() => globalThis.cardan?.last, null, { timeout: 30000 });
}
beforeEach(async () => {
    server = await startServer(file);
    await openPage(server.address);
});
afterEach(async () => {
    await page.close();
    server.close();
    assert.deepEqual(errors, []);
});

async function until(condition, what) {
    for (let i = 0; i < 100; i++) {
        if (condition()) return;
        await new Promise((done) => setTimeout(done, 50));
    }
    assert.fail(what);
}
const last = (type) => server.received.text.filter((m) => m.type === type).at(-1);
const press = (key) => page.keyboard.press(key);
async function drag(body, point, dx, dy) {
    const at = await page.evaluate(([b, p]) => cardan.screen(b, p), [body, point]);
    await page.mouse.move(at.x, at.y);
    await page.mouse.down();
    await page.mouse.move(at.x + dx, at.y + dy, { steps: 4 });
}
const close = (a, b, tolerance) => a.forEach((x, i) => assert.ok(Math.abs(x - b[i]) < tolerance, `${a} is not near ${b}`));

test('one file below 900 kB; hashes match', () => {
    assert.ok(readFileSync(file).length < 900000);
    assert.match(readFileSync(file.replace('.html', '.csp'), 'utf8'), /^sha256-\S{44}\nsha256-\S{44}\n$/);
});

test('load: name, token, title; names of the file are text', async () => {
    assert.equal(await page.textContent('#name'), 'four-bar');
    assert.equal(server.received.text[0].type, 'token');
    await press('n');
    assert.equal(await page.locator('#labels b').count(), 0);
    assert.equal(await page.locator('.label', { hasText: '<b>rocker</b>' }).count(), 1);
    assert.deepEqual(await page.evaluate(() => Object.keys(cardan)), ['last', 'latency', 'playing', 'traces', 'screen']);
});

test('while paused the gesture poses: body, point and target in the plane', async () => {
    await drag(1, [1.2, 0, 0], 60, -40);
    await until(() => server.received.grabs.length >= 4, 'grabs');
    const first = server.received.grabs[0];
    assert.deepEqual([first.length, first.type, first.body, first.playing], [32, 16, 1, false]);
    close(first.point, [1.2, 0, 0], 0.06);
    const end = server.received.grabs.at(-1);
    assert.ok(Math.abs(end.target[2] - first.target[2]) < 1e-4 && end.target[0] > first.target[0] && end.target[1] > first.target[1]);
    await page.mouse.up();
    await until(() => server.received.grabs.at(-1).body === 65535, 'release');
    await page.waitForFunction(() => cardan.latency.counts.some((n) => n > 0));
});

test('while playing the gesture pulls and shows the force', async () => {
    server.now.rate = 0; // a body at rest: the pointer does not miss it
    await press(' ');
    await until(() => server.now.playing, 'play');
    await page.waitForFunction(() => cardan.playing);
    await drag(2, [0.7, 0, 0], 30, 0);
    await page.waitForFunction(() => document.querySelector('.pull-label').textContent === '12.5 N');
    await press('g');
    await until(() => server.received.grabs.at(-1).body === 65535, 'release by G');
    await page.mouse.up();
});

test('empty space turns the camera and sends nothing', async () => {
    const before = await page.evaluate(() => cardan.screen(2, [0, 0, 0]));
    await page.mouse.move(60, 100);
    await page.mouse.down();
    await page.mouse.move(160, 120, { steps: 3 });
    await page.mouse.up();
    const now = await page.evaluate(() => cardan.screen(2, [0, 0, 0]));
    assert.ok(Math.hypot(now.x - before.x, now.y - before.y) > 5);
    assert.equal(server.received.grabs.length, 0);
});

test('slider, value and release of a joint', async () => {
    await press('j');
    await page.getByLabel('A.q value').fill('90');
    await page.getByLabel('A.q value').press('Enter');
    await until(() => Math.abs(last('drive')?.value - Math.PI / 2) < 1e-12, 'drive');
    assert.deepEqual([last('drive').joint, last('drive').axis], [0, 0]);
    await page.getByLabel('A.q', { exact: true }).fill('45');
    await until(() => Math.abs(last('drive').value - Math.PI / 4) < 1e-12, 'slider');
    await page.locator('#panel-joints button', { hasText: 'release' }).first().click();
    await until(() => last('drive').value === null, 'release');
});

test('keys: play, steps, reset, views, theme, list', async () => {
    await press('.');
    await until(() => last('step')?.count === 1, 'step');
    await press(',');
    await until(() => last('step').count === -1, 'step back');
    await press('r');
    await until(() => last('reset'), 'reset');
    for (const key of ['1', '2', '3', '0', 'f', 'a', 'm', 'w']) await press(key);
    await until(() => last('flags').value & 2, 'reactions');
    const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
    assert.equal(await theme(), 'light');
    await press('t');
    assert.equal(await theme(), 'dark');
    await press('?');
    assert.ok(await page.locator('#keys').isVisible());
    await press('Escape');
    assert.ok(!(await page.locator('#keys').isVisible()));
});

test('scrub: the slider and an event mark seek', async () => {
    await page.locator('#history').fill('1.5');
    await until(() => Math.abs(last('seek')?.t - 1.5) < 0.01, 'seek');
    server.sendText({ type: 'event', t: 0.5, kind: 'limit', text: 'A reaches its limit' });
    await page.locator('.mark').click();
    await until(() => last('seek').t === 0.5, 'mark');
});

test('plots: columns are selected; table', async () => {
    await press('p');
    await page.locator('.column', { hasText: 'A.q' }).click();
    await until(() => last('columns')?.names[0] === 'A.q' && last('flags').value & 4 && last('history'), 'columns');
    await page.locator('.uplot canvas').waitFor();
    await page.getByLabel('Horizontal axis').selectOption('A.v');
    await until(() => last('columns').names.length === 2, 'second column');
    await press('.');
    await page.waitForFunction(() => cardan.last.columns?.length === 2);
});

test('diagnosis, parameters, marker, problem', async () => {
    await press('d');
    await page.locator('.suggestion', { hasText: 'let C be spherical' }).waitFor();
    await press('v');
    await page.getByLabel('a value', { exact: true }).fill('1.1');
    await page.getByLabel('a value', { exact: true }).press('Enter');
    await until(() => last('set')?.parameter === 'a' && last('set').value === 1.1, 'set');
    await press('Escape');
    await page.locator('#canvas').focus();
    await press('c');
    await page.keyboard.down('ArrowRight');
    await until(() => last('move')?.velocity.some((x) => x !== 0), 'move');
    await page.keyboard.up('ArrowRight');
    await until(() => last('move').velocity.every((x) => x === 0), 'stop');
    server.sendText({ type: 'problem', messages: [{ severity: 'error', code: 'x', text: 'unknown key', file: 'a.yaml', line: 3, column: 7 }] });
    await page.locator('.place', { hasText: 'a.yaml:3:7' }).waitFor();
    server.sendText({ type: 'problem', messages: [] });
    await page.locator('.place').waitFor({ state: 'detached' });
});

test('Alt+click traces; a new scene keeps the trace', async () => {
    const at = await page.evaluate(() => cardan.screen(1, [1.2, 0, 0]));
    await page.keyboard.down('Alt');
    await page.mouse.click(at.x, at.y);
    await page.keyboard.up('Alt');
    assert.equal(await page.evaluate(() => cardan.traces), 1);
    server.sendText(scene(1));
    await press('.');
    await page.waitForFunction(() => cardan.traces === 1);
});

function recording(count) {
    const box = { lower: [-3, -3, -3], upper: [3, 3, 3] };
    const columns = Array.from({ length: 21 }, () => []);
    for (let k = 0; k < count; k++) {
        const p = poses(Math.PI / 3 + 0.03 * k);
        for (let body = 0; body < 3; body++) quantize(p.slice(7 * body, 7 * body + 7), box).forEach((x, i) => columns[7 * body + i].push(x));
    }
    const differences = columns.flatMap((x) => x.map((v, k) => (v - 2 * (x[k - 1] ?? 0) + (x[k - 2] ?? 0)) & 65535));
    const bytes = Buffer.alloc(72 + 2 * differences.length);
    bytes.writeUInt32LE(3, 0);
    bytes.writeUInt32LE(count, 4);
    [0, 1 / 60, ...box.lower, ...box.upper].forEach((x, i) => bytes.writeDoubleLE(x, 8 + 8 * i));
    differences.forEach((x, i) => {
        bytes[72 + i] = x & 255;
        bytes[72 + differences.length + i] = x >> 8;
    });
    return gzipSync(bytes).toString('base64');
}

function quantize(p, { lower, upper }) {
    const position = p.slice(0, 3).map((x, i) => Math.round(65535 * (x - lower[i]) / (upper[i] - lower[i])) - 32768);
    const q = p.slice(3);
    const largest = q.reduce((best, x, i) => (Math.abs(x) > Math.abs(q[best]) ? i : best), 0);
    const others = q.filter((_, i) => i !== largest).map((x) => Math.round(32767 * Math.SQRT2 * x * Math.sign(q[largest])));
    return [...position, ...others, largest];
}

test('a recording plays from a file', async () => {
    await page.close();
    const text = (id, type, content) => `<script type="${type}" id="${id}">${content}</script>`;
    const [script, style] = readFileSync(file.replace('.html', '.csp'), 'utf8').trim().split('\n');
    const columns = { names: ['A.q'], units: ['rad'], values: [Array.from({ length: 90 }, (_, k) => k)] };
    const json = (value) => JSON.stringify(value).replaceAll('<', '\\u003c');
    writeFileSync(join(folder, 'recording.html'), readFileSync(file, 'utf8')
        .replace('<!-- policy -->', `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src '${script}'; style-src '${style}'; img-src data: blob:">`)
        .replace('<!-- recording -->', text('cardan-scene', 'application/json', json(scene())) + text('cardan-frames', 'application/octet-stream', recording(90))
            + text('cardan-columns', 'application/json', json(columns))));
    await openPage(`${pathToFileURL(join(folder, 'recording.html'))}?debug`);
    await page.waitForFunction(() => cardan.last.t > 0.3);
    await press(' ');
    await page.locator('#history').fill('1');
    const shown = await page.evaluate(() => [...cardan.last.poses]);
    close(shown, poses(Math.PI / 3 + 0.03 * 60), 2e-4);
    await press('p');
    await page.locator('.column').click();
    await page.locator('.uplot canvas').waitFor();
});
