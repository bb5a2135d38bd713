/** The sessions, the inbox and the chat of the console in chromium, by keyboard and by mouse. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createClient, createIndexClient } from '../../../src/client/entry.ts';
import type { StoredEvent } from '../../../src/journal/entry.ts';
import { operatorAccessIn } from '../../../src/modules/operators/entry.ts';
import { type RunningWorker, startWorker } from '../process/start-worker.ts';
import { playSessions } from './console/play.ts';
import { HAS_BROWSER, listSeriousFindings, showConsole } from './console/shown-console.ts';
import { RED_SQUARE } from './red-square.ts';

describe.skipIf(!HAS_BROWSER)('the sessions, the inbox and the chat of the console', () => {
  let worker: RunningWorker;
  const shown = showConsole();
  const open = (hash: string, options?: Parameters<typeof shown.open>[2]): Promise<Page> =>
    shown.open(worker.url.origin, hash, options);
  const say = async (page: Page, text: string): Promise<void> => {
    await page.getByRole('textbox', { name: 'Message' }).fill(text);
    await page.keyboard.press('Enter');
  };
  beforeAll(async () => {
    worker = await startWorker('test/full/browser/console/worker.ts', { deployedAs: { hasIndex: true } });
    await playSessions(worker.url.origin);
  });
  afterAll(() => worker?.stop());

  it('lists sessions by status, finds them by title, and opens one by keyboard', async () => {
    const page = await open('#/sessions');
    const rows = page.locator('.session-row');
    await rows.filter({ hasText: 'Please refund order 1001, it came damaged.' }).waitFor();
    await page.getByLabel('Status').selectOption('waiting');
    await page.locator('.session-row .badge.warn').first().waitFor();
    await page.locator('.session-row .badge.bad').waitFor({ state: 'detached' });
    expect(await rows.count()).toBe(1);
    await page.getByLabel('Status').selectOption('');
    await page.keyboard.press('Tab');
    await page.getByRole('heading', { name: 'Sessions' }).click();
    await page.keyboard.press('/');
    await page.keyboard.type('BY THE book');
    await rows.filter({ hasText: 'refund' }).first().waitFor({ state: 'detached' });
    expect(await rows.locator('.row-title').allTextContents()).toEqual(['Do it by the book: order 2002.']);
    expect(await listSeriousFindings(page)).toEqual([]);
    await page.getByRole('heading', { name: 'Sessions' }).click();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByText('It was refunded by the book.').waitFor();
  });

  it('starts a session by keyboard, refuses an id that the server would not accept, and streams the reply', async () => {
    const page = await open('#/sessions');
    await page.getByRole('button', { name: 'New session' }).waitFor();
    await page.keyboard.press('c');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Id').fill('not/valid');
    expect(await dialog.getByRole('button', { name: 'Open' }).isDisabled()).toBe(true);
    await dialog.getByLabel('Id').fill('begun-here');
    await page.keyboard.press('Enter');
    await page.getByText('No messages yet').waitFor();
    await say(page, 'Hello');
    await page.getByText('we are happy to help you with anything.').waitFor();
    await page.goto(page.url().replace(/#.*/, '#/sessions'));
    await page.locator('.session-row', { hasText: 'Hello' }).waitFor();
  });

  it('approves a call from the inbox with an edited input, in a form that validates its fields', async () => {
    const page = await open('#/s/clerk/edited/chat');
    await say(page, 'Please refund order 1001.');
    await page.getByRole('article', { name: 'Waiting: refund_order' }).waitFor();
    await page.goto(page.url().replace(/#.*/, '#/inbox'));
    const card = page
      .locator('.inbox-session', { has: page.locator('a[href*="edited"]') })
      .getByRole('article', { name: 'Waiting: refund_order' });
    await card.getByText('Refund 45.9 euro of order 1001?').waitFor();
    expect(await card.locator('.pending-terms').textContent()).toMatch(/^Expires in 5\d min/);
    expect(await listSeriousFindings(page)).toEqual([]);
    await card.getByRole('button', { name: 'Edit' }).click();
    await card.getByLabel('euro').fill('a lot');
    await page.keyboard.press('Enter');
    await card.locator('.field-problem').waitFor();
    await page.locator('[aria-invalid=true]:focus').waitFor();
    expect(await listSeriousFindings(page)).toEqual([]);
    await page.keyboard.press('Control+A');
    await page.keyboard.type('12.5');
    await page.keyboard.press('Enter');
    await card.waitFor({ state: 'detached' });
    await page.goto(page.url().replace(/#.*/, '#/s/clerk/edited/chat'));
    await page
      .locator('.call', { has: page.locator('.call-name', { hasText: 'refund_order' }) })
      .locator('summary')
      .click();
    await page.getByText('Refunded 12.5 euro of order 1001.').waitFor();
  });

  it('approves a call in the chat, and rejects one with a reason', async () => {
    const page = await open('#/s/clerk/rejected/chat');
    await say(page, 'Please refund order 1001.');
    const card = page.getByRole('article', { name: 'Waiting: refund_order' });
    await card.getByRole('button', { name: 'Reject' }).click();
    await page.keyboard.type('Too much.');
    await card.getByRole('button', { name: 'Reject the call' }).click();
    await card.waitFor({ state: 'detached' });
    const call = page.locator('.call', { has: page.locator('.call-name', { hasText: 'refund_order' }) });
    await call.locator('.badge.bad', { hasText: 'declined' }).waitFor();
    await say(page, 'Please refund order 1001 again.');
    await card.getByRole('button', { name: 'Approve' }).focus();
    await page.keyboard.press('Enter');
    await page.locator('.badge', { hasText: 'done, approved' }).waitFor();
  });

  it('steers, queues and stops a turn while it runs', async () => {
    const page = await open('#/s/clerk/busy/chat');
    await say(page, 'Say hello slowly.');
    await page.locator('.is-live').waitFor();
    await say(page, 'Be short.');
    await page.getByRole('textbox', { name: 'Message' }).fill('And then this.');
    await page.keyboard.press('Control+Enter');
    await page.getByText('queued').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.locator('.unanswered', { hasText: 'cancelled' }).waitFor();
    await page.locator('.bubble', { hasText: 'And then this.' }).waitFor();
  });

  it('retries a failed turn by mouse, and shows its error', async () => {
    const page = await open('#/s/clerk/failed/chat');
    await page.locator('.unanswered', { hasText: 'failed' }).waitFor();
    await page.getByRole('button', { name: 'Retry' }).click();
    await page.getByText('Retried').waitFor();
    await page.locator('.unanswered').nth(1).waitFor();
  });

  it('sends files by button, by paste and by drop, and shows images', async () => {
    const page = await open('#/s/clerk/files/chat');
    const png = { name: 'red.png', mimeType: 'image/png', buffer: Buffer.from(RED_SQUARE, 'base64') };
    await page.locator('input[type=file]').setInputFiles(png);
    await page.evaluate(createFileEventScript('ClipboardEvent', 'paste', 'clipboardData'));
    await page.evaluate(createFileEventScript('DragEvent', 'drop', 'dataTransfer'));
    const files = page.getByRole('list', { name: 'Files to send' }).getByRole('listitem');
    expect((await files.allTextContents()).map((text) => text.split(' ')[0])).toEqual([
      'red.png',
      'paste.txt',
      'drop.txt',
    ]);
    await page.getByRole('button', { name: 'Remove drop.txt' }).click();
    await say(page, 'What is this?');
    await page.locator('.bubble img[src^="blob:"]').waitFor();
    await page.getByRole('button', { name: 'Save paste.txt' }).waitFor();
  });

  it('branches from a message with its text, and asks before the branch omits calls with effects', async () => {
    const page = await open('#/s/clerk/refund/chat');
    await page.getByRole('button', { name: 'Edit in a branch' }).first().click();
    await page.getByText('would-repeat-effects').waitFor();
    await page.getByRole('button', { name: /^Branch anyway/ }).click();
    await page.getByText(/^Branch of refund, from its event/).waitFor();
    expect(await page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe(
      'Please refund order 1001, it came damaged.',
    );
  });

  it('shows untrusted content as text, and collapses reasoning', async () => {
    const page = await open('#/s/clerk/hostile/chat');
    await page.locator('.reply > .words', { hasText: '<script>window.pwned=1</script>' }).waitFor();
    await page.locator('.reply > .words .unseen', { hasText: 'U+202E' }).waitFor();
    expect(await page.evaluate(() => Reflect.get(globalThis, 'pwned'))).toBeUndefined();
    const other = await open('#/s/clerk/refund/chat');
    const reasoning = other.getByText('I need the order first.');
    await reasoning.waitFor({ state: 'attached' });
    expect(await reasoning.isVisible()).toBe(false);
    await other.getByText('Reasoning').first().click();
    await reasoning.waitFor();
    expect(await listSeriousFindings(other)).toEqual([]);
  });

  it('refuses text that is not JSON as a result from a person, and then sends a valid result', async () => {
    const page = await open('#/s/packer/weighed/chat');
    await say(page, 'Please weigh parcel 1001.');
    const card = page.getByRole('article', { name: 'Waiting: weigh_parcel' });
    await card.getByLabel('JSON').check();
    await card.getByRole('textbox').fill('{ grams: 400 }');
    await card.getByRole('button', { name: 'Send' }).click();
    await card.getByText('This is not JSON. Text needs quotation marks.').waitFor();
    await card.getByRole('textbox').fill('{ "grams": 400 }');
    await card.getByRole('button', { name: 'Send' }).click();
    await page.getByText('It is weighed.').waitFor();
    await page.locator('.call summary').click();
    await page.locator('.call-body', { hasText: '"grams": 400' }).waitFor();
  });

  it('answers a question from the model, and ends another turn with an exit', async () => {
    const page = await open('#/s/packer/asked/chat');
    await say(page, 'I am unsure.');
    const card = page.getByRole('article', { name: 'Waiting: human_input' });
    await card.getByText('Which box?').first().waitFor();
    await card.getByRole('button', { name: 'Answer' }).click();
    await card.getByLabel('text').fill('The red one.');
    await page.keyboard.press('Enter');
    await page.getByText('Then I take that box.').waitFor();
    await say(page, 'I am unsure again.');
    await card.getByRole('button', { name: 'Exit' }).click();
    await page.keyboard.type('We are closed.');
    await card.getByRole('button', { name: 'End the turn' }).click();
    await page.locator('.unanswered', { hasText: 'We are closed.' }).waitFor();
  });

  it('adds, edits and removes objects of a list in a form, and sends the list as shown', async () => {
    const page = await open('#/s/packer/labels/chat');
    await say(page, 'Print the labels.');
    const card = page.getByRole('article', { name: 'Waiting: label_parcels' });
    await card.getByRole('button', { name: 'Edit' }).click();
    await card.getByRole('button', { name: 'Add' }).click();
    const second = card.getByRole('group', { name: 'parcels 2' });
    await second.getByLabel('city').fill('Oslo');
    await card.getByRole('button', { name: 'Approve with changes' }).click();
    expect(await second.locator('.field-problem').allTextContents()).toEqual([
      'Fill this in.',
      'Fill this in.',
    ]);
    await second.getByLabel('size').selectOption('large');
    await second.getByLabel('grams').fill('900');
    await card.getByLabel('gift').selectOption('true');
    await card.getByRole('button', { name: 'Remove parcels 1' }).click();
    expect(await listSeriousFindings(page)).toEqual([]);
    await card.getByRole('button', { name: 'Approve with changes' }).click();
    await page.getByText('The labels are printed.').waitFor();
    await page.locator('.call summary').click();
    await page
      .locator('.call-body', {
        hasText: 'Printed {"gift":true,"parcels":[{"city":"Oslo","size":"large","grams":900}]}',
      })
      .waitFor();
  });

  it('declines a waiting call by sending a new message, and cancels a queued message', async () => {
    const page = await open('#/s/packer/declined/chat');
    await say(page, 'Print the labels.');
    await page.getByRole('article', { name: 'Waiting: label_parcels' }).waitFor();
    await say(page, 'First in line.');
    const queue = page.getByRole('region', { name: 'Messages that wait' });
    await queue.getByRole('button', { name: 'Cancel' }).click();
    await queue.getByText('cancelled, and ends without a reply').waitFor();
    await page.getByRole('textbox', { name: 'Message' }).fill('No labels today.');
    await page.getByRole('button', { name: 'Decline and send' }).click();
    await page.locator('.bubble', { hasText: 'No labels today.' }).waitFor();
    await page.locator('.call .badge.bad', { hasText: 'declined' }).waitFor();
    await page.locator('.unanswered', { hasText: 'cancelled' }).nth(1).waitFor();
  });

  it('links the sources of a reply without sending them a referrer', async () => {
    const page = await open('#/s/clerk/cited/chat');
    await say(page, 'Please cite a source.');
    const link = page.locator('.source').getByRole('link');
    expect(await link.getAttribute('href')).toBe('https://example.com/ropes');
    expect(await link.getAttribute('rel')).toContain('noreferrer');
  });

  it('collapses the calls that the provider has run, and labels those that failed', async () => {
    const page = await open('#/s/clerk/provider/chat');
    await say(page, 'Please search the web.');
    const folds = page.locator('.fold');
    await folds.nth(3).waitFor();
    expect(await folds.locator('summary').allTextContents()).toEqual([
      'The provider ran web_search',
      'Result of web_search',
      'The provider ran web_search',
      'Error of web_search',
    ]);
    const result = folds.nth(1);
    expect(await result.getByText('Ropes <b>today</b>').isVisible()).toBe(false);
    await result.locator('summary').focus();
    await page.keyboard.press('Enter');
    await result.getByText('Ropes <b>today</b>').waitFor();
    await folds.nth(3).locator('summary').click();
    await folds.nth(3).getByText('The search timed out.').waitFor();
  });

  it('shows which limit ended a turn, and how much of each limit it used', async () => {
    const page = await open('#/s/courier/limits/chat');
    await say(page, 'Ask again and again.');
    await page.locator('.unanswered', { hasText: 'The limit of 1 tool calls was reached.' }).waitFor();
    await page.getByRole('tab', { name: 'Tools' }).click();
    const meters = page.locator('.meter');
    await meters.first().waitFor();
    const texts = await meters.allTextContents();
    // The call that exceeded the limit counts too.
    expect(texts).toContain('toolCalls (module)2 of 1');
    expect(texts.some((text) => /^tokens \(module\)[\d,]+ of 200,000$/.test(text))).toBe(true);
    expect(await page.locator('.meter-fill.warn').count()).toBeGreaterThan(0);
  });

  it('is readable at a width of 390 pixels in the dark theme while a call waits', async () => {
    const page = await open('#/s/clerk/approval/chat', {
      viewport: { width: 390, height: 780 },
      colorScheme: 'dark',
    });
    await page.getByRole('article', { name: 'Waiting: refund_order' }).waitFor();
    expect(await listSeriousFindings(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    await page.goto(page.url().replace(/#.*/, '#/inbox'));
    await page.getByRole('article', { name: 'Waiting: refund_order' }).first().waitFor();
    expect(await listSeriousFindings(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  });

  it('lets an operator view the sessions of another owner, and records this in their journals', async () => {
    const ben = createClient({ url: worker.url.origin, agent: 'clerk', fetch: asCaller('ben') });
    await ben.session('private').send('Hello');
    const index = createIndexClient({ url: worker.url.origin });
    await expect.poll(async () => (await index.owners()).owners, { timeout: 20_000 }).toContain('id:ben');
    const page = await open('#/sessions');
    await page.locator('.session-row').first().waitFor();
    await page.keyboard.press('o');
    const dialog = page.getByRole('dialog', { name: 'Sessions of another owner' });
    await dialog.locator('option[value="id:ben"]').waitFor({ state: 'attached' });
    await dialog.getByLabel('Owner').fill('id:ben');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Owner: id:ben' }).waitFor();
    await expect.poll(() => page.locator('.session-row .row-title').allTextContents()).toEqual(['Hello']);
    await page.locator('.session-row').click();
    await page.getByText('A session of id:ben. Its journal records that you look at it.').waitFor();
    expect(await page.getByRole('textbox', { name: 'Message' }).count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Branch from here' }).count()).toBe(0);
    await page.getByRole('tab', { name: 'State' }).click();
    await page.getByRole('heading', { name: 'Messages' }).waitFor();
    const countAccesses = async (): Promise<number> => {
      const events: StoredEvent[] = [];
      for await (const event of ben.session('private').events()) events.push(event);
      return operatorAccessIn(events).length;
    };
    const before = await countAccesses();
    expect(before).toBeGreaterThan(0);
    // The view does not load the state again for the events that it causes.
    await page.waitForTimeout(1_500);
    expect(await countAccesses()).toBe(before);
    await page.setViewportSize({ width: 390, height: 780 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    expect(await listSeriousFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Back to your own sessions' }).click();
    await page.locator('.session-row', { hasText: 'Please refund order 1001, it came damaged.' }).waitFor();
  });
});

describe.skipIf(!HAS_BROWSER)('the console of an app without an index', () => {
  let worker: RunningWorker;
  const shown = showConsole();
  beforeAll(async () => {
    worker = await startWorker('test/full/browser/console/plain-worker.ts');
  });
  afterAll(() => worker?.stop());

  it('lists the sessions that this browser has opened, and removes one', async () => {
    const page = await shown.open(worker.url.origin, '#/sessions');
    await page.getByText('This app has no index of sessions.').waitFor();
    await page.keyboard.press('c');
    await page.getByRole('dialog').getByRole('button', { name: 'Open' }).click();
    await page.getByText('No messages yet').waitFor();
    await page.getByRole('textbox', { name: 'Message' }).fill('Hello');
    await page.keyboard.press('Enter');
    await page.getByText('we are happy to help you with anything.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Inbox' }).click();
    await page.getByText('These are the calls of the sessions that this browser has opened.').waitFor();
    await page.getByText('Nothing waits for you').waitFor();
    await page.getByRole('link', { name: 'Sessions' }).click();
    await page.locator('.session-row').waitFor();
    expect(await page.locator('.session-row').count()).toBe(1);
    expect(await listSeriousFindings(page)).toEqual([]);
    await page.getByRole('button', { name: /^Remove .* from this list$/ }).click();
    await page.getByText('No sessions').waitFor();
  });

  it('marks a request that the deployed code would make differently', async () => {
    const storage = mkdtempSync(join(tmpdir(), 'holdfast-console-'));
    onTestFinished(() => rmSync(storage, { recursive: true, force: true, maxRetries: 3 }));
    const entry = 'test/full/browser/console/plain-worker.ts';
    const before = await startWorker(entry, { storage });
    await createClient({ url: before.url.origin, agent: 'clerk' }).session('s1').send('Hello');
    await before.stop();
    const build = { constants: { INSTRUCTIONS: 'Say when the shop is open. Be brief.' } };
    const after = await startWorker(entry, { storage, build });
    onTestFinished(() => after.stop());
    const page = await shown.open(after.url.origin, '#/s/clerk/s1/turn');
    await page.locator('.row', { hasText: 'shop-model-2' }).click();
    const detail = page.getByRole('complementary');
    await detail.getByText('Request, as this code makes it').click();
    await detail.getByText('The model was sent other instructions than this code makes.').waitFor();
  });
});

/**
 * Returns a script that passes a text file to the input with this event, as if a person pasted or dropped it.
 */
const createFileEventScript = (kind: string, event: string, data: string): string => `{
  const ${data} = new DataTransfer();
  ${data}.items.add(new File(['kelp'], '${event}.txt', { type: 'text/plain' }));
  const init = { bubbles: true, cancelable: true, ${data} };
  document.getElementById('message').dispatchEvent(new ${kind}('${event}', init));
}`;

/** Returns a `fetch` of this caller, who is not an operator. */
const asCaller =
  (caller: string): typeof fetch =>
  (input, init) =>
    fetch(input, {
      ...init,
      headers: { ...Object.fromEntries(new Headers(init?.headers)), 'x-caller': caller, 'x-operator': 'no' },
    });
