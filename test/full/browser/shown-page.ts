/** Opens an example page in a real browser, on a different origin than its Worker. */
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { basename, join, resolve } from 'node:path';
import { type BuildOptions, build } from 'esbuild';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { CHROMIUM_ARGS, findChromium } from '../files/chromium.ts';
import { type Deployment, type RunningWorker, startWorker } from '../process/start-worker.ts';
import { RED_SQUARE } from './red-square.ts';

const program = findChromium();
if (program === undefined) console.warn('skipped: there is no chromium on this machine to show a page in');

/** `false` if there is no browser on this machine. */
export const HAS_BROWSER = program !== undefined;

const ROOT = resolve(import.meta.dirname, '../../..');
export const TOKEN = 'a-token-of-the-tests';

/** The key that signs file URLs. */
export const FILES_KEY = 'browser-tests-draw-files-0123456789';
/** The reply of both models to a greeting. */
export const HELLO = 'Hello! Our shop is open from nine to five, and we are happy to help you with anything.';
/** The folder for screenshots. */
const { SCREENSHOTS } = process.env;

/** A red square, 100 pixels wide. */
export const PNG = Buffer.from(RED_SQUARE, 'base64');

/** The page to show. */
export interface PageOptions {
  /** The entry script of the page. */
  readonly entry: string;
  /**
   * The path of a file that must be in the bundle, because the page would not run the tested code without it.
   */
  readonly holds: string;
  /** Additional build options. */
  readonly bundled?: Pick<BuildOptions, 'alias' | 'plugins'>;
  readonly checked?: (files: readonly string[]) => void;
  /** The entry of the Worker, and additional build constants. `PAGES` is always set. */
  readonly worker: string;
  readonly constants?: Readonly<Record<string, string>>;
  readonly deployedAs?: Deployment;
  /** The query parameter that names the conversation. */
  readonly conversation: string;
  /** The HTML of the page. Defaults to the HTML of the examples. */
  readonly html?: string;
  /** A selector that matches when the page is ready. */
  readonly ready: string;
  /** The prefix of screenshot names. */
  readonly pictures?: string;
}

/** An open page. Each test has a new browser context. */
export interface ShownPage {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly address: string;
  /** The origin that serves the pages. */
  readonly origin: string;
  /** The errors in a page. */
  readonly complaints: readonly string[];
  /** Opens another tab. */
  open(): Promise<Page>;
  say(text: string, on?: Page): Promise<void>;
  /** Lets a slow reply end. */
  endReply(): Promise<void>;
  /** Takes a screenshot if a folder is set. */
  look(name: string, on?: Page): Promise<void>;
  /** Returns the messages of both sides. */
  texts(on?: Page): Promise<string[]>;
}

/** Opens a page before each test of the enclosing group. */
export function showPage(shown: PageOptions): ShownPage {
  let pages: ServedPages;
  let worker: RunningWorker;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let address: string;
  let complaints: string[];

  beforeAll(async () => {
    pages = await serve(shown);
    worker = await startWorker(shown.worker, {
      vars: { HOLDFAST_TOKEN: TOKEN, HOLDFAST_FILES_KEY: FILES_KEY },
      build: { constants: { PAGES: pages.origin, ...shown.constants } },
      deployedAs: shown.deployedAs,
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
    const asked = { worker: worker.url.origin, token: TOKEN, [shown.conversation]: crypto.randomUUID() };
    address = `${pages.origin}/?${new URLSearchParams(asked)}`;
    complaints = [];
    page = await open();
  });
  afterEach(() => context.close());

  async function open(): Promise<Page> {
    const opened = await context.newPage();
    opened.on('pageerror', (error) => complaints.push(String(error)));
    await opened.goto(address);
    await opened.locator(shown.ready).waitFor({ state: 'attached' });
    return opened;
  }

  return {
    get page() {
      return page;
    },
    get context() {
      return context;
    },
    get address() {
      return address;
    },
    get origin() {
      return pages.origin;
    },
    get complaints() {
      return complaints;
    },
    open,
    async say(text, on = page) {
      await on.getByLabel('Message').fill(text);
      await on.getByRole('button', { name: 'Send' }).click();
    },
    async endReply() {
      await fetch(new URL('/end', worker.url));
    },
    async look(name, on = page) {
      if (SCREENSHOTS === undefined) return;
      await on.screenshot({ path: join(SCREENSHOTS, `${shown.pictures ?? ''}${name}.png`) });
    },
    texts: (on = page) => on.locator('li > p').allTextContents(),
  };
}

interface ServedPages {
  readonly server: Server;
  readonly origin: string;
}

const EXAMPLES_HTML = 'src/examples/pages/index.html';

/** Serves the page from a separate origin. */
async function serve({
  entry,
  holds,
  bundled,
  checked,
  html = EXAMPLES_HTML,
}: PageOptions): Promise<ServedPages> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: [entry],
    metafile: true,
    bundle: true,
    write: false,
    format: 'esm',
    minify: true,
    jsx: 'automatic',
    // Dynamic imports stay separate files.
    splitting: true,
    outdir: '/',
    entryNames: 'page',
    ...bundled,
    define: { 'process.env.NODE_ENV': '"development"' }, // in development, React mounts components twice
  });
  const files = Object.keys(metafile.inputs);
  expect(files).toContain(holds);
  checked?.(files);
  const around = await readFile(join(ROOT, html));
  const scripts = new Map(outputFiles.map(({ path, contents }) => [`/${basename(path)}`, contents]));
  const server = createServer((request, response) => {
    const script = scripts.get(request.url ?? '');
    response.setHeader('content-type', script ? 'text/javascript' : 'text/html');
    response.end(script ?? around);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  if (address === null || typeof address === 'string')
    throw new Error('The page server is not listening on a port.');
  return { server, origin: `http://127.0.0.1:${address.port}` };
}
