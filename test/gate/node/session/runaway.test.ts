import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  AgentDefinitionError,
  type CallContext,
  defineAgent,
  defineTool,
  type Tool,
} from '../../../../src/index.ts';
import type { SessionEvent } from '../../../../src/journal/entry.ts';
import { sendLater } from '../../../../src/modules/schedules/entry.ts';
import { createManualClock, type ScriptedReply } from '../../../../src/testing/entry.ts';
import { createEmptyState, reduce } from '../../../doors/journal.ts';
import { getModelText } from '../../../doors/tools.ts';
import { createMemoryApp, type MemoryApp } from './memory-app.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

const createPlanTool = (run: (call: CallContext) => unknown): Tool =>
  defineTool({ name: 'plan', description: 'Plans.', effect: 'read', run: (_, call) => run(call) });

const PLAN_REPLY: ScriptedReply = { calls: [{ name: 'plan' }] };

const scheduleOnce = (call: CallContext): Promise<string> =>
  sendLater(call, { message: 'On.', delaySeconds: 1 });

/** An app whose turns each schedule a turn. `runAll` runs every due turn until none is open. */
function createScene(
  run: (call: CallContext) => unknown,
  options: Partial<Parameters<typeof createMemoryApp>[0]> = {},
) {
  const clock = createManualClock(1_000_000);
  const replies = Array.from({ length: 2_000 }, () => [PLAN_REPLY, 'Done.']).flat();
  const app = createMemoryApp({ tools: [createPlanTool(run)], replies, clock, ...options });
  const runAll = async (): Promise<number> => {
    let turns = 0;
    for (;;) {
      await clock.advance(1_000);
      const open = (await app.port.read({ from: 1, limit: 1 }))?.openTurn;
      if (!open) return turns;
      turns += 1;
      await app.run(await app.resume(open.id));
    }
  };
  return { app, runAll };
}

const readEvents = async (app: MemoryApp): Promise<readonly SessionEvent[]> => {
  const page = await app.port.read({ from: 1, limit: 10_000 });
  return (page?.rows ?? []).map(({ body }) => JSON.parse(body) as SessionEvent); // The event was stored in this form.
};

const readGenerations = async (app: MemoryApp): Promise<(number | undefined)[]> =>
  (await readEvents(app)).flatMap((event) => (event.type === 'turn-started' ? [event.generation] : []));

const readResults = async (app: MemoryApp): Promise<string[]> =>
  (await readEvents(app)).flatMap((event) =>
    event.type === 'tool-call-ended' ? getModelText(event.result) : [],
  );

const describeRefusal = (row: number): string =>
  `Error: Not scheduled: ${row} turns in a row, including this one, were scheduled by a turn, and no more can start before a person sends a message.`;

const callAnswered = (
  answer: Extract<SessionEvent, { type: 'tool-call-answered' }>['answer'],
): SessionEvent => ({
  type: 'tool-call-answered',
  turn: 't1',
  call: 't1.2.0',
  answer,
});

const FULL_QUEUE_ERROR =
  'Error: Not scheduled: 100 messages wait in this session already, and no more may. There is room when some of them were answered.';

describe('turns that schedule turns', () => {
  it('are limited to eight in a row; the ninth is refused to the model and logged', async () => {
    const warned = vi.spyOn(console, 'warn').mockReturnValue();
    const { app, runAll } = createScene(async (call) => {
      await scheduleOnce(call);
      return 'planned';
    });
    await app.say('Go.');
    expect(await runAll()).toBe(8);
    expect(await readGenerations(app)).toEqual([undefined, 1, 2, 3, 4, 5, 6, 7, 8]);
    const told = await readResults(app);
    expect(told).toEqual([...Array.from({ length: 8 }, () => 'planned'), describeRefusal(8)]);
    expect(warned.mock.calls).toEqual([
      [
        'holdfast: the turn cannot schedule more turns: 8 turns in a row, including this one, were scheduled by a turn. ' +
          'Raise `limits.maxGenerations` of its agent.',
      ],
    ]);
  });

  it.each([
    ['two turns, in six generations', 2, 6, [describeRefusal(6)]],
    ['twelve turns, more than may wait', 12, 2, [describeRefusal(2), FULL_QUEUE_ERROR]],
  ])('end even if each schedules %s, and each refused message is reported', async (_, each, most, why) => {
    vi.spyOn(console, 'warn').mockReturnValue();
    let scheduled = 0;
    const { app, runAll } = createScene(
      async (call) => {
        const told = new Set<string>();
        for (let i = 0; i < each; i += 1) {
          const refusal = await scheduleOnce(call).then(
            () => undefined,
            ({ message }: Error) => message,
          );
          if (refusal === undefined) scheduled += 1;
          else told.add(refusal);
        }
        return [...told].join('\n');
      },
      { limits: { maxGenerations: most, maxScheduled: 'unlimited' } },
    );
    await app.say('Go.');
    const turns = await runAll();
    expect(turns).toBe(scheduled);
    expect(turns).toBeLessThanOrEqual(126);
    expect((await app.port.read({ from: 1, limit: 1 }))?.waiting).toEqual([]);
    const told = await readResults(app);
    expect(told).toHaveLength(turns + 1);
    expect(new Set(told.filter((text) => text !== 'undefined' && text !== ''))).toEqual(
      new Set(why.map((text) => text.slice('Error: '.length))),
    );
    expect(Math.max(...(await readGenerations(app)).map((generation = 0) => generation))).toBe(most);
  });

  it('start a new count with the next message of a person', async () => {
    vi.spyOn(console, 'warn').mockReturnValue();
    const { app, runAll } = createScene(
      async (call) => {
        await scheduleOnce(call);
        return 'planned';
      },
      { limits: { maxGenerations: 2 } },
    );
    await app.say('Go.');
    expect(await runAll()).toBe(2);
    await app.say('And on.');
    expect(await readGenerations(app)).toEqual([undefined, 1, 2, undefined]);
    expect(await runAll()).toBe(2);
  });

  it.each<[string, SessionEvent, number]>([
    [
      'start a new count with a message that steers one of them',
      { type: 'turn-steered', turn: 't1', as: 't2', message: 'Wait.', principal: { id: 'tester' } },
      0,
    ],
    [
      'start a new count when a person decides about a call',
      callAnswered({ type: 'decision', decision: 'reject', by: 'tester' }),
      0,
    ],
    [
      'continue the count if a decision has expired',
      callAnswered({ type: 'decision', decision: 'reject', expired: true }),
      5,
    ],
    [
      'continue the count after a program sends the result of a call',
      callAnswered({ type: 'result', result: { type: 'text', content: 'Hi.' }, by: 'tester' }),
      5,
    ],
  ])('%s', (_, event, generation) => {
    const state = createEmptyState();
    const started: SessionEvent = {
      type: 'turn-started',
      turn: 't1',
      loopId: 't1',
      message: 'On.',
      context: {},
      principal: { id: 'tester' },
      generation: 5,
    };
    for (const [index, one] of [started, event].entries()) reduce(state, { ...one, seq: index + 1 });
    expect(state.turn).toMatchObject({ generation });
  });

  it('are limited by the number that the agent sets', async () => {
    vi.spyOn(console, 'warn').mockReturnValue();
    const { app, runAll } = createScene(scheduleOnce, { limits: { maxGenerations: 3 } });
    await app.say('Go.');
    expect(await runAll()).toBe(3);
    expect((await readResults(app)).at(-1)).toBe(describeRefusal(3));
  });

  it("are unlimited if the agent sets 'unlimited'", async () => {
    let left = 30;
    const { app, runAll } = createScene(
      async (call) => {
        left -= 1;
        if (left > 0) await scheduleOnce(call);
      },
      { limits: { maxGenerations: 'unlimited', maxScheduled: 'unlimited' } },
    );
    await app.say('Go.');
    expect(await runAll()).toBe(29);
  });

  it.each([
    [0, '0'],
    [-1, '-1'],
    [1.5, '1.5'],
    [Number.POSITIVE_INFINITY, 'Infinity'],
  ])('cannot have the limit %d', (maxGenerations, said) => {
    const define = () =>
      defineAgent({ name: 'a', description: 'A.', instructions: '', limits: { maxGenerations } });
    expect(define).toThrow(AgentDefinitionError);
    expect(define).toThrow(`Agent 'a' has a limit 'maxGenerations' of ${said}. Use a positive whole number.`);
  });
});
