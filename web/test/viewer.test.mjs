// The page in Chromium with `cardan view`: each feature once, and recordings opened from files.
import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { launch, openPage, until } from './browser.mjs';
import { root, run, startViewer } from './viewer.mjs';

const folder = mkdtempSync(join(tmpdir(), 'cardan-viewer-'));
const model = join(folder, 'four_bar.yaml');
let browser, viewer, page;

before(async () => {
    copyFileSync(join(root, 'models/four_bar/four_bar.yaml'), model);
    browser = await launch();
    viewer = await startViewer(model);
    page = await openPage(browser, viewer.address);
});
after(async () => {
    await browser?.close();
    const end = await viewer?.close();
    rmSync(folder, { recursive: true });
    assert.equal(end?.code, 0);
    assert.equal(end.errors, '');
});
afterEach(async () => {
    await page.evaluate(() => document.activeElement?.blur());
    await page.press('Escape');
    assert.deepEqual(page.errors, []);
});

const label = (name) => page.getByLabel(name, { exact: true });
const violation = () => page.evaluate(() => cardan.last.positionViolation);
const frame = (p = page) => p.evaluate(() => ({ ...cardan.last, poses: [...cardan.last.poses], coordinates: [...cardan.last.coordinates ?? []] }));
const angle = async () => (await frame()).coordinates[0];
async function reset() {
    await page.evaluate(() => document.activeElement?.blur()); // a focused button takes the space key
    if (await page.evaluate(() => cardan.playing)) await page.press(' ');
    await page.waitFor(() => !cardan.playing);
    await page.press('r');
    await page.waitFor(() => cardan.last.t === 0);
}
async function replaceFile(text) {
    writeFileSync(`${model}.new`, text);
    renameSync(`${model}.new`, model);
}

test('pull: the force is shown and the loop stays closed', async () => {
    await page.drag(2, [0, 0, 0], 0, 0); // while it is at rest, so that the pointer does not miss it
    await page.press(' ');
    await page.mouse.move(500, 250, { steps: 3 });
    await page.waitFor(() => cardan.last.force > 1 && / N$/.test(document.querySelector('.pull .pull-label').textContent));
    for (let i = 0; i < 20; i++) {
        await page.mouse.move(500 + 40 * Math.sin(0.5 * i), 250, { steps: 2 });
        assert.ok(await violation() < 1e-10);
    }
    await page.mouse.up();
    await page.waitFor(() => cardan.last.force === 0);
    await reset();
});

test('pose: the point follows the pointer along its circle; the limit of the workspace is explained', async () => {
    const before = await angle();
    await page.drag(0, [0.25, 0.433, 0], 60, 20);
    await page.waitFor((old) => Math.abs(cardan.last.coordinates[0] - old) > 0.05, before);
    assert.ok(await violation() < 1e-10);
    await page.mouse.move(890, 60, { steps: 3 });
    await page.waitFor(() => document.querySelector('.pull .pull-label').textContent.length > 10);
    await page.mouse.up();
    await reset();
});

test('slider: a coordinate is driven while paused and while playing, with its effort', async () => {
    await page.press('j');
    await page.locator('#panel-joints .joint').first().waitFor();
    const before = await angle();
    await label('A.q value').fill(String((before + 0.3) * 180 / Math.PI));
    await label('A.q value').press('Enter');
    await page.waitFor((goal) => Math.abs(cardan.last.coordinates[0] - goal) < 1e-3, before + 0.3);
    await page.evaluate(() => document.activeElement.blur());
    await page.press(' ');
    await page.waitFor(() => cardan.playing);
    await label('A.q value').fill(String((before + 0.4) * 180 / Math.PI));
    await label('A.q value').press('Enter');
    await page.waitFor(() => /N m/.test(document.querySelector('.effort').textContent));
    await page.waitFor((goal) => Math.abs(cardan.last.coordinates[0] - goal) < 0.02, before + 0.4);
    await page.locator('#panel-joints .driven button', { hasText: 'release' }).first().click();
    await page.waitFor((goal) => Math.abs(cardan.last.coordinates[0] - goal) > 0.05, before + 0.4);
    await reset();
});

test('scrub and branch: play goes on from a past state, the old future is the ghost', async () => {
    await page.press(' ');
    await page.waitFor(() => cardan.last.t > 2.5);
    await page.press(' ');
    await page.waitFor(() => !cardan.playing);
    await page.locator('#history').fill('0.3');
    await page.waitFor(() => Math.abs(cardan.last.t - 0.3) < 0.05);
    await page.evaluate(() => document.activeElement.blur());
    await page.press(' ');
    await page.waitFor(() => cardan.playing && cardan.last.t > 0.31 && cardan.last.ghost); // until the old future ends
    await reset();
});

test('reload: an error has its place and the old mechanism stays; the repair is noticed', async () => {
    const good = readFileSync(model, 'utf8');
    await replaceFile(good.replace('bodies:', 'bodeis:'));
    await page.locator('.place', { hasText: /four_bar\.yaml:\d+/ }).first().waitFor();
    assert.equal((await frame()).poses.length, 21);
    await replaceFile(good.replace('a: 1', 'a: 1.05'));
    await page.locator('#problems .place').first().waitFor({ state: 'detached' });
    await page.waitFor(() => cardan.scene.parameters.find((p) => p.name === 'a').value === 1.05);
    await replaceFile(good);
    await page.waitFor(() => cardan.scene.parameters.find((p) => p.name === 'a').value === 1);
});

test('a design point is dragged; the lines for the file are shown; revert', async () => {
    await page.press('v');
    const before = await page.evaluate(() => cardan.scene.points.find((p) => p.name === 'D').position);
    await page.settle();
    await page.drag(-1, before, 40, 0);
    await page.mouse.up();
    await page.waitFor((x) => cardan.scene.points.find((p) => p.name === 'D').position[0] > x + 0.02, before[0]);
    await page.locator('.change ins', { hasText: 'D:' }).waitFor();
    await page.locator('button', { hasText: 'revert' }).click();
    await page.waitFor((x) => Math.abs(cardan.scene.points.find((p) => p.name === 'D').position[0] - x) < 1e-9, before[0]);
});

test('diagnosis: degrees of freedom, a loop with its repair, a free motion', async () => {
    await page.press('d');
    await page.locator('.diagnosis dd', { hasText: /^1$/ }).first().waitFor();
    await page.locator('.finding', { hasText: '3 redundant equations' }).waitFor();
    const before = await angle();
    await page.locator('.playable').first().hover();
    await page.waitFor((old) => Math.abs(cardan.last.coordinates[0] - old) > 1e-3, before);
    await page.mouse.move(10, 300);
    if (await page.locator('.finding button', { hasText: 'apply' }).count() === 0) return;
    await page.locator('.finding button', { hasText: 'apply' }).first().click();
    await page.waitFor(() => cardan.scene.joints.some((joint) => joint.joint_type === 'spherical'));
    await page.press('v');
    await page.locator('button', { hasText: 'revert' }).click();
    await page.waitFor(() => !cardan.scene.joints.some((joint) => joint.joint_type === 'spherical'));
});

test('plots: a column over time; an exact run is replayed', async () => {
    await page.press('p');
    await page.locator('.column', { hasText: 'A.q' }).first().click();
    await page.locator('.uplot canvas').waitFor();
    await page.waitFor(() => Number.isFinite(cardan.value('A.q')));
    await page.press('s');
    await label('Duration in s').fill('1');
    await page.locator('button', { hasText: 'run exactly' }).click();
    await page.waitFor(() => Number(document.querySelector('#history').max) >= 0.99);
    await page.locator('#replay').waitFor();
    await page.waitFor(() => document.querySelector('#replay').checked);
    await page.locator('#replay').uncheck();
    await reset();
});

test('two tabs show the same; a wrong token is refused', async () => {
    const second = await openPage(browser, viewer.address);
    await page.press(' ');
    await second.waitFor(() => cardan.playing && cardan.last.t > 0.2);
    await second.press(' ');
    await page.waitFor(() => !cardan.playing);
    await second.close();
    assert.deepEqual(second.errors, []);
    const wrong = await openPage(browser, viewer.address.replace(/k=.*/, `k=${'0'.repeat(32)}`), { frame: false });
    await wrong.locator('#connection', { hasText: 'refused' }).waitFor();
    assert.equal(await wrong.evaluate(() => cardan.last), null);
    await wrong.close();
    await reset();
});

test('Cartesian move: a marker of the prosthetic arm by a key and by the arrow at it', async () => {
    const arm = await startViewer('models/prosthetic_arm');
    const tab = await openPage(browser, arm.address);
    await tab.press('c');
    await tab.getByLabel('Marker', { exact: true }).selectOption('arm');
    const moved = (old) => tab.waitFor((p) => cardan.last.poses.some((x, i) => Math.abs(x - p[i]) > 1e-3), old);
    const before = (await frame(tab)).poses;
    await tab.locator('#canvas').focus();
    await tab.keyboard.down('ArrowRight');
    await moved(before);
    await tab.keyboard.up('ArrowRight');
    const middle = (await frame(tab)).poses;
    await tab.settle();
    const handle = await tab.evaluate(() => cardan.screen(-1, cardan.gizmo));
    await tab.mouse.move(handle.x, handle.y);
    await tab.mouse.down();
    await tab.mouse.move(handle.x + 30, handle.y + 10, { steps: 4 });
    await moved(middle);
    await tab.mouse.up();
    assert.ok(await tab.evaluate(() => cardan.last.positionViolation) < 1e-9);
    assert.deepEqual(tab.errors, []);
    await tab.close();
    assert.equal((await arm.close()).code, 0);
});

for (const [name, words] of [['cardan view', ['view', 'models/four_bar']], ['cardan run', ['run', 'models/four_bar', '-d', '2', '-o', join(folder, 'run.csv')]]]) {
    test(`a recording of ${name} plays from a file`, async () => {
        const file = join(folder, `${name.replace(' ', '_')}.html`);
        run(...words, '--html', file);
        const tab = await openPage(browser, `${pathToFileURL(file)}?debug`);
        await tab.waitFor(() => cardan.last.t > 0.2);
        await tab.press(' ');
        await tab.locator('#history').fill('1');
        await tab.waitFor(() => Math.abs(cardan.last.t - 1) < 0.02);
        // The crank turns about A with the coordinate that is recorded as a column.
        const shown = await frame(tab);
        const turn = 2 * Math.atan2(shown.poses[6], shown.poses[3]);
        assert.ok(Math.abs(Math.sin((turn - shown.coordinates[0]) / 2)) < 1e-3, `${turn} ${shown.coordinates[0]}`);
        const before = await tab.place(2, [0, 0, 0]);
        await tab.mouse.move(60, 100);
        await tab.mouse.down();
        await tab.mouse.move(160, 120, { steps: 3 });
        await tab.mouse.up();
        const now = await tab.place(2, [0, 0, 0]);
        assert.ok(Math.hypot(now.x - before.x, now.y - before.y) > 5);
        await tab.press('p');
        await tab.locator('.column').first().click();
        await tab.locator('.uplot canvas').waitFor();
        assert.deepEqual(tab.errors, []);
        await tab.close();
    });
}
