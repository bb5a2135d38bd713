import { type AnswerForm, type OutputOf, toAnswerForm } from '../../loop/answer-form.ts';
import type { Frame } from '../../loop/loop-agent.ts';
import { refusedModel } from '../../loop/loop-seams.ts';
import { refusedSettings } from '../../loop/loop-settings.ts';
import { nest } from '../../loop/nest.ts';
import { limitProblem } from '../../loop/policies.ts';
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
import { originOf } from '../../tool/decorate.ts';
import type { Limits } from '../../tool/frame.ts';
import { type InputDeclaration, type InputOf, InputSchemaError } from '../../tool/input-schema.ts';
import { literals } from '../../tool/literals.ts';
import type { ModuleUse } from '../../tool/module-use.ts';
import type { AnyTool, CallRun, InjectionStrategy, LoopView, Serial, Tool } from '../../tool/tool.ts';
import type { ToolCallContext } from '../../tool/tool-call-context.ts';
import { FOREIGN_INPUT, IN_USE, NAMED } from '../../tool/tool-literals.ts';
import { error, isToolResult, type ToolResult } from '../../tool/tool-result.ts';
import { forgettingUnder, ownOffers, usesOf } from '../../tool/uses.ts';
import { CONTEXT, contextFor, contextOf, type LoopContext, wholeInput } from './copies.ts';
import type { KeyedMemory } from './memory.ts';
import { nestedResult } from './nested-result.ts';

/** What the literals of all agentic tools have in common. */
interface AgenticConfig<
  Name extends string,
  Declaration extends InputDeclaration,
  Output extends InputDeclaration = InputDeclaration,
> {
  /**
   * Letters, digits, `_` and `-`, at most 64. Stands in the path under which its tools keep their state; in its place, the
   * name that the tool is offered under when an unfolding tool brings it beside another tool of this name.
   */
  readonly name: Name;
  /** What the tool does and when to use it, for the model. */
  readonly description: string;
  /** What the model sends; the nested loop is asked with its JSON. */
  readonly input?: Declaration | undefined;
  /**
   * What the answer of the nested loop must be, as the `output` of an agent: the schema of a JSON object, or a domain type. The result
   * then is the answer as an artifact. Defaults to its last words, with the artifacts of its calls.
   */
  readonly output?: Output | undefined;
  /**
   * The model of the nested loop; that of the loop around it unless given. A function makes it of the environment, as for an
   * agent.
   */
  readonly model?: ChatModel | ModelOfEnv | undefined;
  /**
   * How the replies of the nested loop are made. With a `model` they stand alone; else over the settings of the loop around it,
   * but for its tool choice.
   */
  readonly settings?: AgentSettings | undefined;
  /** Bounds of the nested loop, beside those around it: 20 iterations unless given. */
  readonly limits?: Omit<Limits, 'tokens'> | undefined;
  /**
   * Modules that the nested loop uses, beside those of the loops around it that hold inside too: a `budget`, `chaining([...])`, what
   * `defineInjectionStrategy` returns. What a playbook or a state machine does with tools comes after them, and so holds for what they add.
   */
  readonly use?: readonly ModuleUse[] | undefined;
  /**
   * Tool-call context for the calls of the nested loop, over that of the loop around it: code wins over what a client sent. A function
   * makes it of the input and of the loop around. No credentials: it is code, made again by every invocation and never journaled.
   */
  readonly context?: LoopContext<InputOf<Declaration>> | undefined;
  /** Artifacts of agentic tools inside count among its own; `false` unless given. */
  readonly captureNestedArtifacts?: boolean | undefined;
}

/**
 * What a nested loop is told first: fixed, or made anew before each model call of what the loop knows by then, and of
 * `More` that its kind knows. Newer models check the words that stood before their replies: with other words than before
 * they are not given back what they have thought in this loop.
 */
export type NestedInstructions<Input, More extends readonly unknown[] = []> =
  | string
  | ((view: LoopView, input: Input, ...more: More) => string);

/** A literal with instructions, for which its kind may have `More` to go by. */
export interface InstructedConfig<
  Name extends string,
  Declaration extends InputDeclaration,
  More extends readonly unknown[] = [],
  Output extends InputDeclaration = InputDeclaration,
> extends AgenticConfig<Name, Declaration, Output> {
  /** What the nested loop's model is told first: text, or a function that is asked before each of its model calls. */
  readonly instructions?: NestedInstructions<InputOf<Declaration>, More> | undefined;
}

/** What one kind of agentic tool adds to its configuration. */
interface AgenticKind<Input> {
  /** The tools inside, for whoever lists them. */
  readonly inner: readonly AnyTool[];
  /** They offer tools beside those. */
  readonly sources: readonly InjectionStrategy[];
  /** The modules of the kind itself. */
  readonly uses?: readonly ModuleUse[] | undefined;
  /** What a call is answered when there are neither. */
  readonly whenEmpty: string;
  readonly serial?: Serial | undefined;
  /** The nested loop of one call, made again whenever the call is resumed; or why there is none. */
  loop(input: Input, call: CallRun): NestedLoop<Input> | ToolResult;
}

/** What the kind decides of a frame; the configuration decides the rest. */
type NestedLoop<Input> = Pick<Frame, 'tools' | 'facts' | 'sources' | 'strategies'> & {
  readonly instructions: NestedInstructions<Input>;
  /** The key of the kind's memory, and whether this call resets it; chained objects are kept and forgotten with it. */
  readonly memory?: KeyedMemory | undefined;
};

/** A nested loop has so many iterations unless its literal says otherwise. */
const ITERATIONS = 20;

/** What the literals of all agentic tools hold. */
export const AGENTIC_KEYS = {
  ...NAMED,
  input: 'schema',
  output: 'schema',
  model: 'model',
  settings: 'object',
  limits: 'object',
  use: 'list',
  context: CONTEXT,
  captureNestedArtifacts: 'flag',
  instructions: 'any',
} as const satisfies Record<keyof InstructedConfig<string, undefined>, LiteralKind>;

/** In development: @throws ToolDefinitionError if a key of an agentic tool's literal is unknown, missing or of another kind. */
export function checkAgenticLiteral(
  config: object,
  shape: Pick<LiteralShape, 'of' | 'keys' | 'required'>,
): void {
  const foreign = {
    ...FOREIGN_INPUT,
    ...IN_USE,
    system: 'instructions',
    prompt: 'instructions',
    maxSteps: 'limits: { iterations }',
  };
  checkToolLiteral(config, { ...shape, foreign });
}

/**
 * A tool whose call runs a nested loop, in a frame of the same journal: cut off inside, it resumes inside. Its result is what `output`
 * says, or the last words of the loop with the artifacts of its calls.
 *
 * @throws ToolDefinitionError if the tool cannot work.
 */
export function agenticTool<
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
  if (config.input === undefined) warnOfNoInput(name);
  const context = contextOf(name, config.context);
  const uses = [...(kind.uses ?? []), ...usesOf([...kind.sources, ...offeredIn(config)])];
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
      const whole = wholeInput(parsed.value, input, call);
      const loop = kind.loop(whole.input, call);
      if (isToolResult(loop)) return loop;
      const asked = { input: whole.input, message: JSON.stringify(whole.sent) };
      const inside = contextFor(context, whole.input, call.view);
      const ready = { ...config, output, context: inside, name: frameName(name, call) };
      const frame = frameOf(ready, loop, asked);
      return nestedResult(await nest(call, frame), config.captureNestedArtifacts ?? false);
    },
  };
}

/** @throws ToolDefinitionError if an answer cannot have this form. */
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

/** @throws ToolDefinitionError when the nested loop has a limit or a setting that cannot be followed. */
export function checkLoop(
  { name, model, settings, limits, use = [] }: CheckedLoop,
  { inner: tools, sources }: Pick<AgenticKind<never>, 'inner' | 'sources'>,
): void {
  const bad = limitProblem(limits);
  if (limits && 'tokens' in limits) {
    const problem =
      "its limit 'tokens' is one of turns: give it use: [budget({ tokens })], with budget from 'holdfast/limits'.";
    throw new ToolDefinitionError(name, 'limits.tokens', problem);
  }
  if (bad) {
    const problem = `its limit '${bad.path}' is ${bad.value}: use ${bad.use}.`;
    throw new ToolDefinitionError(name, `limits.${bad.path}`, problem);
  }
  const own = typeof model === 'object' ? model : undefined;
  const fault = literals?.agentFault(
    { settings },
    {
      tools,
      finders: [...sources, ...offeredIn({ use })],
      refusedUse: () => own && refusedModel(use, own),
      refusedSettings: () => own && refusedSettings({ model: own, settings }),
    },
  );
  if (fault) throw new ToolDefinitionError(name, fault.field, `it ${fault.problem}.`);
}

/** What the modules of a nested loop offer in it alone. */
const offeredIn = ({ use }: Pick<CheckedLoop, 'use'>): readonly InjectionStrategy[] => [
  ...ownOffers(use, 'before'),
  ...ownOffers(use, 'after'),
];

interface Ready extends Omit<AgenticConfig<string, InputDeclaration>, 'output' | 'context'> {
  readonly output: AnswerForm | undefined;
  readonly context: ToolCallContext;
}

/** Makes the nested loop of a call of what its kind has decided and of what its literal says. */
function frameOf<Input>(
  { name, output, model, settings, limits, use, context }: Ready,
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
    limits: { ...limits, iterations: limits?.iterations ?? ITERATIONS },
    uses: use,
    facts: [...facts, ...(memory?.isReset ? forgettingUnder(use, memory.key) : [])],
    key: memory?.key,
    runBy: { model, settings },
  };
}

/** Warns the developer: a model that is not told what to send sends nothing. */
const warnOfNoInput = (tool: string): void =>
  warnDeveloper(
    `agentic tool '${tool}' declares no input, so its caller cannot tell it anything: give it an 'input' schema.`,
  );

/** Tells a nested loop what to do that was given no instructions. */
export const defaultInstructions = (description: string): string =>
  'You are an intelligent agent that can use tools to help you complete tasks. ' +
  `Use the provided tools to perform the following task: ${description}`;

/**
 * Answers what the frame of a call is called, under which the tools inside keep their state: the tool's own name, so that
 * copies under other names share it. A tool that is offered under another name because there is one of its name already
 * is not a copy of that: its state is kept under the name that it is offered under.
 */
export function frameName(own: string, { tool, offered }: Pick<CallRun, 'tool' | 'offered'>): string {
  const called = offered().find(({ name }) => name === tool);
  const origin = called && originOf(called);
  return origin && origin.name !== tool ? tool : own;
}
