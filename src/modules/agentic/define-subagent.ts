import type { OutputOf } from '../../loop/answer-form.ts';
import type { LoopAgent } from '../../loop/loop.ts';
import { nest } from '../../loop/nest.ts';
import { mergedSettings } from '../../model/settings.ts';
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
  checkedSchema,
  type InputDeclaration,
  type InputOf,
  type InputSchema,
  propertyIssue,
} from '../../tool/input-schema.ts';
import type { JsonObject } from '../../tool/json.ts';
import type { BlackboardEntry, CallBlackboard } from '../../tool/kept-values.ts';
import { literals } from '../../tool/literals.ts';
import type { CheckedInput } from '../../tool/problem-lines.ts';
import { ended } from '../../tool/shown.ts';
import type { AnyTool, CallRun, InjectionStrategy, Instructions, Tool } from '../../tool/tool.ts';
import { FOREIGN_INPUT, NAMED } from '../../tool/tool-literals.ts';
import { error, failure, type ToolResult, text } from '../../tool/tool-result.ts';
import { usesOf } from '../../tool/uses.ts';
import { checkLoop, frameName, readOutput } from './agentic-tool.ts';
import {
  CONTEXT,
  contextFor,
  contextOf,
  copiedBy,
  type LoopChanges,
  type LoopContext,
  wholeInput,
  withMore,
} from './copies.ts';
import { type ToolsInside, toolsInside } from './define-agentic-tool.ts';
import { asReached, formed } from './nested-result.ts';

/** The literal that `defineSubagent` takes. */
export interface SubagentConfig<
  AgentName extends string,
  Name extends string,
  Declaration extends InputDeclaration,
  Output,
  Form extends InputDeclaration = InputDeclaration,
> {
  /** Its definition, or the name under which the app has it, which is looked up at each call. */
  readonly agent: DefinedAgent<AgentName, Output> | AgentName;
  /** The agent's unless given. Stands in the path under which its tools keep their state. */
  readonly name?: Name | undefined;
  /** The agent's unless given; `Delegate to agent '{name}'` for one that is given by name. */
  readonly description?: string | undefined;
  /** What the model sends; the agent is asked with its JSON. Unless given, a `message`, which is what it is asked. */
  readonly input?: Declaration | undefined;
  /**
   * What its answer must be, in place of what the agent declares: the schema of a JSON object, or a domain type. So an agent that is
   * given by its name has a typed answer too.
   */
  readonly output?: Form | undefined;
  /**
   * Tool-call context for the calls of its loop, over that of the loop around it and over what the agent declares: code wins over what a
   * client sent. A function makes it of the input and of the loop around. No credentials: it is code, made again by every invocation
   * and never journaled.
   */
  readonly context?: LoopContext<SubagentInput<Declaration>> | undefined;
}

/** What `defineAgent` makes, as far as a subagent has to know it. */
interface DefinedAgent<Name extends string, Output> extends LoopAgent {
  readonly name: Name;
  readonly description: string;
  /** For inference only; never set. */
  readonly '~types'?: { readonly output: Output };
}

/** What a subagent is called with. */
export type SubagentInput<Declaration extends InputDeclaration> = Declaration extends undefined
  ? { readonly message: string }
  : InputOf<Declaration>;

/** What a subagent answers: what its own `output` says, else that of its agent. */
export type SubagentOutput<Form extends InputDeclaration, Output> = Form extends undefined
  ? Output
  : OutputOf<Form>;

/**
 * Makes a tool that hands work to an agent: it runs in a frame of the same turn, with its own instructions, model, tools,
 * limits and policies, under the context of who asks. What it says is the result; what its `output` makes of that, the
 * artifact. It reads the blackboard as it was when it was asked, and what it adds comes back if it
 * succeeds.
 *
 * @throws ToolDefinitionError when the tool cannot work, such as for a blank name.
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
  return subagent(config);
}

/** `changes`: what a copy has in place of what its agent has, and beside it. */
function subagent<
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
  const { agentName, about } = nameOf(agent);
  const { description = about } = config;
  // A subagent without a name of its own has the agent's, at which the type parameter stands then.
  const name = (config.name ?? agentName) as Name;
  checkNaming(name, description);
  const schema = readInput<InputDeclaration>(name, config.input ?? MESSAGE);
  const check = (input: JsonObject, as: string) => checkSubagentInput(schema, input, as);
  const context = contextOf(name, config.context);
  const output = readOutput(name, config.output);
  const form = output ?? (typeof agent === 'string' ? undefined : agent.output);
  const { tools, sources } = toolsBeside({ name, agent }, changes);
  const own = toolsOfAgent(agent);
  const inner = tools.length > 0 ? [...own, ...tools] : own;
  const uses = usesOf(sources);
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
      const whole = wholeInput(parsed.value, input, call);
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
        context: contextFor(context, whole.input, call.view),
        instructions: '',
        runBy: { agent, model, settings, instructions: instructionsFor(whole.input, changes) },
      };
      return resultOf(await nest(call, { name: frameName(name, call), ...work }), call);
    },
  };
  copiedBy(tool, ({ tools: more = [], context: over, ...others }) =>
    subagent(
      { ...config, context: contextOf(name, context, over) },
      { ...withMore(changes, others), tools: [...(changes.tools ?? []), ...more] },
    ),
  );
  return tool;
}

/** What a copy tells its loop first; `undefined` for what the agent says. */
function instructionsFor(input: unknown, { instructions }: LoopChanges): Instructions | undefined {
  if (typeof instructions !== 'function') return instructions;
  // `withInstructions` has them take the tool's own input, and no state.
  return (view) => instructions(view, input as never, undefined as never);
}

/**
 * What a copy has beside its agent's tools.
 *
 * @throws ToolDefinitionError when the agent cannot have these, or not be run by the model of the copy.
 */
function toolsBeside(
  { name, agent }: { readonly name: string; readonly agent: LoopAgent | string },
  { tools: more = [], ...changes }: LoopChanges,
): Omit<ToolsInside, 'notes'> {
  const problem = literals?.modelProblem(changes.model);
  if (problem !== undefined) throw new ToolDefinitionError(name, 'model', `it ${ended(problem)}`);
  const own = toolsOfAgent(agent);
  const { tools, sources } =
    more.length > 0 ? toolsInside(name, [...own, ...more]) : { tools: own, sources: [] };
  const { model, limits, settings, use } = changes;
  if (model ?? limits ?? settings ?? use) {
    const of = typeof agent === 'string' ? UNKNOWN : agent;
    const known = of.needsApp ? settings : mergedSettings(of.settings, settings);
    const checked = { name, model, limits, settings: known, use: [...(of.uses ?? []), ...(use ?? [])] };
    // Which tools its settings may name is not known before an app has given it some.
    const later = of.needsApp ? [LATER] : [];
    checkLoop(checked, { inner: tools, sources: [...of.sources, ...of.strategies, ...later] });
  }
  return { tools: tools.filter((tool) => !own.includes(tool)), sources };
}

/** What is known of an agent that is given by its name. */
const UNKNOWN: Pick<LoopAgent, 'uses' | 'settings' | 'sources' | 'strategies' | 'needsApp'> = {
  uses: [],
  settings: undefined,
  sources: [],
  strategies: [],
  needsApp: true,
};

/** Stands for the tools of an agent that are not known yet. */
const LATER: InjectionStrategy = { name: 'later', offer: (tools) => tools };

const toolsOfAgent = (agent: LoopAgent | string): readonly AnyTool[] =>
  typeof agent === 'string' ? [] : agent.tools;

const SHAPE = {
  of: 'defineSubagent',
  keys: { ...NAMED, agent: 'any', input: 'schema', output: 'schema', context: CONTEXT },
  required: [], // What is no agent is told as such.
  foreign: FOREIGN_INPUT,
} satisfies LiteralShape<keyof SubagentConfig<string, string, undefined, unknown>>;

/** What a subagent is asked with that declares no input. */
const MESSAGE = checkedSchema<{ readonly message: string }>(
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
    propertyIssue(input, 'message', { type: 'string' }) ??
    (input.message === '' ? { path: ['message'], message: 'String is too short (0 < 1).' } : undefined),
);

function nameOf(agent: LoopAgent | string): { agentName: string; about: string } {
  const given: unknown = agent; // the types cannot keep everything out
  if (typeof given === 'string') {
    if (given.trim() === '') throw new ToolDefinitionError('', 'agent', 'Agent name must not be blank.');
    return { agentName: given, about: `Delegate to agent '${given}'` };
  }
  const { name, description, instructions, needsApp }: Readonly<Record<string, unknown>> = Object(given);
  const isWords = [name, description, instructions].every((part) => typeof part === 'string');
  if (isWords && typeof needsApp === 'boolean') {
    return { agentName: String(name), about: String(description) };
  }
  const problem = 'its agent is neither what defineAgent made nor the name of an agent.';
  throw new ToolDefinitionError(String(name ?? ''), 'agent', problem);
}

/** Checks the input, and tells the model what is wrong in words of its own for subagents. */
async function checkSubagentInput(
  schema: InputSchema<unknown>,
  input: JsonObject,
  tool: string,
): Promise<CheckedInput<unknown>> {
  const checked = await checkInput(schema, input, tool);
  if (checked.ok || !checked.problems) return checked;
  const message = `Error parsing subagent input: ${checked.problems.join('; ')}`;
  return { ...checked, answer: failure('invalid-input', message) };
}

function resultOf(outcome: FrameOutcome, { blackboard }: Pick<CallRun, 'blackboard'>): ToolResult {
  if (outcome.outcome === 'failed') return error(outcome.text);
  mergeBlackboard(blackboard, outcome.added);
  return asReached(outcome, formed(outcome) ?? text(outcome.text));
}

/**
 * Adds to a blackboard what was added to a copy of it. Nothing is lost, and nothing that has a name there is replaced: the
 * newest entry of a name is the one that is found, so what the copy bound to such a name comes without it.
 */
function mergeBlackboard(blackboard: CallBlackboard, added: readonly BlackboardEntry[]): void {
  const bound = new Set(blackboard.entries().map(({ name }) => name));
  for (const { name, type, value } of added) {
    const isFree = name !== undefined && !bound.has(name);
    blackboard.add(value, { type, ...(isFree && { name }) });
  }
}
