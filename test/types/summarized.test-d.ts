import { expectTypeOf } from 'vitest';
import type { ModuleUse } from '../../src/index.ts';
import type { HistoryMessage } from '../../src/kinds/entry.ts';
import { type SummaryOptions, summarize } from '../../src/modules/compaction/entry.ts';

// A function or the model summarizes a conversation. Instructions are for the model only.
const over = { overTokens: 10_000 };
expectTypeOf(summarize(over)).toEqualTypeOf<ModuleUse>();
summarize({ ...over, keepTurns: undefined, summarize: undefined, instructions: 'Be brief.' });
summarize({ ...over, keepTurns: 0, instructions: undefined, summarize: () => 'They talked.' });
summarize({
  ...over,
  summarize: async (messages, signal) => {
    expectTypeOf(messages).toEqualTypeOf<readonly HistoryMessage[]>();
    expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
    return 'They talked.';
  },
});
export const options: readonly SummaryOptions[] = [over, { ...over, summarize: () => 'They talked.' }];

const both = { summarize: () => '', instructions: 'Be brief.' };
// @ts-expect-error: the instructions would have no reader
summarize({ ...over, ...both });
// @ts-expect-error: it never summarizes
summarize({ keepTurns: 2 });
// @ts-expect-error: a summary is text
summarize({ ...over, summarize: () => 7 });
