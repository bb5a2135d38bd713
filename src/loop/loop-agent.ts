import type { ChatModel, ModelOfEnv, ModelReply } from '../model/chat-model.ts';
import { ConfigurationError } from '../model/configuration-error.ts';
import { type AgentSettings, mergedSettings } from '../model/settings.ts';
import type { DoneCall, Limits, Plan } from '../tool/frame.ts';
import { paragraphs } from '../tool/json.ts';
import type { ModuleUse } from '../tool/module-use.ts';
import type { AnyTool, InjectionStrategy, Instructions } from '../tool/tool.ts';
import type { ToolCallContext } from '../tool/tool-call-context.ts';
import type { MemoryFact } from '../tool/tool-memory.ts';
import { ownOffers } from '../tool/uses.ts';
import type { AnswerForm } from './answer-form.ts';
import type { Loop, LoopAgent, LoopAgents, LoopSpec, PlannedModel } from './loop.ts';
import { usesInside } from './loop-seams.ts';

/** The call whose nested loop is meant, and its calls so far, for a plan. */
interface Opened {
  readonly id: string;
  readonly calls: () => readonly DoneCall[];
}

/**
 * Answers what the loop inside another is run with; or why it cannot be run, in words for the model that asked for it.
 *
 * @throws ConfigurationError when a deployment lacks what the agent asks for.
 */
export function specInside(loop: Loop, frame: Frame, opened: Opened): LoopSpec | string {
  const { runBy: runner = {} } = frame;
  const { agent: asked } = runner;
  const { tools, output, uses, sources = [], strategies = [], key } = frame;
  const offered = {
    sources: [...sources, ...ownOffers(uses, 'before', key)],
    strategies: [...ownOffers(uses, 'after', key), ...strategies],
  };
  if (asked === undefined) {
    const instructions = endingWith(frame.instructions, output?.instruction);
    const own = { instructions, tools, output, ...modelFor(loop, runner) };
    return nestedSpec(loop, { ...frame, ...offered, own }, opened);
  }
  const agent = findAgent(loop.agents, asked);
  return typeof agent === 'string'
    ? agent
    : nestedSpec(loop, declaredBy(agent, { loop, frame: { ...frame, ...offered }, runner }), opened);
}

/**
 * The model and the settings of a nested loop that is no agent's. Settings are for the model that they were declared with, and
 * a tool choice is for the tools: neither goes on to where these are others.
 */
function modelFor(
  loop: Loop,
  { model: given, settings }: Runner,
): Pick<LoopSpec, 'settings' | 'modelTimeout'> & Partial<Pick<LoopSpec, 'model'>> {
  const model = givenModel(loop, given);
  const modelTimeout = { ...loop.spec.modelTimeout, ...settings?.timeout };
  if (given) return { settings, modelTimeout, ...(model && { model }) };
  return {
    settings: mergedSettings({ ...loop.spec.settings, toolChoice: undefined }, settings),
    modelTimeout,
  };
}

/** Answers nothing without an environment, as in a test: whoever runs the loop around runs this one too. */
const givenModel = ({ agents }: Loop, given: Runner['model']): ChatModel | undefined =>
  typeof given === 'function' ? agents?.modelOf?.(given) : given;

/** What is declared of a nested loop, by its frame or by its agent. */
interface Declared extends Pick<Frame, 'uses' | 'sources' | 'strategies' | 'limits' | 'context' | 'plan'> {
  /** Context under that of the loop around it: an agent's own. */
  readonly under?: ToolCallContext;
  /** Stands in for what the loop around it has. */
  readonly own: Pick<LoopSpec, 'instructions' | 'tools' | 'output'> & Partial<LoopSpec>;
}

function nestedSpec({ modules, spec }: Loop, declared: Declared, { id, calls }: Opened): LoopSpec {
  // A plan, and the bounds of one, are for its own loop: what nests inside a step is a loop like any other.
  const around = spec.aroundPlan ?? {
    model: spec.model,
    iterations: spec.iterations,
    tokenCeiling: spec.tokenCeiling,
  };
  const { own, uses, sources = [], strategies = [], limits, under, context, plan } = declared;
  const outside = under?.merge(spec.context) ?? spec.context;
  return {
    ...spec,
    ...around,
    ...own,
    uses: usesInside(spec.uses, id, uses),
    strategies: [...sources, ...modules.strategies, ...strategies],
    iterations: limits?.iterations ?? around.iterations,
    context: context ? outside.merge(context) : outside,
    depth: spec.depth + 1,
    aroundPlan: plan && around,
    ...(plan && { model: plannedModel(plan, calls), tokenCeiling: undefined }),
  };
}

/** The name under which a plan's replies are journaled. */
const PLAN = 'plan';

/**
 * A plan in the place of a model: the loop, the journal and everything that happens to a call are the same. Asking it
 * costs nothing, so it is asked again on every resume.
 */
const plannedModel = (plan: Plan, calls: () => readonly DoneCall[]): PlannedModel => ({
  name: PLAN,
  planned: true,
  async ask(): Promise<ModelReply> {
    const done = calls();
    const next = plan(done);
    if (!next) return { text: PLAN, toolCalls: [], finish: 'stop' };
    const input = typeof next.input === 'string' ? next.input : JSON.stringify(next.input);
    const call = { id: `step_${done.length}`, name: next.tool, input };
    return { text: '', toolCalls: [call], finish: 'tool-calls' };
  },
});

/** How an agent is asked. */
interface Asked {
  readonly loop: Loop;
  readonly frame: Frame;
  readonly runner: Runner;
}

/**
 * An agent as a loop inside another has it. Its policies stand in for those around it; what watches and changes the loops
 * around it does so in this one too, before its own.
 *
 * @throws ConfigurationError when a tool of the frame has the name of one of the agent's.
 */
function declaredBy(agent: LoopAgent, { loop, frame, runner }: Asked): Declared {
  const { agents, spec } = loop;
  const { policies } = agent;
  const { output = agent.output } = frame;
  const settings = mergedSettings(agent.settings, runner.settings);
  const model = givenModel(loop, runner.model) ?? agent.model ?? agents?.model;
  const own = {
    instructions: endingWith(runner.instructions ?? agent.instructions, output?.instruction),
    tools: toolsBeside(agent, frame),
    modelTimeout: { ...spec.modelTimeout, ...settings.timeout },
    policies,
    output,
    settings,
    accepts: agent.accepts,
    ...(model && { model }),
  };
  const { limits, uses = [], sources = [], strategies = [], context } = frame;
  return {
    uses: [...(agent.uses ?? []), ...uses],
    sources: [...agent.sources, ...sources],
    strategies: [...agent.strategies, ...strategies],
    limits: { ...agent.limits, ...limits },
    under: agent.context,
    context,
    own,
  };
}

function endingWith(instructions: Instructions, end: string | undefined): Instructions {
  if (end === undefined) return instructions;
  if (typeof instructions === 'string') return paragraphs(instructions, end);
  return (view) => paragraphs(instructions(view), end);
}

/** The agent's tools, and those that a frame brings; the agent's own list when it brings none, which is kept by. */
function toolsBeside(agent: LoopAgent, frame: Frame): readonly AnyTool[] {
  if (frame.tools.length === 0) return agent.tools;
  const names = new Set(agent.tools.map(({ name }) => name));
  const twice = frame.tools.find(({ name }) => names.has(name));
  if (!twice) return [...agent.tools, ...frame.tools];
  throw new ConfigurationError(
    `Agent '${agent.name}' has a tool '${twice.name}', and its subagent '${frame.name}' brings another of this name.`,
  );
}

/** The agent, with what its environment gives it; or why it cannot be had, in words for the model that asked for it. */
function findAgent(agents: LoopAgents | undefined, asked: LoopAgent | string): LoopAgent | string {
  if (typeof asked !== 'string') {
    const agent = agents?.resolve(asked) ?? asked;
    if (!agent.needsApp) return agent;
    return `Agent '${asked.name}' asks for tool groups, and no app is here to give them.`;
  }
  if (!agents) {
    return `Agent '${asked}' not found: no app is here to look for it. It can be asked where it is given by its definition.`;
  }
  return agents.find(asked) ?? `Agent '${asked}' not found. Available agents: ${listed(agents.names)}.`;
}

/** Names of agents in the text that a model reads. */
const MAX_NAMES = 20;

function listed(names: readonly string[]): string {
  if (names.length === 0) return 'none';
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : '';
  return names.slice(0, MAX_NAMES).join(', ') + more;
}

/** What a nested loop is made of. Only its data is journaled; the code makes the rest again on every resume. */
export interface Frame {
  /** Joined to the path of what is around it; keeps state of its tools apart. */
  readonly name: string;
  /** The system message. A function is called before each model call. */
  readonly instructions: Instructions;
  /** What the nested loop is asked, as its user message. */
  readonly message: string;
  readonly tools: readonly AnyTool[];
  /** What its answer must be, in place of what its agent says; words where both are absent. */
  readonly output?: AnswerForm | undefined;
  /** In place of those of its agent. */
  readonly limits?: Limits | undefined;
  /** Modules around its model calls and its calls, beside those of the loops around it that hold inside too, and those of its agent. */
  readonly uses?: readonly ModuleUse[] | undefined;
  /** What these modules remember in the loop is kept under it, for each key apart. Not used with an agent. */
  readonly key?: string | undefined;
  /** Asked before the strategies of every loop, so that what they add can unfold. */
  readonly sources?: readonly InjectionStrategy[] | undefined;
  /** Change what is offered after all others, in order. */
  readonly strategies?: readonly InjectionStrategy[] | undefined;
  /** Take effect when the frame opens, whatever becomes of it; never again when it is resumed. */
  readonly facts?: readonly MemoryFact[] | undefined;
  /** Over the context of the loop around it, under which that of its agent is. */
  readonly context?: ToolCallContext | undefined;
  /**
   * The frame has a blackboard of its own: a copy of the one around it, whose additions nobody else sees. They are the
   * outcome's `added`.
   */
  readonly ownBlackboard?: boolean | undefined;
  /** Decides the calls in place of a model: a pipeline. */
  readonly plan?: Plan | undefined;
  /** Runs the loop where the model around it does not. */
  readonly runBy?: Runner | undefined;
}

/** Who runs a nested loop in place of the model around it. */
export interface Runner {
  /** By its definition, or by the name under which the app has it. What the frame has of its own is beside what the agent has. */
  readonly agent?: LoopAgent | string | undefined;
  /** In place of the agent's; without an agent, of the model of the loop around it. */
  readonly model?: ChatModel | ModelOfEnv | undefined;
  /** In place of the agent's. */
  readonly instructions?: Instructions | undefined;
  /** Of the loop, over those of the loop around it; with a model of its own it has these alone; with an agent over those of the agent. */
  readonly settings?: AgentSettings | undefined;
}
