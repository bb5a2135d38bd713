/** A test with pages that are opened while a reply is streaming. `RUNS` sets the number of runs. */
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { HELLO, type ShownPage } from './shown-page.ts';

const RUNS = Number(process.env.RUNS ?? 1);

/** Defines the test that a page shows a running reply from its beginning after any number of reloads. */
export function testRunningReply(shown: ShownPage): void {
  it.each(Array.from({ length: RUNS }, (_, run) => run + 1))(
    'shows a running reply from its beginning after each of three reloads and in two tabs (run %i)',
    async () => {
      const { page, open, say, texts, look, endReply } = shown;
      let known = 0;
      /** Resolves when a page shows at least as much text as the previous page. */
      const waitForBeginning = async (on: Page): Promise<void> => {
        await expect
          .poll(async () => (await texts(on))[1]?.length ?? 0)
          .toBeGreaterThan(Math.max(known - 1, 0));
        const [, text = ''] = await texts(on);
        expect(HELLO.startsWith(text) && text.length < HELLO.length, text).toBe(true);
        known = text.length;
      };
      await say('When are you open? Say it slowly.');
      await waitForBeginning(page);
      await page.reload();
      await waitForBeginning(page);
      const second = await open();
      await waitForBeginning(second);
      for (let reloads = 1; reloads < 3; reloads += 1) {
        await page.reload();
        await waitForBeginning(page);
      }
      await look('20-reloaded-three-times');
      await waitForBeginning(second);
      await endReply();
      for (const one of [page, second])
        await expect.poll(() => texts(one)).toEqual([expect.anything(), HELLO]);
      expect(shown.complaints).toEqual([]);
    },
    120_000,
  );
}
