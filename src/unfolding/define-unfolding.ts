import { toUnfolding } from '../tools/facades/to-unfolding.ts';
import type { UnfoldingConfig, UnfoldingTool } from '../tools/facades/unfolding-config.ts';
import type { InputDeclaration, InputOf } from '../tools/input-schema.ts';

/**
 * Makes a tool that stands for others: the model is offered it alone until it calls it, and from the next model call on
 * its tools in its place (UNF-03 to UNF-06). They may be unfolding tools themselves, to any depth. Works in every loop;
 * what is open is remembered by the journal.
 *
 * @throws ToolDefinitionError when the tool cannot work.
 */
export const defineUnfolding = <const Name extends string, Declaration extends InputDeclaration = undefined>(
  config: UnfoldingConfig<Name, Declaration>,
): UnfoldingTool<Name, InputOf<Declaration>> =>
  // `toUnfolding` keeps the name.
  toUnfolding(config) as UnfoldingTool<Name, InputOf<Declaration>>;
