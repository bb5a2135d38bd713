import type { Json } from './json.ts';
import { ANY_JSON, type Infer, OPTIONAL_NUMBER, type Shape, TEXT } from './shape.ts';
import type { ResultData } from './tool-result.ts';

/** When facts take effect: as each call ends, or in source order once the whole batch of calls has ended. */
export type MemoryTiming = 'call' | 'batch';

/**
 * The scope of a value: each path (agent and nested loops, joined by `/`), the whole session, or each turn.
 * The value of a turn is dropped when it ends.
 */
export type MemoryScope = 'path' | 'session' | 'turn';

/** The ends of a call for which a fact counts: only a success, or any end. */
type FactCondition = 'success' | 'end';

/**
 * A memory of a session: a fold over facts that calls record. `Value` and `Fact` are JSON. Its functions are
 * pure and return a new value, so that a warm state equals a state folded from the journal.
 */
export interface ToolMemory<Value extends Json = Json, Fact extends Json = Json> {
  /** The name of its facts in the journal, and of its value in the session's state. */
  readonly name: string;
  readonly initial: Value;
  /**
   * The version of its functions. Increase it if they would fold the same facts differently. Values folded by
   * older code are then recomputed.
   */
  readonly version?: number | undefined;
  /** Defaults to `batch`. */
  readonly when?: MemoryTiming | undefined;
  /** Defaults to `session`. */
  readonly scope?: MemoryScope | undefined;
  /**
   * How code without this memory handles a session with its facts. `refuse`: as if newer code had written
   * them, until code with the memory runs. `skip`: it ignores them, and code with the memory folds them
   * later. Defaults to `skip`.
   */
  readonly unread?: 'skip' | 'refuse' | undefined;
  /** `true` if the session's state does not show it, such as a value that is long or useless to viewers. */
  readonly isHidden?: true | undefined;
  /**
   * The code that folds it: `FOLDING` of the journal. An app bundles it only if one of its modules has a
   * memory. Opaque here.
   */
  readonly folding: object;
  /** Folds one fact. */
  apply?(value: Value, fact: Fact, place: FactPlace): Value;
  /** Folds a moment of the session that is not one of its facts. Called after the facts of the same event. */
  observe?(value: Value, moment: SessionMoment): Value;
}

/** A loop of a session. */
export interface MemoryPlace {
  readonly turn: string;
  /** The id of the call that opened the loop. Empty for the turn's own loop. */
  readonly frame: string;
  /** The names of the agent and of the enclosing nested loops, joined by `/`. */
  readonly path: string;
}

/** The place and time of a recorded fact. */
export interface FactPlace extends MemoryPlace {
  /** The id of the call that recorded it, or for a fact of a loop, of the call that opened the loop. */
  readonly call: string;
  /** The result of the call. Absent while it runs, and for a fact of a loop. */
  readonly result?: ResultData | undefined;
  /**
   * When the call ended, in ms since the epoch by the clock of the turn's code, but at least the turn's
   * start. If the call was cut off and closed later, when it was started. 0 in journals older than this
   * property.
   */
  readonly at: number;
}

/** A moment of a session that a memory can observe, with the loop in which it happens. */
export type SessionMoment = MemoryPlace &
  /** `root`: the root of the turn's tree. This is the turn itself unless another turn started it. */
  (
    | { readonly type: 'turn-started'; readonly root: string }
    /**
     * A nested loop opened. The place is that loop. `around`: the id of the outer loop, empty for the turn's
     * own.
     */
    | { readonly type: 'loop-opened'; readonly around: string }
    /** A model replied. Not reported for loops that a plan controls. */
    | { readonly type: 'model-replied'; readonly model: string; readonly usage?: MomentUsage | undefined }
    /** A reply or a plan made calls. */
    | {
        readonly type: 'calls-made';
        /**
         * The calls in order. `tool`: the tool that the call is for, which can be inside the unfolding tool
         * in the call.
         */
        readonly calls: readonly { readonly id: string; readonly tool: string }[];
        /** The ids of the loop and its enclosing loops, innermost first. */
        readonly loops: readonly string[];
      }
    /** A model was called for something other than a reply of the loop, such as a summary. */
    | { readonly type: 'asked-aside'; readonly usage?: MomentUsage | undefined }
    /** A model refused a request as too long, without processing it. */
    | { readonly type: 'request-refused' }
    /** The turn became the root of a new tree: a person steered it, or decided about one of its calls. */
    | { readonly type: 'tree-left' }
    /** A call ended, and with it any loop that it opened. */
    | {
        readonly type: 'call-ended';
        readonly call: string;
        readonly tool: string;
        readonly result: ResultData;
        /** Milliseconds spent in `run`. Absent if it did not run. */
        readonly ms?: number | undefined;
      }
    /**
     * All loops of the turn have ended. `isTree`: returns whether the session still remembers the tree of
     * turns with this root.
     */
    | { readonly type: 'turn-ended'; isTree(root: string): boolean }
  );

/** The usage of a reply. `cost`: in USD, if its model has prices. */
interface MomentUsage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly cachedInputTokens?: number | undefined;
  readonly cacheWriteTokens?: number | undefined;
  readonly reasoningTokens?: number | undefined;
  readonly cost?: number;
}

/** A fact as journaled. */
export interface MemoryFact extends Infer<typeof MEMORY_FACT> {}
export const MEMORY_FACT = {
  object: {
    /** The memory's name. */
    slice: TEXT,
    fact: ANY_JSON,
    /** Defaults to `success`. */
    on: { optional: { only: 'end' } },
    /** As in `FactPlace.at`. Absent before the fact is journaled. */
    at: OPTIONAL_NUMBER,
    /** Copied from its memory. Defaults to `skip`. */
    unread: { optional: { only: 'refuse' } },
  },
} as const satisfies Shape;

/** Options for recording a fact. */
export interface FactOptions {
  /**
   * When the fact counts. `success`: only if its call succeeds. `end`: even if it fails, is rejected, times
   * out, is cancelled, or is closed as unknown after a kill. Defaults to `success`.
   */
  readonly on?: FactCondition | undefined;
}

/** Makes a fact of this memory. */
export const createFact = <Value extends Json, Fact extends Json>(
  { name, unread }: Pick<ToolMemory<Value, Fact>, 'name' | 'unread'>,
  fact: Fact,
  { on }: FactOptions = {},
): MemoryFact => ({
  slice: name,
  fact,
  ...(on === 'end' && { on }),
  ...(unread === 'refuse' && { unread }),
});
