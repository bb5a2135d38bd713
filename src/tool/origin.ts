import { decorate, unwrapAs } from './decorate.ts';
import type { AnyTool } from './tool.ts';

/** Returns where a tool came from, seen through its decorators, or `undefined` if it was there from the start. */
export const originOf = (tool: AnyTool): Origin | undefined => unwrapAs(tool, isBrought)?.[BROUGHT];

/** Where a tool that is offered came from: out of a tool that `opens`. */
interface Origin {
  /** The tools that brought it, as they were offered; more than one have the same tool inside. */
  readonly by: readonly AnyTool[];
  /** It was offered without them. */
  readonly wasThere: boolean;
  /** As the tool around it has it. */
  readonly inner: AnyTool;
  /** The name that it has inside of the tool that brought it. */
  readonly name: string;
}

/** Returns the tool, known to have come out of another. */
export const withOrigin = (tool: AnyTool, origin: Origin): BroughtTool => ({
  ...decorate(tool, {}),
  [BROUGHT]: origin,
});

/** Marks a tool that came out of another. */
const BROUGHT: unique symbol = Symbol('holdfast.brought');

type BroughtTool = AnyTool & { readonly [BROUGHT]: Origin };

const isBrought = (tool: AnyTool): tool is BroughtTool => BROUGHT in tool;
