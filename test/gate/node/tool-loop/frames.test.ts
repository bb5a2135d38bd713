import { describe, expect, it } from 'vitest';
import type { ModuleUse } from '../../../../src/index.ts';
import { type AnyTool, defineTool, ModelError, text } from '../../../../src/index.ts';
import type { SessionEvent } from '../../../../src/journal/entry.ts';
import type { Frame, FrameOutcome } from '../../../../src/kinds/entry.ts';
import { nest } from '../../../../src/kinds/entry.ts';
import { callLimits } from '../../../../src/modules/limits/entry.ts';
import { createManualClock, type ScriptedReply } from '../../../../src/testing/entry.ts';
import { callEvents, callResults, LEASE_MS, leaveHolderSilent, takeOver } from '../session/former-holder.ts';
import { createMemoryApp } from '../session/memory-app.ts';

const callTools = (...names: string[]) => ({ calls: names.map((name) => ({ name })) });

/** Returns a tool that only opens a frame, and returns its outcome. */
function createDiggingTool(
  tools: readonly AnyTool[],
  more: Partial<Frame> = {},
  outcomes: FrameOutcome[] = [],
): AnyTool {
  return {
    name: 'dig',
    description: 'Digs.',
    inputSchema: { type: 'object' },
    effect: 'none',
    returnDirect: false,
    metadata: {},
    check: async (input) => ({ ok: true, value: input }),
    async call(_, call) {
      const frame = { name: 'dig', instructions: 'You dig.', message: 'Dig.', tools, ...more };
      const outcome = await nest(call, frame);
      outcomes.push(outcome);
      return text(`${outcome.outcome}: ${outcome.text}`);
    },
  };
}

const count = defineTool({
  name: 'count',
  description: 'Counts.',
  effect: 'read',
  run: (_, { state }) => {
    const n = Number(state.get('n') ?? 0) + 1;
    state.set('n', n);
    return { n };
  },
});

async function runTurn(
  tools: readonly AnyTool[],
  replies: readonly ScriptedReply[],
  use?: readonly ModuleUse[],
) {
  const app = createMemoryApp({ tools, replies, use });
  const end = await app.say('Go.');
  return { app, end, texts: callResults((await app.state()).messages).map(([, text]) => text) };
}

describe('a nested loop', () => {
  it('has its own messages, instructions and tools, and returns its text', async () => {
    const { app, texts, end } = await runTurn(
      [createDiggingTool([count])],
      [callTools('dig'), callTools('count'), 'Found it.', 'Done.'],
    );
    expect(app.model.requests[1]).toMatchObject({
      messages: [
        { role: 'system', text: 'You dig.' },
        { role: 'user', text: 'Dig.' },
      ],
      tools: [{ name: 'count' }],
    });
    expect(texts).toEqual(['completed: Found it.']);
    expect(end).toMatchObject({ turn: { outcome: 'completed', iterations: 4, toolCalls: 2 } });
    expect(app.model.requests[3]?.messages).toHaveLength(3);
  });

  it('stores the state of its tools at its own path', async () => {
    const replies = [callTools('count', 'dig'), callTools('count'), callTools('count'), 'Two.', 'Done.'];
    const { app } = await runTurn([count, createDiggingTool([count])], replies);
    expect([...(await app.state()).callState].toSorted()).toEqual([
      ['tester', { n: 1 }],
      ['tester/dig', { n: 2 }],
    ]);
  });

  it('passes its artifacts to the tool in order', async () => {
    const outcomes: FrameOutcome[] = [];
    await runTurn(
      [createDiggingTool([count], {}, outcomes)],
      [callTools('dig'), callTools('count'), callTools('count'), 'Two.', 'Done.'],
    );
    expect(outcomes).toMatchObject([
      {
        outcome: 'completed',
        text: 'Two.',
        calls: [{ result: { value: { n: 1 } } }, { result: { value: { n: 2 } } }],
      },
    ]);
  });

  it('can contain another nested loop', async () => {
    const { app, texts } = await runTurn(
      [createDiggingTool([createDiggingTool([count])])],
      [callTools('dig'), callTools('dig'), callTools('count'), 'Deep.', 'Mid.', 'Done.'],
    );
    expect(texts).toEqual(['completed: Mid.']);
    expect([...(await app.state()).callState.keys()]).toEqual(['tester/dig/dig']);
  });

  it('ends at its own limit of iterations, while the turn continues', async () => {
    const limited = createDiggingTool([count], { limits: { iterations: 1 } });
    const { texts, end } = await runTurn(
      [limited],
      [callTools('dig'), callTools('count'), 'So far.', 'Done.'],
    );
    expect(texts).toEqual(['limit-reached: So far.']);
    expect(end).toMatchObject({ turn: { outcome: 'completed' } });
  });

  it('counts its calls toward the limit of the turn', async () => {
    const outcomes: FrameOutcome[] = [];
    const dig = createDiggingTool([count], {}, outcomes);
    const { end } = await runTurn(
      [dig],
      [callTools('dig'), callTools('count', 'count'), 'One.', 'Done.'],
      [callLimits({ toolCalls: 2 })],
    );
    expect(outcomes).toMatchObject([
      {
        outcome: 'completed',
        text: 'One.',
        calls: [{ result: { value: { n: 1 } } }, { result: { reason: 'limit' } }],
      },
    ]);
    expect(end).toMatchObject({ turn: { outcome: 'limit-reached', text: 'Done.', toolCalls: 3 } });
  });

  it.each<[string, readonly ScriptedReply[], string]>([
    ['its model fails', [new ModelError('server-error', 'The model is down.')], 'The model is down.'],
    [
      'it gives two blank replies',
      ['', ''],
      'The model returned an empty reply, even after it was asked once more.',
    ],
    [
      'it calls a missing tool',
      [callTools('a', 'b', 'c', 'd')],
      'The model called tools that do not exist more than 3 times in a row.',
    ],
  ])('fails without failing the turn if %s, and the tool receives the reason', async (_, inside, why) => {
    const { texts, end } = await runTurn(
      [createDiggingTool([count])],
      [callTools('dig'), ...inside, 'Done.'],
    );
    expect(texts).toEqual([`failed: ${why}`]);
    expect(end).toMatchObject({ turn: { outcome: 'completed' } });
  });

  it('can return the results of its last batch directly', async () => {
    const { texts } = await runTurn(
      [createDiggingTool([{ ...count, returnDirect: true }])],
      [callTools('dig'), callTools('count'), 'Done.'],
    );
    expect(texts).toEqual(['returned-direct: {"n":1}']);
  });

  it('uses no slot, so more nested loops than slots cause no deadlock', async () => {
    const replyInside = ({ messages }: { messages: readonly { role: string }[] }): ScriptedReply =>
      messages.some(({ role }) => role === 'tool') ? 'Dug.' : callTools('count');
    const nine = Array.from({ length: 9 }, () => 'dig');
    const { texts } = await runTurn(
      [createDiggingTool([count])],
      [callTools(...nine), ...Array.from({ length: 18 }, () => replyInside), 'Done.'],
    );
    expect(texts).toEqual(nine.map(() => 'completed: Dug.'));
  });

  it('does not change the blackboard that a sibling call sees', async () => {
    const note = defineTool({
      name: 'note',
      description: 'Notes.',
      effect: 'read',
      run: (_, { blackboard }) => {
        blackboard.add('note');
      },
    });
    const createSerialTool = (name: string, run: () => unknown) =>
      defineTool({ name, description: 'Waits.', effect: 'read', serial: 's', run });
    let isDug = false;
    const first = createSerialTool('first', async () => {
      while (!isDug) await new Promise((resolve) => setTimeout(resolve, 0));
    });
    const second = defineTool({
      name: 'second',
      description: 'Counts.',
      effect: 'read',
      serial: 's',
      run: (_, { blackboard }) => blackboard.entries().length,
    });
    const finishDigging = (): ScriptedReply => {
      isDug = true;
      return 'Dug.';
    };
    const { texts } = await runTurn(
      [first, second, createDiggingTool([note])],
      [callTools('first', 'second', 'dig'), callTools('note'), finishDigging, 'Done.'],
    );
    expect(texts).toEqual(['Done', '0', 'completed: Dug.']);
  });
});

describe('a nested loop from an earlier invocation', () => {
  const opened = { type: 'frame-started', frame: 'c0', name: 'dig', message: 'Dig.' } as const;
  type HolderEvent = Parameters<typeof leaveHolderSilent>[1][number];
  const createInnerReply = (
    event: Omit<Extract<SessionEvent, { type: 'model-replied' }>, 'turn' | 'type' | 'model' | 'finish'>,
  ): HolderEvent => ({
    type: 'model-replied',
    model: 'scripted',
    finish: 'stop',
    frame: 'c0',
    ...event,
  });

  async function resumeTurn(
    tools: readonly AnyTool[],
    replies: readonly ScriptedReply[],
    events: readonly HolderEvent[],
  ) {
    const clock = createManualClock(1_000_000);
    const app = createMemoryApp({ tools, replies, clock, leaseMs: LEASE_MS });
    const left = await leaveHolderSilent(app, [...callEvents(['dig']), ...events]);
    const end = await takeOver(app, clock, left);
    const types = (await app.events(left.turn)).map(({ type }) => type);
    return { app, end, types, texts: callResults((await app.state()).messages).map(([, text]) => text) };
  }

  it('resumes without repeating its model calls and tool calls', async () => {
    const call = { id: 'c0.0', providerId: 'p', name: 'count', input: '{}' };
    const { app, types, texts } = await resumeTurn(
      [createDiggingTool([count])],
      ['Found.', 'Done.'],
      [
        opened,
        createInnerReply({ text: '', toolCalls: [call] }),
        { type: 'tool-call-ended', frame: 'c0', call: 'c0.0', result: { type: 'text', content: 'seven' } },
      ],
    );
    expect(app.model.requests[0]?.messages.at(-1)).toMatchObject({ role: 'tool', text: 'seven' });
    expect(types.filter((type) => type === 'frame-started')).toHaveLength(1);
    expect(texts).toEqual(['completed: Found.']);
  });

  it('returns its stored answer without calling the model', async () => {
    const { app, texts } = await resumeTurn(
      [createDiggingTool([count])],
      ['Done.'],
      [opened, createInnerReply({ text: 'Found.', toolCalls: [] })],
    );
    expect(app.model.requests).toHaveLength(1);
    expect(texts).toEqual(['completed: Found.']);
  });

  it('has an unknown outcome if its tool no longer exists', async () => {
    const { texts } = await resumeTurn([], ['Done.'], [opened]);
    expect(texts).toEqual([
      "Error: The outcome of this call of 'dig' is unknown: it was started, and no answer came back. It may have " +
        'happened or not. Do not assume either, and do not repeat it: find out with another tool, or tell the user.',
    ]);
  });
});
