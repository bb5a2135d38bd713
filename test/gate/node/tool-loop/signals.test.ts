import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import {
  type AnyTool,
  defineAgent,
  defineTool,
  exitEarly,
  replan,
  type Signal,
  SignalError,
  ToolConfigurationError,
  terminateAction,
  terminateAgent,
  text,
} from '../../../../src/index.ts';
import { decorate } from '../../../../src/modules/decorators/entry.ts';
import { callLimits } from '../../../../src/modules/limits/entry.ts';
import { createTestSession, type ScriptedReply } from '../../../../src/testing/entry.ts';
import { createToolResult } from '../../../doors/tools.ts';
import { waitForEvent } from '../../../fixtures/stored.ts';
import { callResults } from '../session/former-holder.ts';
import { callTools, createDiggingTool, createReadingTool, getShownResults } from './scenes.ts';

const createSendingTool = (
  name: string,
  thrown: () => unknown,
  more: Parameters<typeof createReadingTool>[2] = {},
): AnyTool =>
  createReadingTool(
    name,
    () => {
      throw thrown();
    },
    more,
  );

const startSession = (tools: readonly AnyTool[], replies: readonly ScriptedReply[]) =>
  createTestSession(defineAgent({ name: 'clerk', description: 'W.', instructions: '', tools }), { replies });

async function runTurn(tools: readonly AnyTool[], replies: readonly ScriptedReply[]) {
  const session = startSession(tools, replies);
  const answer = await session.send('Go.');
  return { session, answer, texts: callResults((await session.state()).messages).map(([, words]) => words) };
}

const createFailSignal = (reason: string) => new SignalError({ type: 'fail', reason });

const SIGNAL_KINDS: readonly [Signal['type'], (reason: string) => unknown, object][] = [
  ['replan', replan, { outcome: 'completed' }],
  ['terminate-action', terminateAction, { outcome: 'completed' }],
  ['terminate-agent', terminateAgent, { outcome: 'cancelled' }],
  ['exit', exitEarly, { outcome: 'cancelled' }],
  [
    'misconfigured',
    (reason) => new ToolConfigurationError(reason),
    { outcome: 'failed', error: { type: 'misconfigured', message: 'Enough.' } },
  ],
  ['fail', createFailSignal, { outcome: 'failed', error: { type: 'tool-failure', message: 'Enough.' } }],
];

describe.each(SIGNAL_KINDS)('the signal %s', (type, make, ends) => {
  const signal = { type, reason: 'Enough.' };
  const thrown = createSendingTool('stop', () => make('Enough.'));

  it('ends the turn without another model call and without an answer if a tool throws it (LOOP-12, LOOP-14)', async () => {
    const { session, answer } = await runTurn([thrown], [callTools('stop')]);
    expect(answer).toMatchObject({ ...ends, signal, text: '', iterations: 1, toolCalls: 1 });
    expect(session.requests).toHaveLength(1);
  });

  it('ends the turn if the result of a decorator contains it (SIG-01)', async () => {
    const { decorated, ran } = (() => {
      const ran: string[] = [];
      const inside = createReadingTool('stop', () => void ran.push('ran'));
      const call: AnyTool['call'] = async (input, live) => {
        const result = await inside.call(input, live);
        return createToolResult({ ...result, signal: { type, reason: 'Enough.' } });
      };
      return { decorated: decorate(inside, { call }), ran };
    })();
    const { answer } = await runTurn([decorated], [callTools('stop')]);
    expect(answer).toMatchObject({ ...ends, signal });
    expect(ran).toEqual(['ran']);
  });

  it('ends the turn if code around a tool throws it (SIG-01)', async () => {
    const around = decorate(createReadingTool('stop'), {
      call: async () => {
        throw make('Enough.');
      },
    });
    expect((await runTurn([around], [callTools('stop')])).answer).toMatchObject({ ...ends, signal });
  });

  it('takes effect even if a decorator replaces the result (SIG-01)', async () => {
    const hushed = decorate(thrown, {
      call: async (input, live) => {
        await thrown.call(input, live);
        return text('Nothing happened.');
      },
    });
    const { answer, texts } = await runTurn([hushed], [callTools('stop')]);
    expect(answer).toMatchObject({ ...ends, signal });
    expect(texts).toEqual(['Nothing happened.']);
  });

  it('passes through a typed tool without becoming an error (SIG-01)', async () => {
    const typed = defineTool({
      name: 'stop',
      description: 'Stops.',
      effect: 'once',
      input: v.object({ why: v.string() }),
      output: v.object({ answer: v.string() }),
      run: ({ why }) => {
        throw make(why);
      },
    });
    const { answer } = await runTurn([typed], [{ calls: [{ name: 'stop', input: { why: 'Enough.' } }] }]);
    expect(answer).toMatchObject({ ...ends, signal });
  });

  it('lets the other calls of the batch run, and keeps their effects (PAR-05, LOOP-16)', async () => {
    const ran: string[] = [];
    const stopped = Promise.withResolvers<void>();
    const slow = createReadingTool('slow', async ({ id }) => {
      await stopped.promise;
      ran.push(id);
      return 'slow but sure';
    });
    const stop = decorate(thrown, {
      call: (input, live) => thrown.call(input, live).finally(stopped.resolve),
    });
    const { texts, session } = await runTurn([stop, slow], [callTools('slow', 'stop', 'slow')]);
    expect(ran).toHaveLength(2);
    expect(texts[0]).toBe('slow but sure');
    expect(texts[2]).toBe('slow but sure');
    const turn = (await session.state()).turn;
    expect(turn?.toolCalls).toBe(3);
  });

  it('skips calls with its serial key that had not started (LOOP-16)', async () => {
    let ran = 0;
    const stop = createSendingTool('stop', () => make('Enough.'), { serial: 's' });
    const step = createReadingTool(
      'step',
      () => {
        ran += 1;
      },
      { serial: 's' },
    );
    const { texts } = await runTurn([stop, step], [callTools('step', 'stop', 'step', 'stop')]);
    expect(ran).toBe(1);
    expect(texts.slice(2)).toEqual([
      "Error: Skipped: 'step' was not run, since another call of this reply ended the loop: Enough.",
      "Error: Skipped: 'stop' was not run, since another call of this reply ended the loop: Enough.",
    ]);
  });

  it('gives each call a result, so that the conversation can continue (LOOP-16)', async () => {
    const { session } = await runTurn([thrown], [callTools('stop', 'stop'), 'Here I am.']);
    expect(await session.send('And now?')).toMatchObject({ outcome: 'completed', text: 'Here I am.' });
    expect(session.requests[1]?.messages.map(({ role }) => role)).toEqual([
      ...['user', 'assistant', 'tool', 'tool'],
      'user',
    ]);
  });
});

describe('a signal', () => {
  it('is returned with its reason, and is not an error if it replans or stops (SIG-01, LOOP-12)', async () => {
    const kinds = SIGNAL_KINDS.map(([type, make]) =>
      createSendingTool(type.replace('-', '_'), () => make('Enough.')),
    );
    for (const tool of kinds) {
      const { texts } = await runTurn([tool], [callTools(tool.name)]);
      const isFailure = tool.name === 'misconfigured' || tool.name === 'fail';
      expect(texts).toEqual([isFailure ? 'Error: Enough.' : 'Enough.']);
    }
  });

  it('keeps the blackboard entries of its tool when it replans (LOOP-12)', async () => {
    const tool = createReadingTool('stop', ({ blackboard, state }) => {
      blackboard.add('a clue', { name: 'clue' });
      state.set('seen', 1);
      throw replan('I found a clue.');
    });
    const { session, answer } = await runTurn([tool], [callTools('stop')]);
    expect(answer).toMatchObject({ signal: { type: 'replan', reason: 'I found a clue.' } });
    const { blackboard, callState: cells } = await session.state();
    expect(blackboard).toEqual([{ name: 'clue', value: 'a clue' }]);
    expect(cells.get('clerk')).toEqual({ seen: 1 });
  });

  it('prevents the parsing of an output (LOOP-13)', async () => {
    const agent = defineAgent({
      ...{
        name: 'clerk',
        description: 'W.',
        instructions: '',
        tools: [createSendingTool('stop', () => replan('Anew.'))],
      },
      output: v.object({ n: v.number() }),
    });
    const session = createTestSession(agent, { replies: [callTools('stop')] });
    const answer = await session.send('Go.');
    expect(answer).toMatchObject({ outcome: 'completed', text: '' });
    expect(answer).not.toHaveProperty('object');
    expect(session.requests).toHaveLength(1);
  });

  it.each<[string, readonly string[], Signal['type']]>([
    ['the first of several equal signals', ['replan', 'replan_2'], 'replan'],
    ['terminate-agent before terminate-action', ['terminate_action', 'terminate_agent'], 'terminate-agent'],
    ['terminate-action before replan', ['replan', 'terminate_action'], 'terminate-action'],
    ['exit before replan', ['replan', 'exit'], 'exit'],
    ['fail before all of these', ['replan', 'terminate_agent', 'exit', 'fail'], 'fail'],
    ['misconfigured before all others', ['fail', 'misconfigured', 'replan'], 'misconfigured'],
  ])('is selected from several signals: %s (PAR-05, PAR-06)', async (_, names, type) => {
    const tools = [...SIGNAL_KINDS, ['replan', replan] as const].map(([kind, make], index) => {
      const name = index === SIGNAL_KINDS.length ? 'replan_2' : kind.replace('-', '_');
      return createSendingTool(name, () => make(`${name} says so.`));
    });
    const { answer } = await runTurn(tools, [callTools(...names)]);
    const first = type === 'replan' ? 'replan' : type.replace('-', '_');
    expect(answer.signal).toEqual({ type, reason: `${first} says so.` });
  });

  it('ends the loop after a kill too, and skips calls that had not started (LOOP-16, LOOP-22)', async () => {
    const ran: string[] = [];
    let kills = 1;
    const createIdempotentTool = (name: string, run: () => unknown) =>
      defineTool({ name, description: 'Does.', serial: 's', effect: 'idempotent', run });
    const stop = createIdempotentTool('stop', () => {
      ran.push('stop');
      throw terminateAction('Enough.');
    });
    const step = createIdempotentTool('step', () => {
      ran.push('step');
      if (kills-- > 0) session.kill();
    });
    const later = createIdempotentTool('later', () => ran.push('later'));
    const session = startSession([stop, step, later], [callTools('step', 'stop', 'later')]);
    expect(await session.send('Go.')).toMatchObject({
      outcome: 'completed',
      signal: { type: 'terminate-action', reason: 'Enough.' },
    });
    expect(ran).toEqual(['step', 'step', 'stop']);
    expect(callResults((await session.state()).messages).at(-1)).toEqual([
      'later',
      "Error: Skipped: 'later' was not run, since another call of this reply ended the loop: Enough.",
    ]);
    expect(session.requests).toHaveLength(1);
  });

  it('ends the loop in the next invocation if it was stored before a kill, and only started calls run (LOOP-22)', async () => {
    const ran: string[] = [];
    let kills = 1;
    const createNamedTool = (name: string, run: () => unknown, serial?: string) =>
      defineTool({
        ...{ name, description: 'Does.', serial, effect: 'idempotent' },
        run: () => {
          ran.push(name);
          return run();
        },
      });
    const stop = createNamedTool('stop', () => {
      throw replan('Anew.');
    });
    const slow = createNamedTool(
      'slow',
      async () => {
        await waitForEvent(session, ({ type }) => type === 'tool-call-ended');
        if (kills-- > 0) session.kill();
      },
      's',
    );
    const session = startSession(
      [stop, slow, createNamedTool('later', () => 'x', 's')],
      [callTools('stop', 'slow', 'later')],
    );
    expect(await session.send('Go.')).toMatchObject({ signal: { type: 'replan', reason: 'Anew.' } });
    expect(ran).toEqual(['stop', 'slow', 'slow']);
    expect(callResults((await session.state()).messages).at(-1)).toEqual([
      'later',
      "Error: Skipped: 'later' was not run, since another call of this reply ended the loop: Anew.",
    ]);
  });

  it('keeps its reason if the call limit is also reached (LOOP-12)', async () => {
    const agent = defineAgent({
      ...{
        name: 'clerk',
        description: 'W.',
        instructions: '',
        tools: [createSendingTool('stop', () => replan('Anew.'))],
      },
      use: [callLimits({ toolCalls: 1 })],
    });
    const session = createTestSession(agent, { replies: [callTools('stop', 'stop')] });
    expect(await session.send('Go.')).toMatchObject({
      outcome: 'limit-reached',
      text: '',
      signal: { type: 'replan', reason: 'Anew.' },
    });
  });
});

describe('a signal in a nested loop', () => {
  it.each([
    ['replan', replan],
    ['terminate-action', terminateAction],
  ])('ends only that loop: %s (SIG-02)', async (_, make) => {
    const { session, answer } = await runTurn(
      [createDiggingTool([createSendingTool('stop', () => make('Enough.'))])],
      [callTools('dig'), callTools('stop'), 'Done.'],
    );
    expect(getShownResults(session.requests[2])).toEqual(['completed: Enough.']);
    expect(answer).toMatchObject({ outcome: 'completed', text: 'Done.' });
    expect(answer).not.toHaveProperty('signal');
  });

  it.each(SIGNAL_KINDS.slice(2))(
    'reaches the turn even if the tool around the loop replaces the result: %s (SIG-02, SIG-03)',
    async (type, make, ends) => {
      const dig = createDiggingTool([createSendingTool('stop', () => make('Enough.'))]);
      const calm = decorate(dig, {
        call: async (input, live) => {
          await dig.call(input, live);
          return text('All is well.');
        },
      });
      const { session, answer, texts } = await runTurn([calm], [callTools('dig'), callTools('stop')]);
      expect(answer).toMatchObject({ ...ends, signal: { type, reason: 'Enough.' }, text: '' });
      expect(texts).toEqual(['All is well.']);
      expect(session.requests).toHaveLength(2);
    },
  );

  it('reaches the turn from a loop at depth two', async () => {
    const { answer, session } = await runTurn(
      [createDiggingTool([createDiggingTool([createSendingTool('stop', () => exitEarly('Out.'))])])],
      [callTools('dig'), callTools('dig'), callTools('stop')],
    );
    expect(answer).toMatchObject({ outcome: 'cancelled', signal: { type: 'exit', reason: 'Out.' } });
    expect(session.requests).toHaveLength(3);
  });

  it('reaches the turn if the Worker is killed after the loop has ended (LOOP-22)', async () => {
    let kills = 1;
    const inside = defineTool({
      name: 'stop',
      description: 'Stops.',
      effect: 'idempotent',
      run: () => {
        throw terminateAgent('Enough.');
      },
    });
    const dig = createDiggingTool([inside]);
    const dies = decorate(dig, {
      call: async (input, live) => {
        const result = await dig.call(input, live);
        if (kills-- > 0) session.kill();
        return result;
      },
    });
    // Replies of the nested loop that were not stored are requested again.
    const session = startSession([dies], [callTools('dig'), callTools('stop'), callTools('stop')]);
    expect(await session.send('Go.')).toMatchObject({
      outcome: 'cancelled',
      signal: { type: 'terminate-agent', reason: 'Enough.' },
    });
  });
});
