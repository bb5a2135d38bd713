/**
 * Random turns with nested loops that are interrupted, cancelled, exited, timed out and run by other
 * deployments: no event follows an end.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AnyTool, defineTool, text } from '../../../../src/index.ts';
import type { StoredEvent } from '../../../../src/journal/entry.ts';
import { decorate, requireApproval } from '../../../../src/modules/decorators/entry.ts';
import { callLimits } from '../../../../src/modules/limits/entry.ts';
import { createManualClock, type ManualClock, type ScriptedReply } from '../../../../src/testing/entry.ts';
import { createDiggingTool } from '../tool-loop/scenes.ts';
import { LEASE_MS } from './former-holder.ts';
import { createMemoryApp, type MemoryApp } from './memory-app.ts';

type Draw = (size: number) => number;

/** The tools of a loop at this depth. Each delays or ends the loop differently. */
function createTools(depth: number, clock: ManualClock): readonly AnyTool[] {
  const waitFor = (ms: number): Promise<void> => new Promise((resolve) => clock.after(ms, resolve));
  const run = { description: 'Does.', timeout: 3_000 };
  const leaves = [
    defineTool({ ...run, name: 'quick', effect: 'read', run: () => 'done' }),
    defineTool({ ...run, name: 'slow', run: () => waitFor(2_000) }),
    defineTool({ ...run, name: 'late', run: () => waitFor(20_000) }),
    requireApproval(defineTool({ ...run, name: 'asks', run: () => 'done' }), 'Do it?'),
    decorate(defineTool({ ...run, name: 'hangs', run: () => 'done' }), {
      call: () => waitFor(90_000).then(() => text('')),
    }),
  ];
  if (depth === 2) return leaves;
  const dig = createDiggingTool(createTools(depth + 1, clock));
  const leaveBehind = (tool: AnyTool): AnyTool =>
    decorate(tool, {
      call: (input, call) => Promise.race([tool.call(input, call), waitFor(4_000).then(() => text('Left.'))]),
    });
  return [...leaves, { ...dig, name: 'dig' }, { ...leaveBehind(dig), name: 'leaves' }];
}

/** A model that calls random offered tools until it draws no call. */
const createRandomReply =
  (draw: Draw): Extract<ScriptedReply, (...args: never[]) => unknown> =>
  ({ tools = [] }) => {
    const names = tools.map(({ name }) => name);
    const calls = Array.from({ length: draw(4) }, () => ({ name: names[draw(names.length)] ?? 'quick' }));
    return calls.length > 0 && names.length > 0 ? { calls } : 'Done.';
  };

/**
 * Returns the misordered ends: events of a call or its loop after its end, and ends that precede inner ones.
 */
function findFaults(events: readonly StoredEvent[]): readonly string[] {
  const ended = new Set<string>();
  const open = new Map<string, string>();
  return events.flatMap((event) => {
    const { frame = '' } = 'frame' in event ? event : {};
    if (event.type === 'model-replied') for (const { id } of event.toolCalls) open.set(id, frame);
    const mayFollow = event.type === 'late-result-received' && !event.open;
    const about = [...(frame === '' ? [] : [frame]), ...('call' in event && !mayFollow ? [event.call] : [])];
    const found = about.filter((id) => ended.has(id)).map((id) => `${event.type} after the end of ${id}`);
    if (event.type === 'tool-call-ended') {
      ended.add(event.call);
      open.delete(event.call);
      for (const [id, at] of open) if (at === event.call) found.push(`${id} is open in ${event.call}`);
    }
    if (event.type === 'turn-ended') for (const id of open.keys()) found.push(`${id} is open at the end`);
    return found;
  });
}

/** Answers a question of the turn or cancels the turn, at random, while the turn runs or waits. */
async function disturb(draw: Draw, app: MemoryApp, turn: string): Promise<void> {
  const waits = (await app.events(turn)).flatMap((event) =>
    event.type === 'tool-call-suspended' ? [`${event.call}#0`] : [],
  );
  const wait = waits[draw(Math.max(1, waits.length))];
  if (wait !== undefined && draw(2) > 0) {
    const decision = (['approve', 'reject', 'exit'] as const)[draw(3)];
    const body = JSON.stringify({ wait, answer: { type: 'decision', decision, by: 'ann' } });
    await app.port.post({ kind: 'answer', turn, body });
  } else if (draw(8) === 0) await app.port.post({ kind: 'cancel', turn, body: '{}' });
}

/** Runs one turn to its end, and returns its events. */
async function play(draw: Draw): Promise<readonly StoredEvent[]> {
  const clock = createManualClock(1_000_000);
  const tools = createTools(0, clock);
  const replies = Array.from({ length: 60 }, () => createRandomReply(draw));
  const app = createMemoryApp({
    tools,
    replies,
    clock,
    leaseMs: LEASE_MS,
    limits: { iterations: 3 },
    use: [callLimits({ toolCalls: 12 })],
  });
  const leased = await app.lease('Go.');
  const turn = leased.page.openTurn?.id ?? '';
  let next = Promise.resolve(leased);
  for (let runs = 0; runs < 40; runs += 1) {
    // The other deployment lacks some of the tools.
    const kept = draw(3) === 0 ? tools.filter(() => draw(2) === 0) : tools;
    const leave = new AbortController();
    let isOver = false;
    const end = app
      .run(await next, { agent: { ...app.agent, tools: kept }, leave: leave.signal, log: () => {} })
      .finally(() => {
        isOver = true;
      });
    for (let step = 0; !isOver; step += 1) {
      if (step > 400) throw new Error('The invocation has not ended after 200 s.');
      await clock.advance(500);
      if (draw(12) === 0) await disturb(draw, app, turn);
      if (draw(20) === 0) leave.abort();
    }
    await end;
    for (let tries = 0; tries < 20; tries += 1) {
      const { openTurn } = (await app.port.read({ from: 1 })) ?? {};
      if (!openTurn) return app.events(turn);
      if (openTurn.state === 'running') break;
      // The random numbers repeat after 80, and may answer the same ended call forever. In this case, cancel
      // the turn.
      if (tries <= 12 && runs < 20) await disturb(draw, app, turn);
      else await app.port.post({ kind: 'cancel', turn, body: '{}' });
    }
    await clock.advance(LEASE_MS + 1);
    next = app.resume(turn);
  }
  throw new Error('The turn has not ended after 40 invocations.');
}

describe('nested loops', () => {
  it('record no event after the end of their call, and leave no call open', async () => {
    const numbers = fc.array(fc.nat({ max: 999_999 }), { minLength: 80, maxLength: 80 });
    await fc.assert(
      fc.asyncProperty(numbers, async (drawn) => {
        let at = 0;
        const events = await play((size) => (drawn[at++ % drawn.length] ?? 0) % size);
        expect(findFaults(events)).toEqual([]);
      }),
      { numRuns: 60, endOnFailure: true },
    );
  }, 120_000);
});
