/** Copies of the tools that work in a loop of their own: agentic tools of all kinds, and subagents. */
import type { ChatModel, ModelOfEnv } from '../../model/chat-model.ts';
import type { ToolSource } from '../../sources/resolution/tool-source.ts';
import { ToolDefinitionError } from '../../tool/check-definition.ts';
import { nameIn } from '../../tool/shown.ts';
import type { AnyTool, LoopView, ToolInput } from '../../tool/tool.ts';
import { type ContextValues, ToolCallContext, ToolCallContextError } from '../../tool/tool-call-context.ts';

/**
 * The same tool with more tools inside, beside those that it has: of an agentic tool and of a playbook they are open from
 * the start, of a state machine available in every state, of a subagent beside its agent's. What it was made of stays as
 * it is, and so do its name, and what is remembered under that.
 *
 * @throws ToolDefinitionError when it has no loop of its own or is decorated already, or two of the tools share a name;
 *   ToolObjectError as `toolsOf`.
 *
 * @example
 * ```ts
 * const thorough = withTools(research, findOrder);
 * ```
 */
export const withTools = <T extends AnyTool>(tool: T, ...tools: readonly ToolSource[]): T =>
  copyOf(tool, 'withTools', { tools });

/**
 * The same tool, whose loop asks another model: a model, or a function that makes one of the environment. Its settings stay,
 * also those of a subagent's agent.
 *
 * @throws ToolDefinitionError when this is no model, the model refuses the settings, or has no prices where the cost is
 *   limited; when the tool has no loop of its own or is decorated already.
 *
 * @example
 * ```ts
 * const cheap = withModel(research, (env) => workersAi(env.AI as AiBinding, { model: '@cf/meta/llama-4-scout-17b-16e-instruct' }));
 * ```
 */
export const withModel = <T extends AnyTool>(tool: T, model: ChatModel | ModelOfEnv): T =>
  copyOf(tool, 'withModel', { model });

/**
 * The same tool with other instructions: words, or a function of the view, the input and, of a state machine, the state in
 * which the call began. Those of a subagent stand in place of its agent's, whose notes of references go with them.
 *
 * @throws ToolDefinitionError when the tool has no loop of its own or is decorated already.
 *
 * @example
 * ```ts
 * const brief = withInstructions(research, (view, { topic }) => `Say in three sentences what is known of ${topic}.`);
 * ```
 */
export const withInstructions = <T extends AnyTool>(tool: T, instructions: InstructionsOf<T>): T =>
  copyOf(tool, 'withInstructions', { instructions });

/**
 * The same tool with more tool-call context for the calls of its loop: over what it declares, and of a subagent over what
 * its agent declares. It lies under the context of the loop around, which wins where both have a key. It is code, made again
 * by every invocation and never journaled: no place for credentials.
 *
 * @throws ToolDefinitionError when a value is not JSON; when the tool has no loop of its own or is decorated already.
 *
 * @example
 * ```ts
 * const german = withContext(research, { locale: 'de' });
 * ```
 */
export const withContext = <T extends AnyTool>(tool: T, context: ContextValues | ToolCallContext): T =>
  copyOf(tool, 'withContext', { context });

/** What the loop of a tool may be told first; a state machine also says the state. */
type InstructionsOf<T extends AnyTool> =
  | string
  | ((view: LoopView, input: ToolInput<T>, state: StateOf<T>) => string);

type StateOf<T> = '~state' extends keyof T ? NonNullable<T['~state']> : never;

/** Takes the view, and what its kind hands over: the input, and of a state machine the state. */
type AskedInstructions = (view: LoopView, input: never, state: never) => string;

/** What a copy has otherwise. */
export interface LoopChanges {
  /** Beside those that it has. */
  readonly tools?: readonly ToolSource[] | undefined;
  readonly model?: ChatModel | ModelOfEnv | undefined;
  readonly instructions?: string | AskedInstructions | undefined;
  /** Over the one that it has. */
  readonly context?: ContextValues | ToolCallContext | undefined;
}

/** Knows how each tool is made again with changes. It goes by the tool itself: a decorated one is another tool. */
const makers = new WeakMap<AnyTool, (changes: LoopChanges) => AnyTool>();

/** The tool, which can be copied with changes from now on. */
export function copiedBy<T extends AnyTool>(tool: T, make: (changes: LoopChanges) => T): T {
  makers.set(tool, make);
  return tool;
}

function copyOf<T extends AnyTool>(tool: T, by: string, changes: LoopChanges): T {
  const make = makers.get(tool);
  if (make) return make(changes) as T; // made from the same literal
  const [field = ''] = Object.keys(changes);
  const problem =
    'it is not what defineAgenticTool, definePlaybook, defineStateMachine or defineSubagent answered: ' +
    `decorate what ${by} answers instead.`;
  throw new ToolDefinitionError(nameIn(tool), field, problem);
}

/** The literal with all changes but that of its tools, which each kind has at a place of its own. */
export function changed<Config extends NamedLoop>(
  config: Config,
  { tools: _, context, ...changes }: LoopChanges,
): Config {
  return { ...config, ...changes, context: contextOf(config.name, config.context, context) };
}

type NamedLoop = { readonly name: string; readonly context?: LoopChanges['context'] };

/** The declared context, with more over it. @throws ToolDefinitionError when a value is not JSON. */
export function contextOf(
  tool: string,
  under: LoopChanges['context'] = {},
  over: LoopChanges['context'] = {},
): ToolCallContext {
  try {
    return ToolCallContext.of(under).merge(ToolCallContext.of(over));
  } catch (cause) {
    if (!(cause instanceof ToolCallContextError)) throw cause;
    throw new ToolDefinitionError(tool, 'context', { problem: cause.message, cause });
  }
}
