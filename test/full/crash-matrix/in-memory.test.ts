/**
 * The crash matrix in memory: every kind of tool, disturbed at every position. The modes of a disturbance
 * differ only in when an effect happens. So kinds with effects are disturbed in every mode at every position,
 * and other kinds in alternating modes at every second position. `npm run crash-matrix` disturbs all kinds in
 * every mode at every position.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { parseSnapshot, toSnapshot } from '../../doors/journal.ts';
import {
  createCrashableMemorySession,
  type Disturbance,
  isOpenEnded,
  LAST_MESSAGE,
  MODES,
  OFF_SCRIPT_REPLY,
} from '../../doors/testing.ts';
import { foldEvents } from './lab/comparable-result.ts';
import { Trial } from './lab/trial.ts';
import { listCells, listCellsInTurn, playAll } from './matrix.ts';
import { everything } from './scenarios/everything.ts';
import { SCENARIOS } from './scenarios.ts';
import { listFailures } from './table.ts';

const EFFECT_KINDS = [
  'read',
  'idempotent',
  'once',
  'once-reconciled',
  'parallel-batch',
  'serial-lane',
  'everything',
];

/** Returns cells at every second position, in alternating modes. */
const listCellsAtSecond = (trials: readonly Trial[]) =>
  listCellsInTurn(trials).filter(({ disturbance: { at } }) => at % 2 === 0);

it('the in-memory matrix covers every kind of effect', () => {
  const kinds = SCENARIOS.map(({ kind }) => kind);
  expect(EFFECT_KINDS.filter((kind) => !kinds.includes(kind))).toEqual([]);
});

describe.each(SCENARIOS.map((scenario) => [scenario.kind, scenario] as const))('%s', (_, scenario) => {
  let trial: Trial;
  beforeAll(async () => {
    trial = await Trial.of(scenario);
  });

  it('runs to its end without a disturbance', () => {
    const journal = JSON.stringify(trial.result.events);
    expect(journal).not.toContain(OFF_SCRIPT_REPLY);
    expect(journal).toContain(LAST_MESSAGE);
    expect(journal).toContain(scenario.tells ?? '');
    if (isOpenEnded(scenario)) return;
    expect(journal.match(/"type":"error"/g) ?? []).toHaveLength(scenario.refuses ?? 0);
    for (const { replies } of scenario.script) {
      const last = replies.at(-1);
      if (typeof last === 'string') expect(journal).toContain(JSON.stringify(last).slice(1, -1));
    }
  });

  it('leaves a state that can be restored from its snapshot', () => {
    const state = foldEvents(trial.result.events);
    expect(parseSnapshot(toSnapshot(state))).toEqual({
      ...state,
      messages: state.messages.slice(0, state.cut ? 1 : 0),
    });
  });

  it('produces the expected result at every tested disturbance', { timeout: 300_000 }, async () => {
    const isOfEffects = EFFECT_KINDS.includes(scenario.kind);
    const played = await playAll(isOfEffects ? listCells([trial], MODES) : listCellsAtSecond([trial]));
    expect(listFailures(played, 5)).toEqual([]);
    expect(played.length).toBeGreaterThan(trial.positions.length / 2);
  });
});

describe('all kinds of tools together', { timeout: 60_000 }, () => {
  let trial: Trial;
  beforeAll(async () => {
    trial = await Trial.of(everything);
  });

  it('produce the expected result even if the invocation that takes over is disturbed', async () => {
    const first = ['rejects', 'hangs', 'zombie-at-once'] as const;
    const second = ['zombie-at-once', 'zombie-later', 'zombie-amid'] as const;
    const pairs = Array.from({ length: 40 }, (_, i): Disturbance[] => [
      { at: (i * 37) % trial.positions.length, mode: first[i % 3] ?? 'hangs' },
      { at: (i * 7) % 17, mode: second[i % 2] ?? 'hangs' },
    ]);
    const found = await Promise.all(pairs.map((pair) => trial.find(createCrashableMemorySession, pair)));
    const failed = found.flatMap(({ verdict }, i) =>
      verdict.is === 'failed' ? [`${JSON.stringify(pairs[i])}: ${verdict.why[0]}`] : [],
    );
    expect(failed).toEqual([]);
  });
});
