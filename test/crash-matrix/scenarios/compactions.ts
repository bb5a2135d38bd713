import { type SummaryOptions, summarised } from '../../../src/compaction/summarised.ts';
import type { ScriptedExchange } from '../../../src/testing/crash-matrix/script.ts';
import type { Scenario } from '../lab/scenario.ts';
import { survivor } from './survivor.ts';

/** Words that fill a conversation. */
const AT_LENGTH = 'as you asked, and in the way that you had asked for, '.repeat(4);

/** A conversation whose beginning is summed up twice; what was paid stays paid. */
const compacted = (
  kind: string,
  options: SummaryOptions,
  summary: readonly ScriptedExchange[],
): Scenario => ({
  kind,
  tells: '"type":"conversation-compacted"',
  agent: (kit) =>
    survivor([kit.tool({ name: 'pay', care: 'reconciled' }), kit.tool({ name: 'mail', care: 'once' })], {
      compaction: summarised(options),
    }),
  script: [
    ...summary,
    { to: 'Go.', replies: [['pay'], `Paid ${AT_LENGTH}.`] },
    { to: 'And then?', replies: [['mail'], `Mailed ${AT_LENGTH}.`] },
    { to: 'Again.', replies: [['pay'], `Paid again ${AT_LENGTH}.`] },
  ],
  steps: [{ send: 'Go.' }, { send: 'And then?' }, { send: 'Again.' }],
});

export const compactions: readonly Scenario[] = [
  compacted(
    'compaction',
    {
      overTokens: 60,
      keepTurns: 1,
      summarise: (messages) => `Before that: ${messages.length} messages.`,
    },
    [],
  ),
  compacted('compaction-by-model', { overTokens: 60, keepTurns: 0 }, [
    { to: '{"assistant":', replies: ['In short: it was paid.'] },
  ]),
  {
    // What was paid for in vain is not paid for again by an invocation that comes after.
    ...compacted('compaction-dropped', { overTokens: 60, keepTurns: 0 }, [
      { to: '{"assistant":', replies: [' '] },
    ]),
    tells: '"type":"summary-dropped"',
  },
];
