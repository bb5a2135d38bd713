/** The schemas of what streams send. */
import type { EventType, StoredEvent } from '../../journal/events.ts';
import type { LiveItem } from '../../journal/live-items.ts';
import type { TurnItem } from '../../worker/turn-feed.ts';
import { type Described, ref } from './described.ts';
import { EVENT_TYPES } from './event-schemas.ts';
import { either, object, type Schema, type SchemaOf, text, typed, values, whole } from './typed-schema.ts';

/** What a stream shows that is not in the journal. */
type Passing = Exclude<TurnItem, StoredEvent>;

/** The items of one type. */
type ItemOf<Type, Item = Passing> = Item extends { readonly type: infer Types }
  ? Type extends Types
    ? Item
    : never
  : never;

/** What is sent of an item: its answer or its view, or all but its type, which is the name of the event. */
type DataOf<Item> = Item extends { readonly answer: infer Data extends object }
  ? Data
  : Item extends { readonly view: infer Data }
    ? Data
    : Omit<Item, 'type'>;

const ofReply = { reply: text, 'frame?': text };

const ofPiece = { ...ofReply, text };

type DataOfEach<Type extends Passing['type']> = { readonly [One in Type]: SchemaOf<DataOf<ItemOf<One>>> };

/** The data of each event that comes between those of the journal. */
const LIVE: DataOfEach<LiveItem['type']> = {
  'text-delta': object(ofPiece),
  'reasoning-delta': object(ofPiece),
  'reply-restarted': object(ofReply),
  progress: object({ call: text, status: text }),
};

/** The data of each event that is not in the journal. */
const PASSING: DataOfEach<Passing['type']> = {
  ...LIVE,
  answer: ref('TurnAnswer'),
  suspended: ref('SuspendedTurn'),
  later: ref('LaterTurn'),
  continues: object({ 'turn?': text, 'answer?': text, after: whole, events: text }),
  erased: object({ turn: text }),
};

/** One is sent under another name than it has inside. */
const frame = (type: string, data: Schema): Schema =>
  object<{ id?: string; event: string; data: unknown }>({
    'id?': text,
    event: values(type === 'later' ? 'accepted' : type),
    data: typed(data),
  });

/** Its empty id takes back the one before. */
const erasedFrame = (data: Schema): Schema =>
  object<{ id: ''; event: 'erased'; data: unknown }>({
    id: values(''),
    event: values('erased'),
    data: typed(data),
  });

const framesOf = (data: { readonly [type: string]: Schema }): Schema[] =>
  Object.entries(data).map(([type, one]) => (type === 'erased' ? erasedFrame(one) : frame(type, one)));

const STORED = object<{ id: string; event: EventType; data: StoredEvent }>({
  id: text,
  event: typed({ type: 'string', enum: EVENT_TYPES }),
  data: ref('StoredEvent'),
});

/** The text of a stream, and what its events are. */
const streamOf = (events: 'TurnStreamEvent' | 'SessionStreamEvent'): SchemaOf<string> =>
  typed({
    type: 'string',
    description:
      'Each has an `event` and, as JSON, its `data`; of the journal an `id` too, which `Last-Event-ID` takes.',
    contentMediaType: 'text/event-stream',
    contentSchema: { type: 'array', items: ref(events) },
  });

type Streams = 'TurnStream' | 'TurnStreamEvent' | 'SessionStream' | 'SessionStreamEvent';

/** Answers the components of streams. */
export const streamSchemas = (): { readonly [Name in Streams]: SchemaOf<Described[Name]> } => ({
  TurnStream: streamOf('TurnStreamEvent'),
  TurnStreamEvent: typed(either(STORED, ...framesOf(PASSING))),
  SessionStream: streamOf('SessionStreamEvent'),
  // Where nobody asks for a turn, an erasure is that of all.
  SessionStreamEvent: typed(
    either(STORED, ...framesOf({ ...LIVE, continues: PASSING.continues, erased: object<object>({}) })),
  ),
});
