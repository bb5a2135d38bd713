import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import {
  type ApplicationInputCallbacks,
  createApplicationInputHandler,
  createTaskSessionFromClient,
  resultFromTaskOutcome,
  TaskCancelledError,
  type TaskEnabledSession,
} from '@modelcontextprotocol/ext-tasks/client';
import type { JsonValue } from '@modelcontextprotocol/ext-tasks/core';
import { describe, expect, it } from 'vitest';
import { listPaymentsTo } from '../../../../fixtures/clerk-agent.ts';
import { createHeldReply, registerScript } from '../../../../fixtures/scripts.ts';
import { ORIGIN, type Send } from '../../http/client.ts';
import { deliverToHolders, MANUAL_DELIVERY } from '../../http/time.ts';
import { createEndpointApp, createSessionId, getTexts, postMcp, readMessages } from './talk.ts';

const via = createEndpointApp({ agents: ['scripted'] });
const clientInfo = { name: 'test', version: '1' };

const refuseRequest = (): never => {
  throw new Error('This test expects no such request.');
};

/** The extension's own client over the SDK's, connected to a test's Worker. */
async function connectClient(
  send: Send,
  elicitation?: ApplicationInputCallbacks['elicitation'],
): Promise<TaskEnabledSession> {
  const client = new Client(clientInfo, { versionNegotiation: { mode: 'auto' } });
  const fetchFromApp: typeof fetch = (url, init) => send(String(url), init);
  await client.connect(new StreamableHTTPClientTransport(new URL(`${ORIGIN}/mcp`), { fetch: fetchFromApp }));
  let id = 0;
  return createTaskSessionFromClient(client, {
    endpointId: 'test',
    ...(elicitation && {
      onInputRequest: createApplicationInputHandler({
        elicitation,
        sampling: refuseRequest,
        roots: refuseRequest,
      }),
    }),
    v2RequestFraming: { protocolVersion: '2026-07-28', clientInfo, clientCapabilities: { elicitation: {} } },
    // The SDK's client does not support task results, so the extension's client sends raw requests.
    async rawDispatch(request) {
      const { method, params } = Object(request);
      id += 1;
      const headers = {
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        'mcp-name': params.taskId ?? params.name,
      };
      const response = await postMcp(send, { jsonrpc: '2.0', id, ...Object(request) }, { headers });
      const isStream = response.headers.get('content-type') === 'text/event-stream';
      const message = isStream ? (await readMessages(response)).at(-1) : await response.json();
      const { result, error } = Object(message);
      return error === undefined ? { kind: 'result', result: result as JsonValue } : { kind: 'error', error };
    },
  });
}

describe('the official client of the extension', () => {
  it('calls an agent, polls its task, and reads its answer', async () => {
    const session = await connectClient(via);
    const { message } = registerScript({ calls: [{ name: 'add', input: { a: 1, b: 2 } }] }, 'Three.');
    const execution = await session.callTool('scripted', { message: message(), session: createSessionId() });
    expect(execution.kind).toBe('task');
    const { outcome } = await execution.settle();
    expect(getTexts(resultFromTaskOutcome(outcome))).toEqual(['Three.']);
    await session.close();
  });

  it('asks its user a pending question', async () => {
    const to = createSessionId();
    const asked: unknown[] = [];
    const session = await connectClient(createEndpointApp({ agents: ['clerk'] }), ({ params }) => {
      asked.push(Object(params).message);
      return { action: 'accept', content: { decision: 'approve' } };
    });
    const { message } = registerScript({ calls: [{ name: 'pay', input: { to, amount: 5 } }] }, 'Paid.');
    const execution = await session.callTool('clerk', { message: message(), session: createSessionId() });
    const { outcome } = await execution.settle();
    expect([getTexts(resultFromTaskOutcome(outcome)), listPaymentsTo(to)]).toEqual([['Paid.'], [5]]);
    expect(asked).toEqual([`Tool 'pay' is to be called with {"to":"${to}","amount":5}.\nMay I pay?`]);
    await session.close();
  });

  it('cancels its task', async () => {
    const session = await connectClient(via);
    const answer = createHeldReply('Never.');
    const { message } = registerScript(answer.reply);
    const input = { message: message(), session: `${MANUAL_DELIVERY}-${createSessionId()}` };
    const execution = await session.callTool('scripted', input);
    if (execution.kind !== 'task') throw new Error(`The call returned no task, but ${execution.kind}.`);
    await answer.asked();
    await execution.cancel();
    deliverToHolders();
    const { outcome } = await execution.settle();
    expect(() => resultFromTaskOutcome(outcome)).toThrow(TaskCancelledError);
    await session.close();
  });
});
