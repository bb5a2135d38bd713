/** Spans of turns that are hard to produce through an app. These tests write the journals themselves. */
import { describe, expect, it } from 'vitest';
import type { SessionEvent } from '../../../../../src/journal/entry.ts';
import { createTimeline } from '../../../../doors/timeline.ts';
import { createRows, toSpans, toTraces } from '../../../../doors/tracing.ts';
import { createWait } from '../../../../fixtures/a-wait.ts';
import { parseSpans, type ReceivedSpan } from '../../../../fixtures/otlp.ts';
import { callEnded, createModelReplied, sessionOpened, turnStarted } from '../../journal/journal.ts';

const turnEnded: SessionEvent = { type: 'turn-ended', turn: 't1', outcome: 'completed' };

/** Returns the spans as a receiver reads them. Events are stored 10 ms apart. */
function createSpans(events: readonly SessionEvent[]): readonly ReceivedSpan[] {
  const stored = events.map((event, index) => ({ ...event, seq: index + 1, at: 10 * (index + 1) }));
  const timeline = createTimeline(stored, 't1');
  if (!timeline) throw new Error('The turn has not started.');
  const turn = { agent: 'clerk', session: 's1', turn: 't1', caller: undefined };
  return parseSpans(JSON.parse(JSON.stringify(toTraces({}, toSpans({ turn, timeline })))));
}

describe('the rows of a turn that stops', () => {
  const exporting = { endpoint: () => '', resource: {}, content: false, metrics: true };
  const turn = { id: 't1', seq: 9, name: '' };

  it('are one row for its traces and one row for its metrics', () => {
    expect(createRows(exporting, { ...turn, stop: 'failed' })).toEqual([
      { ref: '["traces","t1",9]' },
      { ref: '["metrics","t1",9]' },
    ]);
  });

  it('are absent if the turn is suspended', () => {
    expect(createRows(exporting, { ...turn, stop: 'suspended' })).toEqual([]);
  });
});

describe('the spans of a turn', () => {
  it('show the wait of a call inside the call, and both start at the same time', () => {
    const spans = createSpans([
      sessionOpened,
      turnStarted,
      createModelReplied(['c1 pay']),
      { type: 'tool-call-suspended', turn: 't1', call: 'c1', wait: createWait() },
      { type: 'turn-resumed', turn: 't1', cause: 'handed-over' },
      {
        type: 'tool-call-answered',
        turn: 't1',
        call: 'c1',
        answer: { type: 'decision', decision: 'reject' },
      },
      callEnded('c1', { type: 'error', message: 'No.', reason: 'declined' }),
      turnEnded,
    ]);
    const call = spans.find(({ name }) => name === 'execute_tool pay');
    expect(call).toMatchObject({ start: 40, end: 70, isError: true });
    expect(call?.attributes).toMatchObject({ 'error.type': 'declined', 'holdfast.attempts': 0 });
    const waits = spans.filter(({ name }) => name === 'holdfast.wait');
    expect(waits.map(({ parent, start, end, attributes }) => [parent, start, end, attributes])).toEqual([
      [call?.id, 40, 60, { 'holdfast.wait.for': 'decision', 'holdfast.wait.answer': 'reject' }],
    ]);
    const invocations = spans.filter(({ name }) => name === 'holdfast.invocation');
    expect(invocations.map(({ isError, end }) => [isError, end])).toEqual([
      [false, 40],
      [false, 80],
    ]);
  });

  it('include no model call for a planned reply', () => {
    const spans = createSpans([
      sessionOpened,
      turnStarted,
      createModelReplied(['c1 pay'], { planned: true }),
      callEnded('c1'),
      turnEnded,
    ]);
    expect(spans.map(({ name }) => name)).toEqual(['invoke_agent clerk', 'execute_tool pay']);
  });

  it('have an error for a failed model call', () => {
    const error = { type: 'model-failure', message: 'The model is down.' } as const;
    const spans = createSpans([sessionOpened, turnStarted, { ...turnEnded, outcome: 'failed', error }]);
    expect(spans.map(({ name, isError, attributes }) => [name, isError, attributes['error.type']])).toEqual([
      ['invoke_agent clerk', true, 'model-failure'],
      ['chat', true, 'model-failure'],
    ]);
    expect(JSON.stringify(spans)).not.toContain('down');
  });

  it('have at most 128 events each, and only text that Protocol Buffers accept', () => {
    const note: SessionEvent = { type: 'module-event', turn: 't1', module: 'm', facts: [] };
    const notes = Array.from({ length: 300 }, () => note);
    const spans = createSpans([
      sessionOpened,
      turnStarted,
      ...notes,
      createModelReplied([`c1 \ud800pay${'!'.repeat(300)}`]),
      callEnded('c1'),
      turnEnded,
    ]);
    expect(spans[0]?.events).toHaveLength(128);
    expect(spans.at(2)?.name).toBe(`execute_tool \ufffdpay${'!'.repeat(183)}`);
  });
});
