import type { MadeBy, ProviderData } from '../model/parts.ts';
import type { Effect, MessageBy, TurnSaid } from '../tool/call.ts';
import { type ContentPart, KEPT_FILE } from '../tool/content.ts';
import type { ReachedLimit } from '../tool/frame.ts';
import type { Json, JsonObject } from '../tool/json.ts';
import type { BlackboardEntry } from '../tool/kept-values.ts';
import { ANY_JSON, type Infer, OPTIONAL_TEXT, type Shape, TEXT, WHOLE } from '../tool/shape.ts';
import type { MemoryFact, ToolMemory } from '../tool/tool-memory.ts';
import { ITEM_TYPES, type ResultData, type Signal } from '../tool/tool-result.ts';
import { type CallChanges, type FinalOutcome, type Principal, ROOT, type TurnError } from './events.ts';
import type {
  AskedWith,
  JournaledCall,
  JournaledPart,
  OfferedTool,
  Refusal,
  ToolsChange,
  Totals,
} from './reply-data.ts';
import type { JournaledAnswer, Wait } from './wait.ts';

/** One call of a reply, and how far it came. */
export interface CallRecord extends JournaledCall {
  /**
   * While it is open: the effect under which it was started, which holds even when the tool has changed since; `read` while it
   * waits at a checkpoint.
   */
  started?: Effect;
  /** While it is open: facts for its end that were stored with the start of its effect or of its loop. */
  atEnd?: readonly MemoryFact[];
  /** While it is open: what it asked somebody outside, in order; the last may be without an answer. */
  waits?: { readonly wait: Wait; answer?: JournaledAnswer }[];
  /** While it is open: its result, which the invocation that ran it left behind. */
  late?: ResultData;
  /** What was said to the user by it, or inside the loop that it has opened, in order. */
  said?: readonly TurnSaid[];
  ended?: {
    readonly result: ResultData;
    readonly direct: boolean;
    readonly changes: CallChanges | undefined;
    /** In a nested loop: it opened a frame in which a model decided. */
    readonly nested?: true;
    /** The model is shown no more characters of the result, since the conversation did not fit it. */
    readonly shown?: number;
  };
}

/** Calls of a turn, nested loops included. */
interface CallCounts {
  toolCalls: number;
  readonly callsByTool: Map<string, number>;
}

/** The conversation, grouped so that a call is never parted from its result. */
export type Message =
  | {
      readonly role: 'user';
      readonly text: string;
      /** All of it, where it has files. */
      readonly parts?: readonly ContentPart[];
      readonly by?: MessageBy;
      /** Of a late result: the model is shown no more characters, since the conversation did not fit it. */
      readonly shown?: number;
      /** Of a turn's message: the tools that came and went before it, of which the turn before could tell nobody. */
      readonly toolsChange?: ToolsChange;
    }
  | {
      readonly role: 'assistant';
      readonly text: string;
      readonly calls: readonly CallRecord[];
      /** What its model gave beside words and calls, which goes back to that model. */
      readonly kept?: KeptReply;
      /** It had parts that could not be kept: what is left is only told in words. */
      readonly cut?: true;
      /** The turn ended before the reply did: this is what readers had been shown of its text. */
      readonly cutOff?: true;
      /** The tools that came and went before it was asked for. */
      readonly toolsChange?: ToolsChange;
      /** Asked for its best answer without any calls, because a limit was met. */
      readonly last: boolean;
    };

/** Which tools the model of a loop was offered, as far as that has changed. */
export interface OfferHistory {
  /** In the order in which they are offered; `undefined` while they have not changed: sorted by name then. */
  list: readonly OfferedTool[] | undefined;
  /** With what its last reply was asked for. */
  asked: AskedWith | undefined;
  /** What has changed since; the next reply is told of it. */
  change: ToolsChange | undefined;
}

/** A reply as its model gave it. */
export interface KeptReply {
  readonly parts: readonly JournaledPart[];
  /** A hash of all that stood before it, where its model signs that too. */
  readonly prefix?: string;
  readonly provider?: ProviderData;
  readonly madeBy: MadeBy;
}

/** One loop: the turn's own, or the nested one that a call opened. */
export interface FrameState {
  /** The id of the call that opened it; empty for the turn's own loop. */
  readonly id: string;
  /** The frame around it; absent for the turn's own loop. */
  readonly parent?: string;
  /** Names of the agent and of the frames around it, joined by `/`. */
  readonly path: string;
  readonly messages: Message[];
  /** In order of addition: the session's, or that of the nearest frame around which has its own. */
  readonly blackboard: BlackboardEntry[];
  /** How many of its own blackboard's entries were there when it opened; absent when the blackboard is another's. */
  readonly inherited?: number;
  /** What the calls of the last reply see of the session, whatever other frames have changed since. */
  seen: {
    readonly callState: JsonObject;
    readonly entries: number;
    readonly memories: ReadonlyMap<string, Json>;
  };
  /** A plan decides in it, and no model. */
  planned: boolean;
  /** The turn's own loop shares the session's. */
  readonly offered: OfferHistory;
  /** Replies so far. */
  iterations: number;
  /** Blank replies in a row. */
  blankReplies: number;
  /** Calls of unknown tools in a row. */
  unknownTools: number;
  /** A limit did not allow the next model call. */
  refused: Refusal | undefined;
  /** An answer was rejected; the next one that does not fit ends the loop. */
  rejected: boolean;
  /** The model is shown less since its last reply, for the next request had not fitted it. */
  shortened: boolean;
}

/** An artifact that a call of the turn gave, and which call that was. `types`: of the items of a list that are of more than one type. */
export interface TurnArtifact extends Infer<typeof TURN_ARTIFACT> {}
export const TURN_ARTIFACT = {
  object: { call: TEXT, tool: TEXT, type: OPTIONAL_TEXT, types: ITEM_TYPES, value: ANY_JSON },
} as const satisfies Shape;

/** A file that a call of the turn gave, in any of its loops, and which call that was. */
export interface TurnFile extends Infer<typeof TURN_FILE> {}
export const TURN_FILE = { object: { call: TEXT, tool: TEXT }, and: KEPT_FILE } as const satisfies Shape;

/** A call of a turn's own loop that ended it. */
export interface StoppingCall extends Infer<typeof STOPPING_CALL> {}
export const STOPPING_CALL = { object: { call: TEXT, tool: TEXT } } as const satisfies Shape;

/** What became of the tools that a turn was offered. */
export type TurnTools = { -readonly [Key in keyof ToolsView]: ToolsView[Key] };
type ToolsView = Infer<typeof TURN_TOOLS>;
export const TURN_TOOLS = {
  object: {
    /** Those that came after the first request of the turn's own loop, by name, in the order in which they came. */
    late: { listOf: TEXT },
    /** Those that its own loop was offered, and then no more. */
    gone: { listOf: TEXT },
    /** How often a source outside was asked which tools it has, and has answered; nested loops included. */
    sourcesAsked: WHOLE,
  },
} as const satisfies Shape;

/** What the journal says about one turn. */
export interface TurnState extends CallCounts {
  readonly id: string;
  readonly loopId: string;
  readonly context: JsonObject;
  readonly principal: Principal;
  /** Open loops by id; none once the turn has ended. */
  readonly frames: Map<string, FrameState>;
  readonly artifacts: TurnArtifact[];
  readonly files: TurnFile[];
  /** What calls have said to the user, in order. */
  readonly said: TurnSaid[];
  readonly tools: TurnTools;
  /** Once it has ended: the calls that ended it, by what they returned directly or by the signal that they sent. */
  stoppedBy: readonly StoppingCall[];
  /** What the models reported that they used. */
  readonly usage: Totals;
  model: string | undefined;
  /** Replies in all frames. */
  iterations: number;
  /** A limit was met. */
  limited: boolean;
  /** While it is open, the first limit that its calls were beyond; then the one that ended it. */
  limit: ReachedLimit | undefined;
  /** Messages that its calls have scheduled, without a recurring one. */
  scheduled: number;
  /** The root of its tree: the last turn that something outside has started, or that a person has steered or decided in. */
  root: string;
  /** How many turns in a row were started by turns, this one the last, since the root. */
  generation: number;
  /** Tokens that its tree used before it, which count in the limit of its own loop. */
  before: number;
  cancelRequested: boolean;
  /** Invocations that took the turn up since its last reply, from one that may have asked for the next. */
  resumedSinceReply: number;
  /** The same since anything was done: a reply, the end of a call, tools that were found. */
  resumedIdly: number;
  /** What happened last, in words, for whoever has to find out why a turn is stuck. */
  lastEvent: string;
  /** The answer, once the turn has ended. */
  text: string;
  outcome: FinalOutcome | undefined;
  error: TurnError | undefined;
  signal: Signal | undefined;
  object: Json | undefined;
}

/** What a session remembers of one tree: all turns that were started by turns after the one at its root. */
export interface TurnTree {
  readonly count: number;
  /** Those of them that wait in this session for their time. */
  readonly pending: number;
  /** What its turns that have ended used, as models reported it. */
  readonly tokens: number;
}

/** Everything that the loop knows of a session: a fold over its journal. */
export interface SessionState {
  /** The last sequence folded. */
  seq: number;
  incarnation: string;
  agent: string;
  readonly messages: Message[];
  /** The sequences of the events that started the turns of which the messages are. */
  starts: number[];
  readonly blackboard: BlackboardEntry[];
  /** `call.state` by path; each value is replaced whole, never mutated. */
  readonly callState: Map<string, JsonObject>;
  /** Of the turns' own loops. */
  readonly offered: OfferHistory;
  /** What the models reported that they used. */
  readonly usage: Totals;
  /** One value a kind of tool, by the memory's name; of a memory by path, an object of values. */
  readonly memories: Map<string, Json>;
  /** Why memories could not be folded on, by their names; absent when all could. */
  brokenMemories?: Map<string, string>;
  /** Ids of calls that the journal ended with an unknown outcome. A late result of one settles it, and counts once. */
  readonly inDoubt: Set<string>;
  /** What is told of calls that no event ends, since their turn was ended by one who could not read it; by their ids. */
  readonly closedUnread: Map<string, ResultData>;
  /** What the first message says in place of all before an event. */
  cut: { readonly text: string; readonly from: number } | undefined;
  /** The trees of turns, by the ids of their roots; the one that changed last is last. */
  readonly trees: Map<string, TurnTree>;
  /** The recurring turn that waits for its time. */
  recurring: string | undefined;
  /** The open turn, or the one that ended last. */
  turn: TurnState | undefined;
}

/** Into what an event of a turn is folded: the session, the turn, and what kinds of tools remember. */
export interface Fold {
  readonly state: SessionState;
  readonly turn: TurnState;
  readonly memories: readonly ToolMemory[];
}

/** Returns the place of an event of a loop. The turn's own loop has none. */
export const inFrame = (frame: string): { readonly frame?: string } => (frame === ROOT ? {} : { frame });

/** The loop that an event is of, while it is open. */
export const frameOf = (
  { turn }: Pick<Fold, 'turn'>,
  { frame = ROOT }: { readonly frame?: string },
): FrameState | undefined => turn.frames.get(frame);

/** Makes the history of a loop that has offered nothing. */
export const nothingOffered = (): OfferHistory => ({ list: undefined, asked: undefined, change: undefined });

/** Makes the state of a session in which nothing has happened. */
export const emptyState = (): SessionState => ({
  seq: 0,
  incarnation: '',
  agent: '',
  messages: [],
  starts: [],
  blackboard: [],
  callState: new Map(),
  offered: nothingOffered(),
  usage: { inputTokens: 0, outputTokens: 0 },
  memories: new Map(),
  inDoubt: new Set(),
  closedUnread: new Map(),
  cut: undefined,
  trees: new Map(),
  recurring: undefined,
  turn: undefined,
});
