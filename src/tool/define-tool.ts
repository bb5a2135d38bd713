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
  type InputDeclaration,
  type InputOf,
  type LenientSchema,
  lenientSchema,
  oneString,
} from './input-schema.ts';
import type { ForeignToolKeys } from './instead.ts';
import type { JsonObject } from './json.ts';
import { literals } from './literals.ts';
import type { Inferred, KeptAs, ReturnsJson, ReturnsType } from './returned.ts';
import type { Tool } from './tool.ts';
import { type ToolResult, toolResult } from './tool-result.ts';

/** Milliseconds that a `run` has when its tool does not say. */
export const DEFAULT_TIMEOUT = 30_000;

/** The longest timeout, 15 minutes: no invocation of the platform that works in the background lives longer. */
export const MAX_TIMEOUT = 15 * 60_000;

const EFFECTS: readonly Effect[] = ['read', 'idempotent', 'once'];

/**
 * Makes a tool of one literal. Its input is validated before `run`, and a bad one is answered with every problem at once. `Input` of
 * the tool is what `run` is given, the schema's output. A tool that the
 * caller runs is made by `defineManualTool` of `holdfast/answers`.
 *
 * @throws ToolDefinitionError when the tool cannot work.
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
  config: ToolConfig<Name, Declaration, Output> & { readonly output?: Type | undefined } & ReturnsJson<
      KeptAs<Inferred<Type>, Inferred<Output>>
    > &
    ReturnsType<Inferred<Output>, Inferred<Type>> &
    ForeignToolKeys,
): Tool<Name, InputOf<Declaration>, Output> {
  checkToolLiteral(config, 'defineTool');
  const { name, description, output, expose } = config;
  checkNaming(name, description);
  const metadata = readMetadata(name, config.metadata ?? {});
  const { effect, execution } = executionOf<Declaration, Output>(config);
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

/** The literal that `defineTool` takes. */
export type ToolConfig<Name extends string, Declaration extends InputDeclaration, Output> = ToolConfigBase<
  Name,
  Declaration
> &
  RunConfig<Declaration, Output> &
  ReconcileConfig<Declaration>;

/** What all tools say of themselves. */
export interface ToolConfigBase<Name extends string, Declaration extends InputDeclaration> {
  /** Letters, digits, `_` and `-`, at most 64. */
  readonly name: Name;
  /** What the tool does and when to use it, for the model. */
  readonly description: string;
  /** Valibot, Zod 4, ArkType, another Standard Schema with a JSON Schema converter, or JSON Schema. Absent: no input. */
  readonly input?: Declaration | undefined;
  /** Calls of one batch that share this word run one after another. */
  readonly serial?: string | undefined;
  /** The turn may end with this tool's result, without another model call. */
  readonly returnDirect?: boolean | undefined;
  /** For programs that list tools; never sent to a model. Must be JSON. */
  readonly metadata?: JsonObject | undefined;
  /**
   * What it returns: a schema, or a domain type, which names its artifacts too. A value that does not fit is an error result, and the
   * log shows it. Its JSON is kept as the tool returned it.
   */
  readonly output?: StandardSchemaV1 | undefined;
  /**
   * What it throws may be told to every client where it ends the turn: its words are the `error` of the failed turn. Unless this is
   * true they stand in the result of the call alone, which the model and the session's owner read, and in the log.
   */
  readonly expose?: boolean | undefined;
}

/** What tools say that run here. */
export interface RunConfig<Declaration extends InputDeclaration, Output> {
  /** Milliseconds that `run` has, 30,000 unless given, at most 900,000 (15 minutes). Its signal is aborted then. */
  readonly timeout?: number | undefined;
  /**
   * Requests to other services that one `run` makes at the most; 1 unless given. The platform limits those of an
   * invocation: a run that has too few left is left to the next one.
   */
  readonly subrequests?: number | undefined;
  /** Does the work. What it returns becomes a result as `toToolResult` says; what it throws, an error. */
  readonly run: (input: InputOf<Declaration>, call: CallContext) => Output | Promise<Output>;
}

/** What may happen to calls that were cut off. */
export type ReconcileConfig<Declaration extends InputDeclaration> =
  | {
      /** What may happen if a call is run twice; `once`, the careful one, unless given. */
      readonly effect?: 'once' | undefined;
      /**
       * Finds out what became of a call that started and whose end is not known, within the `timeout`. `not-done` says that it did
       * not happen and cannot happen any more: a request of a young call (by `call.startedAt`) may still be on its way, and is
       * `unknown`. The tool runs at most once only if that word is true.
       */
      readonly reconcile?:
        | ((input: InputOf<Declaration>, call: CallContext) => Reconciliation | Promise<Reconciliation>)
        | undefined;
    }
  /** These calls are run again instead. */
  | { readonly effect: Exclude<Effect, 'once'>; readonly reconcile?: undefined };

/** What is done with a checked input. */
interface Executing<Input> {
  readonly effect: Effect;
  execution(input: Input): ToolEffect;
}

/** @throws ToolDefinitionError if the tool cannot be run so. */
function executionOf<Declaration extends InputDeclaration, Output>(
  config: ToolConfig<string, Declaration, Output>,
): Executing<InputOf<Declaration>> {
  const { name, run, effect = 'once', timeout = DEFAULT_TIMEOUT, subrequests, reconcile } = config;
  if (run === undefined)
    throw new ToolDefinitionError(name, 'run', `it has no 'run'${literals?.toRun ?? '.'}`);
  checkWord(name, { effect }, EFFECTS);
  // Both may come from an environment. By one an effect is cut off, by the other a turn is handed over in time.
  checkTime(name, { timeout }, MAX_TIMEOUT);
  if (!Number.isSafeInteger(subrequests ?? 0) || Number(subrequests ?? 0) < 0)
    throw new ToolDefinitionError(
      name,
      'subrequests',
      `its subrequests are ${subrequests}; they must be a whole number.`,
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

/** A result whose artifact has no type of its own gets the domain type that its tool declares. */
export const withOutputType = (result: ToolResult, output: StandardSchemaV1 | undefined): ToolResult =>
  result.type === 'artifact' &&
  !(result.artifactType ?? result.artifactTypes) &&
  output &&
  isDomainType(output)
    ? toolResult({ ...result, artifactType: output.name })
    : result;

/** The literal that `defineTextTool` takes: that of `defineTool`, without an input. */
export type TextToolConfig<Name extends string, Output> = ToolConfig<Name, LenientSchema<string>, Output> & {
  readonly input?: undefined;
};

/**
 * Makes a tool whose `run` is given text. The model is shown one string, `input`. Whatever it sends reaches
 * `run`: the raw text when that is no JSON object or has no `input`, JSON text for an `input` that is no string, and
 * the empty text for `null`.
 *
 * @throws ToolDefinitionError when the tool cannot work.
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
  config: TextToolConfig<Name, Output> & ReturnsJson<Inferred<Output>>,
): Tool<Name, string, Output> {
  const declared = INPUT_WORDS.find((word) => Reflect.get(config, word) !== undefined);
  if (declared !== undefined) {
    const problem = `it has '${declared}', but a text tool is given one text and nothing else; use defineTool.`;
    throw new ToolDefinitionError(config.name, declared, problem);
  }
  const withInput: ToolConfig<Name, LenientSchema<string>, Output> = { ...config, input: textInput };
  return { ...defineTool(withInput), readInput: readText };
}

/** How plain JavaScript might declare an input that a text tool does not have. */
const INPUT_WORDS = ['input', 'parameters', 'inputSchema'];

/** The input of a text tool. */
export const toTextInput = (input: string): JsonObject => ({ input });

const textInput = lenientSchema(oneString('input', 'The input to pass to the tool'), toText);

function readText(raw: string): JsonObject {
  const parsed = parseToolInput('', raw);
  return parsed.ok && Object.hasOwn(parsed.input, 'input') ? parsed.input : toTextInput(raw);
}

function toText(sent: JsonObject): string {
  const input = Object.hasOwn(sent, 'input') ? sent.input : sent;
  if (typeof input === 'string') return input;
  return input === null ? '' : JSON.stringify(input);
}
