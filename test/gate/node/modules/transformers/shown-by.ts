import type { HistoryMessage } from '../../../../../src/kinds/entry.ts';
import { LOOPS } from '../../../../doors/loop.ts';
import type { ModuleUse } from '../../../../doors/tools.ts';

/** Returns what a use makes of a conversation that a model is shown. */
export const shownBy = (use: ModuleUse, messages: readonly HistoryMessage[]): readonly HistoryMessage[] =>
  LOOPS.of(use)?.history?.(messages, { of: 'conversation', principal: { id: 'tester' }, log: () => {} }) ??
  [];
