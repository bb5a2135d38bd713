import { memoized } from '../../tool/async.ts';
import { decorate, lastList, mapRoute } from '../../tool/decorate.ts';
import type { AnyTool, InjectionStrategy, LoopView } from '../../tool/tool.ts';
import { defaultInstructions, type NestedInstructions } from '../agentic/agentic-tool.ts';
import { isAvailable } from './guard-tool.ts';
import { positionIn, type StateRun } from './state-run.ts';
import { goneNow } from './state-texts.ts';

/**
 * What a machine's loop is offered in the end. Whatever tools those are, the calls of a batch run one after another, each
 * seeing the state after the one before (STM-12). All of them are offered in every state, so that a provider's prompt cache
 * holds (STM-07), unless `hides`.
 */
export function stateStrategy(run: StateRun, hides: boolean): InjectionStrategy {
  const laned = memoized((tool: AnyTool) => inLane(tool, run.machine));
  const listed = lastList();
  return {
    name: 'state-machine',
    offer(tools, view) {
      const position = hides ? positionIn(run, view) : undefined;
      const state = position?.ok ? position.state : undefined;
      return listed(tools, state, () => {
        const available = state === undefined ? tools : tools.filter((tool) => isAvailable(tool, state));
        return available.map(laned);
      });
    },
  };
}

/** The tool, and what it stands for, as one of those whose calls may not meet. */
const inLane = (tool: AnyTool, lane: string): AnyTool =>
  decorate(tool, { serial: lane, route: mapRoute(tool, (meant) => inLane(meant, lane)) });

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
