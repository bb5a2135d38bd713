import type { ProviderData } from '../model/parts.ts';
import type { Effect } from '../tool/call.ts';
import type { TreePlace } from '../tool/call-origin.ts';
import type { ContentPart } from '../tool/content.ts';
import type { ReachedLimit } from '../tool/frame.ts';
import type { Json, JsonObject } from '../tool/json.ts';
import type { BlackboardEntry } from '../tool/kept-values.ts';
import { type Infer, OPTIONAL_NUMBER, OPTIONAL_TEXT, type Shape, TEXT } from '../tool/shape.ts';
import type { MemoryFact } from '../tool/tool-memory.ts';
import type { ResultData, Signal } from '../tool/tool-result.ts';
import type { AskedWith, JournaledCall, JournaledPart, OfferedTool, ToolsChange } from './reply-data.ts';
import type { BudgetLimit, PricedUsage } from './usage.ts';
import type { Answer, Wait } from './wait.ts';

/** The version of the events that this code writes. A reader upgrades older events and does not touch a session that holds newer ones. */
export const EVENT_VERSION = 1;

/** Who asked, as far as the journal may know: no credential. */
export interface Principal extends Infer<typeof PRINCIPAL> {}
export const PRINCIPAL = {
  object: {
    id: TEXT,
    tenant: OPTIONAL_TEXT,
    /** As of the message; absent for none. */
    roles: { optional: { listOf: TEXT } },
  },
} as const satisfies Shape;

/** Why a turn stopped. */
export type Outcome = FinalOutcome | 'suspended';

/** The outcome of a turn that has ended: one that is suspended goes on. */
export type FinalOutcome = Infer<typeof FINAL_OUTCOME>;
export const FINAL_OUTCOME = {
  oneOf: ['completed', 'returned-direct', 'limit-reached', 'cancelled', 'failed'],
} as const satisfies Shape;

/** What a call changed in the session: one that failed, only facts for its end. */
export interface CallChanges {
  readonly state?: JsonObject;
  readonly blackboard?: readonly BlackboardEntry[];
  /** What kinds of tools remember of it, in order. */
  readonly facts?: readonly MemoryFact[];
  /** Messages to this session that it has scheduled, in order. */
  readonly scheduled?: readonly ScheduledMessage[];
}

/** A message that starts a turn by itself. */
export interface ScheduledMessage {
  /** The id of the turn. */
  readonly turn: string;
  readonly message: string;
  /** Milliseconds from the time of the event that holds it. */
  readonly after: number;
  /** The next run of an agent that runs again and again: the root of a tree of its own. */
  readonly recurring?: true;
}

/** What stopped a turn that failed; safe to show to its owner. */
export interface TurnError extends Infer<typeof TURN_ERROR> {}
export const TURN_ERROR = {
  object: {
    type: {
      oneOf: [
        'model-failure',
        'empty-reply',
        'invalid-output',
        'tool-not-found',
        'tool-failure',
        'stuck',
        'session-full',
        'misconfigured',
        'internal',
      ],
    },
    message: TEXT,
    /** Of a model failure: the seconds from then on that its provider asks to wait, where it asks for a while. */
    retryAfter: OPTIONAL_NUMBER,
  },
} as const satisfies Shape;

interface InTurn {
  readonly turn: string;
}

/** `frame` is the id of the call that opened it; absent for the turn's own loop. */
interface InFrame extends InTurn {
  readonly frame?: string;
}

/** Everything that happens in a session. A feature persists because it folds these, not because it stores something. */
export type SessionEvent =
  /** Always the first. `incarnation` tells a session from one of the same name that was erased before it. */
  | { readonly type: 'session-opened'; readonly incarnation: string; readonly agent: string }
  | (InTurn &
      Partial<TreePlace> & {
        readonly type: 'turn-started';
        readonly loopId: string;
        /** Its words. */
        readonly message: string;
        /** All of it in its order, where it has files. */
        readonly parts?: readonly ContentPart[];
        readonly context: JsonObject;
        readonly principal: Principal;
      })
  /** An invocation that goes on with a turn says so first. */
  | (InTurn & { readonly type: 'turn-resumed'; readonly cause: 'expired' | 'handed-over' })
  /** A limit did not allow a useful reply, so the model was not asked, and the loop ends. */
  | (InFrame & {
      readonly type: 'model-refused';
      readonly limit: BudgetLimit;
      /** The id of the call whose frame has the limit; absent for the turn's own. */
      readonly of?: string;
      readonly most: number;
      /** Used or held back already. */
      readonly used: number;
      /** The least that the call could have done with. */
      readonly needed: number;
    })
  | (InFrame & {
      readonly type: 'model-replied';
      readonly model: string;
      readonly text: string;
      readonly toolCalls: readonly JournaledCall[];
      /** All of it in its order, where it is more than its words and then its calls, which are stored in it alone. */
      readonly parts?: readonly JournaledPart[];
      /** A secret was in its parts, which were not kept for that: what is left is only told in words. */
      readonly cut?: true;
      /** What its provider keeps beside it as a whole. */
      readonly provider?: ProviderData;
      /** Absent for a planned reply. */
      readonly asked?: AskedWith;
      /** Of a reply with parts: the provider of the model that made it, to which alone they go back. */
      readonly servedBy?: string;
      readonly finish: string;
      readonly usage?: PricedUsage;
      /** No model was asked: the frame's plan decided. */
      readonly planned?: true;
      /** Asked for its best answer without any calls, because a limit was met. */
      readonly last?: true;
      /** How many of the messages before it came while the model answered: they stand behind it, for the next request. */
      readonly unseen?: number;
    })
  | (InFrame & {
      readonly type: 'tool-call-started';
      readonly call: string;
      readonly effect: Effect;
      /** Facts for the call's end, should whoever ends it know of no newer ones. */
      readonly atEnd?: readonly MemoryFact[];
    })
  | (InFrame & {
      readonly type: 'tool-call-ended';
      readonly call: string;
      readonly result: ResultData;
      /** Milliseconds that `run` took; absent when nothing was run. */
      readonly ms?: number;
      /** The call was beyond this limit, and did not run. */
      readonly limit?: ReachedLimit;
      /** The tool returns directly, and succeeded. */
      readonly direct?: true;
      readonly changes?: CallChanges;
      /** How many messages the call sent to other sessions, also if it failed. */
      readonly sent?: number;
    })
  /** The call waits for somebody outside. */
  | (InFrame & { readonly type: 'tool-call-suspended'; readonly call: string; readonly wait: Wait })
  /** What the call's last wait was answered with; the call begins anew and finds it. */
  | (InFrame & { readonly type: 'tool-call-answered'; readonly call: string; readonly answer: Answer })
  /** A call says something to the user; stored with its end. */
  | (InFrame & {
      readonly type: 'message-sent';
      readonly call: string;
      readonly text: string;
      readonly tool: string;
      /** Of a call in a nested loop: the call of the turn's own loop that it is inside of. */
      readonly under?: string;
    })
  /** `frame` is the id of the call that opens it, `parent` that of the frame around it. */
  | (InTurn & {
      readonly type: 'frame-started';
      readonly frame: string;
      readonly parent?: string;
      readonly name: string;
      readonly message: string;
      /** What kinds of tools remember of its opening, in order. */
      readonly facts?: readonly MemoryFact[];
      /** Facts for the end of the call that opens it, as of a `tool-call-started`. */
      readonly atEnd?: readonly MemoryFact[];
      /** It has a blackboard of its own, a copy of the one around it. */
      readonly ownBlackboard?: true;
    })
  /**
   * The next request offers other tools than the one before it. `session`: by what the session knows since, such as what calls
   * have opened; `turn`: another turn has begun; `deploy`: this code offers others than the one that asked last.
   */
  | (InFrame &
      Partial<ToolsChange> & {
        readonly type: 'tools-changed';
        readonly cause: 'session' | 'turn' | 'deploy';
        /** All that are offered now, in their order: of the first change of a loop, and where nobody knows what was before. */
        readonly all?: readonly OfferedTool[];
      })
  /** Sources outside told which tools they have: what the session knows of them from now on. */
  | (InFrame & { readonly type: 'tools-listed'; readonly facts: readonly MemoryFact[] })
  /** The answer is not of the form that the agent declares; the model is told why, and asked once more. */
  | (InFrame & { readonly type: 'answer-rejected'; readonly problems: readonly string[] })
  /** A message that came while the turn ran; the model is shown it with its next request. */
  | (InTurn &
      Partial<TreePlace> & {
        readonly type: 'turn-steered';
        /** The turn that it would have been by itself. */
        readonly as: string;
        readonly message: string;
        /** All of the message in its order, as in a `turn-started`. */
        readonly parts?: readonly ContentPart[];
        readonly principal: Principal;
      })
  /**
   * A call answers after its end said that its outcome is unknown, in this turn or a later one; or, if `open`, after the invocation
   * that ran it lost the turn.
   */
  | (InFrame & {
      readonly type: 'late-result-received';
      /** The call has not ended: this becomes its result, and is no message. `frame` is given only then. */
      readonly open?: true;
      readonly call: string;
      readonly tool: string;
      /** The beginning of what the model wrote as its input: the call itself may be cut off by now. */
      readonly input: string;
      readonly result: ResultData;
    })
  /** A module has something to remember beside the ends of calls. */
  | (InFrame & {
      readonly type: 'module-event';
      readonly module: string;
      /** In order; those of memories that the app does not have are kept by nobody. */
      readonly facts: readonly MemoryFact[];
      /** Of a model that the module has asked aside, as far as that is known. */
      readonly usage?: PricedUsage;
    })
  /** The model is shown less of the conversation from now on. The events stay as they are. */
  | (InFrame & {
      readonly type: 'conversation-cut';
      /** How many turns are still shown, the open one included. Absent: all that were shown before. */
      readonly turns?: number;
      /** How many characters are still shown of each result that there is. Absent: as many as before. */
      readonly results?: number;
      /**
       * What is shown in place of the messages before these turns, an earlier summary included. Absent: an earlier summary stays. Empty:
       * it is not shown either.
       */
      readonly summary?: string;
      /** Of the model that wrote the summary, as far as that is known. */
      readonly usage?: PricedUsage;
    })
  | (InTurn & { readonly type: 'cancel-requested' })
  | (InTurn & { readonly type: 'turn-yielded'; readonly reason: string })
  | (InTurn & {
      readonly type: 'turn-ended';
      readonly outcome: FinalOutcome;
      /** The limit that it reached. */
      readonly limit?: ReachedLimit;
      readonly error?: TurnError;
      /** What ended it, when a call sent one. */
      readonly signal?: Signal;
      /** The answer, where transformers made it differ from what the conversation says. */
      readonly text?: string;
      /** The answer, parsed as the agent's output. */
      readonly object?: Json;
    });

/** The id of the turn's own loop. */
export const ROOT = '';

/** Answers where an event of a loop belongs: nothing is said for the turn's own. */
export const inFrame = (frame: string): { readonly frame?: string } => (frame === ROOT ? {} : { frame });

/** The name of a type of event, as it is journaled. */
export type EventType = SessionEvent['type'];

/** The events of a type. */
export type EventOf<Type extends EventType> = Extract<SessionEvent, { readonly type: Type }>;

/**
 * An event with its place in the journal and the object's clock when it was stored: in this one shape wherever events are told, by
 * HTTP, in streams, in tests and in the reports of the crash matrix.
 */
export type StoredEvent = SessionEvent & {
  readonly seq: number;
  /** Milliseconds since the epoch, by the object's clock. Folds never read it. */
  readonly at: number;
};
