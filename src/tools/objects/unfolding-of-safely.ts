import type { UnfoldingTool } from '../facades/unfolding-config.ts';
import { type UnfoldingDeclaration, unfoldingOf } from './unfolding-of.ts';

/**
 * `unfoldingOf` for objects that may have none: where that throws, whatever the reason, the answer is `undefined`, and one
 * debug line says why (UNF-21).
 */
export function unfoldingOfSafely(
  object: unknown,
  options?: Partial<UnfoldingDeclaration>,
): UnfoldingTool | undefined {
  try {
    return unfoldingOf(Object(object), options);
  } catch (reason) {
    console.debug('holdfast: no unfolding tool of an object', reason);
    return undefined;
  }
}
