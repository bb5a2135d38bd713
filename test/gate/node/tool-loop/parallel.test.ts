import { describe, expect, it } from 'vitest';
import { type AnyTool, defineAgent, defineTool, terminateAgent } from '../../../../src/index.ts';
import type { InjectionStrategy } from '../../../../src/kinds/entry.ts';
import type { ToolMemory } from '../../../../src/module.ts';
import { createManualClock, createTestSession } from '../../../../src/testing/entry.ts';
import { FOLDING } from '../../../doors/journal.ts';
import { createFact, DEFAULT_TIMEOUT_MS } from '../../../doors/tools.ts';
import { advanceUntilSettled } from '../session/former-holder.ts';
import { createMemoryApp } from '../session/memory-app.ts';
import { runBare } from './bare-loop.ts';
import { callTools, createReadingTool, getShownResults } from './scenes.ts';

const startSession = (
  tools: readonly AnyTool[],
  names: readonly string[],
  clock = createManualClock(),
  warm = false,
) =>
  createTestSession(defineAgent({ name: 'clerk', description: 'W.', instructions: '', tools }), {
    replies: [callTools(...names), 'Done.'],
    clock,
    warm,
  });

describe('the calls of one reply', () => {
  it('run in parallel by default, at most six at the same time, each with a timeout of 30 seconds (PAR-01)', async () => {
    let running = 0;
    let most = 0;
    const six = Promise.withResolvers<void>();
    const work = createReadingTool('work', async () => {
      running += 1;
      most = Math.max(most, running);
      if (running === 6) six.resolve();
      await six.promise;
      running -= 1;
    });
    const clock = createManualClock();
    const late: number[] = [];
    const hangs = createReadingTool(
      'hangs',
      ({ signal }) => new Promise(() => signal.addEventListener('abort', () => void late.push(clock.now()))),
    );
    const began = clock.now();
    const session = startSession([work, hangs], [...Array.from({ length: 9 }, () => 'work'), 'hangs'], clock);
    await advanceUntilSettled(clock, session.send('Go.'));
    expect(most).toBe(6);
    expect(DEFAULT_TIMEOUT_MS).toBe(30_000);
    expect(late).toEqual([began + 30_000]);
  });

  it('each have the same events as a single call (PAR-02, PAR-11)', async () => {
    const one = startSession([createReadingTool('look')], ['look'], createManualClock(), true);
    const two = startSession([createReadingTool('look')], ['look', 'look'], createManualClock(), true);
    await one.send('Go.');
    await two.send('Go.');
    expect(getShownResults(one.requests[1])).toEqual(['look done']);
    expect(getShownResults(two.requests[1])).toEqual(['look done', 'look done']);
    const readEventTypes = async (session: typeof one): Promise<readonly string[]> =>
      (await session.events()).map(({ type }) => type);
    const [began, ended] = ['tool-call-started', 'tool-call-ended'];
    expect((await readEventTypes(one)).slice(3, -2)).toEqual([began, ended]);
    expect((await readEventTypes(two)).slice(3, -2)).toEqual([began, began, ended, ended]);
  });

  it('have separate timeouts, so that a late call does not discard other results (PAR-03, PAR-11)', async () => {
    const clock = createManualClock();
    const hangs = createReadingTool('hangs', () => new Promise(() => {}), { timeout: 1_000 });
    const slow = createReadingTool(
      'slow',
      () => new Promise((resolve) => clock.after(5_000, () => resolve('slow, done'))),
    );
    const session = startSession([hangs, slow, createReadingTool('look')], ['hangs', 'slow', 'look'], clock);
    const began = clock.now();
    expect(await advanceUntilSettled(clock, session.send('Go.'))).toMatchObject({ outcome: 'completed' });
    expect(getShownResults(session.requests[1])).toEqual([
      "Error: Tool 'hangs' did not answer within 1000 ms.",
      'slow, done',
      'look done',
    ]);
    expect(clock.now() - began).toBeLessThan(6_000);
  });

  it('are aborted at their timeout, and their later results are ignored (PAR-09)', async () => {
    const clock = createManualClock();
    const reasons: string[] = [];
    const stubborn = createReadingTool(
      'stubborn',
      ({ signal, blackboard }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => void reasons.push((signal.reason as Error).name));
          clock.after(3_000, () => {
            blackboard.add('too late');
            resolve('too late');
          });
        }),
      { timeout: 1_000 },
    );
    const rest = createReadingTool(
      'rest',
      () => new Promise((resolve) => clock.after(5_000, () => resolve('rested'))),
    );
    const session = startSession([stubborn, rest], ['stubborn', 'rest'], clock);
    await advanceUntilSettled(clock, session.send('Go.'));
    expect(reasons).toEqual(['TimeoutError']);
    expect(getShownResults(session.requests[1])).toEqual([
      "Error: Tool 'stubborn' did not answer within 1000 ms.",
      'rested',
    ]);
    expect((await session.state()).blackboard).toEqual([]);
  });

  it('are looked up one by one, and unknown tools lead to error results (PAR-04)', async () => {
    const session = startSession([createReadingTool('look')], ['look', 'fly', 'look']);
    await session.send('Go.');
    const texts = getShownResults(session.requests[1]);
    expect([texts[0], texts[2]]).toEqual(['look done', 'look done']);
    expect(texts[1]).toMatch(/^Error: Tool 'fly' does not exist\. Available tools: \[look\]\./);
  });

  it('all end and keep their results before one of them ends the loop (PAR-05, PAR-06)', async () => {
    const ended: string[] = [];
    const stopped = Promise.withResolvers<void>();
    const stop = createReadingTool('stop', () => {
      stopped.resolve();
      throw terminateAgent('Enough.');
    });
    const slow = createReadingTool('slow', async () => {
      await stopped.promise;
      ended.push('slow');
      return 'slow, done';
    });
    const session = startSession([stop, slow], ['stop', 'slow']);
    expect(await session.send('Go.')).toMatchObject({ outcome: 'cancelled', toolCalls: 2 });
    expect(ended).toEqual(['slow']);
    expect((await session.state()).messages[1]).toMatchObject({
      calls: [
        { ended: { result: { content: 'Enough.' } } },
        { ended: { result: { content: 'slow, done' } } },
      ],
    });
  });

  it('can each unlock tools, and all unlocked tools are offered next (PAR-07, PAR-10)', async () => {
    const opened: ToolMemory<readonly string[], string> = {
      folding: FOLDING,
      name: 'opened',
      initial: [],
      apply: (names, fact) => [...names, fact],
    };
    const unlock: InjectionStrategy = {
      name: 'unlock',
      offer: (tools, view) => {
        const names = view.recall(opened);
        return names.length === 0 ? tools : [...tools, ...names.map((name) => createReadingTool(name))];
      },
      remarkOn: ({ result }) => ({ facts: [createFact(opened, result.content)] }),
    };
    const fails = createReadingTool('fails', () => {
      throw new Error('No.');
    });
    const { offered, state } = await runBare({
      tools: [createReadingTool('first', () => 'garden'), createReadingTool('second', () => 'attic'), fails],
      memories: [opened],
      strategies: [unlock],
      replies: [callTools('first', 'fails', 'second'), 'Done.'],
    });
    expect(offered).toEqual([
      ['fails', 'first', 'second'],
      ['fails', 'first', 'second', 'attic', 'garden'],
    ]);
    expect(state.memories.get('opened')).toEqual(['garden', 'attic']);
  });

  it('all contribute to a direct return, not only the last of them (PAR-08)', async () => {
    const createDirectTool = (name: string) =>
      createReadingTool(name, () => `${name}!`, { returnDirect: true });
    const session = startSession([createDirectTool('a'), createDirectTool('b')], ['b', 'a', 'b']);
    expect(await session.send('Go.')).toMatchObject({ outcome: 'returned-direct', text: 'b!\na!\nb!' });
  });

  it('run after the reply is stored if they have an effect, and immediately if they only read (PAR-02)', async () => {
    const log: string[] = [];
    const looked = Promise.withResolvers<void>();
    const pay = defineTool({ name: 'pay', description: 'Pays.', run: () => void log.push('pay') });
    const look = createReadingTool('look', () => {
      log.push('look');
      looked.resolve();
    });
    const app = createMemoryApp({
      tools: [pay, look],
      replies: [callTools('pay', 'look'), 'Done.'],
      wrap: (port) => ({
        ...port,
        append: async (...request) => {
          await looked.promise;
          log.push('stored');
          return port.append(...request);
        },
      }),
    });
    await app.say('Go.');
    expect(log.slice(0, 3)).toEqual(['look', 'stored', 'pay']);
  });
});
