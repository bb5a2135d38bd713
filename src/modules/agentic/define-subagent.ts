import type { OutputOf } from '../../loop/answer-form.ts';
import type { LoopAgent } from '../../loop/loop.ts';
import { nest } from '../../loop/nest.ts';
import { mergeSettings } from '../../model/settings.ts';
import {
  checkNaming,
  checkToolLiteral,
  readInput,
  ToolDefinitionError,
} from '../../tool/check-definition.ts';
import { checkInput } from '../../tool/check-input.ts';
import type { LiteralShape } from '../../tool/check-literal.ts';
import type { FrameOutcome } from '../../tool/frame.ts';
import {
  createCheckedSchema,
  findPropertyIssue,
  type InputDeclaration,
  type InputOf,
  type InputSchema,
} from '../../tool/input-schema.ts';
import type { JsonObject } from '../../tool/json.ts';
import type { BlackboardEntry, CallBlackboard } from '../../tool/kept-values.ts';
import { literals } from '../../tool/literals.ts';
import type { CheckedInput } from '../../tool/problem-lines.ts';
import { withFullStop } from '../../tool/shown.ts';
import type { AnyTool, CallRun, InjectionStrategy, Instructions, Tool } from '../../tool/tool.ts';
import { FOREIGN_INPUT, NAMED_KEYS } from '../../tool/tool-literals.ts';
import { createFailureResult, error, type ToolResult, text } from '../../tool/tool-result.ts';
import { collectUses } from '../../tool/uses.ts';
import { checkLoop, getFrameName, readOutput } from './agentic-tool.ts';
import {
  CONTEXT_RULE,
  type LoopChanges,
  type LoopContext,
  mergeContexts,
  mergeLoopChanges,
  registerCopy,
  resolveContext,
  toLoopInput,
} from './copies.ts';
import { type ResolvedInnerTools, resolveInnerTools } from './define-agentic-tool.ts';
import { toFormedResult, withholdIfUnfinished } from './nested-result.ts';

/** The configuration of `defineSubagent`. */
export interface SubagentConfig<
  AgentName extends string,
  Name extends string,
  Declaration extends InputDeclaration,
  Output,
  Form extends InputDeclaration = InputDeclaration,
> {
  /** The agent's definition, or its name in the app. Each call looks the name up. */
  readonly agent: DefinedAgent<AgentName, Output> | AgentName;
  /**
   * The tool's name, which is part of the path under which its tools keep their state. Defaults to the
   * agent's name.
   */
  readonly name?: Name | undefined;
  /**
   * The tool's description. Defaults to the agent's, or to `Delegate to agent '{name}'` if the agent is referenced
   * by name.
   */
  readonly description?: string | undefined;
  /**
   * The schema of the input that the model sends. The agent receives the input as JSON. Defaults to a single
   * `message`, which the agent receives as plain text.
   */
  readonly input?: Declaration | undefined;
  /**
   * The form of its answer, in place of the agent's own: the schema of a JSON object, or a domain type. It
   * also types the answer of an agent that is referenced by name.
   */
  readonly output?: Form | undefined;
  /**
   * Tool-call context for the calls of its loop. It overrides that of the enclosing loop and that of the
   * agent, since code takes precedence over values from clients. A function computes it from the input and
   * the enclosing loop. Do not put credentials here. Every invocation computes the context again, and it is
   * never journaled.
   */
  readonly context?: LoopContext<SubagentInput<Declaration>> | undefined;
}

/** The part of an agent's definition that a subagent uses. */
interface DefinedAgent<Name extends string, Output> extends LoopAgent {
  readonly name: Name;
  readonly description: string;
  /** Never set, only for type inference. */
  readonly '~types'?: { readonly output: Output };
}

/** The type of a subagent's input. */
export type SubagentInput<Declaration extends InputDeclaration> = Declaration extends undefined
  ? { readonly message: string }
  : InputOf<Declaration>;

/** The type of a subagent's output: that of its own `output`, or that of its agent. */
export type SubagentOutput<Form extends InputDeclaration, Output> = Form extends undefined
  ? Output
  : OutputOf<Form>;

/**
 * Creates a tool that hands work to an agent. The agent runs in a frame of the same turn, with its own
 * instructions, model, tools, limits and policies, and with the caller's context. The result is its last
 * text, or an artifact if there is an `output`. The agent reads a copy of the blackboard as of the call. If
 * it succeeds, its additions are merged back.
 *
 * @throws ToolDefinitionError if the tool cannot work, for example because its name is blank.
 *
 * @example
 * ```ts
 * const askResearcher = defineSubagent({
 *   agent: researcher, // or its name in the app, for agents that hand work to each other
 *   name: 'ask_researcher',
 *   input: v.object({ question: v.string() }),
 * });
 * ```
 */
export function defineSubagent<
  const AgentName extends string,
  const Name extends string = AgentName,
  const Declaration extends InputDeclaration = undefined,
  Output = unknown,
  const Form extends InputDeclaration = undefined,
>(
  config: SubagentConfig<AgentName, Name, Declaration, Output, Form>,
): Tool<Name, SubagentInput<Declaration>, SubagentOutput<Form, Output>> {
  checkToolLiteral(config, SHAPE);
  return createSubagent(config);
}

/** Builds the tool. `changes` holds the replacements and additions of a copy. */
function createSubagent<
  AgentName extends string,
  Name extends string,
  Declaration extends InputDeclaration,
  Output,
  Form extends InputDeclaration,
>(
  config: SubagentConfig<AgentName, Name, Declaration, Output, Form>,
  changes: LoopChanges = {},
): Tool<Name, SubagentInput<Declaration>, SubagentOutput<Form, Output>> {
  const { agent } = config;
  const { agentName, about } = readAgentName(agent);
  const { description = about } = config;
  // Without a `name`, the subagent has the agent's name, and `Name` is then `AgentName`.
  const name = (config.name ?? agentName) as Name;
  checkNaming(name, description);
  const schema = readInput<InputDeclaration>(name, config.input ?? MESSAGE_SCHEMA);
  const check = (input: JsonObject, as: string) => checkSubagentInput(schema, input, as);
  const context = mergeContexts(name, config.context);
  const output = readOutput(name, config.output);
  const form = output ?? (typeof agent === 'string' ? undefined : agent.output);
  const { tools, sources } = resolveAddedTools({ name, agent }, changes);
  const own = listAgentTools(agent);
  const inner = tools.length > 0 ? [...own, ...tools] : own;
  const uses = collectUses(sources);
  const insideOf = [...(typeof agent === 'string' ? [] : (agent.uses ?? [])), ...(changes.use ?? [])];
  const tool: Tool<Name, SubagentInput<Declaration>, SubagentOutput<Form, Output>> = {
    name,
    description,
    inputSchema: schema.json,
    effect: 'none',
    returnDirect: false,
    metadata: { agent: agentName },
    output: form?.type,
    ...(uses.length > 0 && { uses }),
    ...(insideOf.length > 0 && { usesInside: insideOf }),
    ...((typeof agent !== 'string' || inner.length > 0) && { inner }),
    ...(typeof agent === 'string' && { asks: agent }),
    check: (input, as = name) => check(input, as),
    async call(input, call) {
      const parsed = await check(input, call.tool);
      if (!parsed.ok) return parsed.answer;
      const whole = toLoopInput(parsed.value, input, call);
      const isMessage = config.input === undefined && !call.added;
      const message = isMessage ? String(input.message) : JSON.stringify(whole.sent);
      const { model, settings, limits, use: uses } = changes;
      const work = {
        message,
        output,
        limits,
        uses,
        tools,
        sources,
        ownBlackboard: true,
        context: resolveContext(context, whole.input, call.view),
        instructions: '',
        runBy: { agent, model, settings, instructions: findInstructions(whole.input, changes) },
      };
      return toResult(await nest(call, { name: getFrameName(name, call), ...work }), call);
    },
  };
  registerCopy(tool, ({ tools: more = [], context: over, ...others }) =>
    createSubagent(
      { ...config, context: mergeContexts(name, context, over) },
      { ...mergeLoopChanges(changes, others), tools: [...(changes.tools ?? []), ...more] },
    ),
  );
  return tool;
}

/** Returns the instructions of a copy, or `undefined` to use the agent's own. */
function findInstructions(input: unknown, { instructions }: LoopChanges): Instructions | undefined {
  if (typeof instructions !== 'function') return instructions;
  // `withInstructions` gives the function the tool's own input type and no state.
  return (view) => instructions(view, input as never, undefined as never);
}

/**
 * Returns the tools and sources that a copy has in addition to its agent's.
 *
 * @throws ToolDefinitionError if the agent cannot have these tools, or if the copy's model cannot run the
 * agent.
 */
function resolveAddedTools(
  { name, agent }: { readonly name: string; readonly agent: LoopAgent | string },
  { tools: more = [], ...changes }: LoopChanges,
): Omit<ResolvedInnerTools, 'notes'> {
  const problem = literals?.modelProblem(changes.model);
  if (problem !== undefined) throw new ToolDefinitionError(name, 'model', `it ${withFullStop(problem)}`);
  const own = listAgentTools(agent);
  const { tools, sources } =
    more.length > 0 ? resolveInnerTools(name, [...own, ...more]) : { tools: own, sources: [] };
  const { model, limits, settings, use } = changes;
  if (model ?? limits ?? settings ?? use) {
    const of = typeof agent === 'string' ? UNKNOWN_AGENT : agent;
    const known = of.needsApp ? settings : mergeSettings(of.settings, settings);
    const checked = { name, model, limits, settings: known, use: [...(of.uses ?? []), ...(use ?? [])] };
    // Before an app supplies the tools, the names in the settings cannot be checked.
    const later = of.needsApp ? [LATER_TOOLS] : [];
    checkLoop(checked, { inner: tools, sources: [...of.sources, ...of.strategies, ...later] });
  }
  return { tools: tools.filter((tool) => !own.includes(tool)), sources };
}

/** The assumed properties of an agent that is referenced by name. */
const UNKNOWN_AGENT: Pick<LoopAgent, 'uses' | 'settings' | 'sources' | 'strategies' | 'needsApp'> = {
  uses: [],
  settings: undefined,
  sources: [],
  strategies: [],
  needsApp: true,
};

/** A placeholder for the tools of an agent that are not known yet. */
const LATER_TOOLS: InjectionStrategy = { name: 'later', offer: (tools) => tools };

const listAgentTools = (agent: LoopAgent | string): readonly AnyTool[] =>
  typeof agent === 'string' ? [] : agent.tools;

const SHAPE = {
  of: 'defineSubagent',
  keys: { ...NAMED_KEYS, agent: 'any', input: 'schema', output: 'schema', context: CONTEXT_RULE },
  required: [], // an invalid agent throws another error
  foreign: FOREIGN_INPUT,
} satisfies LiteralShape<keyof SubagentConfig<string, string, undefined, unknown>>;

/** The input of a subagent that declares none. */
const MESSAGE_SCHEMA = createCheckedSchema<{ readonly message: string }>(
  {
    type: 'object',
    properties: {
      message: {
        type: 'string',
        minLength: 1,
        description: 'What to do, with everything that is needed for it: this conversation is not seen.',
      },
    },
    required: ['message'],
  },
  (input) =>
    findPropertyIssue(input, 'message', { type: 'string' }) ??
    (input.message === '' ? { path: ['message'], message: 'String is too short (0 < 1).' } : undefined),
);

function readAgentName(agent: LoopAgent | string): { agentName: string; about: string } {
  const given: unknown = agent; // code without types can pass anything
  if (typeof given === 'string') {
    if (given.trim() === '') throw new ToolDefinitionError('', 'agent', 'Agent name must not be blank.');
    return { agentName: given, about: `Delegate to agent '${given}'` };
  }
  const { name, description, instructions, needsApp }: Readonly<Record<string, unknown>> = Object(given);
  const isWords = [name, description, instructions].every((part) => typeof part === 'string');
  if (isWords && typeof needsApp === 'boolean') {
    return { agentName: String(name), about: String(description) };
  }
  const problem = 'its agent is neither a result of defineAgent nor the name of an agent.';
  throw new ToolDefinitionError(String(name ?? ''), 'agent', problem);
}

/** Checks the input, and reports its problems to the model with a subagent's own wording. */
async function checkSubagentInput(
  schema: InputSchema<unknown>,
  input: JsonObject,
  tool: string,
): Promise<CheckedInput<unknown>> {
  const checked = await checkInput(schema, input, tool);
  if (checked.ok || !checked.problems) return checked;
  const message = `Error parsing subagent input: ${checked.problems.join('; ')}`;
  return { ...checked, answer: createFailureResult('invalid-input', message) };
}

function toResult(outcome: FrameOutcome, { blackboard }: Pick<CallRun, 'blackboard'>): ToolResult {
  if (outcome.outcome === 'failed') return error(outcome.text);
  mergeBlackboard(blackboard, outcome.added);
  return withholdIfUnfinished(outcome, toFormedResult(outcome) ?? text(outcome.text));
}

/**
 * Merges the additions of a copy into a blackboard. It replaces no named entry: if a name is already bound,
 * the added value is stored without a name, because a lookup finds the newest entry of a name.
 */
function mergeBlackboard(blackboard: CallBlackboard, added: readonly BlackboardEntry[]): void {
  const bound = new Set(blackboard.entries().map(({ name }) => name));
  for (const { name, type, value } of added) {
    const isFree = name !== undefined && !bound.has(name);
    blackboard.add(value, { type, ...(isFree && { name }) });
  }
}
