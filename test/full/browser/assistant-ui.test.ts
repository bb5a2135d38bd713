/** The first page from the README of assistant-ui in a real browser, with `HoldfastChatTransport`. */
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { type CopiedPage, createCopiedPagesPlugin } from './copied-pages.ts';
import { HAS_BROWSER, HELLO, showPage } from './shown-page.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

/** Returns the page from the README of assistant-ui. */
async function readPage(): Promise<CopiedPage> {
  const readme = await readFile(join(ROOT, 'node_modules/@assistant-ui/react/README.md'), 'utf8');
  const [, code = ''] = /```tsx\n(.*?)```/s.exec(readme) ?? [];
  return {
    code: `import { HoldfastChatTransport } from '${join(ROOT, 'src/client/ai-sdk/entry.ts')}';
const transport = new HoldfastChatTransport(AGENT);
${code}`,
    folder: ROOT,
    changes: [
      ['useChatRuntime()', 'useChatRuntime({ transport })'],
      ['export function Chat', 'export default function Chat'],
    ],
  };
}

describe.skipIf(!HAS_BROWSER)('a page with assistant-ui in chromium, at another origin,', async () => {
  const shown = showPage({
    entry: 'test/full/browser/hello-pages/main.tsx',
    holds: 'test/full/browser/assistant-ui/thread.tsx',
    bundled: {
      alias: {
        '@/components/assistant-ui/elements/thread.aui': join(
          ROOT,
          'test/full/browser/assistant-ui/thread.tsx',
        ),
      },
      plugins: [createCopiedPagesPlugin({ readme: await readPage() })],
    },
    checked: (files) =>
      expect(files.some((file) => file.includes('node_modules/@assistant-ui/react/'))).toBe(true),
    worker: 'test/full/browser/use-chat-worker.ts',
    conversation: 'chat',
    ready: 'html',
    pictures: 'assistant-ui-',
  });
  const { look, say, texts } = shown;
  beforeEach(async () => {
    await shown.page.goto(`${shown.address}&page=readme&agent=desk`);
  });
  /**
   * Waits until no reply is running. The page always shows its stop button, so the test checks that it is
   * disabled.
   */
  const waitUntilReady = async (): Promise<void> => {
    await expect.poll(() => shown.page.getByRole('button', { name: 'Stop' }).isDisabled()).toBe(true);
  };

  it('shows a reply as it arrives, stops another one and accepts the next message', async () => {
    const { page } = shown;
    await say('When are you open?');
    await expect.poll(() => texts()).toEqual(['When are you open?', HELLO]);
    await say('Talk for ever.');
    await page.getByText('I begin, and').waitFor();
    await look('1-streaming');
    await page.getByRole('button', { name: 'Stop' }).click();
    await say('And tomorrow?');
    await expect.poll(async () => (await texts()).slice(-2)).toEqual(['And tomorrow?', HELLO]);
    await look('2-stopped');
    expect(shown.complaints).toEqual([]);
  });

  it('regenerates an answer and edits a message with its own buttons', async () => {
    const { page } = shown;
    const words = `Please draft something, ${crypto.randomUUID()}.`;
    const before = ['When are you open?', HELLO];
    await say('When are you open?');
    await expect.poll(() => texts()).toEqual(before);
    await waitUntilReady();
    await say(words);
    await expect.poll(() => texts()).toEqual([...before, words, `Answer 1 to: ${words}`]);
    await waitUntilReady();
    await page.getByRole('button', { name: 'Regenerate' }).last().click();
    await expect.poll(() => texts()).toEqual([...before, words, `Answer 2 to: ${words}`]);
    await waitUntilReady();
    await look('3-regenerated');
    await page.getByRole('button', { name: 'Edit' }).last().click();
    await page.getByLabel('Other words').fill(`${words} In verse.`);
    await look('4-editing');
    await page.getByRole('button', { name: 'Update' }).click();
    const edited = [...before, `${words} In verse.`, `Answer 1 to: ${words} In verse.`];
    await expect.poll(() => texts()).toEqual(edited);
    await waitUntilReady();
    await look('5-edited');
    // The next message goes to the fork. Its model receives the messages that the page shows.
    await say('What did I say? Repeat all.');
    await expect
      .poll(() => texts())
      .toEqual([...edited, 'What did I say? Repeat all.', `You said: ${before[0]} ${words} In verse.`]);
    await waitUntilReady();
    expect(shown.complaints).toEqual([]);
  });
});
