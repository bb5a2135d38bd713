import { describe, expect, it } from 'vitest';
import type { ModuleUse } from '../../../../src/index.ts';
import {
  type AnyTool,
  defineAgent,
  exceptionProcessor,
  type Limits,
  type Policies,
  replan,
} from '../../../../src/index.ts';
import { callLimits } from '../../../../src/modules/limits/entry.ts';
import { createManualClock, createTestSession, type ScriptedReply } from '../../../../src/testing/entry.ts';
import { NUDGE } from '../../../doors/loop.ts';
import { countTimers } from '../../../full/crash-matrix/lab/counted-clock.ts';
import { callTools, createDiggingTool, createReadingTool, getShownResults } from './scenes.ts';

interface Scene {
  readonly tools?: readonly AnyTool[];
  readonly replies: readonly ScriptedReply[];
  readonly policies?: Policies;
  readonly limits?: Limits;
  readonly use?: readonly ModuleUse[];
}

async function runTurn({ tools = [createReadingTool('look'), createReadingTool('list')], ...scene }: Scene) {
  const { replies, ...declared } = scene;
  const agent = defineAgent({ name: 'clerk', description: 'W.', instructions: '', tools, ...declared });
  const session = createTestSession(agent, { replies });
  const answer = await session.send('Go.');
  return { session, answer, texts: getShownResults(session.requests.at(-1)) };
}

describe('a call of an unknown tool', () => {
  const immediate = { unknownTools: { mode: 'immediate' } } as const;
  const message = "Tool 'fly' not found. Available tools: [list, look]";

  it('fails the turn at once if the policy is `immediate` (TNF-01, PAR-04)', async () => {
    const { answer, session } = await runTurn({ replies: [callTools('fly', 'look')], policies: immediate });
    expect(answer).toMatchObject({ outcome: 'failed', error: { type: 'tool-not-found', message } });
    expect((await session.state()).messages[1]).toMatchObject({
      calls: [
        { ended: { result: { type: 'error', message, reason: 'unknown-tool' } } },
        { ended: { result: { content: 'look done' } } },
      ],
    });
  });

  it('fails only the nested loop that made it (TNF-01)', async () => {
    const { answer, texts } = await runTurn({
      tools: [createDiggingTool([createReadingTool('look')])],
      replies: [callTools('dig'), callTools('fly'), 'Done.'],
      policies: immediate,
    });
    expect(texts).toEqual(["failed: Tool 'fly' not found. Available tools: [look]"]);
    expect(answer).toMatchObject({ outcome: 'completed' });
  });

  it.each([0, 1])(
    'is reported to the model %i times in a row if the policy allows it (TNF-01, TNF-06)',
    async (retries) => {
      const { answer, session } = await runTurn({
        replies: [callTools('fly'), callTools('fly'), callTools('fly')],
        policies: { unknownTools: { retries } },
      });
      expect(session.requests).toHaveLength(retries + 1);
      expect(answer.error).toEqual({
        type: 'tool-not-found',
        message: `The model called tools that do not exist more than ${retries} times in a row.`,
      });
    },
  );

  it('is counted separately in each turn and each loop (TNF-06)', async () => {
    const { session, answer } = await runTurn({
      tools: [createDiggingTool([])],
      replies: [
        ...[callTools('fly'), callTools('dig'), callTools('fly'), 'Dug.', callTools('fly'), 'Done.'],
        ...[callTools('fly'), 'Done again.'],
      ],
      policies: { unknownTools: { retries: 1 } },
    });
    expect(answer).toMatchObject({ outcome: 'completed' });
    expect(await session.send('More.')).toMatchObject({ outcome: 'completed' });
  });

  const list =
    'Use the exact tool name from this list. Do not combine or prefix tool names — tool names found in source code or search results are not callable.';
  it.each<[Policies['unknownTools'], string]>([
    [{}, " Possible matches: ['searchMail', 'searchNotes']."],
    [{ suggestions: 1 }, " Did you mean 'searchMail'?"],
    [{ similarity: 0.8 }, ''],
    [{ containment: 0.9, similarity: 0.9 }, " Possible matches: ['searchMail', 'searchNotes']."],
  ])(
    'suggests names that are as similar as the policy requires: %j (TNF-03, TNF-05)',
    async (policy, words) => {
      const { texts } = await runTurn({
        tools: [createReadingTool('searchMail'), createReadingTool('searchNotes')],
        replies: [callTools('search'), 'Done.'],
        policies: { unknownTools: policy },
      });
      expect(texts).toEqual([
        `Error: Tool 'search' does not exist.${words} Available tools: [searchMail, searchNotes]. ${list}`,
      ]);
    },
  );

  it('does not run a similar tool by default (TNF-08)', async () => {
    const { texts } = await runTurn({ replies: [callTools('LOOK'), 'Done.'] });
    expect(texts[0]).toMatch(/^Error: Tool 'LOOK' does not exist\. Did you mean 'look'\?/);
  });

  describe('the policy `autoExecute` (TNF-08)', () => {
    const autoExecute = { unknownTools: { autoExecute: true } } as const;

    it('runs the tool with the same letters, under its real name in the conversation', async () => {
      const { texts, session } = await runTurn({
        replies: [callTools('Lo-ok'), 'Done.'],
        policies: autoExecute,
      });
      expect(texts).toEqual(['look done']);
      expect(session.requests[1]?.messages[1]).toMatchObject({ toolCalls: [{ name: 'look' }] });
    });

    it('does not choose between two tools', async () => {
      const tools = [createReadingTool('look_up'), createReadingTool('lookUp')];
      const { texts } = await runTurn({
        tools,
        replies: [callTools('lookup'), 'Done.'],
        policies: autoExecute,
      });
      expect(texts[0]).toMatch(
        /^Error: Tool 'lookup' does not exist\. Possible matches: \['lookUp', 'look_up'\]\./,
      );
    });

    it('does not guess a tool from a similar name', async () => {
      const { texts } = await runTurn({ replies: [callTools('looks'), 'Done.'], policies: autoExecute });
      expect(texts[0]).toMatch(/^Error: Tool 'looks' does not exist\./);
    });

    it('counts each spelling toward the limit of the tool', async () => {
      const { texts } = await runTurn({
        replies: [callTools('look', 'LOOK', 'Look'), 'Done.'],
        policies: autoExecute,
        use: [callLimits({ callsPerTool: 2 })],
      });
      expect(texts[2]).toBe(
        "Error: Tool call limit (2) exceeded for tool 'look'. No further calls to this tool are allowed in this turn.",
      );
    });

    it('runs calls with the same serial key one after another, even if their spellings differ', async () => {
      const log: string[] = [];
      const listed = Promise.withResolvers<void>();
      const list = createReadingTool('list', () => listed.resolve());
      const step = createReadingTool(
        'step',
        async ({ id }) => {
          log.push(`starts ${id.at(-1)}`);
          await listed.promise; // By then the other call, which comes first, would have started.
          log.push(`ends ${id.at(-1)}`);
        },
        { serial: 's' },
      );
      const replies = [callTools('step', 'STEP', 'list'), 'Done.'];
      await runTurn({ tools: [step, list], replies, policies: autoExecute });
      expect(log).toEqual(['starts 0', 'ends 0', 'starts 1', 'ends 1']);
    });
  });
});

describe('a blank reply', () => {
  it('fails the turn at once if no retries are left (EMP-02)', async () => {
    const { answer, session } = await runTurn({ replies: [''], policies: { blankReplies: { retries: 0 } } });
    expect(session.requests).toHaveLength(1);
    expect(answer).toMatchObject({
      outcome: 'failed',
      error: { type: 'empty-reply', message: 'The model returned an empty reply.' },
    });
  });

  it('is retried as often as the policy allows, and each retry counts as an iteration (EMP-02, EMP-05)', async () => {
    const { answer } = await runTurn({
      replies: [' ', '', '\n'],
      policies: { blankReplies: { retries: 2 } },
    });
    expect(answer).toMatchObject({
      iterations: 3,
      error: { message: 'The model returned an empty reply, even after it was asked 2 more times.' },
    });
  });

  it('counts toward the limit of iterations while it is retried (EMP-05)', async () => {
    const { session, answer } = await runTurn({
      replies: ['', '', 'Now.'],
      policies: { blankReplies: { retries: 9 } },
      limits: { iterations: 2 },
    });
    expect(session.requests.map(({ settings }) => settings?.toolChoice)).toEqual([
      undefined,
      undefined,
      'none',
    ]);
    expect(answer).toMatchObject({ outcome: 'limit-reached', text: 'Now.' });
  });

  it('counts as the answer if the policy allows it, and remains in the conversation (EMP-01)', async () => {
    const { answer, session } = await runTurn({
      replies: ['', 'Hello.'],
      policies: { blankReplies: { retries: 0, end: 'completed' } },
    });
    expect(answer).toMatchObject({ outcome: 'completed', text: '', iterations: 1 });
    await session.send('Are you there?');
    expect(session.requests[1]?.messages).toEqual([
      { role: 'user', text: 'Go.' },
      { role: 'assistant', text: '(no response)', toolCalls: [] },
      { role: 'user', text: 'Are you there?' },
    ]);
  });

  it('is followed by a nudge only while it is the last message, so that roles alternate later (EMP-03, EMP-04)', async () => {
    const { session, answer } = await runTurn({ replies: ['', 'Here.', 'Again.'] });
    expect(answer).toMatchObject({ outcome: 'completed', text: 'Here.' });
    await session.send('More.');
    expect(session.requests[2]?.messages.map((message) => [message.role, message.text])).toEqual([
      ['user', 'Go.'],
      ['assistant', '(no response)'],
      ['user', NUDGE],
      ['assistant', 'Here.'],
      ['user', 'More.'],
    ]);
  });

  it('is counted separately in each loop (EMP-05)', async () => {
    const { answer } = await runTurn({
      tools: [createDiggingTool([])],
      replies: ['', callTools('dig'), '', 'Dug.', '', 'Done.'],
    });
    expect(answer).toMatchObject({ outcome: 'completed', text: 'Done.' });
  });
});

describe('a direct return', () => {
  const policy = createReadingTool('policy', () => 'Thirty days.', { returnDirect: true });
  const fails = createReadingTool(
    'fails',
    () => {
      throw new Error('No.');
    },
    { returnDirect: true },
  );
  const any: Policies = { returnDirect: 'any' };

  it('needs only one call of a batch with the policy `any`, and contains the results of such calls (LOOP-09, LOOP-11)', async () => {
    const { answer, session } = await runTurn({
      tools: [policy, createReadingTool('look')],
      replies: [callTools('look', 'policy', 'policy')],
      policies: any,
    });
    expect(answer).toMatchObject({ outcome: 'returned-direct', text: 'Thirty days.\nThirty days.' });
    expect(session.requests).toHaveLength(1);
    const [, reply] = (await session.state()).messages;
    expect(reply?.role === 'assistant' && reply.calls.every(({ ended }) => ended)).toBe(true);
  });

  it('does not happen if a call fails, under any policy (LOOP-10)', async () => {
    const alone = await runTurn({ tools: [fails], replies: [callTools('fails'), 'Sorry.'], policies: any });
    expect(alone.answer).toMatchObject({ outcome: 'completed', text: 'Sorry.' });
    const beside = await runTurn({
      tools: [fails, policy],
      replies: [callTools('fails', 'policy')],
      policies: any,
    });
    expect(beside.answer).toMatchObject({ outcome: 'returned-direct', text: 'Thirty days.' });
  });

  it('needs all calls of a batch by default (LOOP-11, PAR-08)', async () => {
    const both = await runTurn({ tools: [policy], replies: [callTools('policy', 'policy')] });
    expect(both.answer).toMatchObject({ outcome: 'returned-direct', text: 'Thirty days.\nThirty days.' });
    const mixed = await runTurn({
      tools: [policy, createReadingTool('look')],
      replies: [callTools('policy', 'look'), 'So.'],
    });
    expect(mixed.answer).toMatchObject({ outcome: 'completed', text: 'So.' });
  });
});

describe('a call that the policy `isEligible` refuses', () => {
  it('ends with an error result, and the loop continues (SPM-08)', async () => {
    let ran = 0;
    const pay = createReadingTool('pay', () => {
      ran += 1;
    });
    const asked: unknown[] = [];
    const agent = defineAgent({
      name: 'clerk',
      description: 'W.',
      instructions: '',
      tools: [pay, createReadingTool('look')],
      context: { role: 'guest' },
      policies: {
        isEligible: async (call, context) => {
          asked.push([call.name, call.input, context.get('role')]);
          return call.name !== 'pay' || context.get('role') === 'boss';
        },
      },
    });
    const session = createTestSession(agent, {
      replies: [
        { calls: [{ name: 'pay', input: { eur: 5 } }, { name: 'look' }] },
        'Sorry.',
        callTools('pay'),
        'Paid.',
      ],
    });
    expect(await session.send('Go.')).toMatchObject({ outcome: 'completed', text: 'Sorry.' });
    expect(getShownResults(session.requests[1])).toEqual([
      "Error: Tool 'pay' was not run: this call is not permitted.",
      'look done',
    ]);
    expect(asked).toEqual([
      ['pay', '{"eur":5}', 'guest'],
      ['look', '{}', 'guest'],
    ]);
    expect(ran).toBe(0);
    await session.send('Now?', { context: { role: 'boss' } });
    expect(ran).toBe(1);
  });

  it('counts as a refusal, not as a success, and never returns directly (SPM-08)', async () => {
    const { answer, session } = await runTurn({
      tools: [createReadingTool('last', () => 'x', { returnDirect: true })],
      replies: [callTools('last'), 'Well.'],
      policies: { isEligible: () => false },
    });
    expect(answer).toMatchObject({ outcome: 'completed', text: 'Well.' });
    expect((await session.state()).messages[1]).toMatchObject({
      calls: [{ ended: { result: { type: 'error', reason: 'declined' } } }],
    });
  });

  it('ends with an error result if the policy throws (SPM-08)', async () => {
    const { texts } = await runTurn({
      replies: [callTools('look'), 'Well.'],
      policies: {
        isEligible: () => {
          throw new Error('The directory is down.');
        },
      },
    });
    expect(texts).toEqual([
      "Error: Tool 'look' was not run: its permission check failed: The directory is down.",
    ]);
  });

  it('ends with an error result if the policy does not respond within 30 seconds', async () => {
    const manual = createManualClock(1_000_000);
    const { clock, timersLeft } = countTimers(manual);
    const agent = defineAgent({
      name: 'clerk',
      description: 'W.',
      instructions: '',
      tools: [createReadingTool('look')],
      policies: { isEligible: () => new Promise<never>(() => {}) },
    });
    const session = createTestSession(agent, { replies: [callTools('look'), 'Well.'], clock });
    const answer = session.send('Go.');
    await manual.advance(29_999);
    expect(session.requests).toHaveLength(1);
    await manual.advance(1);
    expect(await answer).toMatchObject({ outcome: 'completed', text: 'Well.' });
    expect(getShownResults(session.requests[1])).toEqual([
      "Error: Tool 'look' was not run: code that runs before it did not finish within 30000 ms.",
    ]);
    expect(timersLeft()).toBe(0);
  });

  it('ends with an error result in nested loops too', async () => {
    const { session } = await runTurn({
      tools: [createDiggingTool([createReadingTool('look')])],
      replies: [callTools('dig'), callTools('look'), 'Dug.', 'Done.'],
      policies: { isEligible: ({ name }) => name !== 'look' },
    });
    expect(getShownResults(session.requests[2])).toEqual([
      "Error: Tool 'look' was not run: this call is not permitted.",
    ]);
  });
});

describe('an error thrown by a tool', () => {
  class OutOfPaper extends RangeError {}
  const createThrowingTool = (name: string, thrown: unknown) =>
    createReadingTool(name, () => {
      throw thrown;
    });
  const tools = [
    createThrowingTool('print', new OutOfPaper('No paper.')),
    createThrowingTool('ring', new Error('No.')),
    createReadingTool('look'),
  ];

  it('is shown to the model as its message by default (SPM-10)', async () => {
    const { answer, texts } = await runTurn({ tools, replies: [callTools('print'), 'Well.'] });
    expect(texts).toEqual(['Error: No paper.']);
    expect(answer).toMatchObject({ outcome: 'completed' });
  });

  it('is shown to the model with the text of the policy (SPM-10)', async () => {
    const { texts } = await runTurn({
      tools,
      replies: [callTools('print'), 'Well.'],
      policies: { exceptions: ({ tool, thrown }) => `${tool} broke: ${(thrown as Error).name}` },
    });
    expect(texts).toEqual(['Error: print broke: RangeError']);
  });

  it('fails the turn if the policy always rethrows it, while other calls keep their results (SPM-10, SPM-11)', async () => {
    const { answer, session } = await runTurn({
      tools,
      replies: [callTools('look', 'ring')],
      policies: { exceptions: exceptionProcessor({ alwaysThrow: true }) },
    });
    const message = "Tool 'ring' threw, which ended the turn. The exception is in the result of its call.";
    expect(answer).toMatchObject({
      outcome: 'failed',
      text: '',
      error: { type: 'tool-failure', message },
      signal: { type: 'fail', reason: message },
    });
    expect((await session.state()).messages[1]).toMatchObject({
      calls: [{ ended: { result: { content: 'look done' } } }, { ended: { result: { message: 'No.' } } }],
    });
  });

  it('ends the turn if its class or a base class is listed in the policy (SPM-10)', async () => {
    const policies: Policies = { exceptions: exceptionProcessor({ rethrown: [RangeError] }) };
    const fatal = await runTurn({ tools, replies: [callTools('print')], policies });
    expect(fatal.answer).toMatchObject({
      outcome: 'failed',
      error: {
        message: "Tool 'print' threw, which ended the turn. The exception is in the result of its call.",
      },
    });
    const told = await runTurn({ tools, replies: [callTools('ring'), 'Well.'], policies });
    expect(told.answer).toMatchObject({ outcome: 'completed' });
  });

  it('ends the turn with the signal that the policy throws instead (SPM-10)', async () => {
    const { answer } = await runTurn({
      tools,
      replies: [callTools('ring')],
      policies: {
        exceptions: () => {
          throw replan('The bell is broken.');
        },
      },
    });
    expect(answer).toMatchObject({
      outcome: 'completed',
      text: '',
      signal: { type: 'replan', reason: 'The bell is broken.' },
    });
  });

  it('is shown to the model as its class if it has no message (SPM-10)', async () => {
    const { texts } = await runTurn({
      tools: [createThrowingTool('print', new OutOfPaper())],
      replies: [callTools('print'), 'Well.'],
    });
    expect(texts).toEqual(['Error: Exception occurred in tool: print (OutOfPaper)']);
  });
});
