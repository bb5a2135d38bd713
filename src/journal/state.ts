import type { ProviderData, ReplyMaker } from '../model/parts.ts';
import type { Effect, MessageSource, TurnSaid } from '../tool/call.ts';
import { type ContentPart, KEPT_FILE } from '../tool/content.ts';
import type { ReachedLimit } from '../tool/frame.ts';
import type { Json, JsonObject } from '../tool/json.ts';
import type { BlackboardEntry } from '../tool/kept-values.ts';
import { ANY_JSON, INTEGER, type Infer, OPTIONAL_TEXT, type Shape, TEXT } from '../tool/shape.ts';
import type { MemoryFact, ToolMemory } from '../tool/tool-memory.ts';
import { ITEM_TYPES, type ResultData, type Signal } from '../tool/tool-result.ts';
import { type CallChanges, type FinalOutcome, type Principal, ROOT, type TurnError } from './events.ts';
import type {
  JournaledCall,
  JournaledPart,
  OfferedTool,
  Refusal,
  RequestHashes,
  ToolsChange,
  UsageTotals,
} from './reply-data.ts';
import type { JournaledAnswer, Wait } from './wait.ts';

/** A call of a reply, and its progress. */
export interface CallRecord extends JournaledCall {
  /**
   * While it is open: the effect under which it was started, even if the tool has changed since. `read` while
   * it waits at a checkpoint.
   */
  started?: Effect;
  /** While it is open: facts for its end that were stored with the start of its effect or its loop. */
  atEnd?: readonly MemoryFact[];
  /** While it is open: the questions that it asked, in order. The last one can be unanswered. */
  waits?: { readonly wait: Wait; answer?: JournaledAnswer }[];
  /** While it is open: its late result, from the invocation that ran it. */
  late?: ResultData;
  /** Messages to the user from it, or from inside the loop that it opened, in order. */
  said?: readonly TurnSaid[];
  ended?: {
    readonly result: ResultData;
    readonly direct: boolean;
    readonly changes: CallChanges | undefined;
    /** `true` if it opened a frame in which a model decided. */
    readonly nested?: true;
    /**
     * The maximum characters of the result that the model is shown, set when the conversation was too long.
     */
    readonly shown?: number;
  };
}

/** The calls of a turn, including nested loops. */
interface CallCounts {
  toolCalls: number;
  readonly callsByTool: Map<string, number>;
}

/** A message of the conversation. A call and its result stay together in one. */
export type Message =
  | {
      readonly role: 'user';
      readonly text: string;
      /** All parts in order, if it has files. */
      readonly parts?: readonly ContentPart[];
      readonly by?: MessageSource;
      /**
       * For a late result: the maximum characters that the model is shown, set when the conversation was too
       * long.
       */
      readonly shown?: number;
      /** For a turn's first message: the change of tools before it that the previous turn did not report. */
      readonly toolsChange?: ToolsChange;
    }
  | {
      readonly role: 'assistant';
      readonly text: string;
      readonly calls: readonly CallRecord[];
      /** Its parts other than text and calls. They are sent back to its model. */
      readonly kept?: KeptReply;
      /** `true` if it had parts that could not be stored. It is then sent as text. */
      readonly cut?: true;
      /** `true` if the turn ended before the reply did. The text is the part that readers had seen. */
      readonly cutOff?: true;
      /** The change of tools before the reply was requested. */
      readonly toolsChange?: ToolsChange;
      /** `true` if the model had to give its best answer without calls, because of a limit. */
      readonly last: boolean;
    };

/** The tools that the model of a loop was offered, and their changes. */
export interface OfferHistory {
  /** The offered tools in order. `undefined` while they have not changed and are sorted by name. */
  list: readonly OfferedTool[] | undefined;
  /** The hashes of the request for its last reply. */
  asked: RequestHashes | undefined;
  /** The changes since then, which the next reply is shown. */
  change: ToolsChange | undefined;
}

/** A reply as its model returned it. */
export interface KeptReply {
  readonly parts: readonly JournaledPart[];
  /** A hash of everything before it, if its model signs that too. */
  readonly prefix?: string;
  readonly provider?: ProviderData;
  readonly madeBy: ReplyMaker;
}

/** The state of a loop: the turn's own, or a nested one that a call opened. */
export interface FrameState {
  /** The id of the call that opened it. Empty for the turn's own loop. */
  readonly id: string;
  /** The frame around it. Absent for the turn's own loop and for frames directly inside it. */
  readonly parent?: string;
  /** The names of the agent and of the frames down to this one, joined by `/`. */
  readonly path: string;
  readonly messages: Message[];
  /** The entries in order: those of the session, or of the nearest outer frame with its own blackboard. */
  readonly blackboard: BlackboardEntry[];
  /**
   * The number of entries that its own blackboard had when it opened. Absent if it shares another blackboard.
   */
  readonly inherited?: number;
  /**
   * The part of the session's state that the calls of the last reply see, unaffected by later changes of
   * other frames.
   */
  seen: {
    readonly callState: JsonObject;
    readonly entries: number;
    readonly memories: ReadonlyMap<string, Json>;
  };
  /** `true` if a plan decides instead of a model. */
  planned: boolean;
  /** The offered tools. The turn's own loop shares those of the session. */
  readonly offered: OfferHistory;
  /** The number of replies so far. */
  iterations: number;
  /** The number of blank replies in a row. */
  blankReplies: number;
  /** The number of calls of unknown tools in a row. */
  unknownTools: number;
  /** Set if a limit did not allow the next model call. */
  refused: Refusal | undefined;
  /** `true` if an answer was rejected. The next answer that does not fit ends the loop. */
  rejected: boolean;
  /** `true` if the conversation was shortened after the last reply, because the next request was too long. */
  shortened: boolean;
}

/**
 * An artifact of a turn, with its call. `types`: the types of a list's items, if they have more than one
 * type.
 */
export interface TurnArtifact extends Infer<typeof TURN_ARTIFACT> {}
export const TURN_ARTIFACT = {
  object: { call: TEXT, tool: TEXT, type: OPTIONAL_TEXT, types: ITEM_TYPES, value: ANY_JSON },
} as const satisfies Shape;

/** A file of a turn from any of its loops, with its call. */
export interface TurnFile extends Infer<typeof TURN_FILE> {}
export const TURN_FILE = { object: { call: TEXT, tool: TEXT }, and: KEPT_FILE } as const satisfies Shape;

/** A call of a turn's own loop that ended it. */
export interface StoppingCall extends Infer<typeof STOPPING_CALL> {}
export const STOPPING_CALL = { object: { call: TEXT, tool: TEXT } } as const satisfies Shape;

/** The changes of the tools that a turn was offered. */
export type TurnTools = { -readonly [Key in keyof ToolsView]: ToolsView[Key] };
type ToolsView = Infer<typeof TURN_TOOLS>;
export const TURN_TOOLS = {
  object: {
    /** Names of the tools added after the first request of the turn's own loop, in order. */
    late: { listOf: TEXT },
    /** Names of the tools that its own loop no longer offers. */
    gone: { listOf: TEXT },
    /** How many times an outside source reported its tools, including nested loops. */
    sourcesAsked: INTEGER,
  },
} as const satisfies Shape;

/** The state of one turn. */
export interface TurnState extends CallCounts {
  readonly id: string;
  readonly loopId: string;
  readonly context: JsonObject;
  readonly principal: Principal;
  /** The open loops by id. Empty once the turn has ended. */
  readonly frames: Map<string, FrameState>;
  readonly artifacts: TurnArtifact[];
  readonly files: TurnFile[];
  /** Messages from calls to the user, in order. */
  readonly said: TurnSaid[];
  readonly tools: TurnTools;
  /** After it has ended: the calls that ended it, by a direct return or by a signal. */
  stoppedBy: readonly StoppingCall[];
  /** The usage that the models reported. */
  readonly usage: UsageTotals;
  model: string | undefined;
  /** The number of replies in all frames. */
  iterations: number;
  /** `true` if a limit was reached. */
  limited: boolean;
  /** While it is open: the first limit that its calls exceeded. After that: the limit that ended it. */
  limit: ReachedLimit | undefined;
  /** The number of messages that its calls scheduled, not counting recurring ones. */
  scheduled: number;
  /**
   * The root of its tree: the last turn that was started from outside, or that a person steered or decided
   * in.
   */
  root: string;
  /** The number of turns in a row, up to this one, that were started by turns since the root. */
  generation: number;
  /** Tokens that earlier turns of its tree used. They count toward the limit of its own loop. */
  before: number;
  cancelRequested: boolean;
  /**
   * The number of invocations that resumed the turn since its last reply, and may have requested the next.
   */
  resumedSinceReply: number;
  /**
   * The number of invocations that resumed the turn since its last progress: a reply, the end of a call, or
   * discovered tools.
   */
  resumedIdly: number;
  /** The last event, as text, to explain why a turn is stuck. */
  lastEvent: string;
  /** The answer, once the turn has ended. */
  text: string;
  outcome: FinalOutcome | undefined;
  error: TurnError | undefined;
  signal: Signal | undefined;
  object: Json | undefined;
}

/** The data of one tree: all turns that were started by turns after its root. */
export interface TurnTree {
  readonly count: number;
  /** The number of its turns that are scheduled in this session. */
  readonly pending: number;
  /** The tokens of its ended turns, as reported by the models. */
  readonly tokens: number;
}

/** The state of a session for its loops: a fold of its journal. */
export interface SessionState {
  /** The last folded sequence number. */
  seq: number;
  incarnation: string;
  agent: string;
  readonly messages: Message[];
  /** The sequence numbers of the events that started the turns in `messages`. */
  starts: number[];
  readonly blackboard: BlackboardEntry[];
  /** `call.state` by path. Each value is replaced as a whole, never mutated. */
  readonly callState: Map<string, JsonObject>;
  /** The offered tools of the turns' own loops. */
  readonly offered: OfferHistory;
  /** The usage that the models reported. */
  readonly usage: UsageTotals;
  /** The values of memories by name. For a memory by path, the value is an object of values. */
  readonly memories: Map<string, Json>;
  /** Why memories could not be folded, by name. Absent if all were folded. */
  brokenMemories?: Map<string, string>;
  /** Ids of calls that ended with an unknown outcome. A late result settles its call, and counts once. */
  readonly inDoubt: Set<string>;
  /** Results of calls that no event ended, since their turn was ended unread. Keyed by call id. */
  readonly closedUnread: Map<string, ResultData>;
  /** The text of the first message, which replaces all messages before the event `from`. */
  cut: { readonly text: string; readonly from: number } | undefined;
  /** The trees of turns by the id of their root. The most recently changed one is last. */
  readonly trees: Map<string, TurnTree>;
  /** The scheduled turn of a recurring agent. */
  recurring: string | undefined;
  /** The open turn, or the last one that ended. */
  turn: TurnState | undefined;
}

/** The target of a turn's events: the session, the turn and the memories. */
export interface Fold {
  readonly state: SessionState;
  readonly turn: TurnState;
  readonly memories: readonly ToolMemory[];
}

/** Returns the `frame` property of an event in a loop. The turn's own loop has none. */
export const toFrameField = (frame: string): { readonly frame?: string } => (frame === ROOT ? {} : { frame });

/** Returns the loop of an event while it is open. */
export const findFrame = (
  { turn }: Pick<Fold, 'turn'>,
  { frame = ROOT }: { readonly frame?: string },
): FrameState | undefined => turn.frames.get(frame);

/** Returns the history of a loop that has not offered tools. */
export const createOfferHistory = (): OfferHistory => ({
  list: undefined,
  asked: undefined,
  change: undefined,
});

/** Returns the state of a session without events. */
export const createEmptyState = (): SessionState => ({
  seq: 0,
  incarnation: '',
  agent: '',
  messages: [],
  starts: [],
  blackboard: [],
  callState: new Map(),
  offered: createOfferHistory(),
  usage: { inputTokens: 0, outputTokens: 0 },
  memories: new Map(),
  inDoubt: new Set(),
  closedUnread: new Map(),
  cut: undefined,
  trees: new Map(),
  recurring: undefined,
  turn: undefined,
});
