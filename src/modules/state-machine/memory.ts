import { FOLDING } from '../../journal/memory-folding.ts';
import { getOwn, shorten } from '../../tool/json.ts';
import { createModule, createUse } from '../../tool/module-use.ts';
import type { LoopView } from '../../tool/tool.ts';
import { createFact, type MemoryFact, type ToolMemory } from '../../tool/tool-memory.ts';
import { formatLoopInstructions, type NestedInstructions } from '../agentic/agentic-tool.ts';

/** The states by key. A key can come from a model, so only own properties are read. */
type Positions = { readonly [key: string]: string };

/** Moves a machine to a state. With `start`, moves it only if it has no position yet. */
type StateMove = { readonly key: string; readonly state: string; readonly start?: true };

/** Stores the positions of a session's state machines by path. They outlive the turn. */
export const POSITION_MEMORY: ToolMemory<Positions, StateMove> = {
  name: 'state-machines',
  folding: FOLDING,
  initial: {},
  scope: 'path',
  // Several loops of one machine can run at the same time, so each must see the moves of the others.
  when: 'call',
  apply(positions, { key, state, start }) {
    if (start && Object.hasOwn(positions, key)) return positions;
    // A computed key is always an own property, even for the name `__proto__`.
    return { ...positions, [key]: state };
  },
};

/** The module of state machines. */
export const STATE_MACHINES = createUse(createModule({ name: 'state-machines', state: [POSITION_MEMORY] }));

/**
 * Returns the stored state for this key of the nested loop's machine. The code may no longer have that state.
 */
export const findStoredPosition = (view: Pick<LoopView, 'recall'>, key: string): string | undefined =>
  getOwn(view.recall(POSITION_MEMORY), key);

/** One call of a machine, as its nested loop knows it. */
export interface StateRun {
  readonly machine: string;
  readonly states: ReadonlySet<string>;
  /** The position of a machine that never moved. */
  readonly initial: string;
  /** Current states by the names of removed states. */
  readonly renamed: ReadonlyMap<string, string>;
  readonly key: string;
}

/** The position of a machine, or the stored state that it no longer has. */
export type MachinePosition =
  | { readonly ok: true; readonly state: string }
  | ({ readonly ok: false } & GonePosition);

/** The position of a machine in a state that its code no longer has. */
interface GonePosition {
  readonly machine: string;
  readonly key: string;
  readonly state: string;
}

/**
 * Returns the machine's position, as its nested loop knows it. A removed state never counts as the initial
 * state.
 */
export function resolvePosition(
  { machine, states, initial, renamed, key }: StateRun,
  view: Pick<LoopView, 'recall'>,
): MachinePosition {
  const stored = findStoredPosition(view, key) ?? initial;
  const state = renamed.get(stored) ?? stored;
  return states.has(state) ? { ok: true, state } : { ok: false, machine, key, state };
}

/**
 * Returns the facts to record when the loop of a call opens: a reset of the machine, or its first position.
 */
export function createStartFacts(
  { initial: state, key }: StateRun,
  view: Pick<LoopView, 'recall'>,
  isReset: boolean,
): readonly MemoryFact[] {
  if (isReset) return [createFact(POSITION_MEMORY, { key, state })];
  // Another call of the batch may have moved the machine, so this must not move it back.
  return findStoredPosition(view, key) === undefined
    ? [createFact(POSITION_MEMORY, { key, state, start: true })]
    : [];
}

/**
 * Returns the instructions for the machine's model. Generated text stays the same during the loop, since
 * newer models check the text before their replies. Your own function runs before each model call, with the
 * current state. `began` is the state in which the loop began.
 */
export function createStateInstructions<Input, State extends string>(
  { description, instructions }: InstructedMachine<Input, State>,
  run: StateRun,
  began: string,
): NestedInstructions<Input> {
  if (typeof instructions === 'string') return instructions;
  return (view, input) => {
    const position = resolvePosition(run, view);
    if (!position.ok) return `${formatLoopInstructions(description)}\n\n${formatRemovedState(position)}`;
    // The state is one of the machine's states.
    return instructions
      ? instructions(view, input, position.state as State)
      : formatDefaultInstructions(description, began);
  };
}

/** The parts of a machine's options that its instructions need. */
interface InstructedMachine<Input, State extends string> {
  readonly description: string;
  readonly instructions?: NestedInstructions<Input, [state: State]> | undefined;
}

/** The instructions of a machine without its own instructions. */
const formatDefaultInstructions = (description: string, began: string): string =>
  `${formatLoopInstructions(description)}\n\n` +
  `The state in which you begin is: ${began}\n` +
  'Some tools are available only in certain states, and some lead to another state when they succeed: their ' +
  'descriptions say so. One that is called in another state does nothing, and answers what the state is.';

/** Returns the text on a tool's states and targets that follows its description. */
export function describeAvailability(
  states: readonly string[] | 'all',
  to: ReadonlyMap<string, string>,
): string {
  const available = `[Available in ${states === 'all' ? 'all states' : joinStates(states)}]`;
  const leads = describeTargets(states, to);
  return leads === '' ? available : `${available} [Transitions to: ${leads}]`;
}

/**
 * Returns the target if it is the same for every state, or else each target with the states that lead to it.
 */
function describeTargets(states: readonly string[] | 'all', to: ReadonlyMap<string, string>): string {
  const targets = [...new Set(to.values())];
  if (targets.length === 1 && states !== 'all' && to.size === states.length) return targets.join();
  return targets
    .map(
      (target) =>
        `${target} (from ${[...to].flatMap(([from, state]) => (state === target ? from : [])).join(', ')})`,
    )
    .join(', ');
}

export const formatWrongState = (current: string, states: readonly string[]): string =>
  `This tool is not available in the current state (${current}). It is only available in ${joinStates(states)}`;

const joinStates = (states: readonly string[]): string =>
  `${states.length === 1 ? 'state' : 'states'}: ${states.join(', ')}`;

/** The maximum number of characters of a key or a state in a text. */
const MAX_ECHO_LENGTH = 80;

/** Returns the result of every call while `renamed` does not map the stored state to a current state. */
export const formatRemovedStateResult = (tool: string, { machine, key, state }: GonePosition): string =>
  `Tool '${tool}' did not run. ${formatRemovedState({ machine, key, state })}`;

/** Returns the same text for a model that has not called a tool yet. */
const formatRemovedState = ({ machine, key, state }: GonePosition): string => {
  const whose = key === '' ? `'${machine}'` : `'${machine}' for '${shorten(key, MAX_ECHO_LENGTH)}'`;
  return (
    `The position of ${whose} is '${shorten(state, MAX_ECHO_LENGTH)}', a state that it no longer has. No call can change ` +
    "that: the developer must map it to a current state in 'renamed'."
  );
};
