/** Defines tools that the caller runs. */
import { checkTime, checkToolLiteral } from '../../tool/check-definition.ts';
import { withCheckedInput } from '../../tool/check-input.ts';
import type { LiteralShape } from '../../tool/check-literal.ts';
import { decorate } from '../../tool/decorate.ts';
import { defineTool, type ToolConfigBase, withOutputType } from '../../tool/define-tool.ts';
import type { InputDeclaration, InputOf } from '../../tool/input-schema.ts';
import type { ForeignToolKeys, LeaveOut } from '../../tool/instead.ts';
import type { AnyTool, CallRun, Tool } from '../../tool/tool.ts';
import type { ToolResult } from '../../tool/tool-result.ts';
import { answers } from './answers.ts';

/** The configuration of `defineManualTool`. */
export interface ManualToolConfig<Name extends string, Declaration extends InputDeclaration>
  extends ToolConfigBase<Name, Declaration> {
  /** Milliseconds until a call without a result ends with an error. Defaults to never. */
  readonly expires?: number | undefined;
}

/** Fields that only tools with a `run` have. */
interface CallerRunKeys extends Pick<ForeignToolKeys, 'inputSchema' | 'parameters'> {
  readonly effect?: LeaveOut<'its caller runs it'> | undefined;
  readonly run?: LeaveOut<'its caller runs it'> | undefined;
  readonly execute?: LeaveOut<'its caller runs it'> | undefined;
}

/**
 * Creates a tool that the caller runs. Each valid call suspends the turn until its result arrives at `POST
 * .../results/{callId}`.
 *
 * @throws ToolDefinitionError if the tool cannot work.
 *
 * @example
 * ```ts
 * const locate = defineManualTool({ name: 'locate', description: 'Returns where the user is.', expires: 60_000 });
 * ```
 */
export function defineManualTool<
  const Name extends string,
  const Declaration extends InputDeclaration = undefined,
>(config: ManualToolConfig<Name, Declaration> & CallerRunKeys): Tool<Name, InputOf<Declaration>> {
  checkToolLiteral(config, SHAPE);
  const { expires, ...declared }: ManualToolConfig<Name, Declaration> = config;
  const tool = defineTool<Name, Declaration>({ ...declared, effect: 'read', run: () => undefined });
  const receive = createCallerRun(tool.name, expires);
  return {
    ...tool,
    effect: 'none',
    uses: [answers],
    call: withCheckedInput(tool, async ({ call }) => withOutputType(await receive(call), tool.output)),
  };
}

/**
 * Returns a copy of the tool that the caller runs. A valid call suspends the turn until its result arrives at
 * `POST .../results/{callId}`. An invalid input gets the usual error. `expires` is the time in milliseconds
 * until a call without a result ends with an error. Defaults to never.
 *
 * @throws ToolDefinitionError if `expires` is not more than 0.
 *
 * @example
 * ```ts
 * const byTheClient = manual(refundOrder, { expires: 60 * 60_000 });
 * ```
 */
export function manual<T extends AnyTool>(
  tool: T,
  { expires }: { readonly expires?: number | undefined } = {},
): T {
  const receive = createCallerRun(tool.name, expires);
  return decorate(tool, {
    effect: 'none',
    uses: [...(tool.uses ?? []), answers],
    call: withCheckedInput(tool, async ({ call }) => withOutputType(await receive(call), tool.output)),
  });
}

const SHAPE = {
  of: 'defineManualTool',
  keys: {
    name: 'text',
    description: 'text',
    input: 'any',
    expires: 'any',
    serial: 'any',
    returnDirect: 'any',
    expose: 'any',
    metadata: 'any',
    output: 'any',
  },
  required: ['name', 'description'],
  foreign: {},
  senseless: {
    effect: 'its caller runs it, and the turn waits for the result. Omit it',
    reconcile: 'its caller runs it, and the turn waits for the result. Omit it',
    timeout: "its caller runs it. Set the time limit for the result with 'expires'",
    run: "its caller runs it. Omit it, or use defineTool from 'holdfast' for a tool that runs here",
    execute: "its caller runs it. Omit it, or use defineTool from 'holdfast' for a tool that runs here",
  },
} satisfies LiteralShape<keyof ManualToolConfig<string, undefined>>;

/**
 * Returns a function that asks the caller to run a call, and waits at most `expires` milliseconds for the
 * result.
 *
 * @throws ToolDefinitionError if `expires` is not more than 0.
 */
function createCallerRun(tool: string, expires: number | undefined): (call: CallRun) => Promise<ToolResult> {
  checkTime(tool, { expires });
  return (call) => call.ask({ for: 'result', message: `Run '${call.tool}' and send its result.`, expires });
}
