/** The console in chromium: every view with keyboard and mouse, and untrusted content. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../../src/client/entry.ts';
import type { StoredEvent } from '../../../src/journal/entry.ts';
import { type RunningWorker, startWorker } from '../process/start-worker.ts';
import { playSessions } from './console/play.ts';
import { HAS_BROWSER, listSeriousFindings, showConsole } from './console/shown-console.ts';

describe.skipIf(!HAS_BROWSER)('the console', () => {
  let worker: RunningWorker;
  const shown = showConsole();
  const open = (hash: string, options?: Parameters<typeof shown.open>[2]): Promise<Page> =>
    shown.open(worker.url.origin, hash, options);
  beforeAll(async () => {
    worker = await startWorker('test/full/browser/console/worker.ts', { deployedAs: { hasIndex: true } });
    await playSessions(worker.url.origin);
  });
  afterAll(() => worker?.stop());

  it('shows a turn as a waterfall whose rows open their events by mouse and by keyboard', async () => {
    const page = await open('#/s/clerk/refund/turn');
    await page.getByRole('combobox', { name: 'Turn' }).selectOption({ index: 0 });
    await page.locator('.row', { hasText: 'find_order' }).click();
    const detail = page.getByRole('complementary');
    await detail.getByText('"customer": "Maren Olsen"').waitFor();
    expect(await detail.getByRole('heading', { level: 2 }).textContent()).toContain('tool-call-ended');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await detail.getByText('shop-model-2').waitFor();
    await detail.getByText('Request, as this code makes it').click();
    await detail.getByText('The journaled hashes match this code.').waitFor();
    await detail.getByText('You run the desk of Kelp & Cordage').waitFor();
    await detail.getByRole('button', { name: 'Close the event' }).click();
    await detail.waitFor({ state: 'detached' });
    expect(await page.locator('.row-wait').textContent()).toContain('Waits for a decisionapprove');
  });

  it('shows a turn while it runs', async () => {
    const session = createClient({ url: worker.url.origin, agent: 'clerk' }).session('live');
    await session.send('Hello');
    const page = await open('#/s/clerk/live/turn');
    await page.locator('.row').first().waitFor();
    const sent = session.send('Please count the stock.');
    const row = page.locator('.row', { hasText: 'count_stock' });
    await row.waitFor();
    await sent;
    await page.locator('.turn-facts', { hasText: 'completed' }).waitFor();
    expect(await row.textContent()).toMatch(/count_stock\s*idempotent/);
  });

  it('shows the offered and the locked tools of each reply, and the current state in a diagram', async () => {
    const page = await open('#/s/clerk/parcel/tools');
    await page.getByRole('heading', { name: '10 tools offered' }).waitFor();
    const steps = page.getByRole('list', { name: 'Model calls' }).getByRole('button');
    await steps.nth(2).click();
    await page.getByText('It is only available in state: shipped').waitFor();
    const here = page.locator('.node.here');
    expect(await here.textContent()).toBe('packed');
    await page.keyboard.press('ArrowRight');
    await page.locator('.node.here', { hasText: 'shipped' }).waitFor();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await page.locator('.node.here', { hasText: 'received' }).waitFor();
    expect(await page.getByText('toolCalls (module)').count()).toBe(1);
  });

  it('shows the used tools of a playbook, and what unlocks each locked tool', async () => {
    const page = await open('#/s/clerk/book/tools');
    const steps = page.getByRole('list', { name: 'Model calls' }).getByRole('button');
    await steps.nth(1).click();
    await page.getByText('You must first use: find_order, read_policy').waitFor();
    await steps.nth(2).click();
    await page.locator('.node.done', { hasText: 'find_order' }).waitFor();
    expect(await page.locator('.node.locked').allTextContents()).toEqual(['🔒 refund_order']);
  });

  it('shows a nested loop inside its call, unfolded tools, and the objects on the blackboard', async () => {
    const page = await open('#/s/clerk/research/turn');
    const measureIndent = (text: string): Promise<number> =>
      page
        .locator('.row', { hasText: text })
        .first()
        .locator('.row-label')
        .getAttribute('style')
        .then((style) => Number.parseFloat(style?.replace('padding-left:', '') ?? ''));
    expect(await measureIndent('find_order')).toBeGreaterThan(await measureIndent('researcher'));
    await page.goto(`${new URL('/console', worker.url)}#/s/clerk/refund/tools`);
    await page.getByRole('combobox', { name: 'Turn' }).selectOption({ index: 0 });
    const steps = page.getByRole('list', { name: 'Model calls' }).getByRole('button');
    await steps.nth(2).click();
    const unfolded = page.locator('.tool', { hasText: 'unfolded by refund_desk' });
    await unfolded.nth(1).waitFor();
    expect(await unfolded.locator('code').allTextContents()).toEqual(['read_policy', 'refund_order']);
    await page.goto(`${new URL('/console', worker.url)}#/s/clerk/research/state`);
    await page.getByRole('heading', { name: 'Blackboard' }).waitFor();
    expect(await page.locator('.board li').textContent()).toMatch(/^stock.*"ropes": 214/s);
  });

  it('searches the journal and moves through it by keyboard', async () => {
    const page = await open('#/s/clerk/refund/journal');
    await page.locator('.virtual-row').first().waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('refund_order');
    await page.getByText(/^\d+ of \d+$/).waitFor();
    await page.getByLabel('Type of event').selectOption('model-replied');
    await page.getByRole('listbox', { name: 'Events' }).focus();
    await page.keyboard.press('ArrowDown');
    await page.getByRole('complementary').getByText('refund_order').first().waitFor();
    expect(new URL(page.url()).hash).toContain('type=model-replied');
    await page.getByRole('searchbox').fill('nothing like this');
    await page.getByText('No event matches').waitFor();
  });

  it('shows the state at the event that its slider selects, and the changes of that event', async () => {
    const page = await open('#/s/clerk/parcel/state');
    const slider = page.getByRole('slider', { name: 'Event' });
    await page.getByText('"shipped"').waitFor();
    await slider.focus();
    await page.keyboard.press('Home');
    await page.getByText('1 of 19').waitFor();
    await page.getByText('"shipped"').waitFor({ state: 'detached' });
    for (let press = 0; press < 8; press += 1) await page.keyboard.press('ArrowRight');
    await page.getByText('9 of 19').waitFor();
    await page.getByRole('heading', { name: 'Memory: state-machines' }).waitFor();
    await page.getByText('changed by this event').first().waitFor();
    await page.getByRole('button', { name: 'One event back' }).click();
    await page.getByText('8 of 19').waitFor();
  });

  it('supports the keyboard for the skip link, tabs, shortcuts, help and themes', async () => {
    const page = await open('#/s/clerk/refund/turn');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement?.id')).toBe('main');
    await page.getByRole('tab', { name: 'Turn' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('tab', { name: 'Tools', selected: true }).waitFor();
    await page.keyboard.press('5');
    await page.getByRole('tab', { name: 'State', selected: true }).waitFor();
    await page.keyboard.press('?');
    const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await help.getByText('Go to the sessions').waitFor();
    await page.keyboard.press('Escape');
    await help.waitFor({ state: 'detached' });
    for (const theme of ['light', 'dark', undefined]) {
      await page.keyboard.press('t');
      expect(await page.evaluate('document.documentElement.dataset.theme')).toBe(theme);
    }
    await page.keyboard.press('g');
    await page.keyboard.press('s');
    await page.waitForURL(/#\/sessions$/);
  });

  const VIEWS = ['refund/turn?event=4', 'parcel/tools', 'refund/journal', 'refund/state'];

  it.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 390],
    ['dark', 390],
  ] as const)(
    'has no serious findings of axe-core and no horizontal scrolling in the %s theme, %i pixels wide',
    async (colorScheme, width) => {
      const page = await open('#/sessions', { colorScheme, viewport: { width, height: 820 } });
      for (const view of VIEWS) {
        await page.evaluate(`location.assign('#/s/clerk/${view}')`);
        await page.locator('.row, .tool, .virtual-row, .folded').first().waitFor();
        expect({ view, found: await listSeriousFindings(page) }).toEqual({ view, found: [] });
        const wide = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
        expect({ view, wide }).toEqual({ view, wide: false });
      }
    },
  );

  it('shows untrusted content as text without markup or invisible characters, and truncates long lines', async () => {
    const page = await open('#/s/clerk/hostile/turn');
    await page.locator('.row', { hasText: 'read_letter' }).click();
    const detail = page.getByRole('complementary');
    await detail.getByText('<img src=x onerror=').first().waitFor();
    const unseen = await detail.locator('.unseen').allTextContents();
    expect(unseen).toEqual(['U+202E', 'U+202C', 'U+200B', 'U+0007']);
    expect(await detail.locator('img, iframe, script').count()).toBe(0);
    const readLength = async (): Promise<number> => (await detail.textContent())?.length ?? 0;
    expect(await readLength()).toBeLessThan(5_000);
    await detail.getByRole('button', { name: 'Show more' }).click();
    expect(await readLength()).toBeGreaterThan(20_000);
    for (const view of ['tools', 'journal', 'state', 'turn?event=8']) {
      await page.evaluate(`location.assign('#/s/clerk/hostile/${view}')`);
      await page.locator('.tool, .virtual-row, .folded, .row').first().waitFor();
      expect(await page.evaluate("document.getElementById('app').textContent.length")).toBeLessThan(60_000);
    }
    expect(await page.evaluate('globalThis.pwned')).toBe(undefined);
    // Even the page's own script cannot turn text into markup.
    const assigning = "try { document.body.innerHTML = '<b>' } catch (thrown) { String(thrown) }";
    expect(await page.evaluate(assigning)).toContain('TrustedHTML');
    (shown.complaints as string[]).length = 0; // the browser logs the refused assignment
  });

  it('scrolls through 10,000 events as fast as through 100, with few elements', {
    timeout: 200_000,
  }, async () => {
    const measureMedian = async (events: number): Promise<number> => {
      const page = await open('#/sessions');
      await page.route(/\/sessions\/many\/events/, (route) => {
        const { searchParams } = new URL(route.request().url());
        const after = Number(searchParams.get('after') ?? 0);
        if (route.request().headers().accept?.includes('text/event-stream')) return; // the stream never responds
        return route.fulfill({ json: createPage(events, after) });
      });
      await page.evaluate("location.assign('#/s/clerk/many/journal')");
      await page
        .getByText(`${events.toLocaleString('en-US')} events`)
        .first()
        .waitFor();
      const { most, frames, seen } = await page.evaluate<ScrollResult>(SCROLL);
      expect(most).toBeLessThan(70);
      expect(seen).toBeGreaterThan(Math.min(events / 2, 90));
      return frames.toSorted((one, other) => one - other)[Math.floor(frames.length / 2)] ?? 0;
    };
    const few = await measureMedian(100);
    const many = await measureMedian(10_000);
    expect(many).toBeLessThan(4 * few + 20);
  });
});

/** Returns a page of events from a journal with this many events. */
function createPage(count: number, after: number) {
  const events = Array.from({ length: Math.min(500, count - after) }, (_, at): StoredEvent => {
    const seq = after + at + 1;
    const text = `Reply ${seq} with some words.`;
    const stored = { seq, at: 1_800_000_000_000 + seq * 10 };
    if (seq === 1) return { type: 'session-opened', incarnation: 'i', agent: 'clerk', ...stored };
    return { type: 'model-replied', turn: 't1', model: 'm', text, toolCalls: [], finish: 'stop', ...stored };
  });
  const last = after + events.length;
  const next = last < count ? `/agents/clerk/sessions/many/events?after=${last}&limit=500` : null;
  return { events, head: count, next };
}

/** The observed rows of a list while it is scrolled. */
interface ScrollResult {
  /** The maximum number of row elements at one time. */
  readonly most: number;
  /** The time between frames, in ms. */
  readonly frames: readonly number[];
  /** The number of different rows that were shown. */
  readonly seen: number;
}

/** Scrolls a list of the page from its start to its end. */
const SCROLL = `(async () => {
  const list = document.querySelector('.virtual');
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const frames = [];
  const seen = new Set();
  let most = 0;
  list.scrollTop = 0;
  let before = await frame();
  for (let step = 1; step <= 40; step += 1) {
    list.scrollTop = ((list.scrollHeight - list.clientHeight) * step) / 40;
    const now = await frame();
    frames.push(now - before);
    before = now;
    const rows = list.querySelectorAll('.virtual-row');
    most = Math.max(most, rows.length);
    for (const row of rows) seen.add(row.id);
  }
  return { most, frames, seen: seen.size };
})()`;
