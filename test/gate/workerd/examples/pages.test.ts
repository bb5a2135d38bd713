/** The example of the page on the client, with the agent of its pages. */

import { createExecutionContext } from 'cloudflare:test';
import { expect, it, vi } from 'vitest';
import { createClient } from '../../../../src/client/entry.ts';
import { ask, createDeskClient } from '../../../../src/examples/pages/ask.ts';
import { desk } from '../../../../src/examples/pages/desk.ts';
import { default as worker } from '../../../../src/examples/pages/worker.ts';
import { files } from '../../../../src/modules/files/entry.ts';
import { scriptedModel } from '../../../../src/testing/entry.ts';
import { createTestApp } from '../http/app.ts';

it.each([
  [true, '12 euro of order A-17 are on their way back.'],
  [false, "Error: This call of 'refund' was declined and did not run. Do not repeat it unchanged."],
])(
  'the documented page shows an answer while it streams, and refunds a payment only after an approval (approved: %s)',
  async (isApproved, result) => {
    const model = scriptedModel([
      { text: 'Let me ask.', calls: [{ name: 'refund', input: { order: 'A-17', euro: 12 } }] },
      'There you are.',
    ]);
    const via = createTestApp({ agents: [{ ...desk, model }], use: [files()] });
    const client = createClient<typeof desk>({ url: 'http://localhost', agent: 'desk', fetch: via });
    let shown = '';
    const decide = vi.fn(async () => isApproved);
    const answer = await ask(client, 'Refund 12 euro of A-17.', { decide, show: (text) => (shown += text) });
    expect([answer, shown]).toEqual(['There you are.', 'Let me ask.There you are.']);
    expect(decide.mock.calls).toEqual([['Refund 12 euro of order A-17?']]);
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({ role: 'tool', text: result });
  },
);

it('the Worker of the documented page accepts requests from pages of its origin', async () => {
  const headers = { origin: 'https://shop.example', 'access-control-request-method': 'POST' };
  const asked = new Request('http://localhost/agents/desk/sessions/s/messages', {
    method: 'OPTIONS',
    headers,
  });
  const answered = await worker.fetch(
    asked as Parameters<typeof worker.fetch>[0],
    {},
    createExecutionContext(),
  );
  expect(answered.headers.get('access-control-allow-origin')).toBe('https://shop.example');
  expect(createDeskClient('http://localhost', 't').session('s').id).toBe('s');
});
