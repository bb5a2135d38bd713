/**
 * Sends all stored journals as OpenAI responses. A client must receive the same response regardless of where
 * its stream is cut.
 */
import { describe, expect, it } from 'vitest';
import type { StoredEvent } from '../../../src/journal/entry.ts';
import type { TurnItem } from '../../doors/http.ts';
import { foldStoppedTurn, listOpenQuestions } from '../../doors/session.ts';
import {
  type ResponseEvent,
  type ResponseTarget,
  streamChatItems,
  toResponseEvents,
} from '../../doors/surfaces.ts';
import { listVersions, readFolder } from '../kept.ts';

async function* yieldAll<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

const echoedFields = {
  ...{ model: 'agent', metadata: {}, previous_response_id: null, background: false },
  ...{ instructions: null, text: { format: { type: 'text' as const } } },
} as const;

const getFileUrl = (id: string): string => `/files/${id}`;

async function translateItems(
  items: readonly TurnItem[],
  more: Partial<ResponseTarget> = {},
): Promise<ResponseEvent[]> {
  const turn = items.flatMap((item) => ('seq' in item && 'turn' in item ? item.turn : []))[0] ?? '';
  const wanted = {
    agent: 'agent',
    session: 's',
    turn,
    part: 0,
    echoed: echoedFields,
    fileUrl: getFileUrl,
    now: 0,
    ...more,
  };
  const events: ResponseEvent[] = [];
  for await (const event of toResponseEvents(yieldAll(items), wanted)) events.push(event);
  return events;
}

/** The turns of all stored journals that have ended or wait for a person. */
const turns = listVersions().flatMap((version) =>
  [...readFolder(version).journals].flatMap(([name, { reading }]) => {
    const stored = reading.events.flatMap(({ body }) => (Object(body).events ?? []) as StoredEvent[]); // the body of a page of events
    const byTurn = Map.groupBy(stored, (event) => ('turn' in event ? event.turn : ''));
    byTurn.delete('');
    return [...byTurn.values()]
      .map((events, place) => ({ name: `${version}/${name} ${place}`, events }))
      .filter(({ events }) => events.at(-1)?.type === 'turn-ended' || listOpenQuestions(events).length > 0);
  }),
);

/** Returns the items of a turn as they are replayed. */
function replayItems(events: readonly StoredEvent[]): TurnItem[] {
  const answer = foldStoppedTurn('s', 'agent', events);
  const { outcome } = answer;
  if (outcome !== 'suspended') return [...events, { type: 'answer', answer: { ...answer, outcome } }];
  return [...events, { type: 'suspended', view: { ...answer, outcome, status: 'suspended', pending: [] } }];
}

/** Returns the same items as a live stream sends them, with pieces before each stored reply. */
const toLiveItems = (items: readonly TurnItem[]): TurnItem[] =>
  items.flatMap((item) => {
    if (!('seq' in item) || item.type !== 'model-replied' || item.frame !== undefined) return [item];
    const parts = item.parts ?? [{ type: 'text' as const, text: item.text }];
    const pieces = parts.flatMap((part): TurnItem[] => {
      if (part.type !== 'text' && part.type !== 'reasoning') return [];
      const type = part.type === 'text' ? 'text-delta' : 'reasoning-delta';
      return (part.text.match(/[\s\S]{1,7}/g) ?? []).map((text) => ({ type, reply: '1.1', text }));
    });
    return [...pieces, item];
  });

/** Returns `true` if a suspended turn resumes here. The client's answer then starts another response. */
const isResponseStart = (event: StoredEvent, before: StoredEvent | undefined): boolean =>
  event.type === 'turn-resumed' && event.cause === 'handed-over' && before?.type !== 'turn-yielded';

/** Assembles a response like a client: each item with its text, and the end of the response. */
function assembleResponse(events: readonly ResponseEvent[]) {
  const texts = new Map<number, string>();
  const opened: string[] = [];
  const closed: string[] = [];
  for (const event of events) {
    if ('delta' in event) texts.set(event.output_index, (texts.get(event.output_index) ?? '') + event.delta);
    if (event.type === 'response.output_item.added') opened.push(event.item.id);
    if (event.type === 'response.output_item.done') closed.push(event.item.id);
  }
  return { texts, opened, closed, last: events.at(-1) };
}

describe('the turns of the stored journals', () => {
  it('include more than forty turns', () => expect(turns.length).toBeGreaterThan(40));

  it.each(turns)(
    'produce the same response for $name live, replayed, and cut at any position',
    async ({ events: stored }) => {
      const items = replayItems(stored);
      const parts = 1 + stored.filter((event, place) => isResponseStart(event, stored[place - 1])).length;
      for (let part = 0; part < parts; part += 1) {
        const whole = await translateItems(items, { part });
        const [created] = whole;
        const id = created?.type === 'response.created' ? created.response.id : '';
        const coded = id.replace('resp_', '').replaceAll('-', '+').replaceAll('_', '/');
        expect(atob(coded)).toMatch(new RegExp(`/${part}$`));
        const pieces = await translateItems(toLiveItems(items), { part });
        for (const events of [whole, pieces]) {
          const numbers = events.map(({ sequence_number }) => sequence_number);
          expect(numbers.every((one, place) => place === 0 || one > (numbers[place - 1] ?? 0))).toBe(true);
          const { opened, closed, last } = assembleResponse(events);
          expect(new Set(closed)).toEqual(new Set(opened));
          expect(last).toMatchObject({
            type: expect.stringMatching(/^response\.(completed|failed|incomplete)$/),
          });
        }
        expect(assembleResponse(pieces)).toEqual(assembleResponse(whole));
        for (const [place, { sequence_number: after }] of pieces.entries()) {
          const rest = await translateItems(items, { part, after });
          expect(assembleResponse([...pieces.slice(0, place + 1), ...rest])).toEqual(
            assembleResponse(pieces),
          );
        }
      }
    },
  );
});

it('a completion whose turn has not started includes the id of the turn that will have the answer', async () => {
  const view = { turn: 't1', session: 's', agent: 'agent', status: 'queued' } as const;
  const wanted = { agent: 'agent', session: 's', turn: 't1', hasForm: false, now: 0 };
  const said: unknown[] = [];
  for await (const item of streamChatItems(yieldAll([{ type: 'later', view }]), wanted)) said.push(item);
  expect(said.at(-1)).toMatchObject({
    type: 'end',
    end: { finish: 'stop', text: 'The answer comes later, as turn t1.' },
  });
});
