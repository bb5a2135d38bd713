import { shorten } from '../../tool/json.ts';
import { defaultInstructions, type NestedInstructions } from '../agentic/agentic-tool.ts';
import { type GonePosition, positionIn, type StateRun } from './memory.ts';

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
export const goneNow = ({ machine, key, state }: GonePosition): string => {
  const whose = key === '' ? `'${machine}'` : `'${machine}' for '${shorten(key, MAX_ECHO)}'`;
  return (
    `The position of ${whose} is '${shorten(state, MAX_ECHO)}', a state that it no longer has. No call can change ` +
    "that: its developer has to name the state of now under 'renamed'."
  );
};
