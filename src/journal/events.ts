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
  INTEGER,
  type Infer,
  NUMBER,
  type ObjectShape,
  OPTIONAL_INTEGER,
  OPTIONAL_NUMBER,
  OPTIONAL_TEXT,
  OPTIONAL_TRUE,
  type Shape,
  TEXT,
} from '../tool/shape.ts';
import { MEMORY_FACT } from '../tool/tool-memory.ts';
import { RESULT, SIGNAL } from '../tool/tool-result.ts';
import {
  BUDGET_LIMIT,
  JOURNALED_CALL,
  JOURNALED_PART,
  OFFERED_TOOL,
  PRICED_USAGE,
  REQUEST_HASHES,
  TAKE_OVER,
} from './reply-data.ts';
import { JOURNALED_ANSWER, WAIT } from './wait.ts';

/** The version of the events that this code writes. Code never changes a session with newer events. */
export const EVENT_VERSION = 1;

/** The principal of a request, as journaled: without credentials. */
export interface Principal extends Infer<typeof PRINCIPAL> {}
export const PRINCIPAL = {
  object: {
    id: TEXT,
    tenant: OPTIONAL_TEXT,
    /** The roles at the time of the message. Absent if empty. */
    roles: { optional: { listOf: TEXT } },
  },
} as const satisfies Shape;

/** Why a turn stopped. */
export type Outcome = FinalOutcome | 'suspended';

/** The outcome of an ended turn. A suspended turn has not ended. */
export type FinalOutcome = Infer<typeof FINAL_OUTCOME>;
export const FINAL_OUTCOME = {
  oneOf: ['completed', 'returned-direct', 'limit-reached', 'cancelled', 'failed'],
} as const satisfies Shape;

/** A message that starts a turn later. */
export interface ScheduledMessage extends Infer<typeof SCHEDULED_MESSAGE> {}
const SCHEDULED_MESSAGE = {
  object: {
    /** The id of the turn. */
    turn: TEXT,
    message: TEXT,
    /** Milliseconds from the time of the event that contains it. */
    after: NUMBER,
    /** `true` for the next run of a recurring agent, which is the root of its own tree. */
    recurring: OPTIONAL_TRUE,
  },
} as const satisfies Shape;

const FACTS = { listOf: MEMORY_FACT } as const satisfies Shape;
const OPTIONAL_FACTS = { optional: FACTS } as const;
const OPTIONAL_OFFERED_TOOLS = { optional: { listOf: OFFERED_TOOL } } as const;
const OPTIONAL_PARTS = { optional: { listOf: CONTENT_PART } } as const;
const OPTIONAL_USAGE = { optional: PRICED_USAGE } as const;

/** The changes that a call made to the session. A failed call keeps only its facts with `on: 'end'`. */
export interface CallChanges extends Infer<typeof CALL_CHANGES> {}
const CALL_CHANGES = {
  object: {
    state: { optional: ANY_OBJECT },
    blackboard: { optional: { listOf: BLACKBOARD_ENTRY } },
    /** Facts that tool kinds record about it, in order. */
    facts: OPTIONAL_FACTS,
    /** Messages to this session that it scheduled, in order. */
    scheduled: { optional: { listOf: SCHEDULED_MESSAGE } },
  },
} as const satisfies Shape;

/** The error of a failed turn. Safe to show to its owner. */
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
    /** For a model failure: the seconds to wait from then on, if the provider gave a time. */
    retryAfter: OPTIONAL_NUMBER,
  },
} as const satisfies Shape;

/** The properties that events share, keyed by the scope of the event. */
export const PLACES = {
  session: { object: {} },
  turn: { object: { turn: TEXT } },
  /** A turn, possibly started by another one. */
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
 * All events of a session: the properties of each type, in addition to those of its place. A feature persists
 * because it folds these events, not because it stores data.
 */
export const EVENTS = {
  session: {
    /** The first event, unless the session is a fork. */
    'session-opened': {
      /** Distinguishes the session from an erased one of the same name. */
      incarnation: TEXT,
      agent: TEXT,
    },
    /** The first event of a fork. The events of the other session up to `upTo` follow it, unchanged. */
    'session-forked': {
      /** As in `session-opened`. */
      incarnation: TEXT,
      agent: TEXT,
      /** The id of the other session. */
      from: TEXT,
      /** Distinguishes that session from another one of the same name. */
      fromIncarnation: TEXT,
      /** Its last event that is copied. */
      upTo: INTEGER,
      /** The principal that requested the copy. */
      principal: PRINCIPAL,
      /** The surface that made the copy for a page. */
      by: OPTIONAL_TEXT,
      /** The text that the model is shown in place of the part that was cut off. */
      told: OPTIONAL_TEXT,
    },
  },
  tree: {
    'turn-started': {
      loopId: TEXT,
      /** The text of the message. */
      message: TEXT,
      /** All parts in order, if it has files. */
      parts: OPTIONAL_PARTS,
      context: ANY_OBJECT,
      principal: PRINCIPAL,
      /** The id of an unanswered turn that this one retries. Its message and work are in the conversation. */
      retries: OPTIONAL_TEXT,
      /** For a retry: a line that the model reads after the earlier work, if there was any. */
      line: OPTIONAL_TEXT,
      /** The prefix of paths in links, such as the origin of the request. Absent if there is none. */
      base: OPTIONAL_TEXT,
    },
    /** A message that arrived while the turn ran. The model sees it in its next request. */
    'turn-steered': {
      /** The id of the turn that the message would otherwise have started. */
      as: TEXT,
      message: TEXT,
      /** All parts in order, as in `turn-started`. */
      parts: OPTIONAL_PARTS,
      /** The context sent with the message. The turn keeps its own. */
      context: { optional: ANY_OBJECT },
      principal: PRINCIPAL,
    },
  },
  turn: {
    /** The first event of an invocation that resumes a turn. */
    'turn-resumed': { cause: { oneOf: ['expired', 'handed-over'] } },
    'frame-started': {
      /** The id of the call that opens it. */
      frame: TEXT,
      /** The id of the frame around it. */
      parent: OPTIONAL_TEXT,
      name: TEXT,
      message: TEXT,
      /** Facts that tool kinds record when it opens, in order. */
      facts: OPTIONAL_FACTS,
      /** Facts for the end of the call that opens it, as in `tool-call-started`. */
      atEnd: OPTIONAL_FACTS,
      /** `true` if it has its own blackboard, a copy of the outer one. */
      ownBlackboard: OPTIONAL_TRUE,
    },
    'cancel-requested': {},
    'turn-yielded': { reason: TEXT },
    'turn-ended': {
      outcome: FINAL_OUTCOME,
      /** The limit that it reached. */
      limit: { optional: REACHED_LIMIT },
      error: { optional: TURN_ERROR },
      /** The signal that ended it, if a call sent one. */
      signal: { optional: SIGNAL },
      /** The answer, if transformers changed the text of the conversation. */
      text: OPTIONAL_TEXT,
      /** The answer, parsed as the agent's output. */
      object: { optional: ANY_JSON },
    },
  },
  loop: {
    /** A limit did not allow a useful reply, so the model was not asked and the loop ends. */
    'model-refused': {
      limit: BUDGET_LIMIT,
      /** The id of the call whose frame has the limit. Absent for a limit of the turn. */
      of: OPTIONAL_TEXT,
      most: NUMBER,
      /** The amount already used or reserved. */
      used: NUMBER,
      /** The minimum that the model call would have needed. */
      needed: NUMBER,
    },
    'model-replied': {
      model: TEXT,
      text: TEXT,
      toolCalls: { listOf: JOURNALED_CALL },
      /** All parts in order, if the reply is more than text and then calls. Only the parts are then stored. */
      parts: { optional: { listOf: JOURNALED_PART } },
      /** `true` if its parts contained a secret and were dropped. Only its text remains. */
      cut: OPTIONAL_TRUE,
      /** Provider data of the reply as a whole. */
      provider: { optional: PROVIDER_DATA },
      /** Hashes of the request. Absent for a planned reply. */
      asked: { optional: REQUEST_HASHES },
      /** For a reply with parts: the provider of the model that made it, the only one that gets them back. */
      servedBy: OPTIONAL_TEXT,
      /** Set if its model replaced another one. */
      tookOver: { optional: TAKE_OVER },
      /** Why its model stopped. `cut-off`: the turn ended first, and readers had been shown this text. */
      finish: TEXT,
      usage: OPTIONAL_USAGE,
      /** `true` if the frame's plan decided, and no model was asked. */
      planned: OPTIONAL_TRUE,
      /** `true` if the model had to give its best answer without calls, because of a limit. */
      last: OPTIONAL_TRUE,
      /**
       * The number of preceding messages that arrived while the model replied. The next request places them
       * after the reply.
       */
      unseen: OPTIONAL_INTEGER,
    },
    'tool-call-started': {
      call: TEXT,
      effect: EFFECT,
      /** Facts for the call's end, used if the invocation that ends the call has no newer facts. */
      atEnd: OPTIONAL_FACTS,
    },
    'tool-call-ended': {
      call: TEXT,
      result: RESULT,
      /** Milliseconds that `run` took. Absent if it did not run. */
      ms: OPTIONAL_NUMBER,
      /** The limit that prevented the call from running. */
      limit: { optional: REACHED_LIMIT },
      /** `true` if the tool returns directly and succeeded. */
      direct: OPTIONAL_TRUE,
      changes: { optional: CALL_CHANGES },
      /** The number of messages that the call sent to other sessions, even if it failed. */
      sent: OPTIONAL_INTEGER,
    },
    /** The call waits for an answer from outside. */
    'tool-call-suspended': { call: TEXT, wait: WAIT },
    /** The answer to the call's last question. The call restarts and reads it. */
    'tool-call-answered': { call: TEXT, answer: JOURNALED_ANSWER },
    /** A message from a call to the user. Stored with the call's end. */
    'message-sent': {
      call: TEXT,
      text: TEXT,
      tool: TEXT,
      /** For a call in a nested loop: the call of the turn's own loop that contains it. */
      under: OPTIONAL_TEXT,
    },
    /** The next request offers other tools than the one before. */
    'tools-changed': {
      /**
       * The new tools in order. They come after all others, except that a tool of an existing name takes its
       * place.
       */
      came: OPTIONAL_OFFERED_TOOLS,
      went: OPTIONAL_OFFERED_TOOLS,
      /**
       * `session`: the session's state changed, such as by calls that opened tools. `turn`: a new turn began.
       * `deploy`: this code offers other tools than the code that asked last.
       */
      cause: { oneOf: ['session', 'turn', 'deploy'] },
      /**
       * All tools offered now, in order. Present in the first change of a loop, and if the previous tools are
       * not known.
       */
      all: OPTIONAL_OFFERED_TOOLS,
    },
    /** Outside sources reported their tools, which the session uses from now on. */
    'tools-listed': { facts: FACTS },
    /** The answer does not have the agent's output form. The model reads why, and is asked once more. */
    'answer-rejected': { problems: { listOf: TEXT } },
    /**
     * The late result of a call that ended with an unknown outcome, in this turn or an earlier one. With
     * `open`, the result of a call whose invocation lost the turn.
     */
    'late-result-received': {
      /** `true` if the call is open. This becomes its result, not a message. Only then there is a `frame`. */
      open: OPTIONAL_TRUE,
      call: TEXT,
      tool: TEXT,
      /** The beginning of the call's input. The call itself may be cut from the conversation by now. */
      input: TEXT,
      result: RESULT,
    },
    /** A module records facts outside the ends of calls. */
    'module-event': {
      module: TEXT,
      /** The facts, in order. Facts for memories that the app lacks are skipped. */
      facts: FACTS,
      /** The usage of a model that the module asked aside, if known. */
      usage: OPTIONAL_USAGE,
    },
    /** From now on, the model sees less of the conversation. The events are unchanged. */
    'conversation-cut': {
      /** The number of turns still shown, including the open one. If absent, all that were shown before. */
      turns: OPTIONAL_INTEGER,
      /** The number of characters still shown of each existing result. If absent, as many as before. */
      results: OPTIONAL_INTEGER,
      /**
       * The text that replaces the messages before these turns and any earlier summary. Absent: an earlier
       * summary stays. Empty: it is dropped too.
       */
      summary: OPTIONAL_TEXT,
      /** The usage of the model that wrote the summary, if known. */
      usage: OPTIONAL_USAGE,
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

/** Merges the type into one object, which editors show property by property. */
type Flat<Event> = { [Key in keyof Event]: Event[Key] };

/** An event of a session. */
export type SessionEvent = { [Place in keyof Events]: EventsIn<Place> }[keyof Events];

/** The name of an event type, as journaled. */
export type EventType = SessionEvent['type'];

/** The events of one type. */
export type EventOf<Type extends EventType> = Extract<SessionEvent, { readonly type: Type }>;

/** The `finish` of a reply that was cut off by the end of its turn. */
export const CUT_OFF = 'cut-off';

/** The id of the turn's own loop. */
export const ROOT = '';

/**
 * An event with its sequence number and the object's time when it was stored. HTTP, streams, tests and the
 * crash matrix all use this shape.
 */
export type StoredEvent = SessionEvent & {
  readonly seq: number;
  /** Milliseconds since the epoch, by the object's clock. Folds never read it. */
  readonly at: number;
};
