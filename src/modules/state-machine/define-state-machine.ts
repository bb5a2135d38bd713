import type { OutputOf } from '../../loop/answer-form.ts';
import { resumesFrame } from '../../loop/nest.ts';
import type { ToolSource } from '../../sources/resolution/tool-source.ts';
import { ToolDefinitionError } from '../../tool/check-definition.ts';
import type { LiteralShape } from '../../tool/check-literal.ts';
import { DIAGRAM, type DrawnTool, inMermaid } from '../../tool/draw.ts';
import type { InputDeclaration, InputOf } from '../../tool/input-schema.ts';
import type { AnyTool, LoopView, Tool } from '../../tool/tool.ts';
import { error } from '../../tool/tool-result.ts';
import {
  AGENTIC_KEYS,
  agenticTool,
  checkAgenticLiteral,
  frameName,
  type InstructedConfig,
} from '../agentic/agentic-tool.ts';
import { changed, copiedBy } from '../agentic/copies.ts';
import { withNotes } from '../agentic/define-agentic-tool.ts';
import { type KeyedConfig, keyedSerial, memoryOf } from '../agentic/memory.ts';
import {
  goneState,
  positionIn,
  STATE_MACHINES,
  type StateRun,
  startingFacts,
  stateInstructions,
} from './memory.ts';
import { type Registration, readMachine, type StateEntry } from './read-machine.ts';
import { guardedSource, guardTool, stateStrategy } from './strategy.ts';

/** The literal that `defineStateMachine` takes. */
export interface StateMachineConfig<
  Name extends string,
  Declaration extends InputDeclaration,
  State extends string,
  Output extends InputDeclaration = undefined,
> extends InstructedConfig<Name, Declaration, [state: NoInfer<State>], Output>,
    KeyedConfig<InputOf<Declaration>> {
  /**
   * What is available in each state, listed as for an agent; `{ tool, to }` leads to another state. One may be listed in several,
   * and lead from each to another.
   */
  readonly states: Readonly<Record<State, readonly StateEntry<NoInfer<State>>[]>>;
  /** The machine stands here at first. */
  readonly initial: NoInfer<State>;
  /** These are available in all states; they are listed as for an agentic tool. */
  readonly everywhere?: readonly ToolSource[] | undefined;
  /** States that earlier code had, each with the state of now in its place. Without it a position in one is an error. */
  readonly renamed?: Readonly<Record<string, NoInfer<State>>> | undefined;
  /** Offer only what is available in the state of now; `false` unless given, so that the list of tools stays the same. */
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

/** A state machine, as a tool. Its states are types only. */
export type StateMachine<
  Name extends string = string,
  Input = unknown,
  State extends string = string,
  Output = unknown,
> = DrawnTool & Tool<Name, Input, Output> & { readonly '~state'?: State };

/**
 * Makes an agentic tool whose tools are available by state, and move it from one to another when they succeed. Where it
 * stands outlives the turn: it is kept for the session, under the tool's path and key.
 *
 * @throws ToolDefinitionError when the tool cannot work: a state that is named is not declared, or two of its tools share a
 *   name; ToolObjectError as `toolsOf`.
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
  const tool = agenticTool(config, {
    inner: registrations.map((one) => one.tool),
    sources: sources.map(({ source }) => source),
    uses: [STATE_MACHINES],
    whenEmpty: 'No tools registered for StateMachineTool',
    serial: keyedSerial(name, config.input, config.key),
    loop(input, call) {
      const memory = memoryOf(config, input, call);
      const { key, isReset } = memory;
      const run: StateRun = { ...machine, key };
      const path = `${call.view.path}/${frameName(name, call)}`;
      const inside: Pick<LoopView, 'recall'> = { recall: (memory) => call.view.recall(memory, path) };
      const position = positionIn(run, inside);
      if (!position.ok && !isReset && !resumesFrame(call)) return error(goneState(call.tool, position));
      // As of the reply that asked for this call, also when another invocation goes on with it.
      const began = position.ok && !isReset ? position.state : run.initial;
      return {
        instructions: withNotes(stateInstructions(config, run, began), notes),
        tools: registrations.map((one) => guardTool(one, run)),
        facts: startingFacts(run, inside, isReset),
        sources: sources.map(({ source, rule }) => guardedSource(source, rule, run)),
        strategies: [stateStrategy(run, hideUnavailable)],
        memory,
      };
    },
  });
  const drawn = { states: [...machine.states], initial: machine.initial, registrations };
  const drawable = { ...tool, [DIAGRAM]: () => stateDiagram(drawn) };
  // `readMachine` refuses a state that is not declared.
  startedBy(drawable, (initial) => defineStateMachine({ ...config, initial: initial as State }));
  return copiedBy(drawable, ({ tools = [], ...changes }) =>
    defineStateMachine({ ...changed(config, changes), everywhere: [...(config.everywhere ?? []), ...tools] }),
  );
}

/**
 * Knows how each machine is made again with another initial state. It goes by the tool itself: a decorated one is
 * another tool.
 */
const copies = new WeakMap<AnyTool, (initial: string) => AnyTool>();

/** Lets `startingIn` copy a machine. */
const startedBy = (machine: AnyTool, copy: (initial: string) => AnyTool): void => {
  copies.set(machine, copy);
};

/**
 * A copy of a state machine that starts in another state: for an order that was confirmed elsewhere. It has the
 * machine's name, and so its positions: what the session already knows of a key stands.
 *
 * @throws ToolDefinitionError when the tool is no state machine, or a decorated one, whose decorators the copy would
 *   lose, or it has no such state.
 */
export function startingIn<Name extends string, Input, State extends string>(
  machine: StateMachine<Name, Input, State>,
  state: NoInfer<State>,
): StateMachine<Name, Input, State> {
  const copy = copies.get(machine);
  if (!copy) {
    const problem = 'it is not what defineStateMachine answered: decorate what startingIn answers instead.';
    throw new ToolDefinitionError(machine.name, 'initial', problem);
  }
  return copy(state) as StateMachine<Name, Input, State>; // made from the same literal
}

/** Holds what is drawn of a machine. */
interface DrawnMachine {
  readonly states: readonly string[];
  readonly initial: string;
  readonly registrations: readonly Registration[];
}

/**
 * A Mermaid state diagram: an arrow for each move, with the tools that make it; one from a state to itself for those that
 * stay; and a note on the initial state with the tools of every state. States have ids of their own, and their names as
 * labels, since a name may be anything.
 */
function stateDiagram({ states, initial, registrations }: DrawnMachine): string {
  const ids = new Map(states.map((state, index) => [state, `s${index}`]));
  const id = (state: string): string => ids.get(state) ?? '';
  const moves = states.flatMap((from) =>
    [...toolsByTarget(from, registrations)].map(
      ([to, tools]) => `    ${id(from)} --> ${id(to)} : ${tools.join(', ')}`,
    ),
  );
  const everywhere = registrations.flatMap(({ tool, rule }) => (rule.states === 'all' ? tool.name : []));
  return [
    'stateDiagram-v2',
    ...states.map((state) => `    state ${inMermaid(state)} as ${id(state)}`),
    `    [*] --> ${id(initial)}`,
    ...moves,
    ...(everywhere.length > 0
      ? [
          `    note right of ${id(initial)}`,
          `        In every state: ${everywhere.join(', ')}`,
          '    end note',
        ]
      : []),
  ].join('\n');
}

/** Groups the names of the tools that are listed in a state by where they lead from there. */
function toolsByTarget(
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
