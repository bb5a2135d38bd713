import { describe, expect, it } from 'vitest';
import { defineTool } from '../../../../src/index.ts';
import { createManualClock } from '../../../../src/testing/entry.ts';
import type { FeedItem } from '../../../doors/session.ts';
import { advanceUntilSettled, LEASE_MS } from '../session/former-holder.ts';
import { createMemoryApp } from '../session/memory-app.ts';
import { callTools, createAnsweringTool, defineAgentic } from './scenes.ts';

const createTask = (name: string) => [name, { task: `${name}.` }] as const;

describe('a turn that is cancelled inside a nested loop', () => {
  it('answers every open call, and aborts the signal of the inner call', async () => {
    const clock = createManualClock(1_000_000);
    const aborted: unknown[] = [];
    let waiting = false;
    const waits = defineTool({
      name: 'waits',
      description: 'Waits.',
      effect: 'read',
      run: (_, { signal }) =>
        new Promise((_resolve, reject) => {
          waiting = true;
          signal.addEventListener('abort', () => {
            aborted.push(signal.reason);
            reject(signal.reason);
          });
        }),
    });
    const app = createMemoryApp({
      tools: [defineAgentic('dig', [waits])],
      replies: [callTools(createTask('dig')), callTools('waits')],
      clock,
      leaseMs: LEASE_MS,
    });
    const leased = await app.lease('Go.');
    const run = app.run(leased);
    await expect.poll(() => waiting).toBe(true);
    await app.port.post({ kind: 'cancel', turn: leased.page.openTurn?.id ?? '', body: '{}' });
    const end = await advanceUntilSettled(clock, run);
    expect(end).toMatchObject({ status: 'ended', turn: { outcome: 'cancelled' } });
    expect(aborted).toHaveLength(1);
    const state = await app.state();
    expect(state.turn?.frames.size).toBe(0);
    const texts = state.messages.flatMap((message) =>
      message.role === 'assistant' ? message.calls.map(({ ended }) => ended?.result) : [],
    );
    expect(texts).toMatchObject([{ type: 'error', reason: 'unknown-outcome' }]);
  });
});

describe("a watcher's view of a nested loop", () => {
  it('shows its streamed text with its frame, separate from the text of the outer loop', async () => {
    const app = createMemoryApp({
      tools: [defineAgentic('dig', [createAnsweringTool('look', 'seen')])],
      replies: [
        callTools(createTask('dig')),
        callTools('look'),
        { text: 'Found it.', pieces: ['Found ', 'it.'] },
        'Done.',
      ],
    });
    const pieces: { readonly frame: string; readonly text: string; readonly reply: string }[] = [];
    const show = (item: FeedItem): void => {
      if (item.type === 'text-delta') pieces.push({ frame: '', ...item });
    };
    const end = await app.say('Go.', { show });
    expect(end).toMatchObject({ turn: { text: 'Done.' } });
    const inside = pieces.filter(({ frame }) => frame !== '');
    expect(inside.map(({ text, reply }) => [reply, text])).toEqual([
      ['2.1', 'Found '],
      ['2.1', 'it.'],
    ]);
    expect(new Set(inside.map(({ frame }) => frame)).size).toBe(1);
    expect(
      pieces
        .filter(({ frame }) => frame === '')
        .map(({ text }) => text)
        .join(''),
    ).toBe('Done.');
  });
});
