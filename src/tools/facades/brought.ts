import { decorate, unwrapAs } from '../decorate.ts';
import type { AnyTool } from '../tool.ts';

/** Marks a tool that came out of a facade. */
const BROUGHT: unique symbol = Symbol('holdfast.brought');

/** Where a tool that is offered came from. */
interface Origin {
  /** The facades that brought it, as they were offered; more than one have the same tool inside. */
  readonly by: readonly AnyTool[];
  /** It was offered without them. */
  readonly wasThere: boolean;
  /** As the facade has it. */
  readonly inner: AnyTool;
  /** Its name there. */
  readonly name: string;
}

type BroughtTool = AnyTool & { readonly [BROUGHT]: Origin };

const isBrought = (tool: AnyTool): tool is BroughtTool => BROUGHT in tool;

/** Where a tool came from, seen through its decorators; `undefined` when it was there from the start. */
export const originOf = (tool: AnyTool): Origin | undefined => unwrapAs(tool, isBrought)?.[BROUGHT];

/** The tool, known to have come out of a facade. */
export const withOrigin = (tool: AnyTool, origin: Origin): BroughtTool => ({
  ...decorate(tool, {}),
  [BROUGHT]: origin,
});

/** Those of a list that the facade of this name brought. */
export const broughtBy = (tools: readonly AnyTool[], facade: string): readonly AnyTool[] =>
  tools.filter((tool) => isBroughtBy(tool, facade));

/** Whether a facade of this name brought the tool. */
export const isBroughtBy = (tool: AnyTool, facade: string): boolean =>
  originOf(tool)?.by.some(({ name }) => name === facade) ?? false;
