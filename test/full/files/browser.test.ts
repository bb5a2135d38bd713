/** How a logged-in browser handles session files that contain scripts. */
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type RunningWorker, startWorker } from '../process/start-worker.ts';
import { CHROMIUM_ARGS, findChromium } from './chromium.ts';

const program = findChromium();
if (program === undefined) console.warn('skipped: there is no chromium on this machine to show files to');

const TOKEN = 'a-token-of-the-tests';
const auth = { authorization: `Bearer ${TOKEN}` };

const runScript = (by: string): string => `fetch('/ran?by=${by}')`;
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8" onload="${runScript('onload')}"><script>${runScript('svg')}</script><rect width="8" height="8"/></svg>`;
const HTML = `<!doctype html><title>evil</title><script>${runScript('html')}</script><img src="x" onerror="${runScript('onerror')}">`;
/** An image of one pixel. */
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';

describe.skipIf(program === undefined)('a file of a session in chromium', () => {
  let worker: RunningWorker;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let origin: string;
  /** The requests that scripts in files have sent. */
  let asked: string[];

  beforeAll(async () => {
    worker = await startWorker('test/full/files/file-worker.ts', { vars: { HOLDFAST_TOKEN: TOKEN } });
    origin = worker.url.origin;
    browser = await chromium.launch({ executablePath: program ?? '', args: CHROMIUM_ARGS });
  });
  afterAll(async () => {
    await browser?.close();
    await worker?.stop();
  });
  beforeEach(async () => {
    context = await browser.newContext({ extraHTTPHeaders: auth, acceptDownloads: true });
    page = await context.newPage();
    asked = [];
    context.on('request', (request) => {
      const { pathname, search } = new URL(request.url());
      if (pathname === '/ran') asked.push(search);
    });
  });
  afterEach(() => context.close());

  /** Uploads a file and returns its URL. */
  async function upload(
    mediaType: string,
    content: string | Uint8Array<ArrayBuffer>,
    name: string,
  ): Promise<string> {
    const form = new FormData();
    form.append('file', new File([content], name, { type: mediaType }));
    const session = `${origin}/agents/seer/sessions/${crypto.randomUUID()}`;
    const sent = await fetch(`${session}/messages`, { method: 'POST', headers: auth, body: form });
    expect(sent.status).toBe(200);
    const { events } = (await (await fetch(`${session}/events`, { headers: auth })).json()) as {
      events: { parts?: { id: string }[] }[];
    };
    return `${session}/files/${events[1]?.parts?.[0]?.id}`;
  }

  /** Returns the URL of a page on the same origin that serves this body. */
  const createCarelessUrl = (type: string, body: string): string =>
    `${origin}/careless?${new URLSearchParams({ type, body })}`;

  /** Opens a URL that the browser downloads, and returns the file name. */
  async function downloadFile(address: string): Promise<string> {
    const download = page.waitForEvent('download');
    await expect(page.goto(address)).rejects.toThrow(/Download is starting|net::ERR_ABORTED/);
    const file = await download;
    await file.path();
    return file.suggestedFilename();
  }

  it.each([
    ['an SVG', 'image/svg+xml', SVG],
    ['an HTML file', 'text/html', HTML],
  ])('runs the script of %s if it is served without protection', async (_, type, content) => {
    const running = page.waitForRequest(/\/ran\?by=/);
    await page.goto(createCarelessUrl(type, content));
    await running;
    expect(asked.length).toBeGreaterThan(0);
  });

  it.each([
    ['an SVG', 'image/svg+xml', SVG, 'evil.svg'],
    ['an HTML file', 'text/html', HTML, 'evil.html'],
    ['an XHTML file', 'application/xhtml+xml', HTML.replace('<!doctype html>', ''), 'evil.xhtml'],
    ['an HTML file with the type of plain text', 'text/plain', HTML, 'evil.txt'],
  ])('is downloaded and runs no script if it is %s', async (_, type, content, name) => {
    const address = await upload(type, content, name);
    expect(await downloadFile(address)).toBe(name);
    expect(page.url()).toBe('about:blank');
    expect(asked).toEqual([]);
  });

  it.each([
    ['an SVG', 'image/svg+xml', SVG],
    ['an HTML file', 'text/html', HTML],
  ])(
    'runs no script in a frame or an object on a page of its origin if it is %s',
    async (_, type, content) => {
      const address = await upload(type, content, 'evil');
      for (const element of [
        `<iframe src="${address}"></iframe>`,
        `<object data="${address}" type="${type}"></object>`,
        `<embed src="${address}" type="${type}">`,
      ]) {
        const answered = page.waitForResponse(address);
        await page.goto(createCarelessUrl('text/html', `<!doctype html>${element}`));
        expect((await answered).status()).toBe(200);
        // The frames are loaded, so a script would have sent its request.
        await page.waitForLoadState('networkidle');
        for (const frame of page.frames().slice(1))
          expect(await frame.title().catch(() => '')).not.toBe('evil');
      }
      expect(asked).toEqual([]);
    },
  );

  it.each([
    ['an SVG with a script', 'image/svg+xml', SVG, 8],
    ['a PNG', 'image/png', PNG, 1],
  ])('is shown as an image on a page and runs no script if it is %s', async (_, type, content, width) => {
    const bytes = type === 'image/png' ? new Uint8Array(Buffer.from(content, 'base64')) : content;
    const address = await upload(type, bytes, 'shown');
    await page.goto(createCarelessUrl('text/html', `<!doctype html><img src="${address}">`));
    expect(
      await page.evaluate('document.images[0].decode().then(() => document.images[0].naturalWidth)'),
    ).toBe(width);
    expect(asked).toEqual([]);
  });

  it('is shown at its URL if it is a PNG', async () => {
    const address = await upload('image/png', new Uint8Array(Buffer.from(PNG, 'base64')), 'pixel.png');
    const response = await page.goto(address);
    expect([response?.status(), page.url()]).toEqual([200, address]);
    expect(await page.evaluate('document.images[0].naturalWidth')).toBe(1);
  });

  it('cannot be read by a page of another origin', async () => {
    const address = await upload('image/png', new Uint8Array(Buffer.from(PNG, 'base64')), 'pixel.png');
    const other = await startWorker('test/full/files/file-worker.ts', { vars: { HOLDFAST_TOKEN: TOKEN } });
    try {
      const body = `<!doctype html><img src="${address}">`;
      const query = new URLSearchParams({ type: 'text/html', body });
      await page.goto(`${other.url.origin}/careless?${query}`);
      await expect(page.evaluate('document.images[0].decode()')).rejects.toThrow(
        'The source image cannot be decoded',
      );
      await expect(page.evaluate(`fetch(${JSON.stringify(address)})`)).rejects.toThrow('Failed to fetch');
    } finally {
      await other.stop();
    }
  });
});
