/** The page with `useChat` of the AI SDK in a real browser, at another origin than its Worker. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { CHROMIUM_ARGS, findChromium } from '../files/chromium.ts';
import { startKillable } from '../process/killable-worker.ts';
import { type RunningWorker, startWorker } from '../process/start-worker.ts';

const program = findChromium();
if (program === undefined) console.warn('skipped: there is no chromium on this machine to show a page in');

const ROOT = resolve(import.meta.dirname, '../../..');
const PAGES = join(ROOT, 'src/examples/pages');
const TOKEN = 'a-token-of-the-tests';
/** Where pictures of the page are left for whoever looks. */
const { SCREENSHOTS } = process.env;

/** A red square. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAGQAAABkCAIAAAD/gAIDAAAAoUlEQVR42u3QMQ0AAAgDsEmafxVIwgIfT5MqaKblKApkyZIlS5YsBbJkyZIlS5YCWbJkyZIlS4EsWbJkyZKlQJYsWbJkyVIgS5YsWbJkKZAlS5YsWbIUyJIlS5YsWQpkyZIlS5YsBbJkyZIlS5YCWbJkyZIlS4EsWbJkyZKlQJYsWbJkyVIgS5YsWbJkKZAlS5YsWbIUyJIlS5YsWQpkyfq20dRls60oHB8AAAAASUVORK5CYII=',
  'base64',
);

/** The hook and the transport of version 6 in place of those of 7, and what a page of version 6 leaves out. */
const olderPage: Plugin = {
  name: 'older-page',
  setup(building) {
    building.onLoad({ filter: /use-desk-chat\.tsx$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')).replaceAll('?ui=7', ''),
      loader: 'tsx',
    }));
  },
};

/** Serves the page as its own origin would. */
async function servePage(version: 6 | 7): Promise<{ readonly server: Server; readonly origin: string }> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: ['src/examples/pages/use-chat/main.tsx'],
    metafile: true,
    bundle: true,
    write: false,
    format: 'esm',
    jsx: 'automatic',
    ...(version === 6 && { alias: { ai: 'ai-v6', '@ai-sdk/react': 'ai-react-v6' }, plugins: [olderPage] }),
    define: { 'process.env.NODE_ENV': '"development"' }, // in which React mounts twice
  });
  const files = Object.keys(metafile.inputs);
  expect(files).toContain('src/examples/pages/use-chat/use-desk-chat.tsx');
  expect(files.some((file) => file.includes('node_modules/ai-react-v6/'))).toBe(version === 6);
  const html = await readFile(join(PAGES, 'index.html'));
  const server = createServer((request, response) => {
    const isScript = request.url?.startsWith('/page.js');
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
    response.end(isScript ? outputFiles[0]?.contents : html);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('It does not listen.');
  return { server, origin: `http://127.0.0.1:${address.port}` };
}

const HELLO = 'Hello! Our shop is open from nine to five, and we are happy to help you with anything.';

describe.skipIf(program === undefined).each([7, 6] as const)(
  'a page with useChat of version %i in chromium, at another origin',
  (version) => {
    let pages: Awaited<ReturnType<typeof servePage>>;
    let worker: RunningWorker;
    let browser: Browser;
    let context: BrowserContext;
    let page: Page;
    let address: string;
    /** What went wrong in the page. */
    let complaints: string[];

    beforeAll(async () => {
      pages = await servePage(version);
      worker = await startWorker('test/full/browser/use-chat-worker.ts', {
        vars: { HOLDFAST_TOKEN: TOKEN },
        build: { constants: { PAGES: pages.origin, PACE: '120' } },
      });
      browser = await chromium.launch({ executablePath: program ?? '', args: CHROMIUM_ARGS });
    });
    afterAll(async () => {
      await browser?.close();
      await worker?.stop();
      pages?.server.close();
    });
    beforeEach(async () => {
      context = await browser.newContext({ viewport: { width: 720, height: 760 } });
      const { origin } = worker.url;
      const query = new URLSearchParams({ worker: origin, token: TOKEN, chat: crypto.randomUUID() });
      address = `${pages.origin}/?${query}`;
      complaints = [];
      page = await open();
    });
    afterEach(() => context.close());

    async function open(): Promise<Page> {
      const opened = await context.newPage();
      opened.on('pageerror', (error) => complaints.push(String(error)));
      await opened.goto(address);
      await opened.locator('header').waitFor();
      return opened;
    }

    async function say(text: string): Promise<void> {
      await page.getByLabel('Message').fill(text);
      await page.getByRole('button', { name: 'Send' }).click();
    }

    const look = async (name: string, on = page): Promise<void> => {
      if (SCREENSHOTS !== undefined)
        await on.screenshot({ path: join(SCREENSHOTS, `use-chat-${version}-${name}.png`) });
    };

    const texts = (on = page): Promise<string[]> => on.locator('li > p').allTextContents();
    const ready = (on = page): Promise<void> => on.locator('.status.ready').waitFor();
    const html = (on = page): Promise<string> => on.locator('ol').innerHTML();

    it('shows text as it streams, to a second tab too, and all of it after a reload', async () => {
      const isPart = async (on: Page): Promise<boolean> => {
        await on.locator('li.assistant > p').waitFor();
        const [, before = ''] = await texts(on);
        return before.length < HELLO.length && HELLO.startsWith(before);
      };
      await say('When are you open?');
      expect(await isPart(page)).toBe(true);
      const second = await open();
      await look('1-streaming');
      await second.locator('li.assistant').waitFor();
      await look('2-second-tab', second);
      for (const one of [page, second]) {
        await ready(one);
        await expect.poll(() => texts(one)).toEqual(['When are you open?', HELLO]);
      }
      const before = await html();
      expect(await html(second)).toBe(before);
      await page.reload();
      await page.locator('li.assistant > p').waitFor();
      expect(await html()).toBe(before);
      await look('3-reloaded');
      expect(complaints).toEqual([]);
    });

    it('has a refund approved and another one denied, and shows the same after a reload', async () => {
      await say('Please refund 20 euro.');
      await page.getByText('Refund 20 euro of order A-17?').waitFor();
      await ready();
      await look('4-approval');
      await page.reload();
      await page.getByRole('button', { name: 'Approve' }).click();
      await page.getByText('Here is what came of it: 20 euro of order A-17 are on their way back.').waitFor();
      await ready();
      await say('Please refund 30 euro.');
      await page.getByRole('button', { name: 'Deny' }).click();
      await page.getByText('The customer said no.').waitFor();
      await ready();
      await look('5-approved-and-denied');
      expect(await page.locator('.call').allTextContents()).toEqual([
        'refund 20 euro of order A-17 are on their way back.',
        'refund denied',
      ]);
      const before = await html();
      await page.reload();
      await page.locator('.call').nth(1).waitFor();
      expect(await html()).toBe(before);
      expect(complaints).toEqual([]);
    });

    it('sends an image to the model, and shows it again after a reload', async () => {
      await page.getByLabel('Images').setInputFiles({ name: 'red.png', mimeType: 'image/png', buffer: PNG });
      await say('What is this?');
      await page.getByText('That is a picture of a red square.').waitFor();
      await ready();
      await look('6-image');
      await page.reload();
      const image = page.getByAltText('red.png');
      await image.waitFor();
      await expect.poll(() => image.evaluate((one) => Reflect.get(one, 'naturalWidth'))).toBe(100);
      await look('7-image-reloaded');
      expect(complaints).toEqual([]);
    });

    it('cancels its turn, and tells of what it may not do', async () => {
      await say('Talk for ever.');
      await page.getByText('I begin, and').waitFor();
      await page.getByRole('button', { name: 'Stop' }).click();
      await ready();
      await say('Please refund 40 euro.');
      await page.getByRole('button', { name: 'Approve' }).waitFor();
      await ready();
      await say('And now?');
      await page.getByRole('alert').waitFor();
      expect(await page.getByRole('alert').textContent()).toContain('waits for an answer from outside');
      await look('8-refused');
      expect(complaints).toEqual([]);
    });

    it('shows all of a reply in the middle of which its Worker was killed', async () => {
      const storage = await mkdtemp(join(tmpdir(), 'holdfast-page-'));
      const start = () =>
        startKillable('test/full/browser/use-chat-worker.ts', {
          storage,
          vars: { HOLDFAST_TOKEN: TOKEN, LEASE_MS: '300' },
          build: { constants: { PAGES: pages.origin, PACE: '120' } },
        });
      let killable = await start();
      onTestFinished(async () => {
        await killable.kill();
        await rm(storage, { recursive: true, force: true, maxRetries: 3 });
      });
      // It comes again at another port, which the address of the page names.
      const load = async (): Promise<void> => {
        const query = new URL(address).searchParams;
        query.set('worker', new URL(killable.url).origin);
        await page.goto(`${pages.origin}/?${query}`);
      };
      await load();
      await say('When are you open?');
      await page.getByText('Hello!').waitFor();
      await killable.kill();
      await page.getByRole('alert').waitFor();
      await look('9-killed');
      killable = await start();
      await load();
      await expect.poll(() => texts()).toEqual(['When are you open?', HELLO]);
      await ready();
      await look('10-back');
      // What was asked of a Worker that is gone fails, and nothing else does.
      expect(complaints.filter((one) => one !== 'TypeError: Failed to fetch')).toEqual([]);
    });
  },
);
