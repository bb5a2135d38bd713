/** Servers that defer a call until they receive more input, for which sessions in real objects wait. */
import { abortAllDurableObjects, createExecutionContext, evictDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import type { Server } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { createHoldfast } from '../../../../../src/create-holdfast.ts';
import { defineAgent } from '../../../../../src/index.ts';
import { type Elicitation, mcpToolProvider } from '../../../../../src/mcp/tools/entry.ts';
import { scriptedModel } from '../../../../../src/testing/entry.ts';
import { advanceTime } from '../../../../fixtures/held-time.ts';
import { countMethods, createScene, requestTool } from '../../../node/mcp/tools/scenes.ts';
import { createTestApp } from '../../http/app.ts';
import { getSessionName, post, readJson, type Send } from '../../http/client.ts';
import { advanceClock, createManualSession } from '../../http/time.ts';
import { answer } from '../../http/waiting.ts';

/**
 * Serves a `once` tool that asks for the number of guests before it books, and issues a ticket for
 * continuing.
 */
function serveBooking(server: Server): void {
  const book = { name: 'book', description: 'Books.', inputSchema: { type: 'object' as const } };
  server.setRequestHandler('tools/list', () => ({ tools: [book] }));
  server.setRequestHandler('tools/call', (_, { mcpReq }) => {
    const { inputResponses } = mcpReq;
    if (inputResponses) {
      return {
        content: [{ type: 'text', text: `${mcpReq.requestState()} ${JSON.stringify(inputResponses)}` }],
      };
    }
    const requestedSchema = {
      type: 'object' as const,
      properties: { people: { type: 'integer' as const } },
      required: ['people'],
    };
    const params = { mode: 'form' as const, message: 'For how many?', requestedSchema };
    const inputRequests = { party: { method: 'elicitation/create' as const, params } };
    return { resultType: 'input_required', inputRequests, requestState: 'ticket-1' };
  });
}

/** An agent that books, and Workers for its session. */
function createBookingDesk(elicitation: Elicitation = {}) {
  const { server, client } = createScene([], {
    elicitation,
    server: { kind: 'modern', modern: { capabilities: { tools: {} }, serve: serveBooking } },
  });
  const model = scriptedModel([requestTool('book'), 'Booked.']);
  const tools = [mcpToolProvider({ clients: [client] })];
  // The tests' Worker ignores turns of an agent with this name.
  const agent = defineAgent({ name: 'agent', description: 'Books.', instructions: 'Book.', model, tools });
  const config = { agents: [agent] };
  const { TurnRunner } = createHoldfast(config);
  const session = createManualSession('agent');
  return {
    server,
    session,
    /** Another Worker over the same objects. */
    worker: (): Send => createTestApp(config),
    ask: async () => readJson(await post(session, { message: 'Book.' }, { via: createTestApp(config) })),
    goOn: (turn: string) =>
      new TurnRunner(createExecutionContext(), { ...env }).run({ name: getSessionName(session), turn }),
    /** Returns the model's last tool result. */
    shown: () => model.requests.at(-1)?.messages.findLast(({ role }) => role === 'tool')?.text,
  };
}

type AskedResponse = {
  readonly turn: string;
  readonly pending: readonly { readonly links: { readonly approvals: string } }[];
};

describe('a `once` call that its server has deferred', () => {
  it.each([
    ['aborted', () => abortAllDurableObjects()],
    ['evicted', (session: string) => evictDurableObject(env.SESSIONS.getByName(getSessionName(session)))],
  ] as const)('is continued by another Worker even if the object was %s in between', async (_, disturb) => {
    const { ask, worker, session, server, shown } = createBookingDesk();
    const asked = await ask();
    expect(asked).toMatchObject({
      status: 'suspended',
      pending: [{ tool: 'book', allows: ['edit', 'reject'], schema: { required: ['people'] } }],
    });
    expect(JSON.stringify(asked)).not.toContain('ticket-1');
    await disturb(session);
    const [{ links } = { links: { approvals: '' } }] = (asked as unknown as AskedResponse).pending; // the type was checked above
    const decision = { decision: 'edit', input: { people: 4 } };
    const done = await readJson(await answer(links.approvals, decision, { via: worker() }));
    expect(done).toMatchObject({ outcome: 'completed', text: 'Booked.' });
    expect(shown()).toBe('ticket-1 {"party":{"action":"accept","content":{"people":4}}}');
    expect(countMethods(server)['tools/call']).toBe(2);
  });

  it('continues without an answer when its time is over, and notifies its server', async () => {
    const { ask, goOn, session, shown } = createBookingDesk({ expires: 5_000 });
    const { turn } = (await ask()) as unknown as AskedResponse; // the other test checks the type
    advanceTime(5_001);
    await advanceClock(session, 5_001);
    await goOn(turn);
    expect(shown()).toBe('ticket-1 {"party":{"action":"cancel"}}');
  });

  it('accepts no answer that looks like a credential', async () => {
    const { ask, worker } = createBookingDesk();
    const asked = (await ask()) as unknown as AskedResponse; // the other test checks the type
    const input = { people: 'sk-live-4Hj5gM0aXq2VeT7' };
    const link = asked.pending[0]?.links.approvals ?? '';
    expect((await answer(link, { decision: 'edit', input }, { via: worker() })).status).toBe(422);
  });
});
