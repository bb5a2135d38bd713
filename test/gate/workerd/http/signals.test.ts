import { describe, expect, it } from 'vitest';
import {
  defineAgent,
  defineTool,
  exitEarly,
  replan,
  SignalError,
  ToolConfigurationError,
  terminateAction,
  terminateAgent,
} from '../../../../src/index.ts';
import { modelBySession, registerScript } from '../../../fixtures/scripts.ts';
import { createTestApp } from './app.ts';
import { createSessionPath, post, readAllEvents, readJson, SSE_HEADERS } from './client.ts';

const SIGNALS = {
  replan: replan('Enough.'),
  terminate_action: terminateAction('Enough.'),
  terminate_agent: terminateAgent('Enough.'),
  exit: exitEarly('Enough.'),
  misconfigured: new ToolConfigurationError('Enough.'),
  fail: new SignalError({ type: 'fail', reason: 'Enough.' }),
};

const stopTools = Object.entries(SIGNALS).map(([name, signal]) =>
  defineTool({
    name,
    description: 'Stops.',
    effect: 'read',
    run: () => {
      throw signal;
    },
  }),
);
const via = createTestApp({
  agents: [
    defineAgent({
      name: 'agent',
      description: 'Stops.',
      instructions: '',
      tools: stopTools,
      model: modelBySession,
    }),
  ],
});

describe('a turn that a tool has ended', () => {
  it.each([
    ['replan', 200, { outcome: 'completed' }],
    ['terminate_action', 200, { outcome: 'completed' }],
    ['terminate_agent', 200, { outcome: 'cancelled' }],
    ['exit', 200, { outcome: 'cancelled' }],
    [
      'misconfigured',
      500,
      { outcome: 'failed', type: 'urn:holdfast:problem:misconfigured', error: { type: 'misconfigured' } },
    ],
    [
      'fail',
      502,
      { outcome: 'failed', type: 'urn:holdfast:problem:turn-failed', error: { type: 'tool-failure' } },
    ],
  ])('returns its signal without text: %s (SIG-01, SIG-02, SIG-03)', async (name, status, body) => {
    const session = createSessionPath('agent');
    const { message } = registerScript({ text: 'So far.', calls: [{ name }] });
    const response = await post(session, { message: message() }, { via });
    expect(response.status).toBe(status);
    expect(await readJson(response)).toMatchObject({
      ...body,
      text: '',
      signal: { type: name.replace('_', '-'), reason: 'Enough.' },
    });
  });

  it('notifies a client that watches (LOOP-18)', async () => {
    const session = createSessionPath('agent');
    const { message } = registerScript({ text: 'So far.', calls: [{ name: 'replan' }] });
    const events = await readAllEvents(
      await post(session, { message: message() }, { headers: SSE_HEADERS, via }),
    );
    const signal = { type: 'replan', reason: 'Enough.' };
    const ended = events.find(({ event }) => event === 'turn-ended');
    expect(ended?.data).toMatchObject({ outcome: 'completed', signal });
    expect(events.at(-1)).toMatchObject({ event: 'answer', data: { text: '', signal } });
  });
});
