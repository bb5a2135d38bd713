import { describe, expect, it } from 'vitest';
import { defineTool, type Effect } from '../../../../src/index.ts';
import { scriptedModel } from '../../../../src/testing/entry.ts';
import { createMemoryLoop, runForOutput } from '../../../doors/loop.ts';
import { callTools, getShownResults } from './scenes.ts';

/** Runs a call with this effect that asks a question outside a session, and returns its result. */
async function runOutsideSession(effect: Exclude<Effect, 'none'>, meanwhile: 'suspended' | 'running') {
  const book = defineTool({
    name: 'book',
    description: 'Books.',
    effect,
    run: async (_, call) =>
      (await call.ask({ for: 'decision', meanwhile, message: 'Book?', expires: 1_000 })).decision,
  });
  const model = scriptedModel([callTools('book'), 'Done.']);
  const { loop } = createMemoryLoop({ tools: [book], model });
  await runForOutput(loop);
  return getShownResults(model.requests[1]);
}

describe('a call that asks a question while it runs', () => {
  it.each(['once', 'idempotent', 'read'] as const)(
    'fails outside a session if its effect is %s, because the question cannot be stored',
    async (effect) => {
      expect(await runOutsideSession(effect, 'running')).toEqual([
        "Error: Tool 'book' asks a question, but only a session can wait for the answer.",
      ]);
    },
  );

  it('can be `once`, but a call that suspends cannot', async () => {
    expect(await runOutsideSession('once', 'suspended')).toEqual([
      "Error: A tool whose effect is 'once' cannot ask inside run without a checkpoint. " +
        'Ask before it, with requireApproval or withAwaiting.',
    ]);
  });
});
