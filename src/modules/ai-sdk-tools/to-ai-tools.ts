import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';
import type { Agent } from '../../agent/define-agent.ts';
import type { ModelReply } from '../../model/chat-model.ts';
import { type ResolvedTools, resolveTools } from '../../sources/resolution/resolve-tools.ts';
import type { ToolSource } from '../../sources/resolution/tool-source.ts';
import { ToolDefinitionError } from '../../tool/check-definition.ts';
import { toLog } from '../../tool/console-log.ts';
import { opensTools } from '../../tool/decorate.ts';
import { isJsonObject, type Json, type JsonObject, type JsonSchema } from '../../tool/json.ts';
import { createErrorEntry } from '../../tool/log.ts';
import type { AnyTool } from '../../tool/tool.ts';
import { ToolCallContext } from '../../tool/tool-call-context.ts';
import { getModelText, type ToolResult } from '../../tool/tool-result.ts';
import { LIMITS_MODULE } from '../limits/call-limits.ts';
import {
  createToolCallingManager,
  type ToolCallingManagerConfig,
} from '../tool-calling/tool-calling-manager.ts';
import { defineToolCallingOptions } from '../tool-calling/tool-calling-options.ts';
import { type AiMessage, fromAiMessages } from './messages.ts';

/** One of this library's tools, in the form that `generateText({ tools })` of the AI SDK accepts. */
export interface GivenTool {
  readonly description: string;
  /** Accepts every object, because the tool checks its own input and reports problems to the model. */
  readonly inputSchema: StandardSchemaV1<unknown, JsonObject> & StandardJSONSchemaV1<unknown, JsonObject>;
  /** Runs the tool. @throws AiToolError if the result is an error. */
  readonly execute: (input: JsonObject, options: ExecuteOptions) => Promise<AiToolResult>;
  /** Returns the text that the model would read in a loop of this library. */
  readonly toModelOutput: (answered: { readonly output: AiToolResult }) => {
    readonly type: 'text';
    readonly value: string;
  };
}

/** The options that the AI SDK passes to `execute` after the input. */
interface ExecuteOptions {
  readonly toolCallId: string;
  readonly messages: readonly AiMessage[];
  readonly abortSignal?: AbortSignal | undefined;
}

/** The result of a tool in a program that runs on the AI SDK, as plain JSON. */
export interface AiToolResult {
  /** The text that the model reads. Each file becomes one line. */
  readonly text: string;
  /** The value of an artifact, for the program. */
  readonly value?: Json | undefined;
}

/** The tools by name, as far as the names are literal types. */
export type AiTools<Sources extends readonly unknown[] = readonly ToolSource[]> = {
  readonly [Source in Sources[number] as Source extends AnyTool ? Source['name'] : string]: GivenTool;
};

/** Settings for the calls. For an agent, each setting defaults to the agent's own. */
export interface ToAiToolsOptions
  extends Pick<
    ToolCallingManagerConfig,
    'use' | 'limits' | 'exceptionProcessor' | 'secrets' | 'env' | 'model' | 'log'
  > {
  readonly context?: JsonObject | ToolCallContext | undefined;
}

/**
 * Converts tools, or the tools of an agent, for `generateText({ tools })` of the AI SDK.
 * `createToolCallingManager` runs each call, and applies its schema, decorators, timeout, exceptions and
 * limits. Calls that share a `serial` run one after another. Without a session, `call.state` lasts for one
 * call, signals do not end a loop, and calls cannot ask people. A call that needs approval throws, and the
 * log reports it. Tool providers are queried once, at conversion.
 *
 * @throws ToolDefinitionError for an unfolding tool, because the AI SDK cannot add its inner tools later, and
 * for a tool that the model's provider runs.
 * @throws TypeError for an agent whose tools are known only in an app or in a turn.
 * @throws ToolResolutionError as `resolveTools` does.
 *
 * @example
 * ```ts
 * const { text } = await generateText({ model, tools: toAiTools([findOrder, refundOrder]), prompt, stopWhen: stepCountIs(5) });
 * ```
 */
export function toAiTools(agent: Agent, options?: ToAiToolsOptions): AiTools;
export function toAiTools<const Sources extends readonly ToolSource[]>(
  sources: Sources,
  options?: ToAiToolsOptions,
): AiTools<Sources>;
export function toAiTools(
  given: Agent | readonly ToolSource[],
  options: ToAiToolsOptions = {},
): Readonly<Record<string, GivenTool>> {
  const { tools, settings } = isAgent(given)
    ? { tools: listAgentTools(given), settings: { ...getAgentSettings(given, options), ...options } }
    : { tools: resolveTools(given).tools, settings: options };
  for (const tool of tools) assertConvertible(tool);
  const { context, ...config } = settings;
  const manager = createToolCallingManager(config);
  const base = isAgent(given) ? given.context : ToolCallContext.EMPTY;
  const called = defineToolCallingOptions({
    tools,
    toolContext: base.merge(ToolCallContext.of(context ?? {})),
  });
  const wait = createQueues();
  const log = toLog(settings.log);
  const run = async (
    tool: AnyTool,
    input: JsonObject,
    { toolCallId, messages, abortSignal }: ExecuteOptions,
  ) =>
    wait(getSerial(tool, input), async () => {
      const reply: ModelReply = {
        text: '',
        toolCalls: [{ id: toolCallId, name: tool.name, input: JSON.stringify(input) }],
        finish: 'tool-calls',
      };
      const told = fromAiMessages(messages);
      const { results } = await manager.executeToolCalls(told, reply, { ...called, signal: abortSignal });
      const [one] = results;
      if (!one) throw new Error(`The call to '${tool.name}' has no result.`);
      if (one.result.signal?.type === 'misconfigured') log(createErrorEntry(one.result.content));
      return toAnswer(tool.name, one.result);
    });
  return Object.fromEntries(
    tools.map((tool) => [tool.name, toGivenTool(tool, (input, more) => run(tool, input, more))]),
  );
}

const isAgent = (given: Agent | readonly ToolSource[]): given is Agent => !Array.isArray(given);

function listAgentTools({ name, tools, providers, needsApp }: Agent): ResolvedTools['tools'] {
  const hint = 'Pass toAiTools a list of tools.';
  if (needsApp) throw new TypeError(`Agent '${name}' uses tool groups, which an app fills. ${hint}`);
  if (providers.some(({ discover }) => discover !== undefined && [discover].flat().length > 0)) {
    throw new TypeError(`Agent '${name}' has a provider that discovers its tools in a turn. ${hint}`);
  }
  return resolveTools([...tools, ...providers]).tools;
}

/** Returns the agent's settings. Limits in the options replace the agent's limits. */
const getAgentSettings = (
  { uses, policies, model }: Agent,
  { limits }: ToAiToolsOptions,
): ToAiToolsOptions => ({
  use: limits ? uses.filter(({ module }) => module !== LIMITS_MODULE) : uses,
  exceptionProcessor: policies.exceptions,
  model,
});

function assertConvertible(tool: AnyTool): void {
  if (opensTools(tool)) {
    const problem = 'it unfolds into others, which the AI SDK cannot add later. Pass those directly.';
    throw new ToolDefinitionError(tool.name, 'tools', problem);
  }
  if (tool.providerTool) {
    const problem = `the model's provider runs it. Give the AI SDK its own '${tool.providerTool.id}'.`;
    throw new ToolDefinitionError(tool.name, 'providerTool', problem);
  }
}

const toGivenTool = (tool: AnyTool, execute: GivenTool['execute']): GivenTool => ({
  description: tool.description,
  inputSchema: toAiSchema(tool.inputSchema),
  execute,
  toModelOutput: ({ output }) => ({ type: 'text', value: output.text }),
});

/**
 * Returns the schema in both forms that the AI SDK accepts. The AI SDK reads its own form first, and sends
 * its JSON Schema to the model unchanged. In a Standard Schema, it would forbid additional properties.
 */
function toAiSchema(shown: JsonSchema): GivenTool['inputSchema'] {
  const problem = 'Expected an object.';
  return {
    [Symbol.for('vercel.ai.schema')]: true,
    jsonSchema: shown,
    validate: (sent: unknown) =>
      isJsonObject(sent) ? { success: true, value: sent } : { success: false, error: new TypeError(problem) },
    '~standard': {
      version: 1,
      vendor: 'holdfast',
      validate: (sent: unknown) =>
        isJsonObject(sent) ? { value: sent } : { issues: [{ message: problem }] },
      jsonSchema: { input: () => structuredClone(shown), output: () => structuredClone(shown) },
    },
  } as GivenTool['inputSchema']; // the rest is the AI SDK's own
}

function toAnswer(tool: string, result: ToolResult): AiToolResult {
  if (result.type === 'error') throw new AiToolError(tool, result);
  return { text: getModelText(result), ...(result.type === 'artifact' && { value: result.value }) };
}

/**
 * Thrown for a call with an error result. It has the default name, because the AI SDK shows the model name
 * and message, and the model must read the same text as in a loop of this library.
 */
export class AiToolError extends Error {
  readonly tool: string;
  /** The reason for the error, if the library reported it. `undefined` if the tool itself did. */
  readonly reason: Extract<ToolResult, { type: 'error' }>['reason'];

  constructor(tool: string, { message, reason }: Extract<ToolResult, { type: 'error' }>) {
    super(message);
    this.tool = tool;
    this.reason = reason;
  }
}

const getSerial = ({ serial }: AnyTool, input: JsonObject): string | undefined =>
  typeof serial === 'function' ? serial(input) : serial;

type RunInOrder = <T>(word: string | undefined, work: () => Promise<T>) => Promise<T>;

/** Returns a function that runs work with the same key in order. Work without a key runs at once. */
function createQueues(): RunInOrder {
  const last = new Map<string, Promise<unknown>>();
  return async (word, work) => {
    if (word === undefined) return work();
    const before = last.get(word) ?? Promise.resolve();
    const own = before.then(work);
    // The caller handles the rejection of `own`.
    const settled = own.catch(() => undefined);
    last.set(word, settled);
    void settled.then(() => last.get(word) === settled && last.delete(word));
    return own;
  };
}
