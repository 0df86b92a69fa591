// Time from a pointer event to the rendered frame that includes it, and time to the first picture in a browser that is running already:
// node bench/pull_latency.mjs [SECONDS]. Columns: model, pulls, median, 95 % [ms], first picture [ms] after the command.
import { launch, openPage } from '../test/browser.mjs';
import { startViewer } from '../test/viewer.mjs';

const seconds = Number(process.argv[2] ?? 10);
const browser = await launch();
await (await browser.newPage()).goto('about:blank');

function percentile({ milliseconds, counts }, part) {
    const total = counts.reduce((sum, n) => sum + n, 0);
    let sum = 0;
    return milliseconds * (counts.findIndex((n) => (sum += n) >= part * total) + 0.5);
}

console.log('model              pulls  median   95 %   first picture');
for (const model of ['four_bar', 'strandbeest', 'prosthetic_arm', 'rider']) {
    const start = performance.timeOrigin + performance.now();
    const viewer = await startViewer(`models/${model}`);
    const page = await openPage(browser, viewer.address);
    await page.waitFor(() => cardan.firstPicture !== null);
    const first = await page.evaluate(() => performance.timeOrigin + cardan.firstPicture) - start;
    const grip = await page.grip();
    await page.drag(grip.body, grip.point, 0, 0, 1);
    await page.press(' ');
    for (let i = 0; i < 20 * seconds; i++) {
        await page.mouse.move(450 + 80 * Math.sin(0.3 * i), 280 + 40 * Math.cos(0.3 * i));
        await page.waitForTimeout(50);
    }
    await page.mouse.up();
    const latency = await page.evaluate(() => cardan.latency);
    const pulls = latency.counts.reduce((sum, n) => sum + n, 0);
    console.log(`${model.padEnd(16)} ${String(pulls).padStart(7)} ${percentile(latency, 0.5).toFixed(0).padStart(7)} ${percentile(latency, 0.95).toFixed(0).padStart(6)} ${first.toFixed(0).padStart(15)}`);
    await page.close();
    await viewer.close();
}
await browser.close();
