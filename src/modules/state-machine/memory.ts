import { FOLDING } from '../../journal/memory-folding.ts';
import { own, shorten } from '../../tool/json.ts';
import { createModule, useOf } from '../../tool/module-use.ts';
import type { LoopView } from '../../tool/tool.ts';
import { factOf, type MemoryFact, type ToolMemory } from '../../tool/tool-memory.ts';
import { defaultInstructions, type NestedInstructions } from '../agentic/agentic-tool.ts';

/** It is keyed by what may come from a model, so only own properties are looked up. */
type Positions = { readonly [key: string]: string };

/** Says that a machine came to stand in a state; with `start`, only if it stood in none. */
type Move = { readonly key: string; readonly state: string; readonly start?: true };

/** Remembers where the state machines of a session stand, each by its path. It outlives the turn. */
export const POSITIONS: ToolMemory<Positions, Move> = {
  name: 'state-machines',
  folding: FOLDING,
  initial: {},
  scope: 'path',
  // Loops of one machine may run side by side: none must take what another has moved for where it stands.
  when: 'call',
  apply(positions, { key, state, start }) {
    if (start && Object.hasOwn(positions, key)) return positions;
    // Computed keys make properties of their own, whatever the name: `__proto__` is a key like any other.
    return { ...positions, [key]: state };
  },
};

/** The module of state machines. */
export const STATE_MACHINES = useOf(createModule({ name: 'state-machines', state: [POSITIONS] }));

/**
 * The state that the journal has for this key of the machine whose nested loop this is; the code may not know it any
 * more.
 */
export const storedPosition = (view: Pick<LoopView, 'recall'>, key: string): string | undefined =>
  own(view.recall(POSITIONS), key);

/** One call of a machine, as its nested loop knows it. */
export interface StateRun {
  readonly machine: string;
  /** Names of its states. */
  readonly states: ReadonlySet<string>;
  /** Where it stands that was never moved. */
  readonly initial: string;
  /** What has become of states that the code no longer has. */
  readonly renamed: ReadonlyMap<string, string>;
  /** Under which its position is kept. */
  readonly key: string;
}

/** Where a machine stands, or the state that it no longer has. */
export type Position =
  | { readonly ok: true; readonly state: string }
  | ({ readonly ok: false } & GonePosition);

/** Where a machine stands that has no such state any more. */
interface GonePosition {
  readonly machine: string;
  readonly key: string;
  readonly state: string;
}

/**
 * Answers where the machine stands, by what its nested loop knows. A state that is gone is never taken for the initial
 * one.
 */
export function positionIn(
  { machine, states, initial, renamed, key }: StateRun,
  view: Pick<LoopView, 'recall'>,
): Position {
  const stored = storedPosition(view, key) ?? initial;
  const state = renamed.get(stored) ?? stored;
  return states.has(state) ? { ok: true, state } : { ok: false, machine, key, state };
}

/** Answers what is remembered when the loop of a call opens: that the machine begins anew, or where it starts. */
export function startingFacts(
  { initial: state, key }: StateRun,
  view: Pick<LoopView, 'recall'>,
  isReset: boolean,
): readonly MemoryFact[] {
  if (isReset) return [factOf(POSITIONS, { key, state })];
  // Another call of the batch may have begun in the meantime, and moved on: it is not sent back.
  return storedPosition(view, key) === undefined ? [factOf(POSITIONS, { key, state, start: true })] : [];
}

/**
 * Answers what the model of a machine is told. Words of ours stay the same while the loop goes on, since newer models check
 * what stands before their replies; a function of the author is asked anew before each call, with the state of then.
 * `began`: the state in which the loop began.
 */
export function stateInstructions<Input, State extends string>(
  { description, instructions }: Declared<Input, State>,
  run: StateRun,
  began: string,
): NestedInstructions<Input> {
  if (typeof instructions === 'string') return instructions;
  return (view, input) => {
    const position = positionIn(run, view);
    if (!position.ok) return `${defaultInstructions(description)}\n\n${goneNow(position)}`;
    // One of the run's states.
    return instructions ? instructions(view, input, position.state as State) : stating(description, began);
  };
}

/** What the literal of a machine says of its instructions. */
interface Declared<Input, State extends string> {
  readonly description: string;
  readonly instructions?: NestedInstructions<Input, [state: State]> | undefined;
}

/** For a machine that was given no instructions. */
const stating = (description: string, began: string): string =>
  `${defaultInstructions(description)}\n\n` +
  `The state in which you begin is: ${began}\n` +
  'Some tools are available only in certain states, and some lead to another state when they succeed: their ' +
  'descriptions say so. One that is called in another state does nothing, and answers what the state is.';

/** Answers where a tool is available and where it leads, below its description. */
export function availability(states: readonly string[] | 'all', to: ReadonlyMap<string, string>): string {
  const available = `[Available in ${states === 'all' ? 'all states' : named(states)}]`;
  const leads = leadsTo(states, to);
  return leads === '' ? available : `${available} [Transitions to: ${leads}]`;
}

/** One target when it does not matter where the tool is used; else each with the states from which it is reached. */
function leadsTo(states: readonly string[] | 'all', to: ReadonlyMap<string, string>): string {
  const targets = [...new Set(to.values())];
  if (targets.length === 1 && states !== 'all' && to.size === states.length) return targets.join();
  return targets
    .map(
      (target) =>
        `${target} (from ${[...to].flatMap(([from, state]) => (state === target ? from : [])).join(', ')})`,
    )
    .join(', ');
}

/** Answers what a call is answered that comes in the wrong state. */
export const notNow = (current: string, states: readonly string[]): string =>
  `This tool is not available in the current state (${current}). It is only available in ${named(states)}`;

const named = (states: readonly string[]): string =>
  `${states.length === 1 ? 'state' : 'states'}: ${states.join(', ')}`;

/** Characters of a key or a state that a text echoes. */
const MAX_ECHO = 80;

/** Answers what every call is answered until somebody says which state that is now. */
export const goneState = (tool: string, { machine, key, state }: GonePosition): string =>
  `Tool '${tool}' did not run. ${goneNow({ machine, key, state })}`;

/** The same, for a model that has not called anything yet. */
const goneNow = ({ machine, key, state }: GonePosition): string => {
  const whose = key === '' ? `'${machine}'` : `'${machine}' for '${shorten(key, MAX_ECHO)}'`;
  return (
    `The position of ${whose} is '${shorten(state, MAX_ECHO)}', a state that it no longer has. No call can change ` +
    "that: its developer has to name the state of now under 'renamed'."
  );
};
