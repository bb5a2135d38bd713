import { describe, expect, it } from 'vitest';
import { defineAgent } from '../../src/agent/define-agent.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { modelBySession, script } from '../fixtures/scripts.ts';
import { appWith } from './app.ts';
import { allEvents, json, newSession, post, SSE } from './client.ts';

const ask = defineTool({ name: 'ask', description: 'Asks.', run: () => 'never' });
const waiting = defineAgent({
  name: 'waiting',
  description: 'Waits.',
  instructions: '',
  tools: [{ ...ask, call: (_, call) => call.suspend({ for: 'somebody' }) }],
  model: modelBySession,
});
const via = appWith({ agents: [waiting] });

describe('a turn that waits for a decision', () => {
  it('is answered 202 with the address of its session, and refuses the next message', async () => {
    const session = newSession('waiting');
    const { message } = script({ calls: [{ name: 'ask' }] });
    const response = await post(session, { message: message() }, { via });
    expect([response.status, response.headers.get('location')]).toEqual([202, session]);
    expect(response.headers.has('preference-applied')).toBe(false);
    const { turn, ...rest } = await json(response);
    expect(rest).toEqual({ session: session.split('/').at(-1), agent: 'waiting', status: 'suspended' });
    expect((await json(await via(session))).pending).toEqual([
      { call: `${turn}.3.0`, tool: 'ask', input: '{}', waitsFor: { for: 'somebody' } },
    ]);
    const refused = await post(session, { message: 'More' }, { via });
    expect(await json(refused)).toEqual({
      type: 'urn:holdfast:problem:turn-suspended',
      title: 'turn suspended',
      status: 409,
      detail: `Turn ${turn} waits for a decision: GET ${session} shows it.`,
      turn,
    });
  });

  it('ends its stream without an answer', async () => {
    const { message } = script({ calls: [{ name: 'ask' }] });
    const events = await allEvents(
      await post(newSession('waiting'), { message: message() }, { headers: SSE, via }),
    );
    expect(events.at(-1)?.event).toBe('tool-call-suspended');
  });
});
