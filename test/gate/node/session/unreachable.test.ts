/** A session whose object is unreachable from inside the loop of a turn. */
import * as v from 'valibot';
import { beforeEach, describe, expect, it } from 'vitest';
import { content, defineAgent, defineTool, image } from '../../../../src/index.ts';
import { defineSubagent } from '../../../../src/kinds/entry.ts';
import { createManualClock, type ManualClock, type SessionPort } from '../../../../src/testing/entry.ts';
import { SessionUnavailableError } from '../../../doors/session.ts';
import { advanceUntilSettled } from './former-holder.ts';
import { createMemoryApp } from './memory-app.ts';

let clock: ManualClock;
beforeEach(() => {
  clock = createManualClock(1_000_000);
});

const OVERLOADED_ERROR = Object.assign(new Error('Durable Object is overloaded.'), { overloaded: true });
const LOOK_REPLY = { calls: [{ name: 'look' }] };

const look = defineTool({
  name: 'look',
  description: 'Looks.',
  effect: 'read',
  run: () => content([image(new Uint8Array([1, 2, 3]), 'image/png')]),
});

/** A port that cannot read files for the next `times.left` reads. */
const overloadPort =
  (times: { left: number }) =>
  (port: SessionPort): SessionPort => ({
    ...port,
    blob: async (query) => {
      if (times.left <= 0) return port.blob(query);
      times.left -= 1;
      throw new SessionUnavailableError(OVERLOADED_ERROR);
    },
  });

const listYields = (events: readonly { type: string; reason?: string }[]) =>
  events.flatMap(({ type, reason }) => (type === 'turn-yielded' ? [reason] : []));

describe('a turn that cannot read a file from its session', () => {
  it('is handed over at once and resumes with all its results', async () => {
    const times = { left: 0 };
    const replies = [LOOK_REPLY, 'Seen.', 'Still there.'];
    const app = createMemoryApp({ tools: [look], replies, clock, wrap: overloadPort(times) });
    await advanceUntilSettled(clock, app.say('Look.'));
    const leased = await app.lease('And now?');
    const turn = leased.page.openTurn?.id ?? '';
    times.left = 1;
    expect(await advanceUntilSettled(clock, app.run(leased))).toMatchObject({ status: 'handed-over' });
    expect(listYields(await app.events(turn))).toEqual(['its session could not be reached']);
    expect(app.dispatched).toEqual([turn]);
    const next = await app.resume(turn);
    expect(await advanceUntilSettled(clock, app.run(next))).toMatchObject({
      status: 'ended',
      turn: { outcome: 'completed', text: 'Still there.' },
    });
  });

  it('is handed over from inside a nested loop, and the call that opened the loop stays open', async () => {
    const times = { left: 0 };
    const client = new AbortController();
    // The first invocation stops after its nested loop has read a file, so the next one must read the file
    // again.
    const find = defineTool({
      name: 'find',
      description: 'Finds.',
      effect: 'read',
      run: () => client.abort(),
    });
    const watcher = defineSubagent({
      name: 'watcher',
      description: 'Watches.',
      agent: defineAgent({ name: 'watcher', description: 'Watches.', instructions: '', tools: [look, find] }),
      input: v.object({ task: v.string() }),
    });
    const replies = [
      { calls: [{ name: 'watcher', input: { task: 'Watch.' } }] },
      LOOK_REPLY,
      { calls: [{ name: 'find' }] },
      'A gull.',
      'It saw a gull.',
    ];
    const app = createMemoryApp({ tools: [watcher], replies, clock, wrap: overloadPort(times) });
    const leased = await app.lease('Go.');
    const turn = leased.page.openTurn?.id ?? '';
    const end = app.run(leased, { leave: client.signal });
    expect(await advanceUntilSettled(clock, end)).toMatchObject({ status: 'handed-over' });
    times.left = 1;
    expect(await advanceUntilSettled(clock, app.run(await app.resume(turn)))).toMatchObject({
      status: 'handed-over',
    });
    const events = await app.events(turn);
    expect(listYields(events)).toEqual(['its client has gone', 'its session could not be reached']);
    expect(events.filter((event) => event.type === 'tool-call-ended')).toHaveLength(2);
    expect(await advanceUntilSettled(clock, app.run(await app.resume(turn)))).toMatchObject({
      status: 'ended',
      turn: { outcome: 'completed', text: 'It saw a gull.' },
    });
  });

  it('pauses twice as long after each invocation without progress, and is abandoned after 20', async () => {
    const times = { left: 0 };
    const replies = [LOOK_REPLY, 'Seen.'];
    const app = createMemoryApp({ tools: [look], replies, clock, wrap: overloadPort(times) });
    await advanceUntilSettled(clock, app.say('Look.'));
    times.left = Number.POSITIVE_INFINITY;
    let leased = await app.lease('And now?');
    const turn = leased.page.openTurn?.id ?? '';
    const pauses: number[] = [];
    let end = await advanceUntilSettled(clock, app.run(leased));
    for (; end.status === 'handed-over'; end = await advanceUntilSettled(clock, app.run(leased))) {
      const before = clock.now();
      while (app.dispatched.length === pauses.length) await clock.advance(1_000);
      pauses.push((clock.now() - before) / 1_000);
      leased = await app.resume(turn);
    }
    const message = 'The turn was taken over 20 times without progress. Its last event is turn-yielded.';
    expect(end).toMatchObject({
      status: 'ended',
      turn: { outcome: 'failed', error: { type: 'stuck', message } },
    });
    expect(pauses).toEqual([0, 1, 2, 4, 8, 16, 32, 64, 128, 256, ...Array.from({ length: 10 }, () => 300)]);
  });
});

describe('a turn that cannot read its credentials from its session', () => {
  it('is handed over and does not fail', async () => {
    const app = createMemoryApp({ replies: ['Done.'], clock });
    const leased = await app.lease('Go.');
    const secrets = async () => {
      throw new SessionUnavailableError(OVERLOADED_ERROR);
    };
    expect(await advanceUntilSettled(clock, app.run(leased, { secrets }))).toMatchObject({
      status: 'handed-over',
    });
    const next = await app.resume(leased.page.openTurn?.id ?? '');
    expect(await advanceUntilSettled(clock, app.run(next))).toMatchObject({
      status: 'ended',
      turn: { text: 'Done.' },
    });
  });
});
