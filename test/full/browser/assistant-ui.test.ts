/** A page of assistant-ui in a real browser, by `HoldfastChatTransport`. */
import { describe, expect, it } from 'vitest';
import { HAS_BROWSER, HELLO, showPage } from './shown-page.ts';

describe.skipIf(!HAS_BROWSER)('a page with assistant-ui in chromium, at another origin', () => {
  const shown = showPage({
    entry: 'test/full/browser/assistant-ui/main.tsx',
    holds: 'test/full/browser/assistant-ui/main.tsx',
    checked: (files) =>
      expect(files.some((file) => file.includes('node_modules/@assistant-ui/react/'))).toBe(true),
    worker: 'test/full/browser/use-chat-worker.ts',
    conversation: 'chat',
    ready: 'textarea[name=input]',
    pictures: 'assistant-ui-',
  });
  const { look, say, texts } = shown;

  it('shows a reply as it comes, stops another one, and takes the next message', async () => {
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
});
