import { toolsInside } from '../agentic/tools-inside.ts';
import type { InjectionStrategy } from '../tools/injection.ts';
import type { ToolSource } from '../tools/resolution/tool-source.ts';
import { ToolDefinitionError } from '../tools/tool-definition-error.ts';
import { type Registration, readStates, type StateEntry } from './read-states.ts';
import type { StateRun } from './state-run.ts';

/** What the literal of a machine says of its states, as somebody may have written it who has no types. */
export interface DeclaredMachine {
  readonly name: string;
  readonly states: Readonly<Record<string, readonly StateEntry<string>[]>>;
  readonly initial: string;
  readonly everywhere?: readonly ToolSource[] | undefined;
  readonly renamed?: Readonly<Record<string, string>> | undefined;
}

/** A machine whose states, tools and moves fit together. */
export interface Machine extends Omit<StateRun, 'key'> {
  readonly registrations: readonly Registration[];
  /** Offer what providers answer, in all states. */
  readonly sources: readonly InjectionStrategy[];
}

/** @throws ToolDefinitionError when they do not; ToolObjectError as `toolsOf`. */
export function readMachine(declared: DeclaredMachine): Machine {
  const { name: machine, initial } = declared;
  const states = new Map(Object.entries(declared.states));
  checkInitial(machine, states, initial);
  const { tools: everywhere, sources } = toolsInside(machine, declared.everywhere ?? []);
  const registrations = readStates({ machine, states, everywhere });
  const renamed = new Map(Object.entries(declared.renamed ?? {}));
  for (const [was, is] of renamed) checkRenamed(machine, states, was, is);
  return { machine, initial, states: new Set(states.keys()), renamed, registrations, sources };
}

type States = ReadonlyMap<string, unknown>;

function checkInitial(machine: string, states: States, initial: string | undefined): void {
  if (states.size === 0) throw new ToolDefinitionError(machine, 'states', 'it has no states.');
  if (states.has('')) throw new ToolDefinitionError(machine, 'states', 'it has a state without a name.');
  if (initial !== undefined && states.has(initial)) return;
  const problem =
    initial === undefined
      ? 'it has no initial state'
      : `its initial state '${initial}' is not one of its states`;
  throw new ToolDefinitionError(machine, 'initial', `${problem}: use ${choice(states)}.`);
}

function checkRenamed(machine: string, states: States, was: string, is: string): void {
  const refuse = (problem: string): never => {
    throw new ToolDefinitionError(machine, 'renamed', problem);
  };
  if (states.has(was)) refuse(`its state '${was}' is said to be renamed, and is still one of its states.`);
  if (!states.has(is)) {
    refuse(
      `its state '${was}' is said to be '${is}' now, which is not one of its states: use ${choice(states)}.`,
    );
  }
}

const choice = (states: States): string => [...states.keys()].map((state) => `'${state}'`).join(', ');
