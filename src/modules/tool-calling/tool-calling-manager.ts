import type { ExceptionProcessor } from '../../loop/exception-processor.ts';
import type { MemoryLoopConfig } from '../../loop/memory-loop.ts';
import { composeModules } from '../../loop/modules.ts';
import { toDefinition } from '../../loop/offer-tools.ts';
import { type Eligible, type LoopPolicies, withPolicies } from '../../loop/policies.ts';
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
import { type Log, type LogOption, warning } from '../../tool/log.ts';
import type { ModuleUse } from '../../tool/module-use.ts';
import { Secrets } from '../../tool/secrets.ts';
import type { AnyTool } from '../../tool/tool.ts';
import { usesInside, usesOf } from '../../tool/uses.ts';
import { type CallLimits, callLimits, LIMITS } from '../limits/call-limits.ts';
import { executeReply, type ToolExecutionResult } from './execute-reply.ts';
import {
  isInternalToolExecutionEnabled,
  ToolCallingError,
  type ToolCallingOptions,
  validateTools,
} from './tool-calling-options.ts';

/** The literal that `createToolCallingManager` takes. */
export interface ToolCallingManagerConfig {
  /** Knows tools by their names; unless it is given, none are known. */
  readonly resolver?: ToolResolver | undefined;
  /** Modules, beside those that tools bring along. What they remember lasts for the calls of one reply, since nothing is kept. */
  readonly use?: readonly ModuleUse[] | undefined;
  /** Lets the model reach every tool that the resolver knows, listed in the options or not. */
  readonly resolveUnlisted?: boolean | undefined;
  /** What the model is told of a tool that threw; the message unless given. */
  readonly exceptionProcessor?: ExceptionProcessor | undefined;
  readonly eligibility?: Eligibility | undefined;
  /** Whether `all` calls of a reply must return directly, or `any`. `all` unless given. */
  readonly returnDirect?: LoopPolicies['returnDirect'] | undefined;
  /**
   * Of calls since the last message of the user: 150, and 40 of any one tool or `toolCalls` if that is more, unless
   * given.
   */
  readonly limits?: CallLimits | undefined;
  /** Credentials by name, for `call.secrets`; never shown to a model. */
  readonly secrets?: Readonly<Record<string, string | undefined>> | undefined;
  /** The Worker's vars, secrets and bindings, for `call.env`; none unless given. */
  readonly env?: GivenEnv | undefined;
  /** It is asked by tools that open a loop of their own; without it their calls fail. */
  readonly model?: ChatModel | undefined;
  /** Takes what whoever runs the program should know, such as a tool that threw; the console unless given, `false` for nobody. */
  readonly log?: LogOption | undefined;
}

/** Decides which calls are executed. */
export interface Eligibility {
  /** Decides on a whole reply, as `isInternalToolExecutionEnabled` does unless it is given. */
  readonly shouldExecute?:
    | ((options: ToolCallingOptions, reply: ModelReply) => boolean | Promise<boolean>)
    | undefined;
  /** Decides on one call; the others of its reply are run. */
  readonly isEligible?: Eligible | undefined;
}

/** Several answers to one request, of which the first that calls tools counts. */
export type Replies = ModelReply | readonly ModelReply[];

/**
 * Runs the tool calls of a reply for a program that asks the model itself. The same code runs them as in a session,
 * with its batches, timeouts and limits, but nothing is kept: a call that is cut off is lost, and one that asks somebody
 * outside is answered that it cannot. The program decides which tools it offers next: an unfolding tool among its options
 * names its tools and changes no later request. One inside an agentic tool unfolds in that tool's own loop.
 */
export interface ToolCallingManager {
  /** As a model is shown them: the options' tools, then those of their names that are not among them. */
  resolveToolDefinitions(options: ToolCallingOptions): Promise<readonly ToolDefinition[]>;
  /** Whether the calls of a reply are to be executed by whoever asked the model. Never, when there are none. */
  shouldExecute(options: ToolCallingOptions, reply: Replies): Promise<boolean>;
  /**
   * Runs the calls of a reply to these messages, also when `shouldExecute` would not have it: then the program does.
   *
   * @throws ToolCallingError when the reply calls no tool, or a name of the options is unknown; the reason of `signal`
   *   when that aborts. A tool that fails is a result.
   */
  executeToolCalls(
    messages: readonly ModelMessage[],
    reply: Replies,
    options: ToolCallingOptions & { readonly signal?: AbortSignal | undefined },
  ): Promise<ToolExecutionResult>;
}

/** Makes what runs the tool calls of a reply for a program that asks the model itself. @throws TypeError when a setting is null, or not one that calls can be run with. */
export function createToolCallingManager(config: ToolCallingManagerConfig = {}): ToolCallingManager {
  checkSettings(config);
  const { resolver = () => undefined, eligibility = {} } = config;
  const policies = policiesOf(config);
  checkValues(policies);
  const limits = limitsOf(config);
  const log = toLog(config.log);

  async function configFor(options: ToolCallingOptions, reply: ModelReply): Promise<MemoryLoopConfig> {
    const listed = await listedTools(options, resolver, log);
    const unlisted = config.resolveUnlisted ? await unlistedTools(reply, listed, resolver) : [];
    const tools = [...listed, ...unlisted];
    const own = [...limits, ...usesOf([{ uses: config.use }, ...tools])];
    const modules = composeModules(own, [], usesInside(tools));
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
      const tools = await listedTools(options, resolver, log);
      return tools.map(toDefinition);
    },

    async shouldExecute(options, replies) {
      const reply = callingReply(replies);
      if (!reply) return false;
      return eligibility.shouldExecute?.(options, reply) ?? isInternalToolExecutionEnabled(options);
    },

    async executeToolCalls(messages, replies, { signal, ...options }) {
      if (messages.some((message) => !message))
        throw new TypeError('A message of the conversation is missing.');
      const reply = callingReply(replies);
      if (!reply) throw new ToolCallingError('no-tool-call', 'No tool call requested by the chat model');
      return executeReply({ config: await configFor(options, reply), messages, reply, signal });
    },
  };
}

const policiesOf = ({
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

/** The module that bounds calls; an app's own takes its place. */
function limitsOf({ limits, use = [] }: ToolCallingManagerConfig): readonly ModuleUse[] {
  if (limits === undefined && use.some(({ module }) => module === LIMITS)) return [];
  const made = attempt(() => callLimits(limits));
  if (made.ok) return [made.value];
  throw new TypeError(`createToolCallingManager: ${String(Object(made.thrown).message)}`);
}

function checkValues(policies: LoopPolicies): void {
  const wrong = literals?.policyProblem(policies);
  if (wrong) {
    throw new TypeError(`createToolCallingManager: ${wrong.path} is ${wrong.value}: use ${wrong.use}.`);
  }
}

/** The first reply that calls tools. */
function callingReply(replies: Replies): ModelReply | undefined {
  if (!replies) throw new TypeError('There is no reply of a model.');
  const all: readonly ModelReply[] = 'toolCalls' in replies ? [replies] : replies;
  return all.find(({ toolCalls }) => toolCalls.length > 0);
}

/** Fails a nested loop, and the tool that opened it says so to the model. */
const NO_MODEL: ChatModel = {
  name: 'none',
  ask: () => {
    const problem =
      'This tool runs a loop of its own, and the tool-calling manager was given no model for it.';
    return Promise.reject(new ModelError('bad-request', problem));
  },
};

/** Finds a tool by its name; `undefined` when it knows none. */
export type ToolResolver = (name: string) => AnyTool | undefined | Promise<AnyTool | undefined>;

/** Finds the tools of a list; of several with one name the last. */
export function staticResolver(tools: readonly AnyTool[]): ToolResolver {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  return (name) => byName.get(name);
}

/** Asks resolvers in order; the first that finds a tool is the last that is asked. */
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
 * The tools of the options, and those of their names that none of them has.
 *
 * @throws ToolCallingError when the resolver does not know a name, or two tools share one.
 */
async function listedTools(
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
        warning(
          `no tool of the name '${name.slice(0, 80)}' is known. If it comes from a model or an MCP server, its prefix may have changed.`,
        ),
      );
      throw new ToolCallingError('unknown-tool', `No tool found for tool name: ${name}`, [name]);
    }
    tools.push(tool);
  }
  return tools;
}

/** Finds the tools of a reply's calls that are not listed and that the resolver knows. */
async function unlistedTools(
  { toolCalls }: ModelReply,
  listed: readonly AnyTool[],
  resolver: ToolResolver,
): Promise<readonly AnyTool[]> {
  const known = new Set(listed.map(({ name }) => name));
  const names = [...new Set(toolCalls.map(({ name }) => name))].filter((name) => !known.has(name));
  const found = await Promise.all(names.map(async (name) => resolver(name)));
  return found.flatMap((tool) => tool ?? []);
}
