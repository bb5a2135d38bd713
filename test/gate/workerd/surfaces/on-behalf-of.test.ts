/**
 * Two persons with one token send identical requests and ids to every protocol. Each has a separate session.
 */
import { describe, expect, it } from 'vitest';
import { a2a } from '../../../../src/examples/a2a/a2a.ts';
import { agUi } from '../../../../src/examples/ag-ui/ag-ui.ts';
import { defineMcpEndpoint } from '../../../../src/mcp/server/entry.ts';
import type { ModelRequest } from '../../../../src/model/entry.ts';
import { onBehalfOf } from '../../../../src/modules/http/entry.ts';
import { aiSdkUi } from '../../../../src/surfaces/ai-sdk-ui/entry.ts';
import { openAi } from '../../../../src/surfaces/openai/entry.ts';
import { scripted } from '../../../fixtures/scripted-agent.ts';
import { registerScript } from '../../../fixtures/scripts.ts';
import { createTestApp } from '../http/app.ts';
import type { Send } from '../http/client.ts';

const createApp = (tenant?: string): Send =>
  createTestApp({
    agents: [scripted],
    use: [
      onBehalfOf(({ headers }) => headers.get('x-user-id')),
      openAi(),
      aiSdkUi(),
      agUi(),
      a2a({ agents: ['scripted'] }),
      defineMcpEndpoint({ agents: ['scripted'] }),
    ],
    auth: () => ({ id: 'app', tenant, delegates: true }),
  });

/**
 * A protocol's request: the path and the body. `id` is the client's id of its message, its thread or its key.
 */
interface ProtocolCase {
  readonly path: string;
  body(text: string, id: string): unknown;
  headers?(id: string): Readonly<Record<string, string>>;
}

const a2aProtocol: ProtocolCase = {
  path: '/a2a/scripted',
  body: (text, messageId) => ({
    jsonrpc: '2.0',
    id: 'r1',
    method: 'SendMessage',
    params: { message: { messageId, role: 'ROLE_USER', parts: [{ text }] } },
  }),
};
const agUiProtocol: ProtocolCase = {
  path: '/agents/scripted/ag-ui',
  body: (text, threadId) => ({
    threadId,
    runId: 'run-1',
    messages: [{ id: 'm1', role: 'user', content: text }],
    tools: [],
    context: [],
    state: {},
    forwardedProps: {},
  }),
};
const aiSdkProtocol: ProtocolCase = {
  path: '/agents/scripted/chat',
  body: (text, id) => ({
    id,
    trigger: 'submit-message',
    messages: [{ id: 'm1', role: 'user', parts: [{ type: 'text', text }] }],
  }),
};
const responsesProtocol: ProtocolCase = {
  path: '/v1/responses',
  body: (input, conversation) => ({ model: 'scripted', input, conversation }),
};
const chatProtocol: ProtocolCase = {
  path: '/v1/chat/completions',
  body: (content) => ({ model: 'scripted', messages: [{ role: 'user', content }] }),
  headers: (id) => ({ 'idempotency-key': id }),
};

const send = async (
  via: Send,
  { path, body, headers }: ProtocolCase,
  { person, text, id }: { readonly person: string; readonly text: string; readonly id: string },
): Promise<string> => {
  const response = await via(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-user-id': person, ...headers?.(id) },
    body: JSON.stringify(body(text, id)),
  });
  expect(response.status).toBe(200);
  return response.text();
};

/** Returns the user's messages in a request to the model. */
const listUserTexts = ({ messages }: ModelRequest): string[] =>
  messages.flatMap(({ role, text }) => (role === 'user' ? [text] : []));

describe('two people behind one caller who send the same message', () => {
  it.each([
    ['A2A', a2aProtocol],
    ['AG-UI', agUiProtocol],
    ['the AI SDK', aiSdkProtocol],
    ['responses', responsesProtocol],
    ['chat completions', chatProtocol],
  ])('have separate sessions over %s', async (_, protocol) => {
    const via = createApp();
    const { message, model } = registerScript('Words of Ann.', 'Words of Ben.');
    const [text, id] = [message(), crypto.randomUUID()];
    await send(via, protocol, { person: 'ann', text, id });
    const ofBen = await send(via, protocol, { person: 'ben', text, id });
    expect(ofBen).not.toContain('Ann');
    expect(model.requests.map(listUserTexts)).toEqual([[text], [text]]);
  });

  it.each([
    ['A2A', a2aProtocol],
    ['chat completions', chatProtocol],
  ])(
    'have separate new chats under one key over %s, even if a tenant shares its sessions',
    async (_, protocol) => {
      const via = createApp(crypto.randomUUID());
      const { message, model } = registerScript('Words of Ann.', 'Words of Ben.');
      const [text, id] = [message(), crypto.randomUUID()];
      const answers: string[] = [];
      for (const person of ['ann', 'ben', 'ann'])
        answers.push(await send(via, protocol, { person, text, id }));
      expect(answers.map((answer) => answer.includes('of Ann.'))).toEqual([true, false, true]);
      expect(model.requests.map(listUserTexts)).toEqual([[text], [text]]);
    },
  );
});
