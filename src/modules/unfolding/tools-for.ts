import { CODE_PRINCIPAL, type TurnPrincipal } from '../../tool/call.ts';
import { ToolDefinitionError } from '../../tool/check-definition.ts';
import { createConsoleLog } from '../../tool/console-log.ts';
import { copyJson } from '../../tool/copy-json.ts';
import type { JsonObject } from '../../tool/json.ts';
import type { AnyTool, LoopView } from '../../tool/tool.ts';
import { type ContextValues, ToolCallContext } from '../../tool/tool-call-context.ts';
import { placeInnerTools } from './strategy.ts';
import { createInnerTools, findUnfolding } from './unfolding.ts';

/** The loop data that selectors and functions for tools can read outside a loop. */
export interface ToolsForOptions {
  readonly context?: ContextValues | ToolCallContext | undefined;
  /** Defaults to `{ id: 'code' }`. */
  readonly principal?: TurnPrincipal | undefined;
}

/**
 * Returns the tools that an unfolding tool would offer for an input, with their guards. For use outside a
 * loop. Checks the input like input from a model. Does not open or record anything. The functions of the
 * unfolding tool receive an empty loop.
 *
 * @throws ToolDefinitionError if it is not an unfolding tool, or loads its tools during a turn.
 * @throws TypeError with the text for the model if the input is invalid. Also rethrows errors of the
 * unfolding tool's own functions.
 *
 * @example
 * ```ts
 * const names = (await toolsFor(database, { connection: 'prod' })).map(({ name }) => name);
 * ```
 */
export async function toolsFor(
  facade: AnyTool,
  input: JsonObject = {},
  options: ToolsForOptions = {},
): Promise<readonly AnyTool[]> {
  const unfolding = findUnfolding(facade);
  if (!unfolding) throw new ToolDefinitionError(facade.name, 'tools', 'it is not an unfolding tool.');
  if (unfolding.prepare) {
    throw new ToolDefinitionError(facade.name, 'prepare', 'its tools are known only during a turn.');
  }
  const checked = await facade.check(input);
  if (!checked.ok) throw new TypeError(checked.answer.content);
  const copy = copyJson(checked.value);
  if (!copy.ok) {
    throw new TypeError(
      `The schema of '${facade.name}' returned ${copy.problem.what} at \`${copy.problem.path}\`.`,
    );
  }
  const tools = createInnerTools(unfolding.into, { call: '', input: copy.value }, createView(options));
  return placeInnerTools([], facade, tools);
}

const createView = ({ context = {}, principal = CODE_PRINCIPAL }: ToolsForOptions): LoopView => ({
  session: '',
  agent: '',
  turn: '',
  turnStartedAt: Date.now(),
  principal,
  frame: '',
  path: '',
  iterations: 0,
  tools: [],
  context: ToolCallContext.of(context),
  blackboard: [],
  recall: ({ initial }) => initial,
  made: (_, make) => make(),
  log: createConsoleLog(),
  history: () => [],
});
