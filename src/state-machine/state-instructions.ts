import type { NestedInstructions } from '../agentic/agentic-tool.ts';
import { defaultInstructions } from '../agentic/default-instructions.ts';
import type { LoopView } from '../tools/injection.ts';
import { positionIn, type StateRun } from './state-run.ts';
import { goneNow } from './state-texts.ts';

/** What the literal of a machine says of its instructions. */
interface Declared<Input, State extends string> {
  readonly description: string;
  readonly instructions?: NestedInstructions<Input, [state: State]> | undefined;
}

/** What the model of a machine is told, made anew before each of its calls: the state may be another by then (STM-09). */
export function stateInstructions<Input, State extends string>(
  { description, instructions = stating(description) }: Declared<Input, State>,
  run: StateRun,
): NestedInstructions<Input> {
  if (typeof instructions === 'string') return instructions;
  return (view, input) => {
    const position = positionIn(run, view);
    if (!position.ok) return `${defaultInstructions(description)}\n\n${goneNow(position)}`;
    return instructions(view, input, position.state as State); // one of the run's states
  };
}

/** For a machine that was given no instructions. */
const stating =
  (description: string) =>
  (_view: LoopView, _input: unknown, state: string): string =>
    `${defaultInstructions(description)}\n\n` +
    `The current state is: ${state}\n` +
    'Some tools are available only in certain states, and some lead to another state: their descriptions say so.';
