import { defineToolKind } from '../tools/define-tool-kind.ts';
import { OPENINGS } from '../tools/facades/openings.ts';
import { unfoldingStrategy } from './unfolding-strategy.ts';

/** Remembers the facades that are open, and offers what is inside them. */
export const UNFOLDING = defineToolKind({
  name: 'holdfast:unfolding',
  memory: OPENINGS,
  strategy: unfoldingStrategy,
});
