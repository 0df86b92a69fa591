// The page in Chromium against the server of fake_server.mjs: what it sends, and how it shows what it is sent.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, afterEach, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { launch, openPage, until } from './browser.mjs';
import { startServer } from './fake_server.mjs';
import { scene } from './four_bar.mjs';

const web = join(dirname(fileURLToPath(import.meta.url)), '..');
const folder = mkdtempSync(join(tmpdir(), 'cardan-page-'));
const file = join(folder, 'view.html');
let browser, server, page;

before(async () => {
    const built = spawnSync(process.execPath, [join(web, 'build.mjs'), file], { encoding: 'utf8' });
    assert.equal(built.status, 0, built.stderr);
    browser = await launch();
    server = await startServer(file);
    page = await openPage(browser, server.address);
});
after(async () => {
    await browser?.close();
    server?.close();
    rmSync(folder, { recursive: true });
});
// The tests share a page: each folds its panels.
afterEach(async () => {
    if (await page.locator('#keys').isVisible()) await page.press('Escape');
    await page.evaluate(() => document.activeElement?.blur());
    await page.press('Escape');
    assert.deepEqual(page.errors, []);
});

const last = (type) => server.received.text.filter((m) => m.type === type).at(-1);
const lastGrab = () => server.received.grabs.at(-1);
const label = (name) => page.getByLabel(name, { exact: true });
async function fill(name, value) {
    await label(name).fill(String(value));
    await label(name).press('Enter');
}
const close = (a, b, tolerance) => a.forEach((x, i) => assert.ok(Math.abs(x - b[i]) < tolerance, `${a} is not near ${b}`));
async function pause() {
    if (!server.now.playing) return;
    await page.press(' ');
    await until(() => !server.now.playing, 'pause');
}

test('one file below 900 kB; hashes match', () => {
    assert.ok(readFileSync(file).length < 900000);
    assert.match(readFileSync(file.replace('.html', '.csp'), 'utf8'), /^sha256-\S{44}\nsha256-\S{44}\n$/);
});

test('name, token; names of the file are text', async () => {
    assert.equal(await page.textContent('#name'), 'four-bar');
    assert.equal(server.received.text[0].type, 'token');
    await page.press('n');
    assert.equal(await page.locator('#labels b').count(), 0);
    assert.equal(await page.locator('.label', { hasText: '<b>rocker</b>' }).count(), 1);
    await page.press('n');
});

test('while paused the gesture poses: body, point and target in the plane; the limit is explained', async () => {
    await page.drag(1, [1.2, 0, 0], 60, -40);
    await until(() => server.received.grabs.length >= 4, 'grabs');
    const first = server.received.grabs[0];
    assert.deepEqual([first.length, first.type, first.slot, first.body, first.playing], [32, 16, 0, 1, false]);
    close(first.point, [1.2, 0, 0], 0.06);
    const end = lastGrab();
    assert.ok(Math.abs(end.target[2] - first.target[2]) < 1e-4 && end.target[0] > first.target[0] && end.target[1] > first.target[1]);
    server.sendText({ type: 'limit', text: 'coupler and rocker are in line', bodies: [1, 2] });
    await page.waitFor(() => document.querySelector('.pull .pull-label').textContent === 'coupler and rocker are in line');
    await page.mouse.up();
    await until(() => lastGrab().body === 65535, 'release');
    await page.waitFor(() => cardan.latency.counts.some((n) => n > 0));
});

test('while playing the gesture pulls and shows the force; I pins it; the pin is released', async () => {
    server.now.rate = 0; // a body at rest: the pointer does not miss it
    await page.press(' ');
    await page.waitFor(() => cardan.playing);
    await page.drag(2, [0.7, 0, 0], 30, 0);
    await page.waitFor(() => document.querySelector('.pull .pull-label').textContent === '12.5 N');
    await page.press('i');
    await until(() => server.received.grabs.some((g) => g.slot === 1 && g.body === 2), 'pin');
    await until(() => lastGrab().slot === 0 && lastGrab().body === 65535, 'release by the pin');
    await page.mouse.up();
    assert.equal(await page.evaluate(() => cardan.pins), 1);
    await page.waitForTimeout(400); // a status confirms the pin
    assert.equal(await page.evaluate(() => cardan.pins), 1);
    await page.press('g');
    await until(() => lastGrab().slot === 1 && lastGrab().body === 65535, 'release by G');
    await pause();
    server.now.rate = 2;
});

test('empty space turns the camera and sends nothing', async () => {
    const count = server.received.grabs.length;
    const before = await page.place(2, [0, 0, 0]);
    await page.mouse.move(60, 100);
    await page.mouse.down();
    await page.mouse.move(160, 120, { steps: 3 });
    await page.mouse.up();
    const now = await page.place(2, [0, 0, 0]);
    assert.ok(Math.hypot(now.x - before.x, now.y - before.y) > 5);
    assert.equal(server.received.grabs.length, count);
    await page.press('0');
});

test('a click on a joint opens its row; slider, value, speed, formula, torque, effort, release', async () => {
    const at = await page.place(0, [0, 0, 0]);
    await page.mouse.click(at.x, at.y);
    await page.locator('#panel-joints .selected', { hasText: 'A.q' }).waitFor();
    await fill('A.q value', 90);
    await until(() => Math.abs(last('drive')?.value - Math.PI / 2) < 1e-12, 'drive');
    assert.deepEqual([last('drive').joint, last('drive').axis], [0, 0]);
    await label('A.q').fill('45');
    await until(() => Math.abs(last('drive').value - Math.PI / 4) < 1e-12, 'slider');
    await until(() => last('columns')?.names.includes('A.effort'), 'column of the effort');
    await page.locator('.effort', { hasText: '7.5 N m' }).waitFor();
    await label('A.q mode').selectOption('rate');
    await fill('A.q formula', 180);
    await until(() => Math.abs(last('drive').rate - Math.PI) < 1e-12, 'speed');
    await label('A.q mode').selectOption('position');
    await fill('A.q formula', '0.5*sin(2*t)');
    await until(() => last('drive').formula === '0.5*sin(2*t)', 'formula');
    await page.locator('#panel-joints .driven button', { hasText: 'release' }).click();
    await until(() => last('drive').value === null, 'release');
    await label('B.q drive').click();
    await label('B.q mode').selectOption('effort');
    await fill('B.q formula', 3);
    await until(() => last('effort')?.value === 3 && last('effort').joint === 1, 'torque');
});

test('keys: play, steps, reset, views, theme, list', async () => {
    await page.press('.');
    await until(() => last('step')?.count === 1, 'step');
    await page.press(',');
    await until(() => last('step').count === -1, 'step back');
    await page.press('r');
    await until(() => last('reset'), 'reset');
    for (const key of ['1', '2', '3', '0', 'f', 'a', 'm', 'w', 'h']) await page.press(key);
    await until(() => last('flags').value & 2, 'reactions');
    assert.ok(await page.locator('#toggle-frames').isChecked());
    for (const key of ['a', 'm', 'w']) await page.press(key);
    const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
    assert.equal(await theme(), 'light');
    await page.press('t');
    assert.equal(await theme(), 'dark');
    await page.press('t');
    await page.press('?');
    assert.ok(await page.locator('#keys').isVisible());
    assert.ok(await page.locator('#keys tr').count() > 25);
});

test('scrub: the slider and marks seek; marks are replaced', async () => {
    await page.locator('#history').fill('1.5');
    await until(() => Math.abs(last('seek')?.t - 1.5) < 0.01, 'seek');
    server.sendText({ type: 'event', t: 0.5, kind: 'limit', text: 'A reaches its limit' });
    await page.locator('.mark-limit').click();
    await until(() => last('seek').t === 0.5, 'mark');
    server.sendText({ type: 'events', events: [{ t: 1, kind: 'singular', text: 'in line' }, { t: 1.2, kind: '"><b>', text: '<b>' }] });
    await page.locator('.mark-singular').waitFor();
    assert.equal(await page.locator('.mark').count(), 2);
});

test('plots: columns are selected; one against another', async () => {
    await page.press('p');
    await page.locator('.column', { hasText: 'A.q' }).click();
    await until(() => last('columns')?.names.includes('A.q') && last('flags').value & 4 && last('history'), 'columns');
    await page.locator('.uplot canvas').waitFor();
    await label('Horizontal axis').selectOption('A.v');
    await until(() => last('columns').names.includes('A.v'), 'second column');
    await page.waitFor(() => Number.isFinite(cardan.value('A.v')));
});

test('contacts: points of a frame are shown', async () => {
    server.now.contacts = [{ first: -1, second: 0, place: [0, 0, 0], force: [0, 20, 0] }, { first: 0, second: 2, place: [0.2, 0, 0], force: [5, 0, 0] }];
    await page.press('h');
    await page.locator('#toggle-contacts').check();
    await page.waitFor(() => cardan.contacts === 2);
    server.now.contacts = [];
    await page.press('.');
    await page.waitFor(() => cardan.contacts === 0);
});

test('diagnosis: loops with reasons, repair, free motions and modes under the pointer', async () => {
    await page.press('d');
    await page.locator('.suggestion', { hasText: 'let C be spherical' }).waitFor();
    await page.locator('.finding button', { hasText: 'apply' }).click();
    await until(() => last('repair')?.loop === 0, 'repair');
    await page.locator('.playable', { hasText: 'the crank turns' }).hover();
    await until(() => last('motion')?.index === 0, 'motion');
    await page.locator('.playable', { hasText: '1.5 Hz' }).hover();
    await until(() => last('mode')?.index === 0 && last('motion').index === null, 'mode');
    await page.mouse.move(10, 10);
    await until(() => last('mode').index === null, 'end of the mode');
});

test('parameters and points: value, slider, handle in the view, lines to copy, revert', async () => {
    await page.press('v');
    await fill('a value', 1.1);
    await until(() => last('set')?.parameter === 'a' && last('set').value === 1.1, 'set');
    server.sendText(scene(1));
    server.sendText({ type: 'lines', lines: [{ file: 'four_bar.yaml', line: 6, before: '  a: 1', after: '  a: 1.1' }], settings: ['a=1.1'] });
    await page.locator('.change ins', { hasText: 'a: 1.1' }).waitFor();
    await page.locator('button', { hasText: 'revert' }).click();
    await until(() => last('revert'), 'revert');
    await page.evaluate(() => document.activeElement?.blur());
    await page.settle();
    await page.drag(-1, [0.5, 0.866, 0], 40, -30);
    await page.mouse.up();
    await until(() => last('point')?.name === 'B', 'point');
    const { position } = last('point');
    assert.ok(position[0] > 0.52 && position[1] > 0.88 && Math.abs(position[2]) < 1e-6, String(position));
    server.sendText(scene(1));
});

test('Cartesian move: keys, buttons and the arrows at the marker', async () => {
    await page.press('c');
    await page.locator('#canvas').focus();
    await page.keyboard.down('ArrowRight');
    await until(() => last('move')?.velocity[0] > 0, 'key');
    await page.keyboard.up('ArrowRight');
    await until(() => last('move').velocity.every((x) => x === 0), 'stop');
    const button = await page.locator('.hold', { hasText: '+y' }).boundingBox();
    await page.mouse.move(button.x + 5, button.y + 5);
    await page.mouse.down();
    await until(() => last('move').velocity[1] > 0, 'button');
    await page.mouse.up();
    await until(() => last('move').velocity.every((x) => x === 0), 'stop of the button');
    await page.settle();
    const handle = await page.evaluate(() => cardan.screen(-1, cardan.gizmo));
    await page.mouse.move(handle.x, handle.y);
    await page.mouse.down();
    await page.mouse.move(handle.x + 40, handle.y, { steps: 3 });
    await until(() => last('move').velocity[0] > 0 && last('move').velocity[1] === 0, 'arrow');
    await page.mouse.up();
    await until(() => last('move').velocity.every((x) => x === 0), 'stop of the arrow');
});

test('simulation: method, exact run, replay', async () => {
    await page.press('s');
    await label('Integrator').selectOption('semi-implicit-euler');
    await until(() => last('method')?.integrator === 'semi-implicit-euler', 'method');
    await fill('Duration in s', 3);
    await page.locator('button', { hasText: 'run exactly' }).click();
    await until(() => last('exact')?.duration === 3, 'exact');
    await page.locator('#replay').check();
    await until(() => last('replay')?.value === true, 'replay');
});

test('a message has its place; the old mechanism stays', async () => {
    server.sendText({ type: 'problem', messages: [{ severity: 'error', code: 'x', text: 'unknown key', file: 'a.yaml', line: 3, column: 7 }] });
    await page.locator('.place', { hasText: 'a.yaml:3:7' }).waitFor();
    server.sendText({ type: 'problem', messages: [] });
    await page.locator('#problems .place').waitFor({ state: 'detached' });
});

test('Alt+click traces; a new scene keeps the trace', async () => {
    const at = await page.place(1, [1.2, 0, 0]);
    await page.keyboard.down('Alt');
    await page.mouse.click(at.x, at.y);
    await page.keyboard.up('Alt');
    assert.equal(await page.evaluate(() => cardan.traces), 1);
    server.sendText(scene(1));
    await page.press('.');
    await page.waitFor(() => cardan.traces === 1);
});
