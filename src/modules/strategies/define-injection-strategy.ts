import type { HistoryCall, HistoryMessage } from '../../tool/call.ts';
import type { LiteralShape } from '../../tool/check-literal.ts';
import { opensTools, sameTools } from '../../tool/decorate.ts';
import { type Json, parseJson } from '../../tool/json.ts';
import { literals } from '../../tool/literals.ts';
import { type Log, mistake } from '../../tool/log.ts';
import { createModule, type ModuleUse, useOf } from '../../tool/module-use.ts';
import { ended, nameIn } from '../../tool/shown.ts';
import type { AnyTool, InjectionStrategy, LoopView } from '../../tool/tool.ts';
import { modelText, type ResultData } from '../../tool/tool-result.ts';
import { OFFERS } from '../../tool/uses.ts';
import { UNFOLDING, withOpen } from '../unfolding/strategy.ts';

/**
 * Makes a strategy of a function that decides, after each call, which tools come and which go. In the `use` of an agent or of an
 * agentic tool it holds in that loop alone, after unfolding and chaining; in `use` of an app in every loop. What it changes holds from
 * the next model call until the turn, or the nested loop, ends. An unfolding tool that it adds opens as any other.
 *
 * It is the sum over the calls that the journal holds, so it is the same on every resume. A function that throws is reported
 * and changes nothing. A literal with `offer` in the place of `evaluate` decides by the view of the loop before each model call.
 *
 * @throws TypeError when a key of the literal is not known, one is missing, or a value is of another kind.
 *
 * @example
 * ```ts
 * const refundsOnceFound = defineInjectionStrategy({
 *   name: 'refunds-once-found',
 *   evaluate: ({ lastCall }) =>
 *     lastCall.tool === 'find_order' && !lastCall.failed ? addTools(refundOrder) : noChange,
 * });
 * ```
 */
export function defineInjectionStrategy(config: InjectionStrategyConfig | InjectionStrategy): ModuleUse {
  const fault = literals?.fault(config, 'offer' in Object(config) ? OFFERING : EVALUATING);
  if (fault) throw new TypeError(`Injection strategy '${nameIn(config)}' ${ended(fault.problem)}`);
  const use = useOf(STRATEGIES, config.name);
  OFFERS.give(use, { ...('offer' in config ? callsOf(config) : evaluating(config)), own: 'after' });
  return use;
}

/** Returns what a strategy has, which may be an object of a class: a copy would lose its methods. */
const callsOf = (strategy: InjectionStrategy): InjectionStrategy => ({
  name: strategy.name,
  discover: strategy.discover,
  uses: [UNFOLDING, ...(strategy.uses ?? [])],
  offer: (tools, view) => opened(strategy.offer(tools, view), tools, view),
  ...(strategy.mayBecome && { mayBecome: strategy.mayBecome.bind(strategy) }),
  ...(strategy.remarkOn && { remarkOn: strategy.remarkOn.bind(strategy) }),
});

/** The tools; where there are unfolding tools that `before` has not, with what is inside of those that are open. */
const opened = (tools: readonly AnyTool[], before: readonly AnyTool[], view: LoopView): readonly AnyTool[] =>
  tools.some((tool) => opensTools(tool) && !before.includes(tool)) ? withOpen(tools, view) : tools;

/** Two strategies of one loop have different names, which are their keys. */
const STRATEGIES = createModule({ name: 'injection-strategies' });

const EVALUATING = {
  of: 'defineInjectionStrategy',
  keys: { name: 'text', evaluate: 'function' },
  required: ['name', 'evaluate'],
} satisfies LiteralShape<keyof InjectionStrategyConfig>;

const OFFERING = {
  of: 'defineInjectionStrategy',
  keys: {
    ...{ name: 'text', offer: 'function', mayBecome: 'function', remarkOn: 'function', uses: 'list' },
    discover: 'any',
  },
  required: ['name', 'offer'],
} satisfies LiteralShape<keyof InjectionStrategy>;

function evaluating({ name, evaluate }: InjectionStrategyConfig): InjectionStrategy {
  const changeAfter = (log: Log, tools: readonly AnyTool[], past: PastCall): InjectionChange => {
    const { call: lastCall, iteration } = past;
    try {
      const history = past.history();
      const change = toChange(evaluate({ history, tools, lastCall, iteration }));
      applyChange(tools, change); // throws if it is none
      return change;
    } catch (thrown) {
      log(mistake(`the strategy '${name}' threw in evaluate`, thrown));
      return noChange;
    }
  };
  const evaluated = new WeakMap<object, Evaluated[]>();
  return {
    name,
    uses: [UNFOLDING],
    offer(tools, view) {
      const past = pastCalls(view.history());
      const known = evaluatedIn(evaluated, name, view);
      const at = known.findIndex((one) => isBeginning(one, tools, past));
      const [former] = at < 0 ? [] : known.splice(at, 1);
      const change = (before: readonly AnyTool[], made: InjectionChange): readonly AnyTool[] =>
        opened(applyChange(before, made), before, view);
      const changes = [...(former?.changes ?? [])];
      // Applied again each time: what an unfolding tool brings may have changed since.
      let list = changes.reduce(change, tools);
      for (const one of past.slice(changes.length)) {
        const made = changeAfter(view.log, list, one);
        changes.push(made);
        list = change(list, made);
      }
      const offered = former && sameTools(former.offered, list) ? former.offered : list;
      known.unshift({ tools, changes, last: past.at(-1)?.call.id, offered });
      known.splice(KEPT);
      return offered;
    },
  };
}

/** The literal that `defineInjectionStrategy` takes. */
export interface InjectionStrategyConfig {
  readonly name: string;
  /**
   * Answers what to change after a call, whatever came of it; a bare list is of tools to add. It is asked once a call, and again
   * when another invocation goes on: it depends on what it is given alone, and answers at once.
   */
  readonly evaluate: (context: InjectionContext) => Partial<InjectionChange> | readonly AnyTool[];
}

/** What a strategy decides by, after one call. */
export interface InjectionContext {
  /** The loop's conversation, without the result of this call. Not to be changed. */
  readonly history: readonly HistoryMessage[];
  /** What is offered so far. */
  readonly tools: readonly AnyTool[];
  readonly lastCall: LastCall;
  /** Replies of the loop so far, in this turn. */
  readonly iteration: number;
}

/** A call that has ended, as a strategy may judge it. */
export interface LastCall {
  readonly id: string;
  readonly tool: string;
  /** The model's own text. */
  readonly input: string;
  /** What the model reads of the result; an error begins with `Error: `. */
  readonly result: string;
  readonly failed: boolean;
  /** The result as data, when its text is that of a JSON object or array. */
  readonly json?: Json | undefined;
  /** The artifact, as the journal keeps it. */
  readonly artifact?: Json | undefined;
  /** The name of its type. */
  readonly artifactType?: string | undefined;
  /** Of a list whose items are of more than one type: the type of each, in order. */
  readonly artifactTypes?: readonly (string | null)[] | undefined;
}

/** What becomes of the tools that are offered. */
export interface InjectionChange {
  readonly add: readonly AnyTool[];
  /** The names of the tools that are taken away. */
  readonly remove: readonly string[];
}

/** A decision by which the offered tools stay as they are. */
export const noChange: InjectionChange = { add: [], remove: [] };

/** A decision by which these tools are offered too. */
export const addTools = (tools: OneOrList<AnyTool>): InjectionChange => ({ add: listOf(tools), remove: [] });

/** A decision by which these tools are not offered any more. */
export const removeTools = (tools: OneOrList<AnyTool | string>): InjectionChange => ({
  add: [],
  remove: listOf(tools).map((tool) => (typeof tool === 'string' ? tool : tool.name)),
});

/** A decision by which some tools are offered in the place of others. */
export const replaceTools = (
  remove: OneOrList<AnyTool | string>,
  add: OneOrList<AnyTool>,
): InjectionChange => ({ ...removeTools(remove), add: listOf(add) });

/** A tool, or several; those to be removed by themselves or by name. */
type OneOrList<T> = T | readonly T[];

const listOf = <T extends AnyTool | string>(given: OneOrList<T>): readonly T[] =>
  isToolList(given) ? given : [given];

const isToolList = <T>(given: OneOrList<T>): given is readonly T[] => Array.isArray(given);

/** Tells whether there is anything to do. */
export const hasChanges = ({ add, remove }: InjectionChange): boolean => add.length > 0 || remove.length > 0;

/**
 * The tools after a change: first those that go, by name, then those that come, of each name the first, and none whose
 * name is taken. The same list when nothing changes.
 */
export function applyChange(tools: readonly AnyTool[], change: InjectionChange): readonly AnyTool[] {
  if (!hasChanges(change)) return tools;
  const gone = new Set(change.remove);
  const left = tools.filter(({ name }) => !gone.has(name));
  const taken = new Set(left.map(({ name }) => name));
  const come = change.add.filter(({ name }) => !taken.has(name) && taken.add(name));
  return come.length === 0 && left.length === tools.length ? tools : [...left, ...come];
}

const toChange = (answer: ReturnType<InjectionStrategyConfig['evaluate']>): InjectionChange =>
  isList(answer) ? addTools(answer) : { ...noChange, ...answer };

const isList = (answer: ReturnType<InjectionStrategyConfig['evaluate']>): answer is readonly AnyTool[] =>
  Array.isArray(answer);

/** What the calls so far have made of a list, so that a call is judged once and not before every model call. */
interface Evaluated {
  readonly tools: readonly AnyTool[];
  /** One for each call. */
  readonly changes: readonly InjectionChange[];
  readonly last: string | undefined;
  readonly offered: readonly AnyTool[];
}

/**
 * When a tool unfolds, the list that comes in changes, and calls of the same batch still ask with the old one. So a few lists are
 * remembered.
 */
const KEPT = 4;

/** What is known of one loop in one invocation: the list that the loop keeps under this key lives as long as that. */
function evaluatedIn(all: WeakMap<object, Evaluated[]>, name: string, view: LoopView): Evaluated[] {
  const loop = view.made(`injection ${name} ${view.frame}`, () => []);
  const known = all.get(loop) ?? [];
  all.set(loop, known);
  return known;
}

const isBeginning = (
  { tools: of, changes: { length }, last }: Evaluated,
  tools: readonly AnyTool[],
  past: readonly PastCall[],
): boolean => length <= past.length && past[length - 1]?.call.id === last && sameTools(of, tools);

/** One call of the turn that has ended, where it stood. */
interface PastCall {
  readonly call: LastCall;
  /** Replies of the loop up to the one that asked for it. */
  readonly iteration: number;
  /** The conversation before its result: it and the calls after it in its reply are open there. */
  history(): readonly HistoryMessage[];
}

/** The calls of the open turn, or of the nested loop, that have ended; in the order in which they were asked for. */
function pastCalls(history: readonly HistoryMessage[]): readonly PastCall[] {
  // What the loop itself says does not begin a turn.
  const start = history.findLastIndex((message) => message.role === 'user' && message.by === undefined);
  let iteration = 0;
  return history.flatMap((message, at) => {
    if (at < start || message.role !== 'assistant') return [];
    iteration += 1;
    const reply = { message, iteration, before: history.slice(0, at) };
    return message.calls.flatMap((call) => (call.result ? pastCall(reply, call, call.result) : []));
  });
}

interface Reply {
  readonly message: Extract<HistoryMessage, { role: 'assistant' }>;
  readonly iteration: number;
  /** The conversation up to the reply. */
  readonly before: readonly HistoryMessage[];
}

function pastCall(
  { message, iteration, before }: Reply,
  { id, name, input }: HistoryCall,
  result: ResultData,
): PastCall {
  return {
    iteration,
    call: { id, tool: name, input, failed: result.type === 'error', ...said(result) },
    history: () => {
      const at = message.calls.findIndex((call) => call.id === id);
      const calls = message.calls.map((call, index) => (index < at ? call : withoutResult(call)));
      return [...before, { ...message, calls }];
    },
  };
}

const withoutResult = ({ result: _, ...call }: HistoryCall): HistoryCall => call;

type SaidOfCall = Pick<LastCall, 'result' | 'json' | 'artifact' | 'artifactType' | 'artifactTypes'>;

function said(result: ResultData): SaidOfCall {
  const text = modelText(result);
  const json = result.type === 'error' || !/^\s*[{[]/.test(text) ? undefined : parseJson(text);
  return {
    result: text,
    ...(json !== undefined && { json }),
    ...(result.type === 'artifact' && { artifact: result.value }),
    ...(result.type === 'artifact' && result.artifactType && { artifactType: result.artifactType }),
    ...(result.type === 'artifact' && result.artifactTypes && { artifactTypes: result.artifactTypes }),
  };
}
