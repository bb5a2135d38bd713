import { agenticTool, type InstructedConfig } from '../agentic/agentic-tool.ts';
import { frameName } from '../agentic/frame-name.ts';
import { type KeyedConfig, memoryOf } from '../agentic/keyed-config.ts';
import { keyedLane } from '../agentic/keyed-lane.ts';
import type { LoopView } from '../tools/injection.ts';
import type { InputDeclaration, InputOf } from '../tools/input-schema.ts';
import type { ToolSource } from '../tools/resolution/tool-source.ts';
import { error } from '../tools/results.ts';
import { DIAGRAM, type DrawnTool } from '../tools/to-mermaid.ts';
import type { Tool } from '../tools/tool.ts';
import { guardedSource, guardTool } from './guard-tool.ts';
import { readMachine } from './read-machine.ts';
import type { StateEntry } from './read-states.ts';
import { copiedBy } from './starting-in.ts';
import { stateDiagram } from './state-diagram.ts';
import { stateInstructions } from './state-instructions.ts';
import { openingFacts, positionIn, type StateRun } from './state-run.ts';
import { stateStrategy } from './state-strategy.ts';
import { goneState } from './state-texts.ts';

/** The literal that `defineStateMachine` takes. */
export interface StateMachineConfig<
  Name extends string,
  Declaration extends InputDeclaration,
  State extends string,
> extends InstructedConfig<Name, Declaration, [state: NoInfer<State>]>,
    KeyedConfig<InputOf<Declaration>> {
  /** The tools that are available in each state. One tool may be listed in several, and lead from each to another. */
  readonly states: Readonly<Record<State, readonly StateEntry<NoInfer<State>>[]>>;
  /** Where it stands at first. */
  readonly initial: NoInfer<State>;
  /** Available in all states. As for an agentic tool: tool objects and providers may be among them. */
  readonly everywhere?: readonly ToolSource[] | undefined;
  /** States that earlier code had, each with the state of now in its place. Without it a position in one is an error. */
  readonly renamed?: Readonly<Record<string, NoInfer<State>>> | undefined;
  /** Offer only what is available in the state of now; `false` unless given, so that the list of tools stays the same. */
  readonly hideUnavailable?: boolean | undefined;
}

/** A state machine, as a tool. Its states are types only. */
export type StateMachine<
  Name extends string = string,
  Input = unknown,
  State extends string = string,
> = DrawnTool & Tool<Name, Input, unknown> & { readonly '~state'?: State };

/**
 * Makes an agentic tool whose tools are available by state, and move it from one to another when they succeed. Where it
 * stands outlives the turn: it is kept for the session, under the tool's path and key.
 *
 * @throws ToolDefinitionError when the tool cannot work: a state that is named is not declared, or two of its tools share a
 *   name; ToolObjectError as `toolsOf`.
 */
export function defineStateMachine<
  const Name extends string,
  const State extends string,
  Declaration extends InputDeclaration = undefined,
>(config: StateMachineConfig<Name, Declaration, State>): StateMachine<Name, InputOf<Declaration>, State> {
  const { name, hideUnavailable = false } = config;
  const machine = readMachine(config);
  const { registrations, sources } = machine;
  const tool = agenticTool(config, {
    inner: registrations.map((one) => one.tool),
    sources,
    whenEmpty: 'No tools registered for StateMachineTool',
    serial: keyedLane(name, config.input, config.key),
    loop(input, call) {
      const memory = memoryOf(config, input);
      const { key, isReset } = memory;
      const run: StateRun = { ...machine, key };
      const path = `${call.view.path}/${frameName(name, call)}`;
      const inside: Pick<LoopView, 'recall'> = { recall: (memory) => call.view.recall(memory, path) };
      const position = positionIn(run, inside);
      if (!position.ok && !isReset && !call.resumesFrame) return error(goneState(call.tool, position));
      return {
        instructions: stateInstructions(config, run),
        tools: registrations.map((one) => guardTool(one, run)),
        facts: openingFacts(run, inside, isReset),
        sources: sources.map((source) => guardedSource(source, run)),
        strategies: [stateStrategy(run, hideUnavailable)],
        memory,
      };
    },
  });
  const drawn = { states: [...machine.states], initial: machine.initial, registrations };
  const drawable = { ...tool, [DIAGRAM]: () => stateDiagram(drawn) };
  // `readMachine` refuses a state that is not declared.
  copiedBy(drawable, (initial) => defineStateMachine({ ...config, initial: initial as State }));
  return drawable;
}
