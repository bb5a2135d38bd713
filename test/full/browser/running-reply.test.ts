/** Pages that come into a reply while it runs. `RUNS` says how often each is tried. */
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { HAS_BROWSER, HELLO, type Shown, showPage } from './shown-page.ts';

const RUNS = Number(process.env.RUNS ?? 1);

/** A machine may be busy; the reply waits. */
const POLLED = { timeout: 15_000 };

const USE_SESSION: Shown = {
  entry: 'src/examples/pages/main.tsx',
  holds: 'src/examples/pages/chat.tsx',
  worker: 'test/full/browser/desk-worker.ts',
  conversation: 'session',
  ready: '.status',
};

const USE_CHAT: Shown = {
  entry: 'src/examples/pages/use-chat/main.tsx',
  holds: 'src/examples/pages/use-chat/use-desk-chat.tsx',
  worker: 'test/full/browser/use-chat-worker.ts',
  constants: { PACE: '120' },
  conversation: 'chat',
  ready: 'header',
};

describe.skipIf(!HAS_BROWSER).each([
  ['useSession', USE_SESSION],
  ['useChat', USE_CHAT],
])('a page with %s that comes into a running reply', (_, page) => {
  const shown = showPage(page);

  it.each(Array.from({ length: RUNS }, (_, run) => run + 1))(
    'shows it from its beginning after each of three reloads and in two tabs, run %i',
    async () => {
      const { page, open, say, texts } = shown;
      let known = 0;
      /** Resolves when a page shows at least as much as another page did before. */
      const showsBeginning = async (on: Page): Promise<void> => {
        await expect
          .poll(async () => (await texts(on))[1]?.length ?? 0, POLLED)
          .toBeGreaterThan(Math.max(known - 1, 0));
        const [, text = ''] = await texts(on);
        expect(HELLO.startsWith(text) && text.length < HELLO.length, text).toBe(true);
        known = text.length;
      };
      await say('When are you open? Say it slowly.');
      await showsBeginning(page);
      await page.reload();
      await showsBeginning(page);
      const second = await open();
      await showsBeginning(second);
      for (let reloads = 1; reloads < 3; reloads += 1) {
        await page.reload();
        await showsBeginning(page);
      }
      await showsBeginning(second);
      await fetch(new URL('/end', new URL(shown.address).searchParams.get('worker') ?? ''));
      for (const one of [page, second])
        await expect.poll(() => texts(one), POLLED).toEqual([expect.anything(), HELLO]);
      expect(shown.complaints).toEqual([]);
    },
    120_000,
  );
});
