/** The page of the example in a real browser, at another origin than its Worker. */
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CHROMIUM_ARGS, findChromium } from '../files/chromium.ts';
import { type RunningWorker, startWorker } from '../process/start-worker.ts';

const program = findChromium();
if (program === undefined) console.warn('skipped: there is no chromium on this machine to show a page in');

const root = resolve(import.meta.dirname, '../../..');
const TOKEN = 'a-token-of-the-tests';
/** Where pictures of the page are left for whoever looks. */
const { SCREENSHOTS } = process.env;

/** A red square. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAGQAAABkCAIAAAD/gAIDAAAAoUlEQVR42u3QMQ0AAAgDsEmafxVIwgIfT5MqaKblKApkyZIlS5YsBbJkyZIlS5YCWbJkyZIlS4EsWbJkyZKlQJYsWbJkyVIgS5YsWbJkKZAlS5YsWbIUyJIlS5YsWQpkyZIlS5YsBbJkyZIlS5YCWbJkyZIlS4EsWbJkyZKlQJYsWbJkyVIgS5YsWbJkKZAlS5YsWbIUyJIlS5YsWQpkyfq20dRls60oHB8AAAAASUVORK5CYII=',
  'base64',
);

/** Serves the page as its own origin would. */
async function servePage(): Promise<{ readonly server: Server; readonly origin: string }> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: ['src/examples/pages/main.tsx'],
    metafile: true,
    bundle: true,
    write: false,
    format: 'esm',
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"development"' }, // in which React mounts twice
  });
  expect(Object.keys(metafile.inputs)).toContain('src/examples/pages/chat.tsx');
  const html = await readFile(join(root, 'src/examples/pages/index.html'));
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

describe.skipIf(program === undefined)('a page in chromium, at another origin than its Worker', () => {
  let pages: Awaited<ReturnType<typeof servePage>>;
  let worker: RunningWorker;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let address: string;
  /** What went wrong in the page. */
  let complaints: string[];

  beforeAll(async () => {
    pages = await servePage();
    worker = await startWorker('test/full/browser/desk-worker.ts', {
      vars: { HOLDFAST_TOKEN: TOKEN },
      build: { constants: { PAGES: pages.origin } },
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
    const query = new URLSearchParams({ worker: origin, token: TOKEN, session: crypto.randomUUID() });
    address = `${pages.origin}/?${query}`;
    complaints = [];
    page = await open();
  });
  afterEach(() => context.close());

  async function open(): Promise<Page> {
    const opened = await context.newPage();
    opened.on('pageerror', (error) => complaints.push(String(error)));
    await opened.goto(address);
    await opened.locator('.status.idle').waitFor();
    return opened;
  }

  async function say(text: string, on = page): Promise<void> {
    await on.getByLabel('Message').fill(text);
    await on.getByRole('button', { name: 'Send' }).click();
  }

  const look = async (name: string, on = page): Promise<void> => {
    if (SCREENSHOTS !== undefined) await on.screenshot({ path: join(SCREENSHOTS, `${name}.png`) });
  };

  const texts = (on = page): Promise<string[]> => on.locator('li > p').allTextContents();
  const HELLO = 'Hello! Our shop is open from nine to five, and we are happy to help you with anything.';

  it('shows text as it streams, to a second tab too, and all of it after a reload', async () => {
    const isPart = async (on: Page, nth: number): Promise<boolean> => {
      const streaming = on.locator('li.streaming p');
      await streaming.waitFor();
      const [before = ''] = await streaming.allTextContents();
      return before.length < HELLO.length && HELLO.startsWith(before) && (await texts(on)).length === nth;
    };
    await say('When are you open?');
    expect(await isPart(page, 2)).toBe(true);
    await page.locator('.status.idle').waitFor();
    const second = await open();
    await say('And tomorrow?');
    for (const one of [page, second]) expect(await isPart(one, 4)).toBe(true);
    await look('1-streaming');
    await look('2-streaming-second-tab', second);
    const conversation = ['When are you open?', HELLO, 'And tomorrow?', HELLO];
    for (const one of [page, second]) {
      await one.locator('.status.idle').waitFor();
      expect(await texts(one)).toEqual(conversation);
    }
    await page.reload();
    await page.locator('li.assistant').first().waitFor();
    expect(await texts()).toEqual(conversation);
    expect(complaints).toEqual([]);
  });

  it('has a call approved by one tab and another one denied by the other', async () => {
    const second = await open();
    await say('Please refund 20 euro.');
    await page.getByText('Refund 20 euro of order A-17?').waitFor();
    await look('3-approval');
    await second.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('Here is what came of it: 20 euro of order A-17 are on their way back.').waitFor();
    await page.locator('.status.idle').waitFor();
    await look('4-approved');
    await say('And refund 99 euro.', second);
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.getByText('The customer said no.').waitFor();
    await page.locator('.status.idle').waitFor();
    await look('5-denied');
    await second.locator('.status.idle').waitFor();
    expect(await texts(second)).toEqual(await texts());
    expect(await page.locator('.approval').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('sends an image, and shows it, also after a reload', async () => {
    await page.getByLabel('Images').setInputFiles({ name: 'square.png', mimeType: 'image/png', buffer: PNG });
    await say('What is this?');
    await page.getByText('That is a picture of a red square.').waitFor();
    const image = "document.querySelector('li.user img')";
    const widthOfImage = () => page.evaluate(`${image}.decode().then(() => ${image}.naturalWidth)`);
    await page.locator('li.user img').waitFor();
    expect(await widthOfImage()).toBe(100);
    await look('6-image');
    await page.reload();
    await page.locator('li.user img').waitFor();
    expect(await widthOfImage()).toBe(100);
    expect(complaints).toEqual([]);
  });

  it('stops a turn', async () => {
    await say('Talk for ever.');
    await page.getByText('I begin, and').waitFor();
    await look('7-running');
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.locator('.status.idle').waitFor();
    await look('8-stopped');
    await say('When are you open?');
    await page.getByText(HELLO).waitFor();
    expect(complaints).toEqual([]);
  });

  it('is back when its connection is', async () => {
    await say('When are you open?');
    await page.getByText(HELLO).waitFor();
    await context.setOffline(true);
    expect(await page.getByText(HELLO).count()).toBe(1);
    await context.setOffline(false);
    await say('Please refund 5 euro.');
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('Here is what came of it: 5 euro of order A-17 are on their way back.').waitFor();
  });

  it('says why, when it may not ask', async () => {
    address = address.replace(TOKEN, 'wrong');
    const stranger = await context.newPage();
    await stranger.goto(address);
    await stranger.getByText('Send a valid token as "Authorization: Bearer ...".').waitFor();
    await look('9-refused', stranger);
  });
});
