/** `useSessions` in a real browser, where React mounts twice. The list is refreshed until it unmounts. */
import { resolve } from 'node:path';
import { build } from 'esbuild';
import { chromium } from 'playwright-core';
import { expect, it } from 'vitest';
import { CHROMIUM_ARGS, findChromium } from '../files/chromium.ts';
import { HAS_BROWSER } from './shown-page.ts';

/**
 * The index reports how often it was queried, and returns one more session each time. A button hides the list.
 */
const PAGE = `
  import { createElement as h, StrictMode, useState } from 'react';
  import { createRoot } from 'react-dom/client';
  import { useSessions } from './src/client/react/lists/entry.ts';
  globalThis.asked = 0;
  const index = {
    async sessions(agent, { cursor, status, signal }) {
      signal.throwIfAborted();
      globalThis.asked += 1;
      return { sessions: [{ session: [agent, status, cursor ?? 'first', globalThis.asked].join(' ') }], next: cursor ? null : 'second' };
    },
  };
  function List() {
    const { entries, isLoading, hasMore, more, refresh } = useSessions({ index, agent: 'clerk', status: 'idle', every: 50 });
    return h('main', null,
      h('p', null, isLoading ? 'loading' : entries.length + ' shown, ' + (hasMore ? 'more' : 'all')),
      h('button', { onClick: more }, 'More'),
      h('ol', null, entries.map(({ session }) => h('li', { key: session }, session))));
  }
  function Page() {
    const [isShown, show] = useState(true);
    return h('div', null, isShown && h(List), h('button', { onClick: () => show(!isShown) }, 'Hide'));
  }
  createRoot(document.getElementById('root')).render(h(StrictMode, null, h(Page)));
`;

it.skipIf(!HAS_BROWSER)(
  'a list is refreshed while it is shown, and is no longer requested after its component unmounts',
  async () => {
    const { outputFiles } = await build({
      stdin: { contents: PAGE, resolveDir: resolve(import.meta.dirname, '../../..'), loader: 'ts' },
      bundle: true,
      write: false,
      format: 'iife',
      define: { 'process.env.NODE_ENV': '"development"' },
    });
    const browser = await chromium.launch({ executablePath: findChromium() ?? '', args: CHROMIUM_ARGS });
    try {
      const page = await browser.newPage();
      await page.setContent('<div id="root"></div>');
      await page.addScriptTag({ content: outputFiles[0]?.text ?? '' });
      await page.getByText('1 shown, more').waitFor();
      const first = await page.locator('li').textContent();
      expect(first).toMatch(/^clerk idle first \d+$/);
      await expect.poll(() => page.locator('li').first().textContent()).not.toBe(first);
      await page.getByRole('button', { name: 'More' }).click();
      await page.getByText('2 shown, all').waitFor();
      await page.getByRole('button', { name: 'Hide' }).click();
      await page.locator('li').first().waitFor({ state: 'detached' });
      const readAsked = () => page.evaluate('globalThis.asked');
      const before = await readAsked();
      await page.waitForTimeout(500);
      // One request can already be in progress.
      expect(Number(await readAsked()) - Number(before)).toBeLessThanOrEqual(1);
      await page.getByRole('button', { name: 'Hide' }).click();
      await page.getByText('1 shown, more').waitFor();
    } finally {
      await browser.close();
    }
  },
);
