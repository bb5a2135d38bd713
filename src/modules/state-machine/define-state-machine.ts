import type { OutputOf } from '../../loop/answer-form.ts';
import { hasOpenFrame } from '../../loop/nest.ts';
import type { ToolSource } from '../../sources/resolution/tool-source.ts';
import { ToolDefinitionError } from '../../tool/check-definition.ts';
import type { LiteralShape } from '../../tool/check-literal.ts';
import { DIAGRAM, type DrawnTool, quoteForMermaid, STANDING } from '../../tool/draw.ts';
import type { InputDeclaration, InputOf } from '../../tool/input-schema.ts';
import type { AnyTool, LoopView, Tool } from '../../tool/tool.ts';
import { error } from '../../tool/tool-result.ts';
import {
  AGENTIC_KEYS,
  checkAgenticLiteral,
  createAgenticTool,
  getFrameName,
  type InstructedConfig,
} from '../agentic/agentic-tool.ts';
import { applyLoopChanges, registerCopy } from '../agentic/copies.ts';
import { withNotes } from '../agentic/define-agentic-tool.ts';
import { createKeyedSerial, type KeyedConfig, resolveMemory } from '../agentic/memory.ts';
import {
  createStartFacts,
  createStateInstructions,
  formatRemovedStateResult,
  formatWrongState,
  resolvePosition,
  STATE_MACHINES,
  type StateRun,
} from './memory.ts';
import { type Registration, readMachine, type StateEntry } from './read-machine.ts';
import { createStateStrategy, guardSource, guardTool } from './strategy.ts';

/** The options of `defineStateMachine`. */
export interface StateMachineConfig<
  Name extends string,
  Declaration extends InputDeclaration,
  State extends string,
  Output extends InputDeclaration = undefined,
> extends InstructedConfig<Name, Declaration, [state: NoInfer<State>], Output>,
    KeyedConfig<InputOf<Declaration>> {
  /**
   * The tools of each state, as in the `tools` of an agent. `{ tool, to }` moves the machine to another
   * state. A tool can be in several states, and lead to a different state from each.
   */
  readonly states: Readonly<Record<State, readonly StateEntry<NoInfer<State>>[]>>;
  /** The initial state. */
  readonly initial: NoInfer<State>;
  /** Tools that are available in all states, as in the `tools` of an agentic tool. */
  readonly everywhere?: readonly ToolSource[] | undefined;
  /**
   * Maps states of earlier code to current states. A stored position in a removed state that is not listed
   * here is an error.
   */
  readonly renamed?: Readonly<Record<string, NoInfer<State>>> | undefined;
  /**
   * Offers only the tools of the current state. Defaults to `false`, so that the list of tools stays the
   * same.
   */
  readonly hideUnavailable?: boolean | undefined;
}

const SHAPE = {
  of: 'defineStateMachine',
  keys: {
    ...AGENTIC_KEYS,
    key: 'function',
    reset: 'function',
    states: 'object',
    initial: 'any',
    everywhere: 'list',
    renamed: 'object',
    hideUnavailable: 'flag',
  },
  required: ['name', 'description', 'states'],
} satisfies LiteralShape<keyof StateMachineConfig<string, undefined, string>>;

/** A state machine, as a tool. Its states exist only in the types. */
export type StateMachine<
  Name extends string = string,
  Input = unknown,
  State extends string = string,
  Output = unknown,
> = DrawnTool & Tool<Name, Input, Output> & { readonly '~state'?: State };

/**
 * Creates an agentic tool whose tools depend on its state. A successful call can move the machine to another
 * state. The session stores the position under the tool's path and key, so that it outlives the turn.
 *
 * @throws ToolDefinitionError if an entry names an undeclared state, or two of its tools share a name.
 * @throws ToolObjectError as `toolsOf` does.
 *
 * @example
 * ```ts
 * const order = defineStateMachine({
 *   name: 'order',
 *   description: 'Work on one order.',
 *   input: v.object({ orderId: v.number() }),
 *   initial: 'open',
 *   states: { open: [findOrder, { tool: refundOrder, to: 'refunded' }], refunded: [findOrder] },
 * });
 * ```
 */
export function defineStateMachine<
  const Name extends string,
  const State extends string,
  const Declaration extends InputDeclaration = undefined,
  const Output extends InputDeclaration = undefined,
>(
  config: StateMachineConfig<Name, Declaration, State, Output>,
): StateMachine<Name, InputOf<Declaration>, State, OutputOf<Output>> {
  checkAgenticLiteral(config, SHAPE);
  const { name, hideUnavailable = false } = config;
  const machine = readMachine(config);
  const { registrations, sources, notes } = machine;
  const tool = createAgenticTool(config, {
    inner: registrations.map((one) => one.tool),
    sources: sources.map(({ source }) => source),
    uses: [STATE_MACHINES],
    whenEmpty: 'No tools registered for StateMachineTool',
    serial: createKeyedSerial(name, config.input, config.key),
    loop(input, call) {
      const memory = resolveMemory(config, input, call);
      const { key, isReset } = memory;
      const run: StateRun = { ...machine, key };
      const path = `${call.view.path}/${getFrameName(name, call)}`;
      const inside: Pick<LoopView, 'recall'> = { recall: (memory) => call.view.recall(memory, path) };
      const position = resolvePosition(run, inside);
      if (!position.ok && !isReset && !hasOpenFrame(call))
        return error(formatRemovedStateResult(call.tool, position));
      // The state at the time of the reply that requested this call, even if another invocation resumes it.
      const began = position.ok && !isReset ? position.state : run.initial;
      return {
        instructions: withNotes(createStateInstructions(config, run, began), notes),
        tools: registrations.map((one) => guardTool(one, run)),
        facts: createStartFacts(run, inside, isReset),
        sources: sources.map(({ source, rule }) => guardSource(source, rule, run)),
        strategies: [createStateStrategy(run, hideUnavailable)],
        memory,
      };
    },
  });
  const drawn = { states: [...machine.states], initial: machine.initial, registrations };
  const drawable: DrawnTool & typeof tool = {
    ...tool,
    [DIAGRAM]: () => drawStateMachine(drawn),
    [STANDING](input, view) {
      const { key } = resolveMemory(config, input as InputOf<Declaration>, view); // its schema has parsed the input
      const position = resolvePosition({ ...machine, key }, view);
      const { state } = position;
      const away = registrations.flatMap(({ tool, rule }) =>
        position.ok && rule.states !== 'all' && !rule.states.includes(state)
          ? [{ tool: tool.name, why: formatWrongState(state, rule.states) }]
          : [],
      );
      return { key, state, withheld: away };
    },
  };
  // `readMachine` refuses an undeclared state.
  registerStartCopy(drawable, (initial) => defineStateMachine({ ...config, initial: initial as State }));
  return registerCopy(drawable, ({ tools = [], ...changes }) =>
    defineStateMachine({
      ...applyLoopChanges(config, changes),
      everywhere: [...(config.everywhere ?? []), ...tools],
    }),
  );
}

/**
 * Functions that rebuild each machine with another initial state. Keyed by the tool itself: a decorated tool
 * is a different key.
 */
const copies = new WeakMap<AnyTool, (initial: string) => AnyTool>();

/** Registers the function with which `startingIn` copies a machine. */
const registerStartCopy = (machine: AnyTool, copy: (initial: string) => AnyTool): void => {
  copies.set(machine, copy);
};

/**
 * Copies a state machine so that it starts in another state, for example for an order that was confirmed
 * elsewhere. The copy has the same name and therefore the same positions, so stored positions stay valid.
 *
 * @throws ToolDefinitionError if the tool is not a state machine, is decorated (the copy would lose the
 * decorators), or has no such state.
 *
 * @example
 * ```ts
 * const order = defineStateMachine({
 *   name: 'order',
 *   description: 'Works on one order.',
 *   initial: 'draft',
 *   states: { draft: [{ tool: findOrder, to: 'paid' }], paid: [refundOrder] },
 * });
 * const paid = startingIn(order, 'paid');
 * ```
 */
export function startingIn<Name extends string, Input, State extends string>(
  machine: StateMachine<Name, Input, State>,
  state: NoInfer<State>,
): StateMachine<Name, Input, State> {
  const copy = copies.get(machine);
  if (!copy) {
    const problem = 'it is not the result of defineStateMachine. Decorate the result of startingIn instead.';
    throw new ToolDefinitionError(machine.name, 'initial', problem);
  }
  return copy(state) as StateMachine<Name, Input, State>; // the copy has the same options
}

interface DiagramSource {
  readonly states: readonly string[];
  readonly initial: string;
  readonly registrations: readonly Registration[];
}

/**
 * Returns a Mermaid state diagram. It has an arrow for each move with its tools, an arrow from a state to
 * itself for tools that do not move, and a note on the initial state with the tools that all states have.
 * States have generated ids and their names as labels, since a name can contain any character.
 */
function drawStateMachine({ states, initial, registrations }: DiagramSource): string {
  const ids = new Map(states.map((state, index) => [state, `s${index}`]));
  const getId = (state: string): string => ids.get(state) ?? '';
  const moves = states.flatMap((from) =>
    [...groupToolsByTarget(from, registrations)].map(
      ([to, tools]) => `    ${getId(from)} --> ${getId(to)} : ${tools.join(', ')}`,
    ),
  );
  const everywhere = registrations.flatMap(({ tool, rule }) => (rule.states === 'all' ? tool.name : []));
  return [
    'stateDiagram-v2',
    ...states.map((state) => `    state ${quoteForMermaid(state)} as ${getId(state)}`),
    `    [*] --> ${getId(initial)}`,
    ...moves,
    ...(everywhere.length > 0
      ? [
          `    note right of ${getId(initial)}`,
          `        In every state: ${everywhere.join(', ')}`,
          '    end note',
        ]
      : []),
  ].join('\n');
}

/** Groups the names of a state's tools by their target state. */
function groupToolsByTarget(
  state: string,
  registrations: readonly Registration[],
): ReadonlyMap<string, readonly string[]> {
  const byTarget = new Map<string, string[]>();
  for (const { tool, rule } of registrations) {
    const to =
      rule.to.get(state) ?? (rule.states !== 'all' && rule.states.includes(state) ? state : undefined);
    if (to !== undefined) byTarget.set(to, [...(byTarget.get(to) ?? []), tool.name]);
  }
  return byTarget;
}
