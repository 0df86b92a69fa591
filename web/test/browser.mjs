// Chromium for tests of the page; CHROMIUM names another browser. Errors of the console and of scripts are collected.
import { chromium } from 'playwright-core';

const options = ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist', '--no-first-run',
    '--disable-background-networking', '--disable-component-update', '--disable-sync'];

export const launch = () => chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: options });

// Open the page and wait for the first frame. Returns it with helpers and the list of errors.
export async function openPage(browser, address, { viewport = { width: 900, height: 600 }, frame = true } = {}) {
    const page = await browser.newPage({ viewport, colorScheme: 'light' });
    const errors = [];
    page.on('console', (message) => { if (message.type() === 'error') errors.push(message.text()); });
    page.on('pageerror', (error) => errors.push(String(error)));
    await page.goto(address);
    if (frame) await page.waitForFunction(() => globalThis.cardan?.last, null, { timeout: 30000 });
    return Object.assign(page, {
        errors,
        press: (key) => page.keyboard.press(key),
        // The view changes its size when a panel opens.
        settle: () => page.evaluate(() => new Promise((done) => { requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done))); })),
        place: (body, point) => page.evaluate(([b, p]) => cardan.screen(b, p), [body, point]),
        // Press on a point of a body and move the pointer, which stays down.
        async drag(body, point, dx, dy, steps = 4) {
            const at = await page.place(body, point);
            await page.mouse.move(at.x, at.y);
            await page.mouse.down();
            await page.mouse.move(at.x + dx, at.y + dy, { steps });
        },
        // A body that can be pulled and a point of one of its shapes; null if no body has one.
        grip: () => page.evaluate(() => {
            const point = (shape) => {
                if (shape.kind === 'bar' || shape.kind === 'capsule' || shape.kind === 'cylinder') return shape.a.map((x, i) => (x + shape.b[i]) / 2);
                if (shape.kind === 'mesh') return shape.vertices.slice(0, 3);
                return shape.a ?? shape.pose?.slice(0, 3) ?? shape.points[0];
            };
            const { bodies } = cardan.scene;
            const body = bodies.findLastIndex((b) => b.shapes.length > 0);
            return body < 0 ? null : { body, point: point(bodies[body].shapes[0]) };
        }),
        waitFor: (condition, argument) => page.waitForFunction(condition, argument, { timeout: Number(process.env.PAGE_TIMEOUT ?? 15000) }),
    });
}

export async function until(condition, what, seconds = 10) {
    for (let i = 0; i < 40 * seconds; i++) {
        if (await condition()) return;
        await new Promise((done) => setTimeout(done, 25));
    }
    throw new Error(`not reached: ${what}`);
}
