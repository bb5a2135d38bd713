import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { CallContext, Effect, Reconciliation, ToolEffect } from './call.ts';
import {
  checkNaming,
  checkTime,
  checkToolLiteral,
  checkWord,
  readInput,
  readMetadata,
  ToolDefinitionError,
} from './check-definition.ts';
import { checkCall, checkInput, parseToolInput } from './check-input.ts';
import { isDomainType } from './domain-type.ts';
import {
  createLenientSchema,
  createSingleStringSchema,
  type InputDeclaration,
  type InputOf,
  type LenientSchema,
} from './input-schema.ts';
import type { ForeignToolKeys } from './instead.ts';
import type { JsonObject } from './json.ts';
import { literals } from './literals.ts';
import type { CheckedPart, JsonReturn, ReturnsType, UninferredType } from './returned.ts';
import type { Tool } from './tool.ts';
import { createToolResult, type ToolResult } from './tool-result.ts';

/** The default timeout of `run`, in ms. */
export const DEFAULT_TIMEOUT_MS = 30_000;

/** The maximum timeout, 15 minutes. Background invocations of the platform cannot run longer. */
export const MAX_TIMEOUT_MS = 15 * 60_000;

const EFFECTS: readonly Effect[] = ['read', 'idempotent', 'once'];

/**
 * Defines a tool. Its input is validated before `run`. The error for an invalid input lists every problem.
 * The tool's type parameter `Input` is the schema's output, which `run` receives. For a tool that the caller
 * runs, use `defineManualTool` from `holdfast/answers`.
 *
 * @throws ToolDefinitionError if the tool cannot work.
 *
 * @example
 * ```ts
 * const pay = defineTool({
 *   name: 'pay_invoice',
 *   description: 'Pay an invoice by its number.',
 *   effect: 'once',
 *   input: v.object({ number: v.string() }),
 *   run: ({ number }, call) => ({ paid: number, reference: call.idempotencyKey }),
 * });
 * ```
 */
export function defineTool<
  const Name extends string,
  const Declaration extends InputDeclaration = undefined,
  Output = unknown,
  Type extends StandardSchemaV1 = StandardSchemaV1,
>(
  config: ToolConfig<Name, Declaration, Output> & { readonly output?: Type | undefined } & JsonReturn<
      CheckedPart<UninferredType<Type>, UninferredType<Output>>
    > &
    ReturnsType<UninferredType<Output>, UninferredType<Type>> &
    ForeignToolKeys,
): Tool<Name, InputOf<Declaration>, Output> {
  checkToolLiteral(config, 'defineTool');
  const { name, description, output, expose } = config;
  checkNaming(name, description);
  const metadata = readMetadata(name, config.metadata ?? {});
  const { effect, execution } = createExecution<Declaration, Output>(config);
  const schema = readInput<Declaration>(name, config.input);
  return {
    name,
    description,
    inputSchema: schema.json,
    effect,
    serial: config.serial,
    returnDirect: config.returnDirect ?? false,
    metadata,
    output,
    expose,
    check: (input, as = name) => checkInput(schema, input, as),
    async call(input, call) {
      const parsed = await checkCall(schema, input, call);
      if (!parsed.ok) return parsed.answer;
      return withOutputType(await call.execute(execution(parsed.value)), output);
    },
  };
}

/** The options of `defineTool`. */
export type ToolConfig<Name extends string, Declaration extends InputDeclaration, Output> = ToolConfigBase<
  Name,
  Declaration
> &
  RunConfig<Declaration, Output> &
  ReconcileConfig<Declaration>;

/** The options that all tools share. */
export interface ToolConfigBase<Name extends string, Declaration extends InputDeclaration> {
  /** Letters, digits, `_` and `-`, at most 64. */
  readonly name: Name;
  /** What the tool does and when to use it, for the model. */
  readonly description: string;
  /**
   * A schema of Valibot, Zod 4, ArkType, any other Standard Schema with a JSON Schema converter, or a JSON
   * Schema. Defaults to no input.
   */
  readonly input?: Declaration | undefined;
  /** Calls of a batch whose tools have the same `serial` run one after another. */
  readonly serial?: string | undefined;
  /** If `true`, the turn can end with this tool's result, without another model call. */
  readonly returnDirect?: boolean | undefined;
  /** Metadata for programs that list tools. Never sent to a model. Must be JSON. */
  readonly metadata?: JsonObject | undefined;
  /**
   * The return type: a schema, or a domain type, which also names its artifacts. A value that does not fit
   * becomes an error result, and is logged. The JSON is stored unchanged.
   */
  readonly output?: StandardSchemaV1 | undefined;
  /**
   * If `true`, every client can see the exception that ends a turn, in the `error` of the turn. Otherwise its
   * message is only in the log and in the call's result, which the model and the session's owner see.
   */
  readonly expose?: boolean | undefined;
}

/** The options of tools that run in the Worker. */
export interface RunConfig<Declaration extends InputDeclaration, Output> {
  /**
   * The time limit of `run` in milliseconds, after which its signal aborts. Defaults to 30,000. At most
   * 900,000 (15 minutes).
   */
  readonly timeout?: number | undefined;
  /**
   * The maximum number of requests to other services in one `run`. Defaults to 1. The platform limits the
   * requests of an invocation. If too few are left, the next invocation runs the call.
   */
  readonly subrequests?: number | undefined;
  /** Does the work. `toToolResult` converts its return value to a result. An exception becomes an error. */
  readonly run: (input: InputOf<Declaration>, call: CallContext) => Output | Promise<Output>;
}

/** The options for calls that were cut off. */
export type ReconcileConfig<Declaration extends InputDeclaration> =
  | {
      /** How often a call can run. Defaults to `once`, the most careful. */
      readonly effect?: 'once' | undefined;
      /**
       * Determines, within `timeout`, whether a started call has happened. Return `not-done` only if it did
       * not happen and cannot happen any more. A request of a recent call (by `call.startedAt`) may still be
       * in flight, so return `unknown`. The tool runs at most once only if every `not-done` is true.
       */
      readonly reconcile?:
        | ((input: InputOf<Declaration>, call: CallContext) => Reconciliation | Promise<Reconciliation>)
        | undefined;
    }
  /** These calls run again instead of being reconciled. */
  | { readonly effect: Exclude<Effect, 'once'>; readonly reconcile?: undefined };

/** The effect for a checked input. */
interface ToolExecution<Input> {
  readonly effect: Effect;
  execution(input: Input): ToolEffect;
}

/** @throws ToolDefinitionError if the tool cannot run with these options. */
function createExecution<Declaration extends InputDeclaration, Output>(
  config: ToolConfig<string, Declaration, Output>,
): ToolExecution<InputOf<Declaration>> {
  const { name, run, effect = 'once', timeout = DEFAULT_TIMEOUT_MS, subrequests, reconcile } = config;
  if (run === undefined)
    throw new ToolDefinitionError(name, 'run', `it has no 'run'${literals?.toRun ?? '.'}`);
  checkWord(name, { effect }, EFFECTS);
  // Checked in production too, since both values can come from an environment. The timeout cuts off effects,
  // and the number of requests can cause a hand-over.
  checkTime(name, { timeout }, MAX_TIMEOUT_MS);
  if (!Number.isSafeInteger(subrequests ?? 0) || Number(subrequests ?? 0) < 0)
    throw new ToolDefinitionError(
      name,
      'subrequests',
      `its subrequests are ${subrequests}. Use a whole number of at least 0.`,
    );
  const problem = reconcile && literals?.reconcileProblem(effect);
  if (problem !== undefined) throw new ToolDefinitionError(name, 'reconcile', problem);
  return {
    effect,
    execution: (input) => ({
      effect,
      timeout,
      subrequests,
      run: (call) => run(input, call),
      reconcile: reconcile && ((call) => reconcile(input, call)),
    }),
  };
}

/** Adds the tool's domain type to a result whose artifact has no type. */
export const withOutputType = (result: ToolResult, output: StandardSchemaV1 | undefined): ToolResult =>
  result.type === 'artifact' &&
  !(result.artifactType ?? result.artifactTypes) &&
  output &&
  isDomainType(output)
    ? createToolResult({ ...result, artifactType: output.name })
    : result;

/** The options of `defineTextTool`: those of `defineTool`, without `input`. */
export type TextToolConfig<Name extends string, Output> = ToolConfig<Name, LenientSchema<string>, Output> & {
  readonly input?: undefined;
};

/**
 * Defines a tool whose `run` receives text. The model sees one string property, `input`. Everything that it
 * sends reaches `run`: the raw text if it is not a JSON object or has no `input`, the JSON text of an `input`
 * that is not a string, and an empty string for `null`.
 *
 * @throws ToolDefinitionError if the tool cannot work.
 *
 * @example
 * ```ts
 * const countWords = defineTextTool({
 *   name: 'count_words',
 *   description: 'Count the words of a text.',
 *   effect: 'read',
 *   run: (text) => text.split(/\s+/).length,
 * });
 * ```
 */
export function defineTextTool<const Name extends string, Output = unknown>(
  config: TextToolConfig<Name, Output> & JsonReturn<UninferredType<Output>>,
): Tool<Name, string, Output> {
  const declared = INPUT_KEYS.find((word) => Reflect.get(config, word) !== undefined);
  if (declared !== undefined) {
    const problem = `it has '${declared}', but a text tool only takes text. Use defineTool.`;
    throw new ToolDefinitionError(config.name, declared, problem);
  }
  const withInput: ToolConfig<Name, LenientSchema<string>, Output> = { ...config, input: textInput };
  return { ...defineTool(withInput), readInput: readText };
}

/** Keys that declare an input. A text tool does not have them, but plain JavaScript can pass them. */
const INPUT_KEYS = ['input', 'parameters', 'inputSchema'];

export const toTextInput = (input: string): JsonObject => ({ input });

const textInput = createLenientSchema(
  createSingleStringSchema('input', 'The input to pass to the tool'),
  toText,
);

function readText(raw: string): JsonObject {
  const parsed = parseToolInput('', raw);
  return parsed.ok && Object.hasOwn(parsed.input, 'input') ? parsed.input : toTextInput(raw);
}

function toText(sent: JsonObject): string {
  const input = Object.hasOwn(sent, 'input') ? sent.input : sent;
  if (typeof input === 'string') return input;
  return input === null ? '' : JSON.stringify(input);
}
