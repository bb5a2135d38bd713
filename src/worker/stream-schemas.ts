/** The schemas of what streams send. */
import type { StoredEvent } from '../journal/events.ts';
import type { FeedItem } from '../session/live-feed.ts';
import { type Described, ref } from './described.ts';
import type { Schema } from './route.ts';
import { either, object, type SchemaOf, saying, text, typed, values, whole } from './typed-schema.ts';

/** An item of a feed without its type, which is the name of its event. */
type DataOf<Item extends FeedItem> = Omit<Item, 'type'>;
type Delta = DataOf<Extract<FeedItem, { readonly text: string }>>;
type Restarted = DataOf<Extract<FeedItem, { readonly type: 'reply-restarted' }>>;
type Progress = DataOf<Extract<FeedItem, { readonly type: 'progress' }>>;

/** An event of a stream by its name. */
const frame = (event: string, data: Schema): Schema =>
  object<{ event: string; data: unknown }>({ event: values(event), data: typed(data) });

const ofFrame = { reply: text, 'frame?': text };
const continues = { after: whole, events: text };

const SAYS =
  'Server-sent events. Each is described as an object of its `event` and its `data`, which is JSON; an event of the journal has its place as `id`, ' +
  'to be sent as `Last-Event-ID` by whoever goes on.';

/** The text of a stream, and what its events are. */
const streamOf = (events: 'TurnStreamEvent' | 'SessionStreamEvent'): SchemaOf<string> =>
  typed({
    type: 'string',
    description: SAYS,
    contentMediaType: 'text/event-stream',
    contentSchema: { type: 'array', items: ref(events) },
  });

const stored = (): SchemaOf<unknown> =>
  typed(
    object<{ id: string; event: StoredEvent['type']; data: StoredEvent }>({
      id: text,
      event: typed(saying('The type of the event.', text)),
      data: ref('StoredEvent'),
    }),
  );

type Streams = 'TurnStream' | 'TurnStreamEvent' | 'SessionStream' | 'SessionStreamEvent';

/** Answers the components of streams. */
export const streamSchemas = (): { readonly [Name in Streams]: SchemaOf<Described[Name]> } => ({
  TurnStream: streamOf('TurnStreamEvent'),
  TurnStreamEvent: typed(
    either(
      stored(),
      frame('text-delta', object<Delta>({ ...ofFrame, text })),
      frame('reasoning-delta', object<Delta>({ ...ofFrame, text })),
      frame('reply-restarted', object<Restarted>(ofFrame)),
      frame('progress', object<Progress>({ call: text, status: text })),
      frame('answer', ref('TurnAnswer')),
      frame('suspended', ref('SuspendedTurn')),
      frame('accepted', ref('LaterTurn')),
      frame('continues', object({ turn: text, answer: text, ...continues })),
      frame('erased', object({ turn: text })),
    ),
  ),
  SessionStream: streamOf('SessionStreamEvent'),
  SessionStreamEvent: typed(either(stored(), frame('continues', object(continues)))),
});
