/** The components of the OpenAPI description: named shapes that are described once. */
import { WAITING_TURN } from '../../journal/event-page.ts';
import { EVENTS, PLACES, PRINCIPAL, type StoredEvent, TURN_ERROR } from '../../journal/events.ts';
import { PIECE, PROGRESS, REPLY_PLACE } from '../../journal/live-items.ts';
import { JOURNALED_CALL, JOURNALED_PART, OFFERED_TOOL, PRICED_USAGE } from '../../journal/reply-data.ts';
import { STOPPING_CALL, TURN_ARTIFACT, TURN_FILE, TURN_TOOLS } from '../../journal/state.ts';
import { TURN_ANSWER_SHAPE } from '../../session/watching/turn-outcome.ts';
import { TURN_SAID } from '../../tool/call.ts';
import { CONTENT_PART } from '../../tool/content.ts';
import { BLACKBOARD_ENTRY } from '../../tool/kept-values.ts';
import {
  type Fields,
  INTEGER,
  OPTIONAL_TEXT,
  type Schema,
  type Shape,
  type ShapeAs,
  TEXT,
} from '../../tool/shape.ts';
import { MEMORY_FACT } from '../../tool/tool-memory.ts';
import { RESULT, SIGNAL } from '../../tool/tool-result.ts';
import { CANCEL_REQUESTED } from '../../worker/end-turn.ts';
import { FAILED_TURN, PROBLEM } from '../../worker/problem.ts';
import {
  AGENT_LIST,
  AGENT_VIEW,
  HEALTH_VIEW,
  INNER_TOOL_VIEW,
  PAGE_END,
  ROOT_VIEW,
  TOOL_VIEW,
} from '../../worker/route-views.ts';
import { CALL_VIEW, MESSAGE_VIEW, RUNNING_TURN_VIEW, SESSION_VIEW } from '../../worker/session-view.ts';
import { STREAM_CONTINUATION, type TurnItem } from '../../worker/turn-feed.ts';
import { LATER_VIEW, PENDING_VIEW, SUSPENDED_VIEW } from '../../worker/turn-view.ts';
import { createRef, toJsonSchema } from './to-json-schema.ts';

const toComponentName = (type: string): string =>
  `${type}-event`.replaceAll(/(?:^|-)(.)/g, (_, first: string) => first.toUpperCase());

const TIMESTAMP = { type: 'number', says: 'Milliseconds since the epoch.' } as const satisfies Shape;

const EVENT_SHAPES = Object.entries(PLACES).flatMap(([place, and]) =>
  // Both objects have the same keys.
  Object.entries<Fields>(EVENTS[place as keyof typeof PLACES]).map(([type, own]): [string, Shape] => [
    type,
    { object: { type: { only: type }, seq: INTEGER, at: TIMESTAMP, ...own }, and },
  ]),
);

const EVENT_TYPES = EVENT_SHAPES.map(([type]) => type);

/** The components of all event types, by name. */
const EVENT_COMPONENTS: Readonly<Record<string, Shape>> = Object.fromEntries(
  EVENT_SHAPES.map(([type, shape]) => [toComponentName(type), shape]),
);

/** Returns the schema of any event, with `type` as its discriminator. */
function createEventSchema(): Schema {
  const refs = EVENT_TYPES.map((type) => [type, createRef(toComponentName(type))] as const);
  return {
    description: 'An event of the journal.',
    oneOf: refs.map(([, ref]) => ref),
    discriminator: {
      propertyName: 'type',
      mapping: Object.fromEntries(refs.map(([type, { $ref }]) => [type, $ref])),
    },
  };
}

const STORED_EVENT: ShapeAs<StoredEvent> = { schema: createEventSchema };

/** The data of stream events that are not in the journal. */
const TRANSIENT_EVENTS = {
  'text-delta': PIECE,
  'reasoning-delta': PIECE,
  'reply-restarted': REPLY_PLACE,
  progress: PROGRESS,
  continues: STREAM_CONTINUATION,
} as const;

const TURN_STREAM_DATA: { readonly [Type in Exclude<TurnItem, StoredEvent>['type']]: Shape } = {
  ...TRANSIENT_EVENTS,
  answer: TURN_ANSWER_SHAPE,
  suspended: SUSPENDED_VIEW,
  later: LATER_VIEW,
  erased: { object: { turn: TEXT } },
};

/** The data of the events in the stream of a whole session. `erased` applies to all of its turns. */
const SESSION_STREAM_DATA = { ...TRANSIENT_EVENTS, erased: { object: {} } };

/**
 * Returns the shape of a stream event with this data. `later` is sent as `accepted`. The empty id of `erased`
 * clears the previous one.
 */
const toFrameShape = ([type, data]: readonly [string, Shape]): Shape =>
  type === 'erased'
    ? { object: { id: { only: '' }, event: { only: type }, data } }
    : { object: { id: OPTIONAL_TEXT, event: { only: type === 'later' ? 'accepted' : type }, data } };

const createStreamEventShape = (passing: { readonly [type: string]: Shape }): Shape => ({
  anyOf: [
    { object: { id: TEXT, event: { oneOf: EVENT_TYPES }, data: STORED_EVENT } },
    ...Object.entries(passing).map(toFrameShape),
  ],
});

const TURN_STREAM_EVENT = createStreamEventShape(TURN_STREAM_DATA);
const SESSION_STREAM_EVENT = createStreamEventShape(SESSION_STREAM_DATA);

/** Returns the shape of a stream's text, and of its events. */
const createStreamShape = (events: 'TurnStreamEvent' | 'SessionStreamEvent'): Shape => ({
  schema: {
    type: 'string',
    description:
      'Each has an `event` and its `data` as JSON; a journal event also has an `id`, for `Last-Event-ID`.',
    contentMediaType: 'text/event-stream',
    contentSchema: { type: 'array', items: createRef(events) },
  },
});

/**
 * The name of a component. Listed explicitly, because its declaration would otherwise contain the type of
 * every shape.
 */
export type ComponentName =
  | 'Root'
  | 'Health'
  | 'AgentList'
  | 'Agent'
  | 'Tool'
  | 'InnerTool'
  | 'TurnAnswer'
  | 'SuspendedTurn'
  | 'LaterTurn'
  | 'RunningTurn'
  | 'CancelRequested'
  | 'SessionState'
  | 'Message'
  | 'MessageCall'
  | 'PendingCall'
  | 'WaitingTurn'
  | 'EventsPage'
  | 'StoredEvent'
  | 'TurnStream'
  | 'TurnStreamEvent'
  | 'SessionStream'
  | 'SessionStreamEvent'
  | 'Problem'
  | 'FailedTurn'
  | 'Artifact'
  | 'TurnFile'
  | 'Said'
  | 'StoppingCall'
  | 'ToolsOfTurn'
  | 'TurnError'
  | 'Signal'
  | 'Usage'
  | 'BlackboardEntry'
  | 'ContentPart'
  | 'Principal'
  | 'ToolCall'
  | 'ReplyPart'
  | 'ToolResult'
  | 'OfferedTool'
  | 'MemoryFact';

const COMPONENTS: Readonly<Record<ComponentName, Shape>> = {
  Root: ROOT_VIEW,
  Health: HEALTH_VIEW,
  AgentList: AGENT_LIST,
  Agent: AGENT_VIEW,
  Tool: TOOL_VIEW,
  InnerTool: INNER_TOOL_VIEW,
  TurnAnswer: TURN_ANSWER_SHAPE,
  SuspendedTurn: SUSPENDED_VIEW,
  LaterTurn: LATER_VIEW,
  RunningTurn: RUNNING_TURN_VIEW,
  CancelRequested: CANCEL_REQUESTED,
  SessionState: SESSION_VIEW,
  Message: MESSAGE_VIEW,
  MessageCall: CALL_VIEW,
  PendingCall: PENDING_VIEW,
  WaitingTurn: WAITING_TURN,
  EventsPage: { object: { events: { listOf: STORED_EVENT } }, and: PAGE_END },
  StoredEvent: STORED_EVENT,
  TurnStream: createStreamShape('TurnStreamEvent'),
  TurnStreamEvent: TURN_STREAM_EVENT,
  SessionStream: createStreamShape('SessionStreamEvent'),
  SessionStreamEvent: SESSION_STREAM_EVENT,
  Problem: PROBLEM,
  FailedTurn: FAILED_TURN,
  Artifact: TURN_ARTIFACT,
  TurnFile: TURN_FILE,
  Said: TURN_SAID,
  StoppingCall: STOPPING_CALL,
  ToolsOfTurn: TURN_TOOLS,
  TurnError: TURN_ERROR,
  Signal: SIGNAL,
  Usage: PRICED_USAGE,
  BlackboardEntry: BLACKBOARD_ENTRY,
  ContentPart: CONTENT_PART,
  Principal: PRINCIPAL,
  ToolCall: JOURNALED_CALL,
  ReplyPart: JOURNALED_PART,
  ToolResult: RESULT,
  OfferedTool: OFFERED_TOOL,
  MemoryFact: MEMORY_FACT,
};

/** Returns every component. They are created on request, because few requests need them. */
export function createComponentSchemas(): Readonly<Record<string, Schema>> {
  const shapes: readonly (readonly [string, Shape])[] = Object.entries({
    ...COMPONENTS,
    ...EVENT_COMPONENTS,
  });
  const names = new Map<object, string>(shapes.map(([name, shape]) => [shape, name]));
  const written = shapes.map(([name, shape]) => [name, toJsonSchema(shape, (one) => names.get(one))]);
  return Object.fromEntries(written);
}
