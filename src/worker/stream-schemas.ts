/** The schemas of what streams send. */
import type { EventType, StoredEvent } from '../journal/events.ts';
import { type Described, ref } from './described.ts';
import { EVENT_TYPES } from './event-schemas.ts';
import type { TurnItem } from './turn-feed.ts';
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

/** The data of each event that is not in the journal. */
const PASSING: { readonly [Type in Passing['type']]: SchemaOf<DataOf<ItemOf<Type>>> } = {
  'text-delta': object({ ...ofReply, text }),
  'reasoning-delta': object({ ...ofReply, text }),
  'reply-restarted': object(ofReply),
  progress: object({ call: text, status: text }),
  answer: ref('TurnAnswer'),
  suspended: ref('SuspendedTurn'),
  later: ref('LaterTurn'),
  continues: object({ 'turn?': text, 'answer?': text, after: whole, events: text }),
  erased: object({ turn: text }),
};

/** One is sent under another name than it has inside. */
const frame = (type: string, data: Schema): Schema =>
  object<{ event: string; data: unknown }>({
    event: values(type === 'later' ? 'accepted' : type),
    data: typed(data),
  });

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
  TurnStreamEvent: typed(either(STORED, ...Object.entries(PASSING).map(([type, data]) => frame(type, data)))),
  SessionStream: streamOf('SessionStreamEvent'),
  SessionStreamEvent: typed(either(STORED, frame('continues', PASSING.continues))),
});
