// Picture of the README: the vehicle on its posts in `cardan view`, 0.3 s after the start: node readme_picture.mjs OUTPUT.png
import { launch, openPage } from './browser.mjs';
import { startViewer } from './viewer.mjs';

const viewer = await startViewer('models/hmmwv/bump.yaml');
const browser = await launch();
const page = await openPage(browser, viewer.address, { viewport: { width: 1040, height: 620 } });
await page.press('p');
for (const column of ['FL.travel', 'FL.load']) await page.locator('.column', { hasText: column }).first().click();
await page.press(' ');
await page.waitForFunction(() => cardan.last.t > 0.3);
await page.press(' ');
await page.waitForTimeout(1000);
await page.screenshot({ path: process.argv[2] });
await browser.close();
await viewer.close();
