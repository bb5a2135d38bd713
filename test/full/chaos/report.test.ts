import { describe, expect, it } from 'vitest';
import { computeFigures } from './figures.ts';
import { CALLS, createEffects, createExecution, createLedger, getCallId } from './hand-made.ts';
import { judge } from './oracle.ts';
import { formatReport } from './report.ts';

const createReport = (...parts: Parameters<typeof createLedger>): string => {
  const run = createLedger(...parts);
  return formatReport(computeFigures(run), judge(run));
};

const TOP = [
  'messages: accepted 1: completed 1; without a key, and nobody can know: 0; never taken: 0',
  'requests that joined a turn 1; told to queue 0; taken in by a running turn 0',
  'turns taken over from a dead process 1',
  '',
  'calls and effects         told done   told unknown        not run           seen      run again  unknown, seen',
];

it('a chaos report shows the messages sent, the outcomes that the model saw and the observed effects', () => {
  expect(createReport().split('\n')).toEqual([
    ...TOP,
    'read                              1              0              0              -              -              -',
    'idempotent                        1              0              0              1              0              0',
    'once                              1              0              0              1              0              0',
    'once, reconciles                  1              0              0              1              0              0',
    'once, approved                    0              0              0              0              0              0',
  ]);
});

it('a chaos report shows the number of problems of each kind, and then a limited number of examples', () => {
  const [, , once] = CALLS;
  if (!once) throw new Error('The plan has no third call.');
  const executions = [
    ...createEffects(),
    createExecution(once),
    ...Array.from({ length: 50 }, (_, index) => ({
      ...createExecution(once, { call: `t9.1.${index}`, key: `k${index}` }),
      what: '{"label":"x"}',
    })),
  ];
  const lines = createReport({ executions })
    .split('\n')
    .slice(TOP.length + 6);
  expect(lines.slice(0, 3)).toEqual([
    'findings: doubled 1, write-ahead 50',
    '  doubled: m1.1.3 (once): It happened 2 times, and was told as done.',
    '  write-ahead: x t9.1.0: It happened, and its start is not in the journal.',
  ]);
  expect(lines.at(-1)).toBe('  and 11 more');
  expect(lines.join('\n')).not.toContain(getCallId(once));
});

describe('the figures of the chaos run', () => {
  const idempotent = CALLS[1];
  if (!idempotent) throw new Error('The plan has no second call.');

  it('count messages by outcome, and calls by the reported outcome', () => {
    const figures = computeFigures(
      createLedger({ executions: [...createEffects(), createExecution(idempotent)] }),
    );
    expect(figures).toMatchObject({
      accepted: 1,
      outcomes: { completed: 1 },
      uncertain: 0,
      refused: 0,
      joined: 1,
      queued: 0,
      steered: 0,
      tookOver: 1,
      last: 400,
      longest: 400,
    });
    const one = { told: { done: 1, unknown: 0, failed: 0, 'not-run': 0 }, seen: 1, again: 0, unknownSeen: 0 };
    expect(figures.effects).toEqual([
      { ...one, tool: 'read', seen: 0 },
      { ...one, tool: 'idempotent', again: 1 },
      { ...one, tool: 'once' },
      { ...one, tool: 'reconciled' },
      { ...one, tool: 'approved', told: { ...one.told, done: 0 }, seen: 0 },
    ]);
  });
});
