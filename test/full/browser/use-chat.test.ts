/** The page with `useChat` of the AI SDK in a real browser. */
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startKillable } from '../process/killable-worker.ts';
import { buildWorker } from '../process/start-worker.ts';
import { testRunningReply } from './running-reply.ts';
import { FILES_KEY, HAS_BROWSER, HELLO, PNG, showPage, TOKEN } from './shown-page.ts';

const WORKER = 'test/full/browser/use-chat-worker.ts';

/** Requests a reply that does not end until the test allows it. */
const SLOW_MESSAGE = 'When are you open? Say it slowly.';

/** Opens a proxy to a Worker that can cut its connections and refuse new ones. */
async function startCuttableProxy({ hostname, port }: URL) {
  const open = new Set<Socket>();
  let isRefusing = false;
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(one.pipe(other));
      one.on('error', () => {}).on('close', () => other.destroy());
    }
    if (isRefusing) near.destroy();
  });
  const cut = (): void => {
    for (const one of open) one.destroy();
    open.clear();
  };
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    refuses(is: boolean): void {
      isRefusing = is;
      if (is) cut();
    },
    close(): void {
      server.close();
      cut();
    },
  };
}

describe.skipIf(!HAS_BROWSER).each([7, 6] as const)(
  'a page with useChat of version %i in chromium, at another origin,',
  (version) => {
    const shown = showPage({
      entry: 'src/examples/pages/use-chat/main.tsx',
      holds: 'src/examples/pages/use-chat/use-desk-chat.tsx',
      ...(version === 6 && {
        bundled: { alias: { ai: 'ai-v6', '@ai-sdk/react': 'ai-react-v6' } },
      }),
      checked: (files) =>
        expect(files.some((file) => file.includes('node_modules/ai-react-v6/'))).toBe(version === 6),
      worker: WORKER,
      conversation: 'chat',
      ready: 'header',
      pictures: `use-chat-${version}-`,
    });
    const { open, say, look, texts, endReply } = shown;
    const waitUntilReady = (on = shown.page): Promise<void> => on.locator('.status.ready').waitFor();
    const readHtml = (on = shown.page): Promise<string> => on.locator('ol').innerHTML();

    it('shows text as it streams, also in a second tab, and the whole text after a reload', async () => {
      const { page } = shown;
      const isPart = async (on: Page): Promise<boolean> => {
        await on.locator('li.assistant > p').waitFor();
        const [, before = ''] = await texts(on);
        return before.length < HELLO.length && HELLO.startsWith(before);
      };
      await say(SLOW_MESSAGE);
      expect(await isPart(page)).toBe(true);
      const second = await open();
      await look('1-streaming');
      await second.locator('li.assistant').waitFor();
      await look('2-second-tab', second);
      await endReply();
      for (const one of [page, second]) {
        await waitUntilReady(one);
        await expect.poll(() => texts(one)).toEqual([SLOW_MESSAGE, HELLO]);
      }
      const before = await readHtml();
      expect(await readHtml(second)).toBe(before);
      await page.reload();
      await page.locator('li.assistant > p').waitFor();
      expect(await readHtml()).toBe(before);
      await look('3-reloaded');
      expect(shown.complaints).toEqual([]);
    });

    testRunningReply(shown);

    it('approves one refund and rejects another, and shows the same after a reload', async () => {
      const { page } = shown;
      await say('Please refund 20 euro.');
      await page.getByText('Refund 20 euro of order A-17?').waitFor();
      await waitUntilReady();
      await look('4-approval');
      await page.reload();
      await page.getByRole('button', { name: 'Approve' }).click();
      await page.getByText('Here is what came of it: 20 euro of order A-17 are on their way back.').waitFor();
      await waitUntilReady();
      await say('Please refund 30 euro.');
      await page.getByRole('button', { name: 'Deny' }).click();
      await page.getByText('The customer said no.').waitFor();
      await waitUntilReady();
      await look('5-approved-and-denied');
      expect(await page.locator('.call').allTextContents()).toEqual([
        'refund 20 euro of order A-17 are on their way back.',
        'refund denied',
      ]);
      const before = await readHtml();
      await page.reload();
      await page.locator('.call').nth(1).waitFor();
      expect(await readHtml()).toBe(before);
      expect(shown.complaints).toEqual([]);
    });

    it('sends an image to the model and shows it again after a reload', async () => {
      const { page } = shown;
      await page.getByLabel('Images').setInputFiles({ name: 'red.png', mimeType: 'image/png', buffer: PNG });
      await say('What is this?');
      await page.getByText('That is a picture of a red square.').waitFor();
      await waitUntilReady();
      await look('6-image');
      await page.reload();
      const image = page.getByAltText('red.png');
      await image.waitFor();
      await expect.poll(() => image.evaluate((one) => Reflect.get(one, 'naturalWidth'))).toBe(100);
      await look('7-image-reloaded');
      expect(shown.complaints).toEqual([]);
    });

    it('shows an image from a tool, and again after a reload', async () => {
      const { page } = shown;
      const measureWidth = () =>
        page.locator('li.assistant img').evaluate((one) => Reflect.get(one, 'naturalWidth'));
      await say('Draw me something.');
      await expect.poll(measureWidth).toBe(100);
      await waitUntilReady();
      await look('16-image-out');
      await page.reload();
      await expect.poll(measureWidth).toBe(100);
      await look('17-image-out-reloaded');
      expect(shown.complaints).toEqual([]);
    });

    it('cancels its turn and reports forbidden actions', async () => {
      const { page } = shown;
      await say('Talk for ever.');
      await page.getByText('I begin, and').waitFor();
      // A user can reload the page immediately after stopping a reply.
      await page.getByRole('button', { name: 'Stop' }).click();
      await page.reload();
      await page.getByText('I begin, and').waitFor();
      await waitUntilReady();
      await look('19-stopped-reloaded');
      await say('Please refund 40 euro.');
      await page.getByRole('button', { name: 'Approve' }).waitFor();
      await waitUntilReady();
      await say('And now?');
      await page.getByRole('alert').waitFor();
      expect(await page.getByRole('alert').textContent()).toContain('waits for an answer from outside');
      await look('8-refused');
      // The call that waits can still be approved.
      await page.getByRole('button', { name: 'Approve' }).click();
      await page.getByText('Here is what came of it: 40 euro of order A-17 are on their way back.').waitFor();
      await waitUntilReady();
      expect(shown.complaints).toEqual([]);
    });

    it('retries a failed reply, and shows its partial text as well after a reload', async () => {
      const { page } = shown;
      const words = `Please fail once, ${crypto.randomUUID()}.`;
      await say(words);
      await page.getByRole('alert').waitFor();
      await look('12-failed');
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByText(`Answer 2 to: ${words}`).waitFor();
      await waitUntilReady();
      await look('13-tried-again');
      expect(await texts()).toEqual([words, `Answer 2 to: ${words}`]);
      // The page dropped the text of the failed reply. The session kept it.
      await page.reload();
      await expect.poll(() => texts()).toEqual([words, 'I begin, and ', `Answer 2 to: ${words}`]);
      expect(shown.complaints).toEqual([]);
    });

    it('replaces an answer when it is regenerated, and a message when it is edited', async () => {
      const { page } = shown;
      const words = `Please draft something, ${crypto.randomUUID()}.`;
      await say('When are you open?');
      await expect.poll(() => texts()).toEqual(['When are you open?', HELLO]);
      await waitUntilReady();
      await say(words);
      await page.getByText(`Answer 1 to: ${words}`).waitFor();
      await waitUntilReady();
      await page.getByRole('button', { name: 'Regenerate' }).last().click();
      const regenerated = ['When are you open?', HELLO, words, `Answer 2 to: ${words}`];
      await expect.poll(() => texts()).toEqual(regenerated);
      await waitUntilReady();
      await look('14-regenerated');
      await page.reload();
      await expect.poll(() => texts()).toEqual(regenerated);
      page.once('dialog', (dialog) => dialog.accept(`${words} In verse.`));
      await page.getByRole('button', { name: 'Edit' }).last().click();
      const edited = ['When are you open?', HELLO, `${words} In verse.`, `Answer 1 to: ${words} In verse.`];
      await expect.poll(() => texts()).toEqual(edited);
      await waitUntilReady();
      await look('15-edited');
      await page.reload();
      await expect.poll(() => texts()).toEqual(edited);
      await say('When are you open?');
      await expect.poll(() => texts()).toEqual([...edited, 'When are you open?', HELLO]);
      expect(shown.complaints).toEqual([]);
    });

    it('resumes a reply whose connection was cut while its Worker was unreachable', async () => {
      const { page } = shown;
      const query = new URL(shown.address).searchParams;
      const line = await startCuttableProxy(new URL(query.get('worker') ?? ''));
      onTestFinished(line.close);
      query.set('worker', line.url);
      await page.goto(`${shown.origin}/?${query}`);
      await say(SLOW_MESSAGE);
      await page.getByText('Hello!').waitFor();
      const [, before = ''] = await texts();
      line.cut();
      await expect.poll(async () => (await texts())[1]?.length).toBeGreaterThan(before.length);
      await endReply();
      await expect.poll(() => texts()).toEqual([SLOW_MESSAGE, HELLO]);
      await waitUntilReady();
      await say('And tomorrow? Say it slowly.');
      await page.getByText('Hello!').nth(1).waitFor();
      line.refuses(true);
      await page.waitForEvent('requestfailed');
      await look('9-offline');
      await endReply();
      expect((await texts())[3]).not.toBe(HELLO);
      line.refuses(false);
      await expect.poll(() => texts()).toEqual([SLOW_MESSAGE, HELLO, 'And tomorrow? Say it slowly.', HELLO]);
      await waitUntilReady();
      expect(shown.complaints).toEqual([]);
    });

    it('shows the whole reply if its Worker was killed during the reply', async () => {
      const { page } = shown;
      const storage = await mkdtemp(join(tmpdir(), 'holdfast-page-'));
      // The same Worker as in the other tests, with the same constants, so that the cached build is used.
      const bundle = join(storage, 'worker.js');
      await writeFile(bundle, await buildWorker(WORKER, { constants: { PAGES: shown.origin } }));
      const start = () =>
        startKillable(WORKER, {
          storage,
          bundle,
          vars: { HOLDFAST_TOKEN: TOKEN, HOLDFAST_FILES_KEY: FILES_KEY, LEASE_MS: '300' },
        });
      let killable = await start();
      onTestFinished(async () => {
        await killable.kill();
        await rm(storage, { recursive: true, force: true, maxRetries: 3 });
      });
      // The restarted Worker has another port, which the page's URL contains.
      const load = async (): Promise<void> => {
        const query = new URL(shown.address).searchParams;
        query.set('worker', new URL(killable.url).origin);
        await page.goto(`${shown.origin}/?${query}`);
      };
      await load();
      await say(SLOW_MESSAGE);
      await page.getByText('Hello!').waitFor();
      await killable.kill();
      await page.waitForEvent('requestfailed');
      await look('10-killed');
      killable = await start();
      await load();
      // The model is retried after a pause.
      await expect
        .poll(async () => {
          await fetch(`${killable.url}/end`);
          return texts();
        })
        .toEqual([SLOW_MESSAGE, HELLO]);
      await waitUntilReady();
      await look('11-back');
      // Requests may fail only while the Worker is stopped.
      expect(shown.complaints.filter((one) => one !== 'TypeError: Failed to fetch')).toEqual([]);
    });
  },
);
