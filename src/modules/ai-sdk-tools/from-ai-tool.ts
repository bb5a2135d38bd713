import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';
import { getErrorMessage } from '../../tool/async.ts';
import type { CallContext, Effect } from '../../tool/call.ts';
import { isTool, ToolDefinitionError } from '../../tool/check-definition.ts';
import { isAiTool, type LiteralShape } from '../../tool/check-literal.ts';
import { defineTool } from '../../tool/define-tool.ts';
import { type InputDeclaration, isStandardSchema } from '../../tool/input-schema.ts';
import { isJsonObject, type JsonSchema } from '../../tool/json.ts';
import { literals } from '../../tool/literals.ts';
import { providerTool } from '../../tool/provider-tool.ts';
import { describeValue, readName, withFullStop } from '../../tool/shown.ts';
import { ToolConfigurationError } from '../../tool/signals.ts';
import type { AnyTool, Tool } from '../../tool/tool.ts';
import { defineManualTool } from '../answers/manual.ts';
import { withAwaiting } from '../decorators/approval.ts';
import { jsonSchema as wrapped } from '../json-schema/json-schema.ts';
import { toAiMessages, toResult } from './messages.ts';

/**
 * An AI SDK tool, as `tool`, `dynamicTool` and providers of the AI SDK create it. This type has no dependency
 * on that package.
 */
export interface AiTool {
  readonly description?: string | ((options: never) => string) | undefined;
  readonly inputSchema: unknown;
  readonly contextSchema?: unknown;
  readonly execute?: ((input: never, options: never) => unknown) | undefined;
  readonly needsApproval?: boolean | ((input: never, options: never) => boolean | PromiseLike<boolean>);
  readonly toModelOutput?: ((options: never) => unknown) | undefined;
  readonly type?: string | undefined;
  readonly id?: `${string}.${string}` | undefined;
  readonly args?: Readonly<Record<string, unknown>> | undefined;
  readonly isProviderExecuted?: boolean | undefined;
}

/** The input of an AI SDK tool's `execute`. */
export type AiToolInput<T extends AiTool> = T extends {
  readonly execute: (input: infer Input, ...rest: never[]) => unknown;
}
  ? Input
  : SchemaValue<T['inputSchema']>;

type SchemaValue<Schema> = Schema extends { readonly _type: infer Value }
  ? Value
  : Schema extends StandardSchemaV1
    ? StandardSchemaV1.InferOutput<Schema>
    : Schema extends () => { readonly _type: infer Value }
      ? Value
      : never;

/** The output of an AI SDK tool's `execute`. If it yields several values, this is the last one. */
export type AiToolOutput<T extends AiTool> = T extends {
  readonly execute: (...given: never[]) => infer Returned;
}
  ? LastValue<Returned>
  : unknown;

type LastValue<Returned> =
  Returned extends AsyncIterable<infer Value>
    ? Value
    : Returned extends PromiseLike<infer Value>
      ? Value
      : Returned;

/** The properties of a tool that the AI SDK does not define. */
export interface FromAiToolOptions<Name extends string = string> {
  /** Letters, digits, `_` and `-`, at most 64. In the AI SDK, this is the tool's key. */
  readonly name: Name;
  /** Overrides the tool's own description. Required if the tool computes its description from a context. */
  readonly description?: string | undefined;
  /** Whether a call is safe to run twice. Defaults to `once`, the safest choice. */
  readonly effect?: Effect | undefined;
  /** Milliseconds until `execute` times out, like `timeout` in `defineTool`. */
  readonly timeout?: number | undefined;
  /** The maximum number of requests that one `execute` makes to other services. Defaults to 1. */
  readonly subrequests?: number | undefined;
}

/**
 * Converts an AI SDK tool. Its schema checks the input before `execute` runs. `execute` receives the call's
 * id and signal, the conversation as AI SDK messages, and the tool-call context as `context`, parsed by the
 * `contextSchema`, if any. If it yields several values, the last is the result. `toModelOutput` creates the
 * text and files for the model, and the value stays an artifact. `needsApproval` suspends the call until it
 * is decided. A tool without `execute` becomes a tool that the caller runs, and a provider-executed tool
 * becomes a `providerTool`.
 *
 * @throws ToolDefinitionError if the tool has no description, or if `defineTool` does not accept its schema,
 * such as a promise.
 *
 * @example
 * ```ts
 * const weather = fromAiTool(aiTools.weather, { name: 'weather', effect: 'read' });
 * ```
 */
export function fromAiTool<const Name extends string, T extends AiTool>(
  tool: T,
  options: FromAiToolOptions<Name>,
): Tool<Name, AiToolInput<T>, AiToolOutput<T>> {
  // The inferred types exist only at compile time, and `toTool` keeps the name.
  return toTool(tool as AiTool as ErasedTool, options) as Tool<Name, AiToolInput<T>, AiToolOutput<T>>;
}

/** The tool with erased types. Its functions receive values that its own schemas produced. */
interface ErasedTool extends Omit<AiTool, 'execute' | 'needsApproval' | 'toModelOutput'> {
  readonly execute?: ((input: unknown, options: object) => unknown) | undefined;
  readonly needsApproval?: boolean | ((input: unknown, options: object) => boolean | PromiseLike<boolean>);
  readonly toModelOutput?: ((options: object) => unknown) | undefined;
}

function toTool(tool: ErasedTool, options: FromAiToolOptions): AnyTool {
  const problem = literals && findAiToolProblem(tool);
  const fault = literals?.fault(options, OPTIONS);
  if (problem !== undefined) throw new ToolDefinitionError(readName(options), 'tool', problem);
  if (fault)
    throw new ToolDefinitionError(readName(options), fault.field, `it ${withFullStop(fault.problem)}`);
  const { name, description, effect, ...more } = options;
  const { id, args, execute, needsApproval } = tool;
  if (tool.type === 'provider' && id !== undefined) {
    return providerTool(
      { type: 'provider', id, args: args ?? {}, isProviderExecuted: tool.isProviderExecuted },
      { name },
    );
  }
  const known = {
    name,
    description: description ?? readDescription(name, tool),
    input: toDeclaration(name, 'inputSchema', tool.inputSchema),
  };
  if (!execute) return defineManualTool(known);
  const run = async (input: unknown, call: CallContext): Promise<unknown> => {
    const output = await readLast(execute(input, await createOptions(tool, call)));
    return toResult(tool.toModelOutput, { toolCallId: call.id, input, output }, call.log);
  };
  // The type of `effect` decides which other options are allowed. No such options are used here.
  const running = defineTool({ ...known, ...more, effect: effect as 'once', run });
  return needsApproval ? withApproval(running, tool, needsApproval) : running;
}

const OPTIONS = {
  of: 'fromAiTool',
  keys: { name: 'text', description: 'text', effect: 'any', timeout: 'any', subrequests: 'any' },
  required: ['name'],
} satisfies LiteralShape<keyof FromAiToolOptions>;

/** Returns the reason that a value is not an AI SDK tool, or `undefined` if it is one. */
function findAiToolProblem(tool: unknown): string | undefined {
  if (isTool(tool)) return 'it is already a holdfast tool. List it directly.';
  const [name, first] = Object.entries(Object(tool)).find(([, one]) => isAiTool(one)) ?? [];
  if (first !== undefined && !isAiTool(tool))
    return `it contains several tools. Convert each one, as in fromAiTool(tools.${name}, { name: '${name}' }).`;
  return typeof tool === 'object' && tool !== null
    ? undefined
    : `it is made from ${describeValue(tool)}. Use an AI SDK tool.`;
}

function readDescription(name: string, { description }: ErasedTool): string {
  if (typeof description === 'string') return description;
  const problem =
    description === undefined
      ? 'it has no description. Add one next to the name.'
      : 'its description depends on a context, which is unknown here. Add one next to the name.';
  throw new ToolDefinitionError(name, 'description', problem);
}

const withApproval = (
  running: AnyTool,
  tool: ErasedTool,
  needs: NonNullable<ErasedTool['needsApproval']>,
): AnyTool =>
  withAwaiting(running, async (input, call) => {
    const isNeeded =
      typeof needs === 'function' ? await needs(input, await createOptions(tool, call)) : needs;
    return isNeeded ? { message: `May '${call.tool}' run?` } : undefined;
  });

/** Returns the options that the AI SDK passes to `execute` after the input. */
async function createOptions(tool: ErasedTool, call: CallContext): Promise<object> {
  const context = await resolveContext(tool, call);
  return {
    toolCallId: call.id,
    abortSignal: call.signal,
    context,
    experimental_context: context,
    get messages() {
      return toAiMessages(call.history());
    },
  };
}

async function resolveContext(
  { contextSchema }: ErasedTool,
  { tool, context }: CallContext,
): Promise<unknown> {
  const values = context.toJSON();
  const schema =
    contextSchema === undefined ? undefined : toDeclaration(tool, 'contextSchema', contextSchema);
  if (!schema || !isStandardSchema(schema)) return values;
  const result = await schema['~standard'].validate(values);
  if (!result.issues) return result.value;
  // A schema's messages can quote the value, so they are not included.
  const at = result.issues.map(({ path = [] }) => path.map(toKey).join('.') || '$').join(', ');
  throw new ToolConfigurationError(
    `Tool '${tool}': the tool-call context does not match its contextSchema at ${at}.`,
  );
}

const toKey = (step: PropertyKey | StandardSchemaV1.PathSegment): string =>
  String(typeof step === 'object' ? step.key : step);

async function readLast(returned: unknown): Promise<unknown> {
  if (!isIterable(returned)) return returned;
  let last: unknown;
  for await (const value of returned) last = value;
  return last;
}

const isIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value;

/**
 * Converts a schema to a form that `defineTool` accepts. @throws ToolDefinitionError if it is not a schema,
 * or is a promise.
 */
function toDeclaration(tool: string, field: string, schema: unknown): InputDeclaration {
  const isHeld = (typeof schema === 'object' && schema !== null) || typeof schema === 'function';
  if (isHeld && '~standard' in schema) return schema as StandardSchemaV1; // it has the Standard Schema property
  const held: unknown = typeof schema === 'function' ? schema() : schema;
  const { jsonSchema, validate }: Readonly<Record<string, unknown>> = Object(held);
  if (jsonSchema instanceof Promise) {
    const problem = `its ${field} is a promise of JSON Schema. Await it, and pass the resolved schema.`;
    throw new ToolDefinitionError(tool, field, problem);
  }
  if (!isJsonObject(jsonSchema)) {
    const problem = `its ${field} is not a schema. Use jsonSchema of the AI SDK, Zod 4 or another Standard Schema.`;
    throw new ToolDefinitionError(tool, field, problem);
  }
  // A schema without its own check is checked as plain JSON Schema.
  return typeof validate === 'function'
    ? createStandardSchema(jsonSchema, validate.bind(held))
    : wrapped(jsonSchema);
}

const createStandardSchema = (
  shown: JsonSchema,
  validate: (value: unknown) => unknown,
): StandardSchemaV1 & StandardJSONSchemaV1 => ({
  '~standard': {
    version: 1,
    vendor: 'ai-sdk',
    async validate(sent) {
      const { success, value, error }: Readonly<Record<string, unknown>> = Object(await validate(sent));
      return success === true ? { value } : { issues: listIssues(error) };
    },
    jsonSchema: { input: () => shown, output: () => shown },
  },
});

/** Returns the issues in a schema library's error, or the error itself as one issue. */
function listIssues(error: unknown): readonly StandardSchemaV1.Issue[] {
  const { issues, cause }: Readonly<Record<string, unknown>> = Object(error);
  const listed = [issues, cause].find(Array.isArray);
  if (listed) return listed.filter((one) => typeof Object(one).message === 'string');
  return [{ message: getErrorMessage(error) }];
}
