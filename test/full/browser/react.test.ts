/** The `useSession` example page in a real browser. */

import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { testRunningReply } from './running-reply.ts';
import { HAS_BROWSER, HELLO, PNG, showPage, TOKEN } from './shown-page.ts';

describe.skipIf(!HAS_BROWSER)('a page in chromium, at another origin than its Worker,', () => {
  const shown = showPage({
    entry: 'src/examples/pages/main.tsx',
    holds: 'src/examples/pages/chat.tsx',
    worker: 'test/full/browser/desk-worker.ts',
    conversation: 'session',
    ready: '.status',
  });
  const { open, say, look, texts, endReply } = shown;

  it('shows text as it streams, also in a second tab, and the whole text after a reload', async () => {
    const { page } = shown;
    const isPart = async (on: Page, nth: number): Promise<boolean> => {
      const streaming = on.locator('li.streaming p');
      await streaming.waitFor();
      const [before = ''] = await streaming.allTextContents();
      return before.length < HELLO.length && HELLO.startsWith(before) && (await texts(on)).length === nth;
    };
    const slowly = 'When are you open? Say it slowly.';
    await say(slowly);
    expect(await isPart(page, 2)).toBe(true);
    await endReply();
    await page.locator('.status.idle').waitFor();
    const second = await open();
    await say('And tomorrow? Say it slowly.');
    for (const one of [page, second]) expect(await isPart(one, 4)).toBe(true);
    await look('1-streaming');
    await look('2-streaming-second-tab', second);
    await endReply();
    const conversation = [slowly, HELLO, 'And tomorrow? Say it slowly.', HELLO];
    for (const one of [page, second]) {
      await one.locator('.status.idle').waitFor();
      expect(await texts(one)).toEqual(conversation);
    }
    await page.reload();
    await page.locator('li.assistant').first().waitFor();
    expect(await texts()).toEqual(conversation);
    expect(shown.complaints).toEqual([]);
  });

  testRunningReply(shown);

  it('lets one tab approve a call and the other tab reject another', async () => {
    const { page } = shown;
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
    expect(shown.complaints).toEqual([]);
  });

  it('sends an image and shows it, even after a reload', async () => {
    const { page } = shown;
    await page.getByLabel('Images').setInputFiles({ name: 'square.png', mimeType: 'image/png', buffer: PNG });
    await say('What is this?');
    await page.getByText('That is a picture of a red square.').waitFor();
    const image = "document.querySelector('li.user img')";
    const measureImageWidth = () => page.evaluate(`${image}.decode().then(() => ${image}.naturalWidth)`);
    await page.locator('li.user img').waitFor();
    expect(await measureImageWidth()).toBe(100);
    await look('6-image');
    await page.reload();
    await page.locator('li.user img').waitFor();
    expect(await measureImageWidth()).toBe(100);
    expect(shown.complaints).toEqual([]);
  });

  it('stops a turn', async () => {
    const { page } = shown;
    await say('Talk for ever.');
    await page.getByText('I begin, and').waitFor();
    await look('7-running');
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.locator('.status.idle').waitFor();
    await look('8-stopped');
    await say('When are you open?');
    await page.getByText(HELLO).waitFor();
    expect(shown.complaints).toEqual([]);
  });

  it('shows the reason for a failed turn until the next turn', async () => {
    const { page } = shown;
    await say('Break.');
    await page.getByRole('alert').getByText("The model 'desk-model' threw instead of answering.").waitFor();
    await look('8b-failed');
    await say('When are you open?');
    await page.getByRole('alert').waitFor({ state: 'detached' });
    await page.locator('.status.idle').waitFor();
    expect(shown.complaints).toEqual([]);
  });

  it('reconnects when the network is back', async () => {
    const { page } = shown;
    await say('When are you open?');
    await page.getByText(HELLO).waitFor();
    await shown.context.setOffline(true);
    expect(await page.getByText(HELLO).count()).toBe(1);
    await shown.context.setOffline(false);
    await say('Please refund 5 euro.');
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('Here is what came of it: 5 euro of order A-17 are on their way back.').waitFor();
  });

  it('shows the reason if the user is not authorized', async () => {
    const stranger = await shown.context.newPage();
    await stranger.goto(shown.address.replace(TOKEN, 'wrong'));
    await stranger.getByText('Send a valid token as "Authorization: Bearer ...".').waitFor();
    await look('9-refused', stranger);
  });
});
