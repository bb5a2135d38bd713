import { defineToolKind } from '../../tool/define-tool-kind.ts';
import { OPENINGS } from '../../tool/unfolding/facade.ts';
import { unfoldingStrategy } from './unfolding-strategy.ts';

/** Remembers the facades that are open, and offers what is inside them. */
export const UNFOLDING = defineToolKind({
  name: 'holdfast:unfolding',
  memory: OPENINGS,
  strategy: unfoldingStrategy,
});
