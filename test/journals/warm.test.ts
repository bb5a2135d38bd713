/**
 * Checks for the memory of every module that a session that continues from any of its snapshots equals a
 * session that is folded from the start.
 */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SessionEvent, StoredEvent } from '../../src/journal/entry.ts';
import type { ToolMemory } from '../../src/module.ts';
import { BRANCHES } from '../doors/branches.ts';
import {
  createEmptyState,
  foldCoveredEvent,
  MESSAGE_TYPES,
  parseSnapshot,
  reduce,
  toSnapshot,
} from '../doors/journal.ts';
import { BUILT_IN_KINDS } from '../doors/kinds.ts';
import { CALL_COUNTS, SUMMARY_MEMORY } from '../doors/limits.ts';
import { SPENDING_MEMORY } from '../doors/loop.ts';
import { listSourceFiles } from '../source/parse-source.ts';
import { readEvents } from './folds.ts';
import { listVersions, readFolder } from './kept.ts';

const MEMORIES: readonly ToolMemory[] = [
  ...BUILT_IN_KINDS.memories,
  SPENDING_MEMORY,
  CALL_COUNTS,
  SUMMARY_MEMORY,
  ...BRANCHES.state,
];

/** Modules that only store facts in the journal. */
const FOLDLESS_MODULES = ['feedback', 'operator-access', 'title'];

const SESSIONS = listVersions().flatMap((version) =>
  [...readFolder(version).journals].map(([name, { dump }]) => ({
    name: `${version}/${name}`,
    events: readEvents(dump),
  })),
);

const createTurnEvents = (id: string): SessionEvent[] => [
  { type: 'turn-started', turn: id, loopId: id, message: 'Go.', context: {}, principal: { id: 'ann' } },
  { type: 'model-replied', turn: id, model: 'm', text: 'Done.', toolCalls: [], finish: 'stop' },
  { type: 'turn-ended', turn: id, outcome: 'completed' },
];

const createForkEvent = (id: string, session: string): SessionEvent => ({
  type: 'module-event',
  turn: id,
  module: 'branches',
  facts: [{ slice: 'branches', fact: { session, at: 4, of: 'i' }, at: 1 }],
});

/** Adds a session with facts outside of turns, because no stored session has such facts. */
SESSIONS.push({
  name: 'notes beside turns',
  events: [
    { type: 'session-opened', incarnation: 'i', agent: 'clerk' } as const,
    ...createTurnEvents('t1'),
    createForkEvent('t1', 's2'),
    ...createTurnEvents('t2'),
    createForkEvent('t1', 's3'),
    ...createTurnEvents('t3'),
  ].map((event, index) => ({ ...event, seq: index + 1, at: index })),
});

type State = ReturnType<typeof createEmptyState>;

/** Continues from a snapshot after writing and reading it, like the next holder of a session. */
function foldFromSnapshot(snapshot: string, events: readonly StoredEvent[], seq: number): State {
  const state = parseSnapshot(snapshot);
  for (const event of events) {
    if (event.seq > seq) reduce(state, event, MEMORIES);
    else if (MESSAGE_TYPES.includes(event.type) && event.seq >= (state.cut?.from ?? 1))
      foldCoveredEvent(state, event);
  }
  return state;
}

const pickMemories = ({ memories, brokenMemories }: State) => ({
  memories: Object.fromEntries([...memories].toSorted(([a], [b]) => a.localeCompare(b))),
  broken: [...(brokenMemories ?? [])],
});

describe.each(SESSIONS)('the stored session $name', ({ events }) => {
  it('has the same state from each of its snapshots as from its first event', () => {
    const cold = createEmptyState();
    const snapshots: { readonly seq: number; readonly body: string }[] = [];
    for (const event of events) {
      reduce(cold, event, MEMORIES);
      if (event.type === 'turn-ended') snapshots.push({ seq: event.seq, body: toSnapshot(cold) });
    }
    for (const { seq, body } of snapshots) {
      expect(pickMemories(foldFromSnapshot(body, events, seq)), `from event ${seq}`).toEqual(
        pickMemories(cold),
      );
    }
  });
});

it('every memory of the library has content in at least one stored session', () => {
  const met = new Set<string>();
  for (const { events } of SESSIONS) {
    const state = createEmptyState();
    for (const event of events) {
      reduce(state, event, MEMORIES);
      for (const { name, scope, initial } of MEMORIES) {
        const nothing = JSON.stringify(scope === 'path' ? {} : initial);
        if (JSON.stringify(state.memories.get(name)) !== nothing) met.add(name);
      }
    }
  }
  expect(MEMORIES.map(({ name }) => name).filter((name) => !met.has(name))).toEqual([]);
});

it('the tested memories include those of every module', () => {
  const root = resolve(import.meta.dirname, '../..');
  const texts = listSourceFiles(root, 'src').map((file) => readFileSync(join(root, file), 'utf8'));
  const findNames = (pattern: RegExp): string[] =>
    texts
      .flatMap((text) => [...text.matchAll(pattern)].flatMap(([, name = '']) => name.split(', ')))
      .toSorted();
  const declared = findNames(/^(?:export )?const (\w+): ToolMemory\b/gm);
  expect(findNames(/createModule\(\{[^()]*\bstate: \[([\w, ]+)\]/g)).toEqual(declared);
  expect(findNames(/^(?:export )?const \w+: ToolMemory\b[^=]*= \{\s*name: '([\w-]+)'/gm)).toEqual(
    [...MEMORIES.map(({ name }) => name), ...FOLDLESS_MODULES].toSorted(),
  );
});
