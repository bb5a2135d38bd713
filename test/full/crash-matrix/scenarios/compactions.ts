import * as v from 'valibot';
import { ModelError } from '../../../../src/index.ts';
import { defineAgenticTool } from '../../../../src/kinds/entry.ts';
import { type SummaryOptions, summarize } from '../../../../src/modules/compaction/entry.ts';
import { budget } from '../../../../src/modules/limits/entry.ts';
import type { ScriptedExchange } from '../../../../src/testing/crash-matrix/entry.ts';
import type { ScriptedReply } from '../../../../src/testing/entry.ts';
import type { Scenario } from '../lab/scenario.ts';
import { defineSurvivor } from './survivor.ts';

/** Text that fills a conversation. */
const LONG_TEXT = 'as you asked, and in the way that you had asked for, '.repeat(4);

/** A conversation that is summarized twice. A summary that was already received is not requested again. */
const createCompactionScenario = (
  kind: string,
  options: SummaryOptions,
  summary: readonly ScriptedExchange[],
): Scenario => ({
  kind,
  tells: '"summary":"',
  agent: (kit) =>
    defineSurvivor(
      [kit.tool({ name: 'pay', care: 'reconciled' }), kit.tool({ name: 'mail', care: 'once' })],
      {
        use: [summarize(options)],
      },
    ),
  script: [
    ...summary,
    { to: 'Go.', replies: [{ calls: ['pay'] }, `Paid ${LONG_TEXT}.`] },
    { to: 'And then?', replies: [{ calls: ['mail'] }, `Mailed ${LONG_TEXT}.`] },
    { to: 'Again.', replies: [{ calls: ['pay'] }, `Paid again ${LONG_TEXT}.`] },
  ],
  steps: [{ send: 'Go.' }, { send: 'And then?' }, { send: 'Again.' }],
});

/** The model's context window in tokens of four characters. */
const WINDOW = 1_500;

/** Returns a reply, or the error that the request is too long. */
const replyIfItFits =
  (words: string): ScriptedReply =>
  (request) => {
    const sent = Math.ceil(JSON.stringify([request.messages, request.tools]).length / 4);
    if (sent <= WINDOW) return words;
    throw new ModelError('context-length', 'The request exceeds the context window.', {
      length: { sent, most: WINDOW },
    });
  };

/**
 * Results that exceed the context window, in a turn and in a nested loop. Results are shortened and earlier
 * turns are dropped.
 */
const tooLongScenario: Scenario = {
  kind: 'context-length',
  tells: '"type":"conversation-cut"',
  agent: (kit) => {
    const read = kit.tool({ name: 'read', care: 'idempotent', answer: () => 'kelp '.repeat(1_600) });
    const work = defineAgenticTool({
      name: 'work',
      description: 'Works.',
      input: v.object({ task: v.string() }),
      tools: [read],
    });
    return defineSurvivor([kit.tool({ name: 'pay', care: 'reconciled' }), read, work], {
      use: [budget({ tokens: 400_000 })],
    });
  },
  script: [
    { to: 'Go.', replies: [{ calls: ['pay'] }, 'Paid.'] },
    { to: 'Read.', replies: [{ calls: ['read'] }, replyIfItFits('Kelp.')] },
    { to: 'Work.', replies: [{ calls: [{ name: 'work', input: { task: 'inside' } }] }, 'Worked.'] },
    { to: '"inside"', replies: [{ calls: ['read'] }, replyIfItFits('Kelp again.')] },
    { to: 'And pay.', replies: [{ calls: ['pay'] }, replyIfItFits('Paid again.')] },
  ],
  steps: [{ send: 'Go.' }, { send: 'Read.' }, { send: 'Work.' }, { send: 'And pay.' }],
};

export const compactions: readonly Scenario[] = [
  createCompactionScenario(
    'compaction',
    {
      overTokens: 60,
      keepTurns: 1,
      summarize: (messages) => `Before that: ${messages.length} messages.`,
    },
    [],
  ),
  createCompactionScenario('compaction-by-model', { overTokens: 60, keepTurns: 0 }, [
    { to: '{"assistant":', replies: ['In short: it was paid.'] },
  ]),
  {
    // A dropped summary is not requested again by a later invocation.
    ...createCompactionScenario('compaction-dropped', { overTokens: 60, keepTurns: 0 }, [
      { to: '{"assistant":', replies: [' '] },
    ]),
    tells: '"module":"compaction"',
  },
  tooLongScenario,
];
