/**
 * `node docs/.vitepress/record-console.ts`: plays sessions on its own Worker, and writes screenshots of the
 * console to `docs/public`.
 */
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { buildConsolePage } from '../../build/console-page.ts';
import { playSessions } from '../../test/full/browser/console/play.ts';
import { CHROMIUM_ARGS, findChromium } from '../../test/full/files/chromium.ts';
import { startWorker } from '../../test/full/process/start-worker.ts';

const folder = resolve(import.meta.dirname, '../public');

/** The screenshots by name: the address of the view, and the height of its content. */
const PICTURES: Readonly<Record<string, readonly [hash: string, height: number]>> = {
  'console-turn': ['#/s/clerk/refund/turn?event=4', 540],
};

await buildConsolePage();
const worker = await startWorker('test/full/browser/console/worker.ts', { deployedAs: { hasIndex: true } });
await playSessions(worker.url.origin);
const browser = await chromium.launch({ executablePath: findChromium() ?? '', args: CHROMIUM_ARGS });
for (const [name, [hash, height]] of Object.entries(PICTURES)) {
  const page = await browser.newPage({ viewport: { width: 1120, height }, colorScheme: 'light' });
  await page.goto(`${new URL('/console', worker.url)}${hash}`);
  await page.getByRole('tabpanel').waitFor();
  await page.locator('.row, .tool').first().waitFor();
  writeFileSync(join(folder, `${name}.webp`), await toWebp(page, await page.screenshot()));
  await page.close();
}
await browser.close();
await worker.stop();

/** Converts to WebP, because a PNG is four times as large and the package's size is limited. */
async function toWebp(page: Page, png: Buffer): Promise<Buffer> {
  await page.goto('about:blank');
  const data = await page.evaluate<string>(`(async () => {
    const image = await createImageBitmap(await (await fetch('data:image/png;base64,${png.toString('base64')}')).blob());
    const canvas = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height });
    canvas.getContext('2d').drawImage(image, 0, 0);
    return canvas.toDataURL('image/webp', 0.6);
  })()`);
  return Buffer.from(data.slice(data.indexOf(',') + 1), 'base64');
}
