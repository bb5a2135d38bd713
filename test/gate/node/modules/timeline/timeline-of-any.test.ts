/** Properties of every timeline, tested with random journals and with journals of earlier versions. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SessionEvent, StoredEvent } from '../../../../../src/journal/entry.ts';
import {
  type CallNode,
  createTimeline,
  type LoopNode,
  type TurnTimeline,
} from '../../../../doors/timeline.ts';
import { readEvents } from '../../../../journals/folds.ts';
import { listVersions, readFolder } from '../../../../journals/kept.ts';
import { validJournal } from '../../journal/random-journal.ts';

/** A node and its parent. */
interface PlacedNode {
  readonly node: {
    readonly id: string;
    readonly start: number;
    readonly end?: number;
    readonly seqs: readonly number[];
  };
  readonly around?: PlacedNode['node'];
}

const listLoopNodes = (loop: LoopNode, around: PlacedNode['node']): PlacedNode[] => [
  { node: { ...loop, seqs: [...loop.seqs, ...loop.marks.map(({ seq }) => seq)] }, around },
  ...loop.iterations.flatMap((iteration) => [
    { node: iteration, around: loop },
    { node: iteration.model, around: iteration },
    ...iteration.model.attempts.map((node) => ({ node, around: iteration.model })),
    ...iteration.calls.flatMap((call) => listCallNodes(call, iteration)),
  ]),
];

const listCallNodes = (call: CallNode, around: PlacedNode['node']): PlacedNode[] => [
  { node: call, around },
  ...[...call.attempts, ...call.waits].map((node) => ({ node, around: call })),
  ...(call.loop ? listLoopNodes(call.loop, call) : []),
];

const listNodes = (turn: TurnTimeline): PlacedNode[] => [
  { node: turn },
  ...turn.invocations.map((node) => ({ node, around: turn })),
  ...listLoopNodes(turn.loop, turn),
];

const listTurns = (events: readonly StoredEvent[]): string[] => [
  ...new Set(events.flatMap((event) => (event.type === 'turn-started' ? event.turn : []))),
];

/** Returns the problems of a turn's timelines, one for each prefix of its events. */
function findProblems(events: readonly StoredEvent[], turn: string): string[] {
  const own = events.filter((event) => 'turn' in event && event.turn === turn);
  let before: readonly string[] = [];
  // Checks at most about a hundred prefixes of a long turn.
  const step = Math.ceil(own.length / 100);
  const problems: string[] = [];
  for (let length = 1; length <= own.length; length += step) {
    const timeline = createTimeline(own.slice(0, length), turn);
    if (!timeline) return ['It has no timeline.'];
    const nodes = listNodes(timeline);
    const ids = new Set(nodes.map(({ node }) => node.id));
    const seqs = nodes.flatMap(({ node }) => node.seqs).sort((a, b) => a - b);
    const expected = own.slice(0, length).map(({ seq }) => seq);
    const recordProblem = (problem: string) => problems.push(`after ${expected.at(-1)}: ${problem}`);
    if (seqs.join() !== expected.join()) recordProblem(`the events ${seqs.join()}`);
    if (ids.size < nodes.length) recordProblem('an id twice');
    for (const { node, around } of nodes) {
      const [end = Infinity, outer = Infinity] = [node.end, around?.end];
      if (end < node.start || node.start < (around?.start ?? 0) || end > outer)
        recordProblem(`the times of ${node.id}`);
    }
    // Only the node of a request that was never sent may disappear.
    const gone = before.filter((id) => !ids.has(id) && !/\/\d+(\/model(\/attempt\.\d+)?)?$/.test(id));
    if (gone.length > 0) recordProblem(`gone: ${gone.join()}`);
    before = [...ids];
  }
  return problems;
}

/** A reply that is stored after its turn was handed over, and before another invocation resumes the turn. */
const REPLY_AFTER_HAND_OVER: SessionEvent[] = [
  { type: 'session-opened', incarnation: 'i1', agent: 'tester' },
  { type: 'turn-started', turn: 't1', loopId: 't1', message: 'Hi', context: {}, principal: { id: 'ann' } },
  { type: 'turn-yielded', turn: 't1', reason: 'its client has gone' },
  { type: 'model-replied', turn: 't1', model: 'm', text: '', toolCalls: [], finish: 'stop' },
  { type: 'turn-resumed', turn: 't1', cause: 'handed-over' },
  { type: 'turn-ended', turn: 't1', outcome: 'completed' },
];

describe('the timeline of any turn, cut off at any event', () => {
  it('has each event in one node, and each node within its parent', () => {
    fc.assert(
      fc.property(validJournal, (journal) => {
        const events = journal.map((event, index) => ({ ...event, seq: index + 1, at: 10 * (index + 1) }));
        expect(listTurns(events).flatMap((turn) => findProblems(events, turn))).toEqual([]);
      }),
      { numRuns: 50, examples: [[REPLY_AFTER_HAND_OVER]] },
    );
  });

  const kept = listVersions().flatMap((version) =>
    [...readFolder(version).journals].map(
      ([name, { dump }]) => [`${version}/${name}`, readEvents(dump)] as const,
    ),
  );

  it.each(kept)('has these properties for the stored session %s', (_, events) => {
    expect(listTurns(events).flatMap((turn) => findProblems(events, turn))).toEqual([]);
  });

  it('is made in time proportional to the number of events', () => {
    const place = { principal: { id: 'ann' }, context: {}, loopId: 't1', message: 'Hi' };
    const createStep = (seq: number): StoredEvent[] => {
      const [turn, call] = ['t1', `t1.${seq}.0`];
      const toolCalls = [{ id: call, providerId: 'p', name: 'look', input: '{}' }];
      return [
        { type: 'model-replied', seq, at: seq, turn, model: 'm', text: '', toolCalls, finish: 'stop' },
        { type: 'tool-call-ended', seq: seq + 1, at: seq, turn, call, result: { type: 'text', content: '' } },
      ];
    };
    const events: StoredEvent[] = [{ type: 'turn-started', turn: 't1', seq: 1, at: 1, ...place }];
    for (let at = 1; at <= 50_000; at += 1) events.push(...createStep(2 * at));
    const began = performance.now();
    createTimeline(events, 't1');
    // Takes about 0.2 s on a quiet machine. Quadratic code would take longer than the limit.
    expect(performance.now() - began).toBeLessThan(6_000);
  });
});
