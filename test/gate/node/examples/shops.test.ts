import { expect, it } from 'vitest';
import { basel, bern } from '../../../../src/examples/till/shops.ts';
import type { Agent } from '../../../../src/index.ts';
import { createTestSession } from '../../../../src/testing/entry.ts';

async function readNotes(agent: Agent, context = {}) {
  const session = createTestSession(agent, {
    replies: [
      { calls: [{ name: 'bookkeeper', input: { task: 'Write down the tea.' } }] },
      { calls: [{ name: 'note', input: { line: 'tea' } }] },
      'Written.',
      'Done.',
    ],
  });
  await session.send('Go.', { context });
  const [, inner, after] = session.requests;
  return { inner, line: after?.messages.at(-1)?.text };
}

it('one bookkeeper keeps the books of two shops, and has an additional task in one of them', async () => {
  const { inner, line } = await readNotes(bern);
  expect([inner?.tools.map(({ name }) => name), line]).toEqual([['note'], 'Bern: tea (2026)']);
  const copy = await readNotes(basel);
  expect([copy.inner?.tools.map(({ name }) => name), copy.line]).toEqual([
    ['add', 'note', 'opening_hours', 'total'],
    'Basel: tea (2026)',
  ]);
  expect(copy.inner?.messages[0]?.text).toBe('Count the till first. Then do this: Write down the tea.');
});

it('the options of a copied tool override those of the request', async () => {
  expect((await readNotes(bern, { shop: 'the fair', year: 2027 })).line).toBe('Bern: tea (2026)');
});
