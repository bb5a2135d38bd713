/**
 * `npm run check --prefix docs`: checks the built site in Debian's Chromium. Fails if a page logs an error,
 * requests another origin, is wider than a phone, or violates a serious axe-core rule in light or dark mode,
 * or if the playground does not reply. `-- --shots FOLDER` stores screenshots.
 */
import { createReadStream, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { extname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Browser, chromium, type Page } from 'playwright-core';

const { values } = parseArgs({ options: { shots: { type: 'string' } } });
const dist = resolve(import.meta.dirname, 'dist');
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const PROGRAM = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
const ARGS = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run'];
const PAGES = ['/', '/quickstart', '/guarantees', '/reference/holdfast/worker'];
const WIDTHS = [390, 1280];
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
  '.woff2': 'font/woff2',
};

const problems: string[] = [];
const server = createServer(({ url = '/' }, response) => {
  const path = decodeURIComponent(new URL(url, 'http://site').pathname);
  const file = [path, `${path}.html`, join(path, 'index.html')]
    .map((one) => join(dist, one))
    .find((one) => one.startsWith(dist) && existsSync(one) && statSync(one).isFile());
  if (file === undefined) return void response.writeHead(404).end();
  response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' });
  createReadStream(file).pipe(response);
});
await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // the server listens on a port
const browser = await chromium.launch({ executablePath: PROGRAM, args: ARGS });
if (values.shots !== undefined) mkdirSync(values.shots, { recursive: true });
try {
  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of WIDTHS) for (const path of PAGES) await look(browser, { path, width, colorScheme });
  await play(browser);
} finally {
  await browser.close();
  server.close();
}
for (const problem of problems) console.error(problem);
console.log(
  `site: ${PAGES.length} pages at ${WIDTHS.join(' and ')} px, light and dark: ${problems.length} problems`,
);
process.exit(problems.length === 0 ? 0 : 1);

/** A view of a page. */
interface Look {
  readonly path: string;
  readonly width: number;
  readonly colorScheme: 'light' | 'dark';
}

async function look(on: Browser, { path, width, colorScheme }: Look): Promise<void> {
  const where = `${path} at ${width} px, ${colorScheme}`;
  const page = await open(on, { path, width, colorScheme }, where);
  const wide = await page.evaluate('document.documentElement.scrollWidth');
  if (Number(wide) > width) problems.push(`${where}: ${wide} px wide`);
  await page.addScriptTag({ content: axe });
  const { violations } = (await page.evaluate('axe.run()')) as {
    violations: { id: string; impact: string; nodes: { html: string }[] }[]; // documented by axe-core
  };
  for (const { id, impact, nodes } of violations)
    if (impact === 'serious' || impact === 'critical')
      problems.push(
        `${where}: ${id} (${impact}) in ${nodes.length} places, such as ${nodes[0]?.html.slice(0, 120)}`,
      );
  if (values.shots !== undefined)
    await page.screenshot({
      path: join(values.shots, `${path.replaceAll('/', '_')}-${width}-${colorScheme}.png`),
    });
  await page.close();
}

async function open(on: Browser, { path, width, colorScheme }: Look, where: string): Promise<Page> {
  const page = await on.newPage({ viewport: { width, height: 844 }, colorScheme, reducedMotion: 'reduce' });
  page.on('console', (line) => {
    if (line.type() === 'error') problems.push(`${where}: ${line.text()}`);
  });
  page.on('pageerror', (error) => problems.push(`${where}: ${error.message}`));
  page.on('request', (request) => {
    if (!request.url().startsWith(origin) && !request.url().startsWith('data:'))
      problems.push(`${where}: asks ${request.url()}`);
  });
  await page.goto(origin + path, { waitUntil: 'networkidle' });
  return page;
}

/** Sends the playground's message. */
async function play(on: Browser): Promise<void> {
  const page = await open(on, { path: '/', width: 1280, colorScheme: 'light' }, 'the playground');
  await page.getByRole('button', { name: 'Send' }).click();
  const lines = page.getByRole('list', { name: 'Events of the turn' }).getByRole('listitem');
  await lines.filter({ hasText: 'answer' }).waitFor({ timeout: 30_000 });
  const shown = (await lines.allTextContents()).map((line) => line.replaceAll(/\s+/g, ' ').trim());
  console.log(shown.map((line) => `playground: ${line}`).join('\n'));
  for (const expected of ['find_price', 'order_product'])
    if (!shown.some((line) => line.includes(expected)))
      problems.push(`the playground did not call ${expected}`);
  await page.close();
}
