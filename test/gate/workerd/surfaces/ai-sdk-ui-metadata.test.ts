/** The metadata of a page's messages, which is stored with them. */
import { describe, expect, it } from 'vitest';
import { defineTool } from '../../../../src/index.ts';
import { aiSdkUi } from '../../../../src/surfaces/ai-sdk-ui/entry.ts';
import { scripted } from '../../../fixtures/scripted-agent.ts';
import { registerScript } from '../../../fixtures/scripts.ts';
import { findProblem, loadMessages, openChat, VERSIONS } from '../../../fixtures/ui-chat.ts';
import { createTestApp } from '../http/app.ts';
import { readJournal } from '../http/client.ts';

const seen: unknown[] = [];
const look = defineTool({
  name: 'look',
  description: 'Looks at the context.',
  effect: 'read',
  run(_, call) {
    seen.push(call.context.toJSON());
    return 'Seen.';
  },
});
const agent = { ...scripted, name: 'keeper', tools: [look] };
const via = createTestApp({ agents: [agent], use: [aiSdkUi()] });

const post = (metadata: unknown) => {
  const message = {
    id: 'm1',
    role: 'user',
    metadata,
    parts: [{ type: 'text', text: registerScript('Hi.').message() }],
  };
  return via('/agents/keeper/chat', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ id: crypto.randomUUID(), messages: [message] }),
  });
};

describe.each(VERSIONS)('the metadata of a message, version %i', (version) => {
  it('is journaled with its turn, and returned when the messages are loaded', async () => {
    const id = crypto.randomUUID();
    const { chat } = openChat({ version, agent: 'keeper', via, id });
    const metadata = { sentAt: 1_234, from: { page: '/prices', tags: ['a'] } };
    const { message } = registerScript({ calls: [{ name: 'look' }] }, 'Hi.', 'Yes.');
    await chat.sendMessage({ text: message(), metadata });
    await chat.sendMessage({ text: message() });
    const messages = await loadMessages(via, { agent: 'keeper', id, version });
    expect(await findProblem(messages, version)).toBeUndefined();
    const [first, , second] = messages;
    expect(first?.metadata).toEqual({ ...metadata, turn: expect.any(String) });
    expect(second?.metadata).toEqual({ turn: expect.any(String) });
    const [started] = (await readJournal(`/agents/keeper/sessions/${id}`, via)).filter(
      ({ type }) => type === 'turn-started',
    );
    expect(started?.context).toEqual({ 'holdfast.metadata': metadata });
    expect(seen.at(-1)).toMatchObject({ 'holdfast.metadata': metadata });
  });
});

describe('the metadata of a message', () => {
  it('contains the Worker’s id of the turn, even if the page sends another', async () => {
    const id = crypto.randomUUID();
    const { chat } = openChat({ version: 7, agent: 'keeper', via, id });
    await chat.sendMessage({ text: registerScript('Hi.').message(), metadata: { turn: 'mine', more: 1 } });
    const [said, answer] = await loadMessages(via, { agent: 'keeper', id, version: 7 });
    expect(said?.metadata).toEqual({ turn: answer?.id, more: 1 });
  });

  it.each([
    ['text', 'The body is not valid: messages[0].metadata: must be an object.'],
    [null, 'The body is not valid: messages[0].metadata: must be an object.'],
    [[], 'The body is not valid: messages[0].metadata: must be an object.'],
    [
      { long: 'x'.repeat(16_384) },
      'The body is not valid: messages[0].metadata: must have at most 16384 characters as JSON.',
    ],
  ])('is refused if it is %o', async (metadata, text) => {
    const response = await post(metadata);
    expect([response.status, await response.text()]).toEqual([422, text]);
  });

  it('can be as large as the limit', async () => {
    const response = await post({ long: 'x'.repeat(16_384 - '{"long":""}'.length) });
    expect(response.status).toBe(200);
    await response.text();
  });

  it('is refused without further errors if it is nested too deeply', async () => {
    let deep: unknown = 1;
    for (let depth = 0; depth < 2_000; depth += 1) deep = [deep];
    const response = await post({ deep });
    expect([response.status, await response.text()]).toEqual([
      422,
      expect.stringContaining('nested too deeply'),
    ]);
  });
});
