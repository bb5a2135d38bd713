/**
 * `node test/full/browser/run-console.ts`: starts the shop with sessions of every kind, and prints the URL of
 * its console. With SCREENSHOTS=FOLDER, it writes screenshots of the views instead and exits. VIEWS=a,b selects
 * the views.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { buildConsolePage } from '../../../build/console-page.ts';
import { CHROMIUM_ARGS, findChromium } from '../files/chromium.ts';
import { startWorker } from '../process/start-worker.ts';
import { playSessions } from './console/play.ts';

/** The hashes of the views, by the name of their screenshot. */
const VIEWS: Readonly<Record<string, string>> = {
  sessions: '#/sessions',
  inbox: '#/inbox',
  owner: '#/sessions?owner=id:ada',
  'owner-chat': '#/s/clerk/approval/chat?owner=id:ada',
  chat: '#/s/clerk/refund/chat',
  approval: '#/s/clerk/approval/chat',
  turn: '#/s/clerk/refund/turn',
  'turn-nested': '#/s/clerk/research/turn',
  'turn-event': '#/s/clerk/refund/turn?event=4',
  'turn-hostile': '#/s/clerk/hostile/turn',
  tools: '#/s/clerk/refund/tools',
  'tools-parcel': '#/s/clerk/parcel/tools',
  'tools-book': '#/s/clerk/book/tools',
  journal: '#/s/clerk/refund/journal',
  state: '#/s/clerk/refund/state',
};

await buildConsolePage();
const worker = await startWorker('test/full/browser/console/worker.ts', { deployedAs: { hasIndex: true } });
await playSessions(worker.url.origin);
const { SCREENSHOTS, VIEWS: chosen } = process.env;
if (SCREENSHOTS === undefined) process.stdout.write(`${new URL('/console', worker.url)}\n`);
else {
  await takePictures(SCREENSHOTS, chosen?.split(',') ?? Object.keys(VIEWS));
  await worker.stop();
}

async function takePictures(folder: string, names: readonly string[]): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const browser = await chromium.launch({ executablePath: findChromium() ?? '', args: CHROMIUM_ARGS });
  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [1920, 1280, 390]) {
      const context = await browser.newContext({
        colorScheme,
        viewport: { width, height: width > 1280 ? 1080 : 820 },
      });
      const page = await context.newPage();
      page.on(
        'console',
        (line) => void (line.type() === 'error' && process.stderr.write(`${line.text()}\n`)),
      );
      page.on('pageerror', (error) => void process.stderr.write(`${error}\n`));
      for (const name of names) {
        await page.goto(`${new URL('/console', worker.url)}${VIEWS[name]}`);
        await page.waitForTimeout(900);
        await page.screenshot({ path: join(folder, `${name}-${width}-${colorScheme}.png`) });
      }
      await context.close();
    }
  await browser.close();
}
