// Models pulled in Chromium: no error of the console, constraints kept. CARDAN_PULL_ALL=1: every model and robot, five seconds each, and posed.
import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { launch, openPage } from './browser.mjs';
import { root, startViewer } from './viewer.mjs';

const all = process.env.CARDAN_PULL_ALL === '1';
const seconds = all ? 5 : 1;
const twelve = ['four_bar', 'strandbeest', 'rider', 'prosthetic_arm', 'gear_pair', 'stewart', 'double_pendulum', 'slider_crank',
    'governor', 'macpherson', 'rolling_disc', 'tractor'];
const largest = 1e-9; // constraint violation [m, rad]

function everyModel() {
    const models = readdirSync(join(root, 'models'), { withFileTypes: true }).filter((entry) => entry.isDirectory() && entry.name !== 'robots')
        .map((entry) => entry.name);
    const robots = existsSync(join(root, 'models/robots')) ? readdirSync(join(root, 'models/robots')).filter((name) => !name.includes('.')) : [];
    return [...models, ...robots.map((name) => `robots/${name}`)];
}

let browser;
before(async () => { browser = await launch(); });
after(async () => { await browser?.close(); });

async function pull(page, body, point) {
    await page.drag(body, point, 0, 0, 1);
    await page.press(' ');
    const box = page.viewportSize();
    const start = Date.now();
    let worst = 0;
    for (let i = 1; Date.now() - start < 1000 * seconds; i++) {
        await page.mouse.move(box.width * (0.5 + 0.2 * Math.sin(i)), box.height * (0.4 + 0.1 * Math.cos(i)));
        const violation = await page.evaluate(() => cardan.last.positionViolation);
        worst = Math.max(worst, violation);
    }
    await page.mouse.up();
    return worst;
}

for (const name of all ? everyModel() : twelve) {
    test(`${name} is pulled`, async () => {
        const viewer = await startViewer(`models/${name}`);
        const page = await openPage(browser, viewer.address, { viewport: { width: 640, height: 440 } });
        try {
            const grip = await page.grip();
            if (all && grip) { // posed first, while it is paused
                await page.drag(grip.body, grip.point, 30, -20);
                await page.mouse.up();
                assert.ok(await page.evaluate(() => cardan.last.positionViolation) < largest);
            }
            const worst = grip ? await pull(page, grip.body, grip.point) : 0;
            const ended = await page.textContent('.field-ended');
            const last = await page.evaluate(() => cardan.last.t);
            assert.ok(worst < largest || ended !== '', `violation ${worst}`);
            assert.ok(last > 0 || ended !== '', 'it plays');
            assert.ok(await page.evaluate(() => cardan.last.grab) > 0, 'it is pulled');
            assert.deepEqual(page.errors, []);
        } finally {
            await page.close();
            const end = await viewer.close();
            assert.equal(end.code, 0);
            assert.equal(end.errors, '');
        }
    });
}
