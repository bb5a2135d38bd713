/** Opens the console in a real browser for the tests of a group. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { CHROMIUM_ARGS, findChromium } from '../../files/chromium.ts';

const program = findChromium();

/** `false` if there is no browser on this machine. */
export const HAS_BROWSER = program !== undefined;

/** Opens pages of the console, and collects their errors. */
export interface ShownConsole {
  /** Opens the console at this URL with this hash. */
  open(url: string, hash: string, options?: BrowserContextOptions): Promise<Page>;
  /** Uncaught errors, console messages of the level `error`, and requests to other origins. */
  readonly complaints: readonly string[];
}

/**
 * Registers the browser for the group of tests in which it is called. Each page has a separate browser context.
 */
export function showConsole(): ShownConsole {
  let browser: Browser;
  const contexts: BrowserContext[] = [];
  const complaints: string[] = [];
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: program ?? '', args: CHROMIUM_ARGS });
  });
  afterAll(() => browser?.close());
  afterEach(async () => {
    await Promise.all(contexts.splice(0).map((context) => context.close()));
    expect(complaints.splice(0)).toEqual([]);
  });
  return {
    complaints,
    async open(url, hash, options = {}) {
      const context = await browser.newContext({ viewport: { width: 1280, height: 820 }, ...options });
      contexts.push(context);
      const page = await context.newPage();
      page.on('pageerror', (error) => complaints.push(String(error)));
      page.on('console', (line) => {
        if (line.type() === 'error' && !REFUSAL.test(line.text())) complaints.push(line.text());
      });
      page.on('request', (request) => {
        const { origin, protocol } = new URL(request.url());
        if (/^https?:$/.test(protocol) && origin !== new URL(url).origin) complaints.push(request.url());
      });
      await page.goto(`${new URL('/console', url)}${hash}`);
      await page.getByRole('navigation', { name: 'Main' }).waitFor();
      return page;
    },
  };
}

/**
 * Chromium logs each 404 and 409, such as for a session that has not started. The page itself explains these
 * responses.
 */
const REFUSAL = /^Failed to load resource: the server responded with a status of 4(?:04|09) /;

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** Returns the serious and critical findings of axe-core, each with an example. */
export async function listSeriousFindings(page: Page): Promise<readonly string[]> {
  // The page's Content-Security-Policy allows only its own script, but does not apply to the debugger.
  await page.evaluate(await readFile(AXE, 'utf8'));
  return page.evaluate<readonly string[]>(FINDINGS);
}

const FINDINGS = `axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'best-practice'], resultTypes: ['violations'] }).then(({ violations }) =>
  violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => id + ': ' + nodes[0].html.slice(0, 200) + ' ' + nodes[0].failureSummary))`;
