/**
 * Requests from a page to a Worker on another origin in a real browser. The origin of the page is allowed in
 * some tests and forbidden in others.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { resolve } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CHROMIUM_ARGS, findChromium } from '../files/chromium.ts';
import { type RunningWorker, startWorker } from '../process/start-worker.ts';

const program = findChromium();
if (program === undefined) console.warn('skipped: there is no chromium on this machine to open pages in');

const root = resolve(import.meta.dirname, '../../..');
const PAGE = readFileSync(resolve(root, 'src/examples/browsers/page.html'), 'utf8');
/** The origins in the example: the origin of its page, and that of its Worker. */
const ITS_PAGES = 'http://localhost:5173';
const ITS_WORKER = 'http://localhost:8787';
const TOKEN = 'a-token-of-the-tests';
/** The offline model selects its tool by the words of this message. */
const MESSAGE = 'Please pay invoice INV-17.';

/** An image of one pixel. */
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

/** The options of `fetch` in a page. */
type RecordedRequest = RequestInit & { readonly credentials?: string };

describe.skipIf(program === undefined)('a page of another origin in chromium', () => {
  let closed: RunningWorker;
  let open: RunningWorker;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let ours: string;
  let anothers: string;
  const servers: Server[] = [];

  /**
   * Serves the page from another origin and returns the origin. It is on this machine, because a public page
   * must not reach the local network.
   */
  async function startSite(): Promise<string> {
    const server = createServer((_, response) => {
      response.setHeader('content-type', 'text/html');
      response.end(PAGE.replace(ITS_WORKER, closed.url.origin));
    });
    servers.push(server.listen(0, '127.0.0.1'));
    await once(server, 'listening');
    return `http://localhost:${Object(server.address()).port}`;
  }

  beforeAll(async () => {
    [ours, anothers] = [await startSite(), await startSite()];
    const entry = 'src/examples/browsers/worker.ts';
    const build = {
      edits: [
        { file: entry, from: ITS_PAGES, to: ours },
        { file: entry, from: '    cors({', to: '    files(), cors({' },
        {
          file: entry,
          from: "import { clerk } from '../first/clerk.ts';",
          to: "import { clerk } from '../first/clerk.ts'; import { files } from '../../modules/files/entry.ts';",
        },
        {
          file: 'src/examples/first/clerk.ts',
          from: "name: 'clerk',",
          to: "name: 'clerk', accepts: ['image/*'],",
        },
      ],
    };
    closed = await startWorker(entry, { build, vars: { HOLDFAST_TOKEN: TOKEN, MODEL: 'offline' } });
    open = await startWorker(entry, { build, vars: { MODEL: 'offline' } });
    browser = await chromium.launch({ executablePath: program ?? '', args: CHROMIUM_ARGS });
  });
  afterAll(async () => {
    await browser?.close();
    await closed?.stop();
    await open?.stop();
    for (const server of servers) server.close();
  });
  beforeEach(async () => {
    context = await browser.newContext();
    page = await context.newPage();
  });
  afterEach(() => context.close());

  const createSession = (worker: RunningWorker): string =>
    `${worker.url.origin}/agents/clerk/sessions/${crypto.randomUUID()}`;

  /** Runs an asynchronous function in the page. Only its text is sent, so it can use only its arguments. */
  const runInPage = (body: string, ...args: readonly unknown[]): Promise<unknown> =>
    page.evaluate(`(async (...args) => { ${body} })(...${JSON.stringify(args)})`);

  /** Sends a request from the page. Returns the part of the response that the page can read. */
  const ask = (url: string, init: RecordedRequest = {}, names: readonly string[] = []): Promise<unknown> =>
    runInPage(
      `const [url, init, names] = args;
      const response = await fetch(url, init).catch((failure) => failure);
      if (response instanceof Error) return String(response);
      const read = Object.fromEntries(names.map((name) => [name, response.headers.get(name)]));
      return { status: response.status, body: await response.text().then((text) => text && JSON.parse(text)), ...read };`,
      url,
      init,
      names,
    );

  const json = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
  const createPostOptions = (headers: Record<string, string> = {}): RequestInit => ({
    method: 'POST',
    headers: { ...json, ...headers },
    body: JSON.stringify({ message: MESSAGE }),
  });

  it('sends a message and reads its stream like the page in the docs', async () => {
    await page.goto(`${ours}/`);
    await page.fill('[name=token]', TOKEN);
    await page.click('button');
    const readSaid = (): Promise<string | null> => page.textContent('#said');
    await expect.poll(readSaid).toMatch(/^A tool has run\.\n.*INV-17.*\n$/s);
  });

  it('reads the reason for a refusal', async () => {
    await page.goto(`${ours}/`);
    await page.fill('[name=token]', 'no-token');
    await page.click('button');
    await page.waitForFunction("document.querySelector('#said').textContent !== ''");
    expect(await page.textContent('#said')).toBe('Send a valid token as "Authorization: Bearer ...".\n');
    const missing = `${createSession(closed)}/turns/none`;
    expect(await ask(missing, { headers: json })).toMatchObject({
      status: 404,
      body: { title: 'unknown session' },
    });
    expect(await ask(`${closed.url.origin}/nothing`, { method: 'PUT', headers: json })).toMatchObject({
      status: 404,
      body: { title: 'unknown route' },
    });
  });

  it('sends its own headers and reads those of the response', async () => {
    await page.goto(`${ours}/`);
    const session = createSession(closed);
    const headers = { 'idempotency-key': 'k', prefer: 'wait=20', 'x-stainless-lang': 'js' };
    const sent = await ask(`${session}/messages`, createPostOptions(headers), [
      'preference-applied',
      'x-request-id',
    ]);
    expect(sent).toMatchObject({
      status: 200,
      body: { outcome: 'completed' },
      'preference-applied': 'wait=20',
      'x-request-id': expect.stringMatching(/^[0-9a-f]{16}$/),
    });
    const state = Object(await ask(session, { headers: json }, ['etag']));
    expect(state).toMatchObject({ status: 200, etag: expect.stringMatching(/^W\//) });
    const again = await ask(session, { headers: { ...json, 'if-none-match': state.etag } });
    expect(again).toEqual({ status: 304, body: '' });
    expect(await ask(session, { method: 'DELETE', headers: json })).toEqual({ status: 204, body: '' });
  });

  it('sends a file as a form, and shows all and part of it', async () => {
    await page.goto(`${ours}/`);
    const read = await runInPage(
      `const [session, headers, pixel] = args;
      const form = new FormData();
      form.set('message', 'Look.');
      form.set('photo', await (await fetch('data:image/png;base64,' + pixel)).blob(), 'Foto ä.png');
      const sent = await fetch(session + '/messages', { method: 'POST', headers, body: form });
      const { messages } = await (await fetch(session, { headers })).json();
      const url = session + '/files/' + messages[0].parts.find(({ type }) => type === 'file').id;
      const whole = await fetch(url, { headers });
      const tag = whole.headers.get('etag');
      const image = new Image();
      image.src = URL.createObjectURL(await whole.blob());
      await image.decode();
      const part = await fetch(url, { headers: { ...headers, range: 'bytes=0-7' } });
      const known = await fetch(url, { headers: { ...headers, 'if-none-match': tag }, cache: 'no-store' });
      const head = await fetch(url, { method: 'HEAD', headers });
      return {
        statuses: [sent, whole, part, known, head].map(({ status }) => status),
        width: image.width,
        range: part.headers.get('content-range'),
        name: head.headers.get('content-disposition'),
      };`,
      createSession(closed),
      { authorization: json.authorization },
      PIXEL,
    );
    expect(read).toEqual({
      statuses: [200, 200, 206, 304, 200],
      width: 1,
      range: 'bytes 0-7/70',
      name: `inline; filename="Foto _.png"; filename*=UTF-8''Foto%20%C3%A4.png`,
    });
  });

  it('receives only a network failure and changes no data if its origin is not in the list', async () => {
    await page.goto(`${anothers}/`);
    const session = createSession(open);
    const failed = 'TypeError: Failed to fetch';
    expect(await ask(`${session}/messages`, createPostOptions())).toBe(failed);
    expect(await ask(`${open.url.origin}/agents`)).toBe(failed);
    // A browser sends this request without a preflight, but the page cannot read the response.
    await runInPage(
      "await fetch(args[0], { method: 'POST', mode: 'no-cors', body: args[1] }).catch(() => {})",
      `${session}/messages`,
      JSON.stringify({ message: MESSAGE }),
    );
    expect((await fetch(session)).status).toBe(404);
  });

  it('sends no cookies', async () => {
    await page.goto(`${ours}/`);
    expect(await ask(`${open.url.origin}/agents`, { credentials: 'include' })).toBe(
      'TypeError: Failed to fetch',
    );
  });

  it('follows a session with an EventSource, which reports the erasure once and closes if no new session exists', async () => {
    await page.goto(`${ours}/`);
    const session = createSession(open);
    const say = (): Promise<Response> => fetch(`${session}/messages`, createPostOptions());
    await say();
    await runInPage(
      `globalThis.seen = [];
      const source = new EventSource(args[0] + '/events');
      for (const name of ['session-opened', 'turn-ended', 'erased'])
        source.addEventListener(name, ({ lastEventId }) => seen.push(name + ' ' + lastEventId.split('-')[0]));
      source.addEventListener('error', () => seen.push('error ' + source.readyState));`,
      session,
    );
    const readSeen = (): Promise<unknown> => page.evaluate('seen');
    const first = ['session-opened 1', expect.stringMatching(/^turn-ended \d+$/)];
    await expect.poll(readSeen).toEqual(first);
    await fetch(session, { method: 'DELETE' });
    // The browser reconnects without an event id. It receives a 404 because the session no longer exists, and
    // stops.
    const ended = [...first, 'erased ', 'error 0', 'error 2'];
    await expect.poll(readSeen).toEqual(ended);
    await say();
    expect(await readSeen()).toEqual(ended);
  });

  it('reports an erasure once if its session was erased and created again while it was disconnected, and follows the new session', async () => {
    await page.goto(`${ours}/`);
    const session = createSession(open);
    const say = (): Promise<Response> => fetch(`${session}/messages`, createPostOptions());
    await say();
    const { events } = Object(await (await fetch(`${session}/events`)).json());
    const old = `${events.at(-1).seq}-${events[0].incarnation}`;
    await fetch(session, { method: 'DELETE' });
    await say();
    const told = await runInPage(
      `const response = await fetch(args[0], { headers: { accept: 'text/event-stream', 'last-event-id': args[1] } });
      let text = '';
      for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
        text += piece;
        if (text.includes('turn-ended')) return text.match(/^event: .*$/gm);
      }`,
      `${session}/events`,
      old,
    );
    expect(Object(told).slice(0, 3)).toEqual([
      'event: erased',
      'event: session-opened',
      'event: turn-started',
    ]);
  });
});

it('uses the same code as the docs', () => {
  const docs = readFileSync(resolve(root, 'docs/browsers.md'), 'utf8');
  expect(docs).toContain(`\`\`\`html\n${PAGE}\`\`\`\n`);
});
