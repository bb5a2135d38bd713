/**
 * `node docs/.vitepress/record-console.ts`: plays sessions on a Worker of its own, and writes pictures of the console
 * to `docs/public`.
 */
import { join, resolve } from 'node:path';
import { chromium } from 'playwright-core';
import { buildConsolePage } from '../../build/console-page.ts';
import { playSessions } from '../../test/full/browser/console/play.ts';
import { CHROMIUM_ARGS, findChromium } from '../../test/full/files/chromium.ts';
import { startWorker } from '../../test/full/process/start-worker.ts';

const folder = resolve(import.meta.dirname, '../public');

/** The pictures by name: the address of the view, and the height of its content. */
const PICTURES: Readonly<Record<string, readonly [hash: string, height: number]>> = {
  'console-turn': ['#/s/clerk/refund/turn?event=4', 640],
  'console-tools': ['#/s/clerk/parcel/tools?reply=11', 720],
};

await buildConsolePage();
const worker = await startWorker('test/full/browser/console/worker.ts', { deployedAs: { hasIndex: true } });
await playSessions(worker.url.origin);
const browser = await chromium.launch({ executablePath: findChromium() ?? '', args: CHROMIUM_ARGS });
for (const [name, [hash, height]] of Object.entries(PICTURES)) {
  const page = await browser.newPage({ viewport: { width: 1280, height }, colorScheme: 'light' });
  await page.goto(`${new URL('/console', worker.url)}${hash}`);
  await page.getByRole('tabpanel').waitFor();
  await page.locator('.row, .tool').first().waitFor();
  await page.screenshot({ path: join(folder, `${name}.png`) });
  await page.close();
}
await browser.close();
await worker.stop();
