import { CODE, type TurnPrincipal } from '../../tool/call.ts';
import { ToolDefinitionError } from '../../tool/check-definition.ts';
import { consoleLog } from '../../tool/console-log.ts';
import { copyJson } from '../../tool/copy-json.ts';
import type { JsonObject } from '../../tool/json.ts';
import type { AnyTool, LoopView } from '../../tool/tool.ts';
import { type ContextValues, ToolCallContext } from '../../tool/tool-call-context.ts';
import { placeInnerTools } from './strategy.ts';
import { innerTools, unfoldingIn } from './unfolding.ts';

/** What a selector, or a function that answers tools, may read of a loop, where there is none. */
export interface ToolsForOptions {
  readonly context?: ContextValues | ToolCallContext | undefined;
  /** `{ id: 'code' }` unless given. */
  readonly principal?: TurnPrincipal | undefined;
}

/**
 * Tells outside of a loop which tools an unfolding tool would bring for an input, as they would be offered beside no others: with
 * what guards them. The input is what a model would send, and is checked. Nothing is opened, and nothing is remembered; the
 * code of the unfolding tool is handed a loop in which nothing has happened.
 *
 * @throws ToolDefinitionError when it is no unfolding tool, or finds out in a turn what it brings; TypeError when the input is not
 *   valid, in the words that the model would read; what the code of the unfolding tool throws.
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
  const unfolding = unfoldingIn(facade);
  if (!unfolding) throw new ToolDefinitionError(facade.name, 'tools', 'it is no unfolding tool.');
  if (unfolding.prepare) {
    throw new ToolDefinitionError(facade.name, 'prepare', 'it finds out in a turn what it brings.');
  }
  const checked = await facade.check(input);
  if (!checked.ok) throw new TypeError(checked.answer.content);
  const copy = copyJson(checked.value);
  if (!copy.ok) {
    throw new TypeError(`Its schema makes of the value at \`${copy.problem.path}\` ${copy.problem.what}.`);
  }
  const tools = innerTools(unfolding.into, { call: '', input: copy.value }, viewOf(options));
  return placeInnerTools([], facade, tools);
}

const viewOf = ({ context = {}, principal = CODE }: ToolsForOptions): LoopView => ({
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
  log: consoleLog(),
  history: () => [],
});
