// One hour of motion at ten times real time: the memory of page and server stays within 20 % of that after the first minute of waiting.
// node long_play.mjs [SECONDS OF MOTION]; prints "N passed, N failed".
import { readFileSync } from 'node:fs';
import { launch, openPage } from './browser.mjs';
import { startViewer } from './viewer.mjs';

const duration = Number(process.argv[2] ?? 3600);
const speed = 10;
const allowed = 1.2;
const viewer = await startViewer('models/strandbeest');
const browser = await launch();
const page = await openPage(browser, viewer.address);
const session = await page.context().newCDPSession(page);
await session.send('Performance.enable');

async function memory() {
    await session.send('HeapProfiler.collectGarbage');
    const { metrics } = await session.send('Performance.getMetrics');
    const heap = metrics.find((m) => m.name === 'JSHeapUsedSize').value;
    const resident = 1024 * Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${viewer.pid}/status`, 'utf8'))[1]);
    return { heap, resident };
}

const now = () => page.evaluate(() => cardan.last.t);
async function reach(t) {
    while (await now() < t) await page.waitForTimeout(500);
}

await page.press('p');
await page.locator('.column').first().click();
await page.locator('#speed').selectOption(String(speed));
await page.evaluate(() => document.activeElement.blur());
await page.press(' ');
await reach(Math.min(600, duration / 6));
const first = await memory();
await reach(duration);
const last = await memory();
const good = ['heap', 'resident'].map((key) => {
    console.log(`${key}: ${(first[key] / 1e6).toFixed(1)} MB, at the end ${(last[key] / 1e6).toFixed(1)} MB`);
    return last[key] <= allowed * first[key];
});
await browser.close();
const { code } = await viewer.close();
const checks = [...good, code === 0, page.errors.length === 0];
console.log(`${checks.filter(Boolean).length} passed, ${checks.filter((x) => !x).length} failed`);
process.exit(checks.every(Boolean) ? 0 : 1);
