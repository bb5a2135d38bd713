/** The Workers of docs/surfaces.md, docs/ag-ui.md, docs/a2a.md, and of titles in docs/index-of-sessions.md. */
import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { Role } from '@a2a-js/sdk';
import { ClientFactory, DefaultAgentCardResolver, JsonRpcTransportFactory } from '@a2a-js/sdk/client';
import { HttpAgent } from '@ag-ui/client';
import { expect, it } from 'vitest';
import a2a from '../../../../src/examples/a2a/worker.ts';
import agUi from '../../../../src/examples/ag-ui/worker.ts';
import plainText from '../../../../src/examples/plain-text/worker.ts';
import titled from '../../../../src/examples/sessions/titled-worker.ts';
import { ORIGIN, readJson, type Send } from '../http/client.ts';

const sendTo =
  (worker: typeof plainText): Send =>
  async (path, init) => {
    const request = new Request(new URL(path, ORIGIN), init) as Request<unknown, IncomingRequestCfProperties>; // the Worker does not read `cf`
    return worker.fetch(request, { ...env, MODEL: 'offline' }, createExecutionContext());
  };

it('a custom protocol streams an answer, and formats its own refusals', async () => {
  const via = sendTo(plainText);
  const ask = (agent: string) =>
    via(`/plain/${agent}/s-${crypto.randomUUID()}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ text: 'Hello' }),
    });
  expect(await (await ask('clerk')).text()).toMatch(/^:\n\n(data: .+\n\n)+event: end\ndata: completed\n\n$/);
  const refused = await ask('nobody');
  expect([refused.status, await refused.text()]).toEqual([
    404,
    "There is no agent 'nobody'. GET /agents lists the agents.",
  ]);
});

it('AG-UI asks about a refund, and pays it after the approval', async () => {
  const chat = new HttpAgent({
    url: `${ORIGIN}/agents/refunds/ag-ui`,
    threadId: `s-${crypto.randomUUID()}`,
    fetch: (url, init) => sendTo(agUi)(url, init),
  });
  chat.addMessage({ id: 'm1', role: 'user', content: 'Please refund order 1002' });
  await chat.runAgent();
  const [interrupt] = chat.pendingInterrupts;
  expect(interrupt?.message).toMatch(/^Refund 118\.50 euro for order 1002/);
  await chat.runAgent({
    resume: [{ interruptId: interrupt?.id ?? '', status: 'resolved', payload: { approved: true } }],
  });
  expect(chat.pendingInterrupts).toEqual([]);
  expect(String(chat.messages.at(-1)?.content)).toContain('118.5');
});

it('A2A asks about a refund', async () => {
  const fetchImpl: typeof fetch = (url, init) => sendTo(a2a)(String(url), init as RequestInit);
  const chat = await new ClientFactory({
    transports: [new JsonRpcTransportFactory({ fetchImpl })],
    cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
  }).createFromUrl(`${ORIGIN}/a2a/refunds/`);
  const text = { $case: 'text' as const, value: 'Please refund order 1002' };
  const answer = await chat.sendMessage({
    tenant: '',
    message: {
      ...{ messageId: crypto.randomUUID(), contextId: '', taskId: '', role: Role.ROLE_USER },
      parts: [{ content: text, metadata: undefined, filename: '', mediaType: '' }],
      ...{ metadata: undefined, extensions: [], referenceTaskIds: [] },
    },
    configuration: undefined,
    metadata: undefined,
  });
  const asked = 'status' in answer ? answer.status?.message?.parts[0]?.content : undefined;
  expect(asked?.value).toMatch(/^Refund 118\.50 euro for order 1002/);
});

it('a Worker with modelTitles() has a route for titles, which returns 404 for an unknown session', async () => {
  const asked = await sendTo(titled)('/agents/clerk/sessions/none/title', { method: 'POST' });
  expect(await readJson(asked)).toMatchObject({ type: 'urn:holdfast:problem:unknown-session' });
});
