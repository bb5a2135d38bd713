import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { defineTool } from '../../../../src/index.ts';
import { ConfigurationError } from '../../../doors/model.ts';
import { runTurn, systemClock } from '../../../doors/session.ts';
import { createMemoryApp } from './memory-app.ts';

const add = defineTool({
  name: 'add',
  description: 'Adds.',
  effect: 'read',
  input: v.object({ a: v.number(), b: v.number() }),
  run: ({ a, b }) => a + b,
});

describe('a turn', () => {
  it('calls the model, runs tools and answers', async () => {
    const app = createMemoryApp({
      instructions: 'Be brief.',
      tools: [add],
      replies: [{ calls: [{ name: 'add', input: { a: 1, b: 2 } }] }, 'Three.'],
    });
    const end = await app.say('What is 1 + 2?');
    expect(end).toMatchObject({
      status: 'ended',
      turn: { outcome: 'completed', text: 'Three.', iterations: 2 },
    });
    expect(app.model.requests[1]?.messages).toEqual([
      { role: 'system', text: 'Be brief.' },
      { role: 'user', text: 'What is 1 + 2?' },
      { role: 'assistant', text: '', toolCalls: [{ id: 'call_0_0', name: 'add', input: '{"a":1,"b":2}' }] },
      { role: 'tool', id: 'call_0_0', name: 'add', text: '3' },
    ]);
  });

  it('ends with an event of its outcome, which omits data that only the loop needs', async () => {
    const app = createMemoryApp({ replies: ['Hello.'] });
    await app.say('Hi');
    const { turn } = await app.state();
    const last = (await app.events(turn?.id ?? '')).at(-1);
    expect(last).toEqual({
      seq: 4,
      at: expect.any(Number),
      type: 'turn-ended',
      turn: turn?.id,
      outcome: 'completed',
    });
  });

  it('ends as failed and names the missing agent or model if the deployment lacks it', async () => {
    const app = createMemoryApp({ replies: ['Hello.', 'Hello again.'] });
    const leased = await app.lease('Hi');
    const { port, model } = app;
    const host = {
      port,
      model,
      clock: systemClock,
      get agent(): never {
        throw new ConfigurationError("This deployment has no agent 'tester'.");
      },
    };
    const end = await runTurn(host, leased, Date.now());
    expect(end).toMatchObject({
      status: 'ended',
      turn: {
        outcome: 'failed',
        error: { type: 'misconfigured', message: "This deployment has no agent 'tester'." },
      },
    });
    expect(await app.say('Are you there now?')).toMatchObject({
      turn: { outcome: 'completed', text: 'Hello.' },
    });
  });

  it('ends as failed if a custom model throws an error that is not a `ModelError`', async () => {
    const app = createMemoryApp({
      replies: [
        () => {
          throw new TypeError('weights are missing');
        },
      ],
    });
    expect(await app.say('Hi')).toMatchObject({
      turn: {
        outcome: 'failed',
        error: { type: 'model-failure', message: "The model 'scripted' threw instead of answering." },
      },
    });
  });
});
