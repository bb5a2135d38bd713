import type { Json } from './json.ts';
import { ANY_JSON, type Infer, OPTIONAL_NUMBER, type Shape, TEXT } from './shape.ts';
import type { ResultData } from './tool-result.ts';

/** When facts take effect: as each call ends, or in source order once the whole batch of calls has ended. */
export type MemoryTiming = 'call' | 'batch';

/**
 * What has a value of its own: each path (agent and nested loops, joined by `/`), the session as a whole, or each turn, with which the
 * value goes.
 */
export type MemoryScope = 'path' | 'session' | 'turn';

/** Which ends of its call a fact is for: a success, or any end at all. */
type FactOn = 'success' | 'end';

/**
 * What one kind of tool remembers of a session: a fold over the facts that its calls record. `Value` and `Fact` are JSON.
 * Its functions are pure and answer a new value, so that a warm state and one folded from the journal are equal.
 */
export interface ToolMemory<Value extends Json = Json, Fact extends Json = Json> {
  /** Facts are journaled under it, and the session's state shows it. */
  readonly name: string;
  readonly initial: Value;
  /** Raised when the functions read the same facts otherwise: values that older code has folded are folded anew. */
  readonly version?: number | undefined;
  /** `batch` unless given. */
  readonly when?: MemoryTiming | undefined;
  /** `session` unless given. */
  readonly scope?: MemoryScope | undefined;
  /**
   * What code without this memory does with a session that holds facts of it. `refuse`: as if newer code had written them, until code with the
   * memory has the session. Defaults to `skip`: it passes them over, and code with the memory folds them later.
   */
  readonly unread?: 'skip' | 'refuse' | undefined;
  /** The session's state does not show it: it may be long, or is of no use to whoever looks. */
  readonly isHidden?: true | undefined;
  /** The code that folds it: `FOLDING` of the journal, which an app carries only if a module of it remembers something. Opaque here. */
  readonly folding: object;
  /** Folds one fact. */
  apply?(value: Value, fact: Fact, place: FactPlace): Value;
  /** Folds what happens in the session beside its own facts; told after the facts that came with it. */
  observe?(value: Value, moment: SessionMoment): Value;
}

/** A loop of a session. */
export interface MemoryPlace {
  readonly turn: string;
  /** The id of the call that opened the loop; empty for the turn's own. */
  readonly frame: string;
  /** Names of the agent and of the nested loops around the call, joined by `/`. */
  readonly path: string;
}

/** Where and when a fact was recorded. */
export interface FactPlace extends MemoryPlace {
  /** The id of the call that recorded it; of the call that opened the loop, for a fact that came with the loop. */
  readonly call: string;
  /** What the call ended in; absent while it runs, and for a fact that came with a loop. */
  readonly result?: ResultData | undefined;
  /**
   * Milliseconds since the epoch, by the clock of whoever ran the turn, when the call ended; never before the turn's start.
   * Of a call that was cut off and closed by somebody else: when it was started. 0 for facts of journals that are older than
   * this time is.
   */
  readonly at: number;
}

/** What happens in a session that a memory may keep count of, with the loop in which it happens. */
export type SessionMoment = MemoryPlace &
  /** `root`: the turn at the root of the tree of turns that it is in; itself, if no turn has started it. */
  (
    | { readonly type: 'turn-started'; readonly root: string }
    /** A nested loop, which is the place. `around`: the id of the loop around it; empty for the turn's own. */
    | { readonly type: 'loop-opened'; readonly around: string }
    /** A model has replied; not told of loops in which a plan decides. */
    | { readonly type: 'model-replied'; readonly model: string; readonly usage?: MomentUsage | undefined }
    /** A reply, or a plan, has made calls. */
    | {
        readonly type: 'calls-made';
        /** In their order. `tool`: the one that is meant, where a call names an unfolding tool before it. */
        readonly calls: readonly { readonly id: string; readonly tool: string }[];
        /** The loop and those around it, by their ids, from the inside out. */
        readonly loops: readonly string[];
      }
    /** A model was asked for something that is no reply of the loop, such as a summary. */
    | { readonly type: 'asked-aside'; readonly usage?: MomentUsage | undefined }
    /** A model has refused a request as too long, before it worked on it. */
    | { readonly type: 'request-refused' }
    /** The turn is the root of a new tree: a person has steered it, or has decided about a call of it. */
    | { readonly type: 'tree-left' }
    /** A call has ended, and with it the loop that it may have opened. */
    | {
        readonly type: 'call-ended';
        readonly call: string;
        readonly tool: string;
        readonly result: ResultData;
        /** Milliseconds inside `run`; absent when nothing was run. */
        readonly ms?: number | undefined;
      }
    /** All loops of the turn have ended. `isTree`: whether the session still remembers a tree of turns, by its root. */
    | { readonly type: 'turn-ended'; isTree(root: string): boolean }
  );

/** What a reply used. `cost`: in USD, where its model has prices. */
interface MomentUsage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly cachedInputTokens?: number | undefined;
  readonly cacheWriteTokens?: number | undefined;
  readonly reasoningTokens?: number | undefined;
  readonly cost?: number;
}

/** A fact as the journal keeps it. */
export interface MemoryFact extends Infer<typeof MEMORY_FACT> {}
export const MEMORY_FACT = {
  object: {
    /** The memory's name. */
    slice: TEXT,
    fact: ANY_JSON,
    /** Defaults to `success`. */
    on: { optional: { only: 'end' } },
    /** As `FactPlace.at`; absent before the fact is journaled. */
    at: OPTIONAL_NUMBER,
    /** As its memory says. Defaults to `skip`. */
    unread: { optional: { only: 'refuse' } },
  },
} as const satisfies Shape;

/** How a fact is recorded. */
export interface FactOptions {
  /**
   * `success`, unless given: the fact takes effect only if its call succeeds. `end`: also if it fails, is rejected, times out,
   * is cancelled, or is closed as unknown after a kill.
   */
  readonly on?: FactOn | undefined;
}

/** A fact of this memory. */
export const factOf = <Value extends Json, Fact extends Json>(
  { name, unread }: Pick<ToolMemory<Value, Fact>, 'name' | 'unread'>,
  fact: Fact,
  { on }: FactOptions = {},
): MemoryFact => ({
  slice: name,
  fact,
  ...(on === 'end' && { on }),
  ...(unread === 'refuse' && { unread }),
});
