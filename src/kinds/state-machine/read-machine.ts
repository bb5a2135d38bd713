import type { ToolSource } from '../../sources/resolution/tool-source.ts';
import { isTool, ToolDefinitionError } from '../../tool/check-definition.ts';
import { decorate } from '../../tool/decorate.ts';
import type { AnyTool, InjectionStrategy } from '../../tool/tool.ts';
import { toolsInside } from '../agentic/define-agentic-tool.ts';
import type { StateRun } from './memory.ts';
import { availability } from './texts.ts';

/** What the literal of a machine says of its states, as somebody may have written it who has no types. */
interface DeclaredMachine {
  readonly name: string;
  readonly states: Readonly<Record<string, readonly StateEntry<string>[]>>;
  readonly initial: string;
  readonly everywhere?: readonly ToolSource[] | undefined;
  readonly renamed?: Readonly<Record<string, string>> | undefined;
}

/** A machine whose states, tools and moves fit together. */
interface Machine extends Omit<StateRun, 'key'> {
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
  for (const renaming of renamed) checkRenamed(machine, states, renaming);
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

function checkRenamed(machine: string, states: States, [was, is]: readonly [string, string]): void {
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

/** A tool of one state; with `to`, a success of it leads there. */
export type StateEntry<State extends string> =
  | AnyTool
  | { readonly tool: AnyTool; readonly to?: State | undefined };

/** What a tool is to a machine, over all states in which it is listed. */
export interface Rule {
  /** In the order in which the machine declares them. */
  readonly states: readonly string[] | 'all';
  /** Where a success leads, by the state in which it was called. */
  readonly to: ReadonlyMap<string, string>;
}

/** A tool with its rule, which its description tells. */
export interface Registration {
  readonly tool: AnyTool;
  readonly rule: Rule;
}

/** The states of a machine, by name, and the tools that are available in all of them. */
interface DeclaredStates {
  readonly machine: string;
  readonly states: ReadonlyMap<string, readonly StateEntry<string>[]>;
  readonly everywhere: readonly AnyTool[];
}

/**
 * One registration a tool, in the order in which they are first listed.
 *
 * @throws ToolDefinitionError when a name stands for two tools, an entry is no tool or leads nowhere, or a tool leads from
 *   one state to two.
 */
function readStates({ machine, states, everywhere }: DeclaredStates): readonly Registration[] {
  const found = new Map<string, Found>();
  const find = (tool: AnyTool): Found => {
    const known = found.get(tool.name) ?? { tool, states: [], to: new Map() };
    if (known.tool !== tool) refuse(machine, `two tools of its states have the name '${tool.name}'.`);
    found.set(tool.name, known);
    return known;
  };
  for (const [state, entries] of states) {
    for (const [index, entry] of entries.entries()) {
      const { tool, to } = readEntry(entry, { machine, state, index });
      if (to !== undefined && !states.has(to)) {
        refuse(
          machine,
          `in state '${state}' tool '${tool.name}' leads to '${to}', which is not one of its states.`,
        );
      }
      addState(find(tool), { machine, state, to });
    }
  }
  for (const tool of everywhere) find(tool).states = 'all';
  return [...found.values()].map(toRegistration);
}

interface Found {
  readonly tool: AnyTool;
  states: string[] | 'all';
  readonly to: Map<string, string>;
}

function readEntry(
  entry: StateEntry<string>,
  { machine, state, index }: { readonly machine: string; readonly state: string; readonly index: number },
): { readonly tool: AnyTool; readonly to?: string | undefined } {
  if (isTool(entry)) return { tool: entry };
  const { tool, to }: { readonly tool?: unknown; readonly to?: unknown } = Object(entry); // not everybody is typed
  if (isTool(tool) && (to === undefined || typeof to === 'string')) return { tool, to };
  return refuse(machine, `entry ${index} of state '${state}' is neither a tool nor { tool, to }.`);
}

/** Where a tool is listed, and where its success leads from there. */
interface Listed {
  readonly machine: string;
  readonly state: string;
  readonly to: string | undefined;
}

function addState({ tool, states, to: targets }: Found, { machine, state, to }: Listed): void {
  if (states === 'all') return;
  if (states.includes(state)) refuse(machine, `state '${state}' lists tool '${tool.name}' twice.`);
  states.push(state);
  if (to !== undefined) targets.set(state, to);
}

const toRegistration = ({ tool, states, to }: Found): Registration => {
  const rule = { states, to };
  return { tool: withAvailability(tool, rule), rule };
};

/** The tool, whose description tells where it is available and where it leads. */
export const withAvailability = (tool: AnyTool, { states, to }: Rule): AnyTool =>
  decorate(tool, { description: `${tool.description}\n\n${availability(states, to)}` });

function refuse(machine: string, problem: string): never {
  throw new ToolDefinitionError(machine, 'states', problem);
}
