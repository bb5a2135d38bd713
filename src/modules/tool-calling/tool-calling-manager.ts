import type { ExceptionProcessor } from '../../loop/exception-processor.ts';
import type { MemoryLoopConfig } from '../../loop/memory-loop.ts';
import { composeModules } from '../../loop/modules.ts';
import { toDefinition } from '../../loop/offer-tools.ts';
import { type EligibilityCheck, type LoopPolicies, withPolicies } from '../../loop/policies.ts';
import {
  type ChatModel,
  ModelError,
  type ModelMessage,
  type ModelReply,
  type ToolDefinition,
} from '../../model/chat-model.ts';
import { attempt } from '../../tool/async.ts';
import { toLog } from '../../tool/console-log.ts';
import type { GivenEnv } from '../../tool/env.ts';
import { literals } from '../../tool/literals.ts';
import { createWarningEntry, type Log, type LogOption } from '../../tool/log.ts';
import type { ModuleUse } from '../../tool/module-use.ts';
import { Secrets } from '../../tool/secrets.ts';
import type { AnyTool } from '../../tool/tool.ts';
import { collectInnerUses, collectUses } from '../../tool/uses.ts';
import { type CallLimits, callLimits, LIMITS_MODULE } from '../limits/call-limits.ts';
import { executeReply, type ToolExecutionResult } from './execute-reply.ts';
import {
  isInternalToolExecutionEnabled,
  ToolCallingError,
  type ToolCallingOptions,
  validateTools,
} from './tool-calling-options.ts';

/** The options of `createToolCallingManager`. */
export interface ToolCallingManagerConfig {
  /** Finds tools by name. Defaults to a resolver that finds no tools. */
  readonly resolver?: ToolResolver | undefined;
  /**
   * Modules to use in addition to those of the tools. Their state lasts only for the calls of one reply,
   * since it is not stored.
   */
  readonly use?: readonly ModuleUse[] | undefined;
  /**
   * `true` to allow calls of every tool that the resolver knows, even if the options do not list it. Defaults
   * to `false`.
   */
  readonly resolveUnlisted?: boolean | undefined;
  /** Returns the text that the model reads for a tool that threw. Defaults to the error's message. */
  readonly exceptionProcessor?: ExceptionProcessor | undefined;
  readonly eligibility?: Eligibility | undefined;
  /** Whether `all` calls of a reply must return directly, or `any`. Defaults to `all`. */
  readonly returnDirect?: LoopPolicies['returnDirect'] | undefined;
  /**
   * Limits on the calls since the last message of the user. Defaults to 150 calls, and 40 for each tool (or a
   * higher `toolCalls`).
   */
  readonly limits?: CallLimits | undefined;
  /** Credentials by name, for `call.secrets`. Never shown to a model. */
  readonly secrets?: Readonly<Record<string, string | undefined>> | undefined;
  /** The Worker's vars, secrets and bindings, for `call.env`. Defaults to none. */
  readonly env?: GivenEnv | undefined;
  /** The model for tools that open a nested loop. Without it, their calls fail. */
  readonly model?: ChatModel | undefined;
  /**
   * Receives log entries for the operator, such as errors of tools. Defaults to the console. `false` disables
   * the log.
   */
  readonly log?: LogOption | undefined;
}

/** Decides which calls are executed. */
export interface Eligibility {
  /** Decides about a whole reply. Defaults to `isInternalToolExecutionEnabled`. */
  readonly shouldExecute?:
    | ((options: ToolCallingOptions, reply: ModelReply) => boolean | Promise<boolean>)
    | undefined;
  /** Decides about one call. The other calls of its reply run regardless. */
  readonly isEligible?: EligibilityCheck | undefined;
}

/** One or several replies to one request. The first reply that calls tools counts. */
export type Replies = ModelReply | readonly ModelReply[];

/**
 * Runs the tool calls of a reply for a program that calls the model itself. Uses the code of a session, with
 * its batches, timeouts and limits, but stores no data. So an interrupted call is lost, and a call that asks
 * a person gets an error result. The program decides which tools it offers next. An unfolding tool in its
 * options lists its tools, but does not change later requests. Inside an agentic tool, an unfolding tool
 * opens in that tool's own loop.
 */
export interface ToolCallingManager {
  /**
   * Returns the definitions to send to a model: the tools of the options, followed by the tools for other
   * names in `toolNames`.
   */
  resolveToolDefinitions(options: ToolCallingOptions): Promise<readonly ToolDefinition[]>;
  /**
   * Returns whether the code that called the model must execute the calls of a reply. Returns `false` if the
   * reply has no calls.
   */
  shouldExecute(options: ToolCallingOptions, reply: Replies): Promise<boolean>;
  /**
   * Runs the calls of a reply to these messages, regardless of `shouldExecute`.
   *
   * A failed tool is a result.
   *
   * @throws ToolCallingError if the reply calls no tool, or a name of the options is unknown.
   * @throws the reason of `signal` if it aborts.
   */
  executeToolCalls(
    messages: readonly ModelMessage[],
    reply: Replies,
    options: ToolCallingOptions & { readonly signal?: AbortSignal | undefined },
  ): Promise<ToolExecutionResult>;
}

/**
 * Creates a manager that runs the tool calls of a reply for a program that calls the model itself.
 *
 * @throws TypeError if a setting is `null` or invalid.
 *
 * @example
 * ```ts
 * const manager = createToolCallingManager();
 * const tools = await manager.resolveToolDefinitions(options);
 * ```
 */
export function createToolCallingManager(config: ToolCallingManagerConfig = {}): ToolCallingManager {
  checkSettings(config);
  const { resolver = () => undefined, eligibility = {} } = config;
  const policies = createPolicies(config);
  checkValues(policies);
  const limits = getLimitUses(config);
  const log = toLog(config.log);

  async function createLoopConfig(options: ToolCallingOptions, reply: ModelReply): Promise<MemoryLoopConfig> {
    const listed = await resolveListedTools(options, resolver, log);
    const unlisted = config.resolveUnlisted ? await resolveUnlistedTools(reply, listed, resolver) : [];
    const tools = [...listed, ...unlisted];
    const own = [...limits, ...collectUses([{ uses: config.use }, ...tools])];
    const modules = composeModules(own, [], collectInnerUses(tools));
    return {
      tools,
      model: config.model ?? NO_MODEL,
      uses: modules.appWide,
      policies,
      context: options.toolContext,
      secrets: Secrets.of(config.secrets ?? {}),
      env: config.env,
      memories: modules.memories,
      everywhere: modules.strategies,
      log,
    };
  }

  return {
    async resolveToolDefinitions(options) {
      const tools = await resolveListedTools(options, resolver, log);
      return tools.map(toDefinition);
    },

    async shouldExecute(options, replies) {
      const reply = findCallingReply(replies);
      if (!reply) return false;
      return eligibility.shouldExecute?.(options, reply) ?? isInternalToolExecutionEnabled(options);
    },

    async executeToolCalls(messages, replies, { signal, ...options }) {
      if (messages.some((message) => !message))
        throw new TypeError('A message in the conversation is null or undefined.');
      const reply = findCallingReply(replies);
      if (!reply) throw new ToolCallingError('no-tool-call', 'No tool call requested by the chat model');
      return executeReply({ config: await createLoopConfig(options, reply), messages, reply, signal });
    },
  };
}

const createPolicies = ({
  returnDirect,
  exceptionProcessor,
  eligibility,
}: ToolCallingManagerConfig): LoopPolicies =>
  withPolicies({ returnDirect, exceptions: exceptionProcessor, isEligible: eligibility?.isEligible });

function checkSettings(config: ToolCallingManagerConfig): void {
  for (const [setting, value] of Object.entries(config)) {
    if (value === null) throw new TypeError(`createToolCallingManager: ${setting} must not be null.`);
  }
}

/** Returns the module that limits calls, or none if the app passes its own. */
function getLimitUses({ limits, use = [] }: ToolCallingManagerConfig): readonly ModuleUse[] {
  if (limits === undefined && use.some(({ module }) => module === LIMITS_MODULE)) return [];
  const made = attempt(() => callLimits(limits));
  if (made.ok) return [made.value];
  throw new TypeError(`createToolCallingManager: ${String(Object(made.thrown).message)}`);
}

function checkValues(policies: LoopPolicies): void {
  const wrong = literals?.policyProblem(policies);
  if (wrong) {
    throw new TypeError(`createToolCallingManager: ${wrong.path} is ${wrong.value}. Use ${wrong.use}.`);
  }
}

function findCallingReply(replies: Replies): ModelReply | undefined {
  if (!replies) throw new TypeError('The reply of the model is missing.');
  const all: readonly ModelReply[] = 'toolCalls' in replies ? [replies] : replies;
  return all.find(({ toolCalls }) => toolCalls.length > 0);
}

/** Fails a nested loop. The tool that opened the loop reports the failure to the model. */
const NO_MODEL: ChatModel = {
  name: 'none',
  ask: () => {
    const problem = 'This tool runs a loop of its own, but the tool-calling manager has no model for it.';
    return Promise.reject(new ModelError('bad-request', problem));
  },
};

/** Finds a tool by its name, or returns `undefined`. */
export type ToolResolver = (name: string) => AnyTool | undefined | Promise<AnyTool | undefined>;

/**
 * Creates a resolver for the tools of a list. If several tools share a name, it finds the last.
 *
 * @example
 * ```ts
 * const manager = createToolCallingManager({ resolver: staticResolver([findOrder]) });
 * ```
 */
export function staticResolver(tools: readonly AnyTool[]): ToolResolver {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  return (name) => byName.get(name);
}

/**
 * Creates a resolver that tries resolvers in order and returns the first tool that one of them finds.
 *
 * @example
 * ```ts
 * const manager = createToolCallingManager({ resolver: chainResolvers(staticResolver([findOrder]), staticResolver([lookUp])) });
 * ```
 */
export const chainResolvers =
  (...resolvers: readonly ToolResolver[]): ToolResolver =>
  async (name) => {
    for (const resolver of resolvers) {
      const tool = await resolver(name);
      if (tool) return tool;
    }
    return undefined;
  };

/**
 * Returns the tools of the options, and the tools for other names in `toolNames`.
 *
 * @throws ToolCallingError if the resolver does not know a name, or two tools share one.
 */
async function resolveListedTools(
  options: ToolCallingOptions,
  resolver: ToolResolver,
  log: Log,
): Promise<readonly AnyTool[]> {
  const tools = [...options.tools];
  validateTools(tools);
  for (const name of options.toolNames) {
    if (tools.some((tool) => tool.name === name)) continue;
    const tool = await resolver(name);
    if (!tool) {
      log(
        createWarningEntry(
          `no tool named '${name.slice(0, 80)}' is known. If it comes from a model or an MCP server, its prefix may have changed.`,
        ),
      );
      throw new ToolCallingError('unknown-tool', `No tool found for tool name: ${name}`, [name]);
    }
    tools.push(tool);
  }
  return tools;
}

/** Finds the tools of a reply's calls that are not listed and that the resolver knows. */
async function resolveUnlistedTools(
  { toolCalls }: ModelReply,
  listed: readonly AnyTool[],
  resolver: ToolResolver,
): Promise<readonly AnyTool[]> {
  const known = new Set(listed.map(({ name }) => name));
  const names = [...new Set(toolCalls.map(({ name }) => name))].filter((name) => !known.has(name));
  const found = await Promise.all(names.map(async (name) => resolver(name)));
  return found.flatMap((tool) => tool ?? []);
}
