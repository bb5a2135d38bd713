import type { FrameState } from '../journal/state.ts';
import type { HistoryMessage } from '../tools/tool.ts';
import { toHistory } from './history.ts';
import type { Loop } from './loop.ts';
import { shownHistory } from './transform.ts';

/**
 * What the model was shown when it made a call, and the reply in which it did. A copy, so that nothing a tool does
 * changes what the journal says.
 */
export const callHistory = (
  loop: Pick<Loop, 'transformers'>,
  { messages }: FrameState,
): readonly HistoryMessage[] =>
  structuredClone([...shownHistory(loop, messages.slice(0, -1)), ...toHistory(messages.slice(-1))]);
