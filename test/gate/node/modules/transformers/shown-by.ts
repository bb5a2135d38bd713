import type { HistoryMessage } from '../../../../../src/kinds/entry.ts';
import { LOOPS } from '../../../../doors/loop.ts';
import type { ModuleUse } from '../../../../doors/tools.ts';

/** Returns the conversation that a module shows to a model. */
export const showThrough = (use: ModuleUse, messages: readonly HistoryMessage[]): readonly HistoryMessage[] =>
  LOOPS.of(use)?.history?.(messages, { of: 'conversation', principal: { id: 'tester' }, log: () => {} }) ??
  [];
