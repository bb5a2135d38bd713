import type { ChatModel, ModelOfEnv, ModelReply } from '../model/chat-model.ts';
import { ConfigurationError } from '../model/configuration-error.ts';
import { type AgentSettings, mergeSettings } from '../model/settings.ts';
import type { DoneCall, Limits, Plan } from '../tool/frame.ts';
import { joinParagraphs } from '../tool/json.ts';
import type { ModuleUse } from '../tool/module-use.ts';
import type { AnyTool, InjectionStrategy, Instructions } from '../tool/tool.ts';
import type { ToolCallContext } from '../tool/tool-call-context.ts';
import type { MemoryFact } from '../tool/tool-memory.ts';
import { listOwnOffers } from '../tool/uses.ts';
import type { AnswerForm } from './answer-form.ts';
import type { Loop, LoopAgent, LoopAgents, LoopSpec, PlannedModel } from './loop.ts';
import { listNestedUses } from './loop-seams.ts';

/** The call that opens the nested loop, and the loop's calls so far, for a plan. */
interface OpeningCall {
  readonly id: string;
  readonly calls: () => readonly DoneCall[];
}

/**
 * Returns the spec of a nested loop, or why it cannot run, as text for the model that asked for it.
 *
 * @throws ConfigurationError if the deployment lacks something that the agent requires.
 */
export function resolveNestedSpec(loop: Loop, frame: Frame, opened: OpeningCall): LoopSpec | string {
  const { runBy: runner = {} } = frame;
  const { agent: asked } = runner;
  const { tools, output, uses, sources = [], strategies = [], key } = frame;
  const offered = {
    sources: [...sources, ...listOwnOffers(uses, 'before', key)],
    strategies: [...listOwnOffers(uses, 'after', key), ...strategies],
  };
  if (asked === undefined) {
    const instructions = appendInstructions(frame.instructions, output?.instruction);
    const own = { instructions, tools, output, ...selectModel(loop, runner) };
    return toNestedSpec(loop, { ...frame, ...offered, own }, opened);
  }
  const agent = findAgent(loop.agents, asked);
  return typeof agent === 'string'
    ? agent
    : toNestedSpec(
        loop,
        toNestedDeclaration(agent, { loop, frame: { ...frame, ...offered }, runner }),
        opened,
      );
}

/**
 * Returns the model and settings of a nested loop without an agent. Settings apply only to the model that
 * they were declared for, and a tool choice only to its tools, so other models do not inherit them.
 */
function selectModel(
  loop: Loop,
  { model: given, settings }: Runner,
): Pick<LoopSpec, 'settings' | 'modelTimeout'> & Partial<Pick<LoopSpec, 'model'>> {
  const model = resolveModel(loop, given);
  const modelTimeout = { ...loop.spec.modelTimeout, ...settings?.timeout };
  if (given) return { settings, modelTimeout, ...(model && { model }) };
  return {
    settings: mergeSettings({ ...loop.spec.settings, toolChoice: undefined }, settings),
    modelTimeout,
  };
}

/**
 * Returns `undefined` without an environment, as in a test. The nested loop then uses the outer loop's model.
 */
const resolveModel = ({ agents }: Loop, given: Runner['model']): ChatModel | undefined =>
  typeof given === 'function' ? agents?.modelOf?.(given) : given;

/** The declarations of a nested loop, from its frame or its agent. */
interface NestedDeclaration
  extends Pick<Frame, 'uses' | 'sources' | 'strategies' | 'limits' | 'context' | 'plan'> {
  /** Context of an agent, overridden by that of the loop around it. */
  readonly under?: ToolCallContext;
  /** Replaces the values of the loop around it. */
  readonly own: Pick<LoopSpec, 'instructions' | 'tools' | 'output'> & Partial<LoopSpec>;
}

function toNestedSpec(
  { modules, spec }: Loop,
  declared: NestedDeclaration,
  { id, calls }: OpeningCall,
): LoopSpec {
  // A plan and its limits apply only to its own loop. A loop inside one of its steps is an ordinary loop.
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
    uses: listNestedUses(spec.uses, id, uses),
    strategies: [...sources, ...modules.strategies, ...strategies],
    iterations: limits?.iterations ?? around.iterations,
    context: context ? outside.merge(context) : outside,
    depth: spec.depth + 1,
    aroundPlan: plan && around,
    ...(plan && { model: createPlannedModel(plan, calls), tokenCeiling: undefined }),
  };
}

/** The model name under which a plan's replies are journaled. */
const PLAN_MODEL_NAME = 'plan';

/**
 * Makes a model from a plan. The loop, the journal and the handling of calls stay the same. A plan is free to
 * ask, so every resume asks it again.
 */
const createPlannedModel = (plan: Plan, calls: () => readonly DoneCall[]): PlannedModel => ({
  name: PLAN_MODEL_NAME,
  planned: true,
  async ask(): Promise<ModelReply> {
    const done = calls();
    const next = plan(done);
    if (!next) return { text: PLAN_MODEL_NAME, toolCalls: [], finish: 'stop' };
    const input = typeof next.input === 'string' ? next.input : JSON.stringify(next.input);
    const call = { id: `step_${done.length}`, name: next.tool, input };
    return { text: '', toolCalls: [call], finish: 'tool-calls' };
  },
});

/** An agent's nested loop and how it runs. */
interface AgentRun {
  readonly loop: Loop;
  readonly frame: Frame;
  readonly runner: Runner;
}

/**
 * Returns the declarations of an agent that runs inside another loop. Its policies replace those of the outer
 * loop. Modules that watch or change the outer loops also apply here, before its own.
 *
 * @throws ConfigurationError if a tool of the frame has the same name as one of the agent's.
 */
function toNestedDeclaration(agent: LoopAgent, { loop, frame, runner }: AgentRun): NestedDeclaration {
  const { agents, spec } = loop;
  const { policies } = agent;
  const { output = agent.output } = frame;
  const settings = mergeSettings(agent.settings, runner.settings);
  const model = resolveModel(loop, runner.model) ?? agent.model ?? agents?.model;
  const own = {
    instructions: appendInstructions(runner.instructions ?? agent.instructions, output?.instruction),
    tools: mergeTools(agent, frame),
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

function appendInstructions(instructions: Instructions, end: string | undefined): Instructions {
  if (end === undefined) return instructions;
  if (typeof instructions === 'string') return joinParagraphs(instructions, end);
  return (view) => joinParagraphs(instructions(view), end);
}

/**
 * Returns the agent's tools plus the frame's. If the frame has none, returns the agent's own array, since
 * caches use it as a key.
 */
function mergeTools(agent: LoopAgent, frame: Frame): readonly AnyTool[] {
  if (frame.tools.length === 0) return agent.tools;
  const names = new Set(agent.tools.map(({ name }) => name));
  const twice = frame.tools.find(({ name }) => names.has(name));
  if (!twice) return [...agent.tools, ...frame.tools];
  throw new ConfigurationError(
    `Agent '${agent.name}' and its subagent '${frame.name}' both have a tool '${twice.name}'. Rename one.`,
  );
}

/**
 * Returns the agent with its app's tool groups, or why it is not available, as text for the model that asked
 * for it.
 */
function findAgent(agents: LoopAgents | undefined, asked: LoopAgent | string): LoopAgent | string {
  if (typeof asked !== 'string') {
    const agent = agents?.resolve(asked) ?? asked;
    if (!agent.needsApp) return agent;
    return `Agent '${asked.name}' uses tool groups, which only an app provides.`;
  }
  if (!agents) {
    return `Agent '${asked}' not found. Without an app, pass the agent's definition instead of its name.`;
  }
  return agents.find(asked) ?? `Agent '${asked}' not found. Available agents: ${formatNames(agents.names)}.`;
}

/** The maximum number of agents in a message to a model. */
const MAX_NAMES = 20;

function formatNames(names: readonly string[]): string {
  if (names.length === 0) return 'none';
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : '';
  return names.slice(0, MAX_NAMES).join(', ') + more;
}

/**
 * The definition of a nested loop. Only its data is journaled. The code rebuilds the rest on every resume.
 */
export interface Frame {
  /** Appended to the path of the outer loop. The state of its tools is separate for each path. */
  readonly name: string;
  /** The system message. A function is called before each model call. */
  readonly instructions: Instructions;
  /** The user message of the nested loop. */
  readonly message: string;
  readonly tools: readonly AnyTool[];
  /** The form of its answer, in place of its agent's. Defaults to text if both are absent. */
  readonly output?: AnswerForm | undefined;
  /** Replaces its agent's limits. */
  readonly limits?: Limits | undefined;
  /**
   * Modules around its model calls and its calls, in addition to its agent's and to the outer modules that
   * apply to nested loops.
   */
  readonly uses?: readonly ModuleUse[] | undefined;
  /** A key that separates the memories of these modules in the loop. Not used with an agent. */
  readonly key?: string | undefined;
  /** Strategies that run before those of every loop, so that the tools they add can unfold. */
  readonly sources?: readonly InjectionStrategy[] | undefined;
  /** Strategies that change the offered tools after all others, in order. */
  readonly strategies?: readonly InjectionStrategy[] | undefined;
  /**
   * Facts that take effect when the frame opens, even if it fails later. They are not repeated on a resume.
   */
  readonly facts?: readonly MemoryFact[] | undefined;
  /** Overrides the context of the outer loop, which overrides the agent's. */
  readonly context?: ToolCallContext | undefined;
  /**
   * If `true`, the frame has its own copy of the blackboard. Other loops do not see its additions, which are
   * in `added` of the outcome.
   */
  readonly ownBlackboard?: boolean | undefined;
  /** Decides the calls in place of a model, as in a pipeline. */
  readonly plan?: Plan | undefined;
  /** Runs the loop instead of the outer loop's model. */
  readonly runBy?: Runner | undefined;
}

/** The agent or model that runs a nested loop, in place of the outer loop's model. */
export interface Runner {
  /**
   * The agent, by its definition or by its name in the app. The frame's own tools and modules are added to
   * the agent's.
   */
  readonly agent?: LoopAgent | string | undefined;
  /** Replaces the agent's model or, without an agent, the outer loop's. */
  readonly model?: ChatModel | ModelOfEnv | undefined;
  /** Replaces the agent's instructions. */
  readonly instructions?: Instructions | undefined;
  /**
   * Overrides the agent's settings. Without an agent, overrides the outer loop's, or applies alone if `model`
   * is set.
   */
  readonly settings?: AgentSettings | undefined;
}
