import { type AnswerForm, type OutputOf, toAnswerForm } from '../../loop/answer-form.ts';
import type { Frame } from '../../loop/loop-agent.ts';
import { findModelProblem } from '../../loop/loop-seams.ts';
import { findSettingsProblem } from '../../loop/loop-settings.ts';
import { nest } from '../../loop/nest.ts';
import { findLimitProblem } from '../../loop/policies.ts';
import type { ChatModel, ModelOfEnv } from '../../model/chat-model.ts';
import type { AgentSettings } from '../../model/settings.ts';
import {
  checkNaming,
  checkToolLiteral,
  readInput,
  ToolDefinitionError,
} from '../../tool/check-definition.ts';
import { checkCall, checkInput } from '../../tool/check-input.ts';
import type { LiteralKind, LiteralShape } from '../../tool/check-literal.ts';
import { warnDeveloper } from '../../tool/console-log.ts';
import { getOrigin } from '../../tool/decorate.ts';
import type { Limits } from '../../tool/frame.ts';
import { type InputDeclaration, type InputOf, InputSchemaError } from '../../tool/input-schema.ts';
import { literals } from '../../tool/literals.ts';
import type { ModuleUse } from '../../tool/module-use.ts';
import type { AnyTool, CallRun, InjectionStrategy, LoopView, Serial, Tool } from '../../tool/tool.ts';
import type { ToolCallContext } from '../../tool/tool-call-context.ts';
import { FOREIGN_INPUT, MODULE_OPTIONS, NAMED_KEYS } from '../../tool/tool-literals.ts';
import { error, isToolResult, type ToolResult } from '../../tool/tool-result.ts';
import { collectUses, listFactsToForget, listOwnOffers } from '../../tool/uses.ts';
import { CONTEXT_RULE, type LoopContext, mergeContexts, resolveContext, toLoopInput } from './copies.ts';
import type { KeyedMemory } from './memory.ts';
import { createNestedResult } from './nested-result.ts';

/** The fields that all kinds of agentic tools share. */
interface AgenticConfig<
  Name extends string,
  Declaration extends InputDeclaration,
  Output extends InputDeclaration = InputDeclaration,
> {
  /**
   * Letters, digits, `_` and `-`, at most 64. The inner tools keep their state under a path that contains
   * this name. If a name clash makes an unfolding tool offer it under another name, the path contains that
   * name.
   */
  readonly name: Name;
  /** What the tool does and when to use it, for the model. */
  readonly description: string;
  /** The schema of the input that the model sends. The nested loop receives the input as JSON. */
  readonly input?: Declaration | undefined;
  /**
   * The form of the nested loop's answer, as in the `output` of an agent: the schema of a JSON object, or a
   * domain type. The result is then the answer as an artifact. Without it, the result is the loop's last
   * text, with the artifacts of its calls.
   */
  readonly output?: Output | undefined;
  /**
   * The model of the nested loop. Defaults to the model of the enclosing loop. A function creates the model
   * from the environment, as for an agent.
   */
  readonly model?: ChatModel | ModelOfEnv | undefined;
  /**
   * Settings for the replies of the nested loop. If `model` is set, only these apply. Otherwise they override
   * those of the enclosing loop, except its tool choice.
   */
  readonly settings?: AgentSettings | undefined;
  /** Limits of the nested loop, in addition to those of the enclosing loops. Defaults to 20 iterations. */
  readonly limits?: Omit<Limits, 'tokens'> | undefined;
  /**
   * Modules that the nested loop uses, in addition to those that enclosing loops pass inward: a `budget`,
   * `chaining([...])`, the result of `defineInjectionStrategy`. The strategies of a playbook or a state
   * machine run after them, so these modules also apply to the tools that those add.
   */
  readonly use?: readonly ModuleUse[] | undefined;
  /**
   * Tool-call context for the calls of the nested loop. It overrides that of the enclosing loop, since code
   * takes precedence over values from clients. A function computes it from the input and the enclosing loop.
   * Do not put credentials here. Every invocation computes the context again, and it is never journaled.
   */
  readonly context?: LoopContext<InputOf<Declaration>> | undefined;
  /** `true` to return the artifacts of inner agentic tools as its own. Defaults to `false`. */
  readonly captureNestedArtifacts?: boolean | undefined;
}

/**
 * The instructions of a nested loop: fixed text, or a function that runs before each model call with the
 * loop's view, the input and the values of `More` from the tool's kind. Newer models verify the text before
 * their earlier replies. If it changes, their reasoning from this loop is not sent back.
 */
export type NestedInstructions<Input, More extends readonly unknown[] = []> =
  | string
  | ((view: LoopView, input: Input, ...more: More) => string);

/** The configuration of a tool with instructions. Its kind can pass the values `More` to them. */
export interface InstructedConfig<
  Name extends string,
  Declaration extends InputDeclaration,
  More extends readonly unknown[] = [],
  Output extends InputDeclaration = InputDeclaration,
> extends AgenticConfig<Name, Declaration, Output> {
  /** The instructions of the nested loop: text, or a function that runs before each of its model calls. */
  readonly instructions?: NestedInstructions<InputOf<Declaration>, More> | undefined;
}

/** The parts of an agentic tool that its kind decides. */
interface AgenticKind<Input> {
  /** The inner tools, for code that lists them. */
  readonly inner: readonly AnyTool[];
  /** Strategies that offer tools in addition to `inner`. */
  readonly sources: readonly InjectionStrategy[];
  /** The modules of the kind itself. */
  readonly uses?: readonly ModuleUse[] | undefined;
  /** The error that a call returns if there are no inner tools and no sources. */
  readonly whenEmpty: string;
  readonly serial?: Serial | undefined;
  /**
   * Builds the nested loop of one call, again each time the call resumes. Returns a result if the call cannot
   * run a loop.
   */
  loop(input: Input, call: CallRun): NestedLoop<Input> | ToolResult;
}

/** The parts of a frame that the kind decides. The configuration decides the rest. */
type NestedLoop<Input> = Pick<Frame, 'tools' | 'facts' | 'sources' | 'strategies'> & {
  readonly instructions: NestedInstructions<Input>;
  /**
   * The key of the kind's memory, and whether this call resets it. Chained objects live as long as the
   * memory.
   */
  readonly memory?: KeyedMemory | undefined;
};

/** The default limit of iterations in a nested loop. */
const DEFAULT_ITERATIONS = 20;

/** The configuration keys that all agentic tools accept. */
export const AGENTIC_KEYS = {
  ...NAMED_KEYS,
  input: 'schema',
  output: 'schema',
  model: 'model',
  settings: 'object',
  limits: 'object',
  use: 'list',
  context: CONTEXT_RULE,
  captureNestedArtifacts: 'flag',
  instructions: 'any',
} as const satisfies Record<keyof InstructedConfig<string, undefined>, LiteralKind>;

/**
 * Checks the configuration of an agentic tool, in development only. @throws ToolDefinitionError if a key is
 * unknown, missing or of the wrong type.
 */
export function checkAgenticLiteral(
  config: object,
  shape: Pick<LiteralShape, 'of' | 'keys' | 'required'>,
): void {
  const foreign = {
    ...FOREIGN_INPUT,
    ...MODULE_OPTIONS,
    system: 'instructions',
    prompt: 'instructions',
    maxSteps: 'limits: { iterations }',
  };
  checkToolLiteral(config, { ...shape, foreign });
}

/**
 * Creates a tool whose call runs a nested loop in a frame of the same journal. An interrupted call resumes
 * inside that loop. The result is an artifact in the form of `output`, or the loop's last text with the
 * artifacts of its calls.
 *
 * @throws ToolDefinitionError if the tool cannot work.
 */
export function createAgenticTool<
  Name extends string,
  Declaration extends InputDeclaration,
  Output extends InputDeclaration = undefined,
>(
  config: AgenticConfig<Name, Declaration, Output>,
  kind: AgenticKind<InputOf<Declaration>>,
): Tool<Name, InputOf<Declaration>, OutputOf<Output>> {
  const { name, description } = config;
  checkNaming(name, description);
  checkLoop(config, kind);
  const schema = readInput<Declaration>(name, config.input);
  const output = readOutput(name, config.output);
  if (config.input === undefined) warnOfMissingInput(name);
  const context = mergeContexts(name, config.context);
  const uses = [...(kind.uses ?? []), ...collectUses([...kind.sources, ...listLoopOffers(config)])];
  const isEmpty = kind.inner.length === 0 && kind.sources.length === 0;
  return {
    name,
    description,
    inputSchema: schema.json,
    effect: 'none',
    serial: kind.serial,
    returnDirect: false,
    metadata: {},
    ...(output?.type && { output: output.type }),
    inner: kind.inner,
    ...(uses.length > 0 && { uses }),
    ...(config.use && { usesInside: config.use }),
    check: (input, as = name) => checkInput(schema, input, as),
    async call(input, call) {
      const parsed = await checkCall(schema, input, call);
      if (!parsed.ok) return parsed.answer;
      if (isEmpty) return error(kind.whenEmpty);
      const whole = toLoopInput(parsed.value, input, call);
      const loop = kind.loop(whole.input, call);
      if (isToolResult(loop)) return loop;
      const asked = { input: whole.input, message: JSON.stringify(whole.sent) };
      const inside = resolveContext(context, whole.input, call.view);
      const ready = { ...config, output, context: inside, name: getFrameName(name, call) };
      const frame = createFrame(ready, loop, asked);
      return createNestedResult(await nest(call, frame), config.captureNestedArtifacts ?? false);
    },
  };
}

/** Reads the declared form of the answer. @throws ToolDefinitionError if an answer cannot have this form. */
export function readOutput(name: string, declared: InputDeclaration): AnswerForm | undefined {
  try {
    return toAnswerForm(name, declared);
  } catch (cause) {
    if (!(cause instanceof InputSchemaError)) throw cause;
    throw new ToolDefinitionError(name, 'output', { problem: `its output ${cause.problem}`, cause });
  }
}

type CheckedLoop = Pick<
  AgenticConfig<string, InputDeclaration>,
  'name' | 'model' | 'settings' | 'limits' | 'use'
>;

/** @throws ToolDefinitionError if a limit or a setting of the nested loop is invalid. */
export function checkLoop(
  { name, model, settings, limits, use = [] }: CheckedLoop,
  { inner: tools, sources }: Pick<AgenticKind<never>, 'inner' | 'sources'>,
): void {
  const bad = findLimitProblem(limits);
  if (limits && 'tokens' in limits) {
    const problem =
      "its limit 'tokens' is for turns only. Add use: [budget({ tokens })], with budget from 'holdfast/limits'.";
    throw new ToolDefinitionError(name, 'limits.tokens', problem);
  }
  if (bad) {
    const problem = `its limit '${bad.path}' is ${bad.value}. Use ${bad.use}.`;
    throw new ToolDefinitionError(name, `limits.${bad.path}`, problem);
  }
  const own = typeof model === 'object' ? model : undefined;
  const fault = literals?.agentFault(
    { settings },
    {
      tools,
      finders: [...sources, ...listLoopOffers({ use })],
      refusedUse: () => own && findModelProblem(use, own),
      refusedSettings: () => own && findSettingsProblem({ model: own, settings }),
    },
  );
  if (fault) throw new ToolDefinitionError(name, fault.field, `it ${fault.problem}.`);
}

/** Returns the offers that the modules of a nested loop make in that loop only. */
const listLoopOffers = ({ use }: Pick<CheckedLoop, 'use'>): readonly InjectionStrategy[] => [
  ...listOwnOffers(use, 'before'),
  ...listOwnOffers(use, 'after'),
];

interface PreparedConfig extends Omit<AgenticConfig<string, InputDeclaration>, 'output' | 'context'> {
  readonly output: AnswerForm | undefined;
  readonly context: ToolCallContext;
}

/** Builds the frame of a call from its kind's decisions and its configuration. */
function createFrame<Input>(
  { name, output, model, settings, limits, use, context }: PreparedConfig,
  { instructions, memory, facts = [], ...loop }: NestedLoop<Input>,
  { input, message }: { readonly input: Input; readonly message: string },
): Frame {
  return {
    ...loop,
    name,
    message,
    output,
    context,
    instructions: typeof instructions === 'string' ? instructions : (view) => instructions(view, input),
    limits: { ...limits, iterations: limits?.iterations ?? DEFAULT_ITERATIONS },
    uses: use,
    facts: [...facts, ...(memory?.isReset ? listFactsToForget(use, memory.key) : [])],
    key: memory?.key,
    runBy: { model, settings },
  };
}

/** Warns the developer that a model sends no input to a tool without a declared input. */
const warnOfMissingInput = (tool: string): void =>
  warnDeveloper(
    `agentic tool '${tool}' declares no input, so its caller cannot pass it any values. Add an 'input' schema.`,
  );

/** Returns the default instructions of a nested loop. */
export const formatLoopInstructions = (description: string): string =>
  'You are an intelligent agent that can use tools to help you complete tasks. ' +
  `Use the provided tools to perform the following task: ${description}`;

/**
 * Returns the name of a call's frame, under which the inner tools keep their state. It is the tool's own
 * name, so copies under other names share that state. A tool renamed because of a name clash is not such a
 * copy, so its frame has the new name.
 */
export function getFrameName(own: string, { tool, offered }: Pick<CallRun, 'tool' | 'offered'>): string {
  const called = offered().find(({ name }) => name === tool);
  const origin = called && getOrigin(called);
  return origin && origin.name !== tool ? tool : own;
}
