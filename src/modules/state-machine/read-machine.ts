import { collectForField, withProviders } from '../../sources/resolution/resolve-tools.ts';
import type { CollectedTools, ToolProvider, ToolSource } from '../../sources/resolution/tool-source.ts';
import { isTool, ToolDefinitionError } from '../../tool/check-definition.ts';
import { decorate } from '../../tool/decorate.ts';
import { findUnreadableProblem, hasToolMembers } from '../../tool/object-class.ts';
import type { AnyTool, InjectionStrategy } from '../../tool/tool.ts';
import { resolveInnerTools } from '../agentic/define-agentic-tool.ts';
import { describeAvailability, type StateRun } from './memory.ts';

/** The declared states, which can come from untyped code. */
interface DeclaredMachine {
  readonly name: string;
  readonly states: Readonly<Record<string, readonly StateEntry<string>[]>>;
  readonly initial: string;
  readonly everywhere?: readonly ToolSource[] | undefined;
  readonly renamed?: Readonly<Record<string, string>> | undefined;
}

/** A machine whose states, tools and moves are consistent. */
interface ParsedMachine extends Omit<StateRun, 'key'> {
  readonly registrations: readonly Registration[];
  /** The sources that offer the tools of providers. */
  readonly sources: readonly RuledSource[];
  /** The usage notes of the groups among its tools. */
  readonly notes: readonly string[];
}

/** A source of tools that are not known in advance, with their rule in the machine. */
interface RuledSource {
  readonly source: InjectionStrategy;
  readonly rule: StateRule;
}

/**
 * Checks and reads a machine.
 *
 * @throws ToolDefinitionError if its states are inconsistent.
 * @throws ToolObjectError as `toolsOf` does.
 */
export function readMachine(declared: DeclaredMachine): ParsedMachine {
  const { name: machine, initial } = declared;
  const states = new Map(Object.entries(declared.states));
  checkInitial(machine, states, initial);
  const everywhere = resolveInnerTools(machine, declared.everywhere ?? []);
  const { registrations, providers, notes } = readStates({ machine, states, everywhere: everywhere.tools });
  const sources = [
    ...everywhere.sources.map((source) => ({ source, rule: EVERYWHERE_RULE })),
    ...[...providers].flatMap(([provider, rule]) =>
      withProviders([], [provider]).map((source) => ({ source, rule })),
    ),
  ];
  const renamed = new Map(Object.entries(declared.renamed ?? {}));
  for (const renaming of renamed) checkRenamed(machine, states, renaming);
  return {
    machine,
    initial,
    states: new Set(states.keys()),
    renamed,
    registrations,
    sources,
    notes: [...new Set([...everywhere.notes, ...notes])],
  };
}

/** The rule of tools that are available in every state and do not move the machine. */
const EVERYWHERE_RULE: StateRule = { states: 'all', to: new Map() };

type StateMap = ReadonlyMap<string, unknown>;

function checkInitial(machine: string, states: StateMap, initial: string | undefined): void {
  if (states.size === 0) throw new ToolDefinitionError(machine, 'states', 'it has no states. Add one.');
  if (states.has('')) throw new ToolDefinitionError(machine, 'states', 'it has a state without a name.');
  if (initial !== undefined && states.has(initial)) return;
  const problem =
    initial === undefined
      ? 'it has no initial state'
      : `its initial state '${initial}' is not one of its states`;
  throw new ToolDefinitionError(machine, 'initial', `${problem}. Use ${listStates(states)}.`);
}

function checkRenamed(machine: string, states: StateMap, [was, is]: readonly [string, string]): void {
  const refuse = (problem: string): never => {
    throw new ToolDefinitionError(machine, 'renamed', problem);
  };
  if (states.has(was)) refuse(`'renamed' has the state '${was}', which is still one of its states.`);
  if (!states.has(is)) {
    refuse(
      `'renamed' maps the state '${was}' to '${is}', which is not one of its states. Use ${listStates(states)}.`,
    );
  }
}

const listStates = (states: StateMap): string => [...states.keys()].map((state) => `'${state}'`).join(', ');

/**
 * An entry of one state: a tool source as for an agent, or `{ tool, to }`. A successful call of a tool in
 * such an entry moves to `to`.
 */
export type StateEntry<State extends string> =
  | (ToolSource & MissingMove)
  | { readonly tool: ToolSource; readonly to?: State | undefined };

/** Distinguishes a plain entry from a move. */
interface MissingMove {
  readonly tool?: never;
  readonly to?: never;
}

/** The rule of a tool in all states that list it. */
export interface StateRule {
  /** The states in which it is available, in the order of their declaration. */
  readonly states: readonly string[] | 'all';
  /** The state after a successful call, by the state in which the tool was called. */
  readonly to: ReadonlyMap<string, string>;
}

/** A tool with its rule, which its description mentions. */
export interface Registration {
  readonly tool: AnyTool;
  readonly rule: StateRule;
}

/** The states of a machine, by name, and the tools that are available in all of them. */
interface DeclaredStates {
  readonly machine: string;
  readonly states: ReadonlyMap<string, readonly StateEntry<string>[]>;
  readonly everywhere: readonly AnyTool[];
}

interface ParsedStates {
  /** One registration for each tool, in the order in which the tools are first listed. */
  readonly registrations: readonly Registration[];
  /** The rule of each provider's tools. */
  readonly providers: ReadonlyMap<ToolProvider, StateRule>;
  readonly notes: readonly string[];
}

/**
 * Reads the entries of all states.
 *
 * @throws ToolDefinitionError if two tools share a name, an entry has no tools or an unknown target, or a
 * tool has two targets from one state.
 * @throws ToolObjectError as `toolsOf` does.
 */
function readStates({ machine, states, everywhere }: DeclaredStates): ParsedStates {
  const found = new Map<string, FoundRule & { readonly tool: AnyTool }>();
  const providers = new Map<ToolProvider, FoundRule>();
  const notes: string[] = [];
  const find = (tool: AnyTool): FoundRule => {
    const known = found.get(tool.name) ?? { tool, states: [], to: new Map() };
    if (known.tool !== tool) refuse(machine, `two tools of its states have the name '${tool.name}'.`);
    found.set(tool.name, known);
    return known;
  };
  // An object that is listed in several states has the same tools in all of them.
  const known = new Map<ToolSource, CollectedTools>();
  for (const [state, entries] of states) {
    for (const [index, entry] of entries.entries()) {
      const { source, to } = readEntry(entry, { machine, state, index });
      const held =
        known.get(source) ?? collectForField(toCollectPlace(machine, state), [source], { from: index });
      known.set(source, held);
      if (to !== undefined && !states.has(to)) {
        const what = isTool(source) ? `tool '${source.name}'` : `entry ${index}`;
        refuse(machine, `in state '${state}' ${what} leads to '${to}', which is not one of its states.`);
      }
      for (const tool of held.tools)
        addState(find(tool), { machine, what: `tool '${tool.name}'`, state, to });
      for (const provider of held.providers) {
        const rule = providers.get(provider) ?? { states: [], to: new Map() };
        providers.set(provider, rule);
        addState(rule, { machine, what: 'a tool provider', state, to });
      }
      notes.push(...held.notes);
    }
  }
  for (const tool of everywhere) find(tool).states = 'all';
  return { registrations: [...found.values()].map(toRegistration), providers, notes };
}

const toCollectPlace = (tool: string, state: string) => ({
  tool,
  field: 'states',
  said: `in state '${state}' it cannot have these tools`,
});

/** The rule of a source from the states that were read so far. */
interface FoundRule {
  states: string[] | 'all';
  readonly to: Map<string, string>;
}

interface EntryPlace {
  readonly machine: string;
  readonly state: string;
  readonly index: number;
}

function readEntry(
  entry: StateEntry<string>,
  { machine, state, index }: EntryPlace,
): { readonly source: ToolSource; readonly to?: string | undefined } {
  if (!isMove(entry)) return { source: entry };
  const { tool: source, to }: { readonly tool: ToolSource; readonly to?: unknown } = entry; // untyped callers can pass any value
  if (to === undefined || typeof to === 'string') return { source, to };
  return refuse(machine, `entry ${index} of state '${state}' is neither a tool nor { tool, to }.`);
}

/** A move must be a plain object, since an instance of a class can also have a field `tool`. */
const isMove = (entry: StateEntry<string>): entry is Extract<typeof entry, { tool: ToolSource }> =>
  typeof entry === 'object' &&
  entry !== null &&
  Object.hasOwn(entry, 'tool') &&
  !isTool(entry) &&
  !hasToolMembers(entry) &&
  findUnreadableProblem(entry) === undefined;

/** A listed source, its state, and its target after a successful call. */
interface ListedEntry {
  readonly machine: string;
  /** The name that errors use for it. */
  readonly what: string;
  readonly state: string;
  readonly to: string | undefined;
}

function addState({ states, to: targets }: FoundRule, { machine, what, state, to }: ListedEntry): void {
  if (states === 'all') return;
  if (states.includes(state)) refuse(machine, `state '${state}' lists ${what} twice.`);
  states.push(state);
  if (to !== undefined) targets.set(state, to);
}

const toRegistration = ({ tool, states, to }: FoundRule & { readonly tool: AnyTool }): Registration => {
  const rule = { states, to };
  return { tool: withAvailability(tool, rule), rule };
};

/** Adds the tool's states and targets to its description. */
export const withAvailability = (tool: AnyTool, { states, to }: StateRule): AnyTool =>
  decorate(tool, { description: `${tool.description}\n\n${describeAvailability(states, to)}` });

function refuse(machine: string, problem: string): never {
  throw new ToolDefinitionError(machine, 'states', problem);
}
