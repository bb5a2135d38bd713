import { beforeEach, describe, expect, it } from 'vitest';
import { type AnyTool, type CallContext, defineTool, text } from '../../../../src/index.ts';
import { createManualClock, type ManualClock } from '../../../../src/testing/entry.ts';
import {
  advanceUntilSettled,
  callEvents,
  callResults,
  LEASE_MS,
  leaveHolderSilent,
  takeOver,
} from './former-holder.ts';
import { createMemoryApp } from './memory-app.ts';

const describeUnknownOutcome = (tool: string): string =>
  `Error: The outcome of this call of '${tool}' is unknown: it was started, and no answer came back. It may have happened ` +
  'or not. Do not assume either, and do not repeat it: find out with another tool, or tell the user.';

const describePossibleOutcome = (tool: string): string =>
  `Error: The call of '${tool}' was cancelled while it ran. It may have taken effect.`;

let clock: ManualClock;
let signals: AbortSignal[];
beforeEach(() => {
  clock = createManualClock(1_000_000);
  signals = [];
});

const hang = (_: unknown, call: CallContext): Promise<string> => {
  signals.push(call.signal);
  return new Promise(() => {});
};
const createNamedTool = (
  name: string,
  effect: 'read' | 'idempotent' | 'once',
  more: Partial<AnyTool> = {},
): AnyTool => ({
  ...defineTool({ name, description: 'Does.', effect, run: hang }),
  ...more,
});

/** Cancels a turn after its calls have started. Returns the call results that the model reads. */
async function runCancelled(tools: readonly AnyTool[], names = tools.map(({ name }) => name)) {
  const app = createMemoryApp({
    tools,
    replies: [{ calls: names.map((name) => ({ name })) }, 'Next.'],
    clock,
    leaseMs: LEASE_MS,
  });
  const leased = await app.lease('Go.');
  const end = app.run(leased);
  await clock.advance(0);
  await app.port.post({ kind: 'cancel', turn: leased.page.openTurn?.id ?? '', body: '{}' });
  const stopped = await advanceUntilSettled(clock, end);
  expect(stopped).toMatchObject({ status: 'ended', turn: { outcome: 'cancelled', text: '' } });
  return { app, answers: callResults((await app.state()).messages), turn: leased.page.openTurn?.id ?? '' };
}

describe('a cancelled turn', () => {
  it('aborts a running read', async () => {
    const { answers } = await runCancelled([createNamedTool('look', 'read')]);
    expect(answers).toEqual([['look', "Error: The call of 'look' was cancelled."]]);
    expect(signals.every(({ aborted }) => aborted)).toBe(true);
  });

  it('reports the outcome of a running idempotent call as unknown', async () => {
    expect((await runCancelled([createNamedTool('put', 'idempotent')])).answers).toEqual([
      ['put', describePossibleOutcome('put')],
    ]);
  });

  it('waits five seconds for the result of a `once` call, and then reports the outcome as unknown', async () => {
    const before = clock.now();
    expect((await runCancelled([createNamedTool('pay', 'once')])).answers).toEqual([
      ['pay', describeUnknownOutcome('pay')],
    ]);
    const waited = clock.now() - before - 1_000; // The cancel arrived while the connection opened.
    expect(waited).toBeGreaterThanOrEqual(5_000);
    expect(waited).toBeLessThan(7_000);
  });

  it('keeps the result that a `once` call returns after it was aborted', async () => {
    const pay = defineTool({
      name: 'pay',
      description: 'Pays.',
      run: (_, { signal }) =>
        new Promise((resolve) => signal.addEventListener('abort', () => resolve('paid after all'))),
    });
    expect((await runCancelled([pay])).answers).toEqual([['pay', 'paid after all']]);
  });

  it('reconciles a `once` call that returned no result, with a signal that is not aborted', async () => {
    const seen: boolean[] = [];
    const pay = defineTool({
      name: 'pay',
      description: 'Pays.',
      run: (_, { signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
      reconcile: (_, { signal }) => {
        seen.push(signal.aborted);
        return { done: 'paid' };
      },
    });
    expect((await runCancelled([pay])).answers).toEqual([['pay', 'paid']]);
    expect(seen).toEqual([false]);
  });

  it('records a result for each call that did not start, both in a serial batch and beyond six parallel calls', async () => {
    const look = createNamedTool('look', 'read');
    const step = createNamedTool('step', 'read', { serial: 'steps' });
    const { answers } = await runCancelled(
      [look, step],
      ['step', 'step', ...Array.from({ length: 6 }, () => 'look')],
    );
    const texts = answers.map(([, text]) => text);
    expect(texts.slice(0, 2)).toEqual([
      "Error: The call of 'step' was cancelled.",
      "Error: The call of 'step' was cancelled before it ran.",
    ]);
    expect(texts.filter((text) => text.endsWith('was cancelled.'))).toHaveLength(6);
    expect(texts.filter((text) => text.endsWith('before it ran.'))).toHaveLength(2);
  });

  it('has a result for every call, so the next message can follow', async () => {
    const { app } = await runCancelled([createNamedTool('look', 'read')]);
    await advanceUntilSettled(clock, app.say('And now?'));
    expect(app.model.requests.at(-1)?.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'user',
    ]);
  });

  it('does not run a `once` call whose start was being stored when the cancel arrived', async () => {
    let ran = 0;
    const pay = defineTool({ name: 'pay', description: 'Pays.', run: () => (ran += 1) });
    const app = createMemoryApp({
      tools: [pay],
      replies: [{ calls: [{ name: 'pay' }] }],
      clock,
      wrap: (port) => ({
        ...port,
        append: async (epoch, from, change) => {
          // The cancel arrives in the response that confirms the stored start.
          const starts = change.events.some(({ type }) => type === 'tool-call-started');
          if (starts) await port.post({ kind: 'cancel', turn: change.events[0]?.turn ?? '', body: '{}' });
          return port.append(epoch, from, change);
        },
      }),
    });
    expect(await advanceUntilSettled(clock, app.say('Go.'))).toMatchObject({
      turn: { outcome: 'cancelled' },
    });
    expect(ran).toBe(0);
    expect(callResults((await app.state()).messages)).toEqual([
      ['pay', "Error: The call of 'pay' was cancelled."],
    ]);
  });

  it('abandons a model call that ignores its signal', async () => {
    const app = createMemoryApp({ replies: [() => new Promise(() => {})], clock, leaseMs: LEASE_MS });
    const leased = await app.lease('Go.');
    const end = app.run(leased);
    await clock.advance(0);
    await app.port.post({ kind: 'cancel', turn: leased.page.openTurn?.id ?? '', body: '{}' });
    expect(await advanceUntilSettled(clock, end, LEASE_MS)).toMatchObject({ turn: { outcome: 'cancelled' } });
  });

  it('is cancelled by the invocation that takes it over, which reports started calls as unknown', async () => {
    const app = createMemoryApp({
      tools: [createNamedTool('put', 'idempotent'), createNamedTool('pay', 'once')],
      replies: [],
      clock,
      leaseMs: LEASE_MS,
    });
    const left = await leaveHolderSilent(app, callEvents(['pay', 'once'], ['put', 'idempotent'], ['put']));
    await app.port.post({ kind: 'cancel', turn: left.turn, body: '{}' });
    expect(await takeOver(app, clock, left)).toMatchObject({
      status: 'ended',
      turn: { outcome: 'cancelled' },
    });
    expect(callResults((await app.state()).messages)).toEqual([
      ['pay', describeUnknownOutcome('pay')],
      ['put', describePossibleOutcome('put')],
      ['put', "Error: The call of 'put' was cancelled before it ran."],
    ]);
    expect(signals).toEqual([]);
  });

  it('ends even if a sibling call waits for an outside answer', async () => {
    const ask = createNamedTool('ask', 'read', {
      call: async (_, call) => text((await call.ask({ for: 'decision', message: 'May I?' })).decision),
    });
    const { answers } = await runCancelled([ask, createNamedTool('look', 'read')]);
    expect(answers).toEqual([
      ['ask', "Error: The call of 'ask' was cancelled before it ran."],
      ['look', "Error: The call of 'look' was cancelled."],
    ]);
  });
});
