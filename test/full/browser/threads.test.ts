/** The list of chats next to `useChat` in a real browser. */
import { describe, expect, it } from 'vitest';
import { HAS_BROWSER, showPage, TOKEN } from './shown-page.ts';

describe.skipIf(!HAS_BROWSER)('the list of chats of a page with useChat in chromium', () => {
  const shown = showPage({
    entry: 'src/examples/pages/use-chat/main.tsx',
    holds: 'src/examples/pages/use-chat/use-threads.tsx',
    worker: 'test/full/browser/threads-worker.ts',
    deployedAs: { hasIndex: true },
    conversation: 'chat',
    ready: 'header',
    pictures: 'threads-',
  });
  const { say, texts, look } = shown;
  const listTitles = () => shown.page.locator('nav a').allTextContents();
  const waitForText = async (text: string): Promise<void> => {
    await say(text);
    await shown.page.getByText(`You said: ${text}`, { exact: true }).waitFor();
  };
  const [FIRST, SECOND, OTHER] = ['My lamp is broken', 'My order is late', 'My chair is late'];

  it('opens a chat with its messages, creates, renames and deletes chats, and marks unread chats', async () => {
    const { page } = shown;
    await waitForText(FIRST);
    await expect.poll(listTitles).toEqual([FIRST]);
    await page.getByRole('button', { name: 'New chat' }).click();
    await expect.poll(() => texts()).toEqual([]);
    await waitForText(SECOND);
    await expect.poll(listTitles).toEqual([SECOND, FIRST]);
    await look('1-two-chats');
    await page.getByRole('link', { name: FIRST }).click();
    await expect.poll(() => texts()).toEqual([FIRST, `You said: ${FIRST}`]);
    await page.reload();
    await expect.poll(() => texts()).toEqual([FIRST, `You said: ${FIRST}`]);

    // Another user sends a message in the other chat.
    await expect.poll(() => page.locator('nav li.unread').count()).toBe(0);
    const query = new URL(page.url()).searchParams;
    const listSessions = async () => {
      const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
      const response = await fetch(`${query.get('worker')}/agents/desk/sessions`, { headers });
      return { headers, ...((await response.json()) as { sessions: { url: string; title: string }[] }) };
    };
    const { headers, sessions } = await listSessions();
    const url = sessions.find(({ title }) => title === SECOND)?.url;
    const body = JSON.stringify({ message: 'Hello from far away' });
    await fetch(`${query.get('worker')}${url}/messages`, { method: 'POST', headers, body });
    await expect.poll(() => page.locator('nav li.unread').allTextContents()).toHaveLength(1);
    await look('2-unread');
    await page.getByRole('link', { name: SECOND }).click();
    await expect.poll(() => texts()).toContain('You said: Hello from far away');
    await expect.poll(() => page.locator('nav li.unread').count()).toBe(0);

    // A fork is not listed as a separate thread.
    page.once('dialog', (dialog) => dialog.accept(OTHER));
    await page.getByRole('button', { name: 'Edit' }).first().click();
    await expect.poll(() => texts()).toEqual([OTHER, `You said: ${OTHER}`]);
    await expect.poll(listTitles).toEqual([OTHER, FIRST]);
    page.once('dialog', (dialog) => dialog.accept('About the order'));
    await page.getByRole('button', { name: 'Rename' }).first().click();
    await expect.poll(listTitles).toEqual(['About the order', FIRST]);
    page.once('dialog', (dialog) => dialog.accept());
    await page.getByRole('button', { name: 'Delete' }).first().click();
    await expect.poll(listTitles).toEqual([FIRST]);
    await expect.poll(() => texts()).toEqual([]);
    expect((await listSessions()).sessions.map(({ title }) => title)).toEqual([FIRST]);
    expect(shown.complaints).toEqual([]);
  });
});
