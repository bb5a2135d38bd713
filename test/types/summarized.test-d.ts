import { expectTypeOf } from 'vitest';
import type { ModuleUse } from '../../src/index.ts';
import type { HistoryMessage } from '../../src/kinds/entry.ts';
import { type SummaryOptions, summarize } from '../../src/modules/compaction/entry.ts';

// A function or the model summarizes a conversation. Only the model accepts instructions.
const overTokens = { overTokens: 10_000 };
expectTypeOf(summarize(overTokens)).toEqualTypeOf<ModuleUse>();
summarize({ ...overTokens, keepTurns: undefined, summarize: undefined, instructions: 'Be brief.' });
summarize({ ...overTokens, keepTurns: 0, instructions: undefined, summarize: () => 'They talked.' });
summarize({
  ...overTokens,
  summarize: async (messages, signal) => {
    expectTypeOf(messages).toEqualTypeOf<readonly HistoryMessage[]>();
    expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
    return 'They talked.';
  },
});
export const options: readonly SummaryOptions[] = [
  overTokens,
  { ...overTokens, summarize: () => 'They talked.' },
];

const both = { summarize: () => '', instructions: 'Be brief.' };
// @ts-expect-error: the instructions would have no reader
summarize({ ...overTokens, ...both });
// @ts-expect-error: it never summarizes
summarize({ keepTurns: 2 });
// @ts-expect-error: a summary is text
summarize({ ...overTokens, summarize: () => 7 });
