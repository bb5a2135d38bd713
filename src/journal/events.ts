import { PROVIDER_DATA } from '../model/parts.ts';
import { EFFECT } from '../tool/call.ts';
import { TREE_PLACE } from '../tool/call-origin.ts';
import { CONTENT_PART } from '../tool/content.ts';
import { REACHED_LIMIT } from '../tool/frame.ts';
import { BLACKBOARD_ENTRY } from '../tool/kept-values.ts';
import {
  ANY_JSON,
  ANY_OBJECT,
  type Fields,
  type Infer,
  NUMBER,
  type ObjectShape,
  OPTIONAL_NUMBER,
  OPTIONAL_TEXT,
  OPTIONAL_WHOLE,
  OPTIONAL_YES,
  type Shape,
  TEXT,
  WHOLE,
} from '../tool/shape.ts';
import { MEMORY_FACT } from '../tool/tool-memory.ts';
import { RESULT, SIGNAL } from '../tool/tool-result.ts';
import {
  ASKED_WITH,
  BUDGET_LIMIT,
  JOURNALED_CALL,
  JOURNALED_PART,
  OFFERED_TOOL,
  PRICED_USAGE,
  TAKE_OVER,
} from './reply-data.ts';
import { JOURNALED_ANSWER, WAIT } from './wait.ts';

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

/** A message that starts a turn by itself. */
export interface ScheduledMessage extends Infer<typeof SCHEDULED_MESSAGE> {}
const SCHEDULED_MESSAGE = {
  object: {
    /** The id of the turn. */
    turn: TEXT,
    message: TEXT,
    /** Milliseconds from the time of the event that holds it. */
    after: NUMBER,
    /** The next run of an agent that runs again and again: the root of a tree of its own. */
    recurring: OPTIONAL_YES,
  },
} as const satisfies Shape;

const FACTS = { listOf: MEMORY_FACT } as const satisfies Shape;
const OPTIONAL_FACTS = { optional: FACTS } as const;
const OFFERED = { optional: { listOf: OFFERED_TOOL } } as const;
const PARTS = { optional: { listOf: CONTENT_PART } } as const;
const USED = { optional: PRICED_USAGE } as const;

/** What a call changed in the session. One that failed changed only facts for its end. */
export interface CallChanges extends Infer<typeof CALL_CHANGES> {}
const CALL_CHANGES = {
  object: {
    state: { optional: ANY_OBJECT },
    blackboard: { optional: { listOf: BLACKBOARD_ENTRY } },
    /** What kinds of tools remember of it, in order. */
    facts: OPTIONAL_FACTS,
    /** Messages to this session that it has scheduled, in order. */
    scheduled: { optional: { listOf: SCHEDULED_MESSAGE } },
  },
} as const satisfies Shape;

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

/** The properties that events have by what they are of. */
export const PLACES = {
  session: { object: {} },
  turn: { object: { turn: TEXT } },
  /** A turn that another one may have started. */
  tree: { object: { turn: TEXT }, and: TREE_PLACE },
  loop: {
    object: {
      turn: TEXT,
      /** The id of the call that opened the loop. Absent for the turn's own loop. */
      frame: OPTIONAL_TEXT,
    },
  },
} as const satisfies { readonly [place: string]: ObjectShape };

/**
 * Everything that happens in a session: the properties of each type of event, beside those of its place. A feature persists because it
 * folds these, not because it stores something.
 */
export const EVENTS = {
  session: {
    /** The first, unless the session is a fork. */
    'session-opened': {
      /** Distinguishes a session from one of the same name that was erased before it. */
      incarnation: TEXT,
      agent: TEXT,
    },
    /** The first event of a fork. The events of the other session up to `upTo` follow it, unchanged. */
    'session-forked': {
      /** As of a `session-opened`. */
      incarnation: TEXT,
      agent: TEXT,
      /** The id of the other session. */
      from: TEXT,
      /** Distinguishes that session from one of the same name that was erased before or after it. */
      fromIncarnation: TEXT,
      /** The last event of it that is copied. */
      upTo: WHOLE,
      /** Who has asked for the copy. */
      principal: PRINCIPAL,
      /** The surface that made it for a page. */
      by: OPTIONAL_TEXT,
      /** What the model is shown of the part that was cut off. */
      told: OPTIONAL_TEXT,
    },
  },
  tree: {
    'turn-started': {
      loopId: TEXT,
      /** Its words. */
      message: TEXT,
      /** All of it in its order, where it has files. */
      parts: PARTS,
      context: ANY_OBJECT,
      principal: PRINCIPAL,
      /** The turn without an answer whose message this is: it is already in the conversation, with what was done for it. */
      retries: OPTIONAL_TEXT,
      /** Of one that retries: what the model reads behind what was done, if anything was. */
      line: OPTIONAL_TEXT,
      /** What stands before every path in a link, as where its request came in. Absent if nothing does, or there was no request. */
      base: OPTIONAL_TEXT,
    },
    /** A message that came while the turn ran. The model is shown it with its next request. */
    'turn-steered': {
      /** The turn that it would have been by itself. */
      as: TEXT,
      message: TEXT,
      /** All of the message in its order, as in a `turn-started`. */
      parts: PARTS,
      /** What it said beside its words. The turn has its own. */
      context: { optional: ANY_OBJECT },
      principal: PRINCIPAL,
    },
  },
  turn: {
    /** An invocation that resumes a turn says so first. */
    'turn-resumed': { cause: { oneOf: ['expired', 'handed-over'] } },
    'frame-started': {
      /** The id of the call that opens it. */
      frame: TEXT,
      /** The id of the frame around it. */
      parent: OPTIONAL_TEXT,
      name: TEXT,
      message: TEXT,
      /** What kinds of tools remember of its opening, in order. */
      facts: OPTIONAL_FACTS,
      /** Facts for the end of the call that opens it, as of a `tool-call-started`. */
      atEnd: OPTIONAL_FACTS,
      /** It has a blackboard of its own, a copy of the one around it. */
      ownBlackboard: OPTIONAL_YES,
    },
    'cancel-requested': {},
    'turn-yielded': { reason: TEXT },
    'turn-ended': {
      outcome: FINAL_OUTCOME,
      /** The limit that it reached. */
      limit: { optional: REACHED_LIMIT },
      error: { optional: TURN_ERROR },
      /** What ended it, if a call sent one. */
      signal: { optional: SIGNAL },
      /** The answer, where transformers made it differ from what the conversation says. */
      text: OPTIONAL_TEXT,
      /** The answer, parsed as the agent's output. */
      object: { optional: ANY_JSON },
    },
  },
  loop: {
    /** A limit did not allow a useful reply, so the model was not asked, and the loop ends. */
    'model-refused': {
      limit: BUDGET_LIMIT,
      /** The id of the call whose frame has the limit. Absent for the turn's own. */
      of: OPTIONAL_TEXT,
      most: NUMBER,
      /** Used or held back already. */
      used: NUMBER,
      /** The least that the call could have done with. */
      needed: NUMBER,
    },
    'model-replied': {
      model: TEXT,
      text: TEXT,
      toolCalls: { listOf: JOURNALED_CALL },
      /** All of it in its order, where it is more than its words and then its calls, which are stored in it alone. */
      parts: { optional: { listOf: JOURNALED_PART } },
      /** A secret was in its parts, which were not kept for that: only its words are left. */
      cut: OPTIONAL_YES,
      /** What its provider keeps beside it as a whole. */
      provider: { optional: PROVIDER_DATA },
      /** Absent for a planned reply. */
      asked: { optional: ASKED_WITH },
      /** Of a reply with parts: the provider of the model that made it, to which alone they go back. */
      servedBy: OPTIONAL_TEXT,
      /** Its model took over from another one. */
      tookOver: { optional: TAKE_OVER },
      /** Why its model stopped, or `cut-off`: the turn ended first, and this is what readers had been shown of its text. */
      finish: TEXT,
      usage: USED,
      /** No model was asked: the frame's plan decided. */
      planned: OPTIONAL_YES,
      /** Asked for its best answer without any calls, because a limit was met. */
      last: OPTIONAL_YES,
      /** How many of the messages before it came while the model answered: they are behind it in the next request. */
      unseen: OPTIONAL_WHOLE,
    },
    'tool-call-started': {
      call: TEXT,
      effect: EFFECT,
      /** Facts for the call's end, should the invocation that ends it know of no newer ones. */
      atEnd: OPTIONAL_FACTS,
    },
    'tool-call-ended': {
      call: TEXT,
      result: RESULT,
      /** Milliseconds that `run` took. Absent if it did not run. */
      ms: OPTIONAL_NUMBER,
      /** The call was beyond this limit, and did not run. */
      limit: { optional: REACHED_LIMIT },
      /** The tool returns directly, and succeeded. */
      direct: OPTIONAL_YES,
      changes: { optional: CALL_CHANGES },
      /** How many messages the call sent to other sessions, also if it failed. */
      sent: OPTIONAL_WHOLE,
    },
    /** The call waits for somebody outside. */
    'tool-call-suspended': { call: TEXT, wait: WAIT },
    /** The answer to the call's last wait. The call restarts and finds it. */
    'tool-call-answered': { call: TEXT, answer: JOURNALED_ANSWER },
    /** A call says something to the user. Stored with its end. */
    'message-sent': {
      call: TEXT,
      text: TEXT,
      tool: TEXT,
      /** Of a call in a nested loop: the call of the turn's own loop that it is inside of. */
      under: OPTIONAL_TEXT,
    },
    /** The next request offers other tools than the one before it. */
    'tools-changed': {
      /** In the order in which they are behind all others from now on; in the place of one of that name, if there was one. */
      came: OFFERED,
      went: OFFERED,
      /**
       * `session`: by what the session knows since, such as what calls have opened. `turn`: another turn has begun. `deploy`: this code
       * offers others than the code that asked last.
       */
      cause: { oneOf: ['session', 'turn', 'deploy'] },
      /** All that are offered now, in their order: of the first change of a loop, and where it is not known what was before. */
      all: OFFERED,
    },
    /** Sources outside have said which tools they have: what the session knows of them from now on. */
    'tools-listed': { facts: FACTS },
    /** The answer is not of the form that the agent declares. The model reads why, and is asked once more. */
    'answer-rejected': { problems: { listOf: TEXT } },
    /**
     * A call answers after its end said that its outcome is unknown, in this turn or a later one; or, if `open`, after the invocation
     * that ran it lost the turn.
     */
    'late-result-received': {
      /** The call has not ended: this becomes its result, and is no message. Only then there is a `frame`. */
      open: OPTIONAL_YES,
      call: TEXT,
      tool: TEXT,
      /** The beginning of what the model wrote as its input: the call itself may be cut off by now. */
      input: TEXT,
      result: RESULT,
    },
    /** A module has something to remember beside the ends of calls. */
    'module-event': {
      module: TEXT,
      /** In order. Those of memories that the app does not have are skipped. */
      facts: FACTS,
      /** Of a model that the module has asked aside, as far as that is known. */
      usage: USED,
    },
    /** The model is shown less of the conversation from now on. The events stay as they are. */
    'conversation-cut': {
      /** How many turns are still shown, the open one included. Absent: all that were shown before. */
      turns: OPTIONAL_WHOLE,
      /** How many characters are still shown of each result that there is. Absent: as many as before. */
      results: OPTIONAL_WHOLE,
      /**
       * What is shown in place of the messages before these turns, an earlier summary included. Absent: an earlier summary stays. Empty:
       * it is not shown either.
       */
      summary: OPTIONAL_TEXT,
      /** Of the model that wrote the summary, as far as that is known. */
      usage: USED,
    },
  },
} as const satisfies { readonly [Place in keyof typeof PLACES]: { readonly [type: string]: Fields } };

type Events = typeof EVENTS;

type EventsIn<Place extends keyof Events> = {
  [Type in keyof Events[Place]]: Flat<
    { readonly type: Type } & Infer<{
      readonly object: Events[Place][Type];
      readonly and: (typeof PLACES)[Place];
    }>
  >;
}[keyof Events[Place]];

/** The same type as one object, which editors show property by property. */
type Flat<Event> = { [Key in keyof Event]: Event[Key] };

/** An event of a session. */
export type SessionEvent = { [Place in keyof Events]: EventsIn<Place> }[keyof Events];

/** The name of a type of event, as it is journaled. */
export type EventType = SessionEvent['type'];

/** The events of a type. */
export type EventOf<Type extends EventType> = Extract<SessionEvent, { readonly type: Type }>;

/** The `finish` of a reply that its turn cut off. It is stored with the end of the turn. */
export const CUT_OFF = 'cut-off';

/** The id of the turn's own loop. */
export const ROOT = '';

/**
 * An event with its place in the journal and the object's clock when it was stored: in this one shape wherever events are told, by
 * HTTP, in streams, in tests and in the reports of the crash matrix.
 */
export type StoredEvent = SessionEvent & {
  readonly seq: number;
  /** Milliseconds since the epoch, by the object's clock. Folds never read it. */
  readonly at: number;
};
