import { expectTypeOf } from 'vitest';
import { type Compaction, type HistoryMessage, type SummaryOptions, summarised } from '../../src/index.ts';

// A conversation is summarised by a function or by the model, which alone is told how.
const over = { overTokens: 10_000 };
expectTypeOf(summarised(over)).toEqualTypeOf<Compaction>();
summarised({ ...over, keepTurns: undefined, summarise: undefined, instructions: 'Be brief.' });
summarised({ ...over, keepTurns: 0, instructions: undefined, summarise: () => 'They talked.' });
summarised({
  ...over,
  summarise: async (messages, signal) => {
    expectTypeOf(messages).toEqualTypeOf<readonly HistoryMessage[]>();
    expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
    return 'They talked.';
  },
});
export const options: readonly SummaryOptions[] = [over, { ...over, summarise: () => 'They talked.' }];

const both = { summarise: () => '', instructions: 'Be brief.' };
// @ts-expect-error: nobody would be told
summarised({ ...over, ...both });
// @ts-expect-error: never
summarised({ keepTurns: 2 });
// @ts-expect-error: no text
summarised({ ...over, summarise: () => 7 });
