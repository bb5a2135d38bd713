/**
 * Sends stored sessions as chunks of the AI SDK. Both versions must accept every chunk in any order and after
 * any cut, and the SDK's reader must build the same message as a reload.
 */
import {
  convertToModelMessages as convert7,
  readUIMessageStream as read7,
  uiMessageChunkSchema as schema7,
} from 'ai';
import {
  convertToModelMessages as convert6,
  readUIMessageStream as read6,
  uiMessageChunkSchema as schema6,
} from 'ai-v6';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ShownEvent, TurnItem } from '../../../src/create-holdfast.ts';
import type { StoredEvent } from '../../../src/journal/entry.ts';
import {
  type UiChunk,
  type UiMessage,
  type UiVersion,
  uiChunks,
} from '../../../src/surfaces/ai-sdk-ui/entry.ts';
import { foldStoppedTurn, listPendingViews } from '../../doors/session.ts';
import { toUiMessages } from '../../doors/surfaces.ts';
import { findProblem } from '../../fixtures/ui-chat.ts';
import { listVersions, readFolder } from '../kept.ts';

const getFileUrl = (id: string): string => `https://example.com/files/${id}`;
const getPendingViews = (events: readonly StoredEvent[]) => listPendingViews({ path: '' }, events);

/** The turns of all journals. */
const turns: readonly (readonly StoredEvent[])[] = listVersions().flatMap((version) =>
  [...readFolder(version).journals.values()].flatMap(({ reading }) => {
    const events = reading.events.flatMap(({ body }) => (Object(body).events ?? []) as StoredEvent[]);
    const byTurn = Map.groupBy(events, (event) => ('turn' in event ? event.turn : ''));
    return [...byTurn.values()].filter(([first]) => first?.type === 'turn-started');
  }),
);

/** Returns the state of a turn, which ends its stream. */
function listStopItems(events: readonly StoredEvent[]): TurnItem[] {
  if (!events.some(({ type }) => type === 'turn-ended')) return [];
  const answer = foldStoppedTurn('s', 'agent', events);
  return answer.outcome === 'suspended'
    ? []
    : [{ type: 'answer', answer: { ...answer, outcome: answer.outcome } }];
}

async function* yieldAll(items: readonly TurnItem[]): AsyncGenerator<TurnItem> {
  yield* items;
}

async function collectChunks(items: readonly TurnItem[], version: UiVersion): Promise<UiChunk[]> {
  const chunks: UiChunk[] = [];
  for await (const chunk of uiChunks(yieldAll(items), {
    version,
    fileUrl: getFileUrl,
    pending: getPendingViews,
  }))
    chunks.push(chunk);
  return chunks;
}

/** Returns the chunks that a version does not accept. */
async function findProblems(chunks: readonly UiChunk[], version: UiVersion): Promise<unknown[]> {
  const { validate } = (version === 7 ? schema7 : schema6)();
  const checked = await Promise.all(
    chunks.map(async (chunk) => ({ chunk, checked: await validate?.(chunk) })),
  );
  return checked.filter((one) => one.checked?.success !== true);
}

/** Returns the message that the AI SDK builds from chunks, and its errors. */
async function readBySdk(chunks: readonly UiChunk[], version: UiVersion) {
  const problems: string[] = [];
  const stream = new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(structuredClone(chunk));
      controller.close();
    },
  });
  const read = (version === 7 ? read7 : read6) as typeof read7;
  const onError = (failure: unknown): void => void problems.push(String(failure));
  let message: unknown;
  for await (const one of read({ stream: stream as never, onError })) message = one;
  return { message: JSON.parse(JSON.stringify(message ?? null)) as UiMessage | null, problems };
}

/** Adds streamed pieces before each reply, including pieces of a failed attempt. */
function toStreamed(
  events: readonly StoredEvent[],
  pieces: readonly number[],
  restarts: boolean,
): ShownEvent[] {
  return events.flatMap((event): ShownEvent[] => {
    if (event.type !== 'model-replied') return [event];
    const frame = event.frame === undefined ? {} : { frame: event.frame };
    const words = event.parts?.filter(({ type }) => type === 'text' || type === 'reasoning') ?? [
      { type: 'text', text: event.text },
    ];
    const deltas = words.flatMap((part): ShownEvent[] => {
      const text = 'text' in part ? part.text : '';
      const type = part.type === 'text' ? ('text-delta' as const) : ('reasoning-delta' as const);
      const cut = Math.min(text.length, (pieces[event.seq % pieces.length] ?? 0) % (text.length + 1));
      return [text.slice(0, cut), text.slice(cut)].map((piece) => ({
        type,
        reply: '1.1',
        ...frame,
        text: piece,
      }));
    });
    const failed: ShownEvent[] = [
      { type: 'text-delta', reply: '1.1', ...frame, text: 'Never mind' },
      { type: 'reply-restarted', reply: '1.2', ...frame },
    ];
    return [...(restarts ? failed : []), ...deltas, event];
  });
}

const stopItems: readonly TurnItem[] = [
  { type: 'erased', turn: 't' },
  { type: 'later', view: { turn: 't', session: 's', agent: 'a', status: 'accepted' } },
  { type: 'continues', turn: 't', after: 3, events: '/e' },
];

describe.each([6, 7] as const)('chunks for version %i', (version) => {
  it('cover more than forty turns of many kinds', () => {
    const types = new Set(turns.flat().map(({ type }) => type));
    expect(turns.length).toBeGreaterThan(40);
    expect([...types]).toEqual(
      expect.arrayContaining(['tool-call-suspended', 'tool-call-answered', 'frame-started', 'message-sent']),
    );
  });

  it('build the same message for a turn that is streamed, sent whole, and loaded', async () => {
    for (const events of turns) {
      const stop = listStopItems(events);
      const whole = await collectChunks([...events, ...stop], version);
      const pieces = await collectChunks([...toStreamed(events, [1, 5, 2], version === 7), ...stop], version);
      const [, loaded] = toUiMessages(
        events,
        { agent: 'agent', session: 's', teller: { item: (item) => item } },
        { version, fileUrl: getFileUrl, pending: getPendingViews },
      );
      const one = await readBySdk(whole, version);
      const other = await readBySdk(pieces, version);
      expect([...one.problems, ...other.problems].filter((text) => !isOfTurn(text, events))).toEqual([]);
      expect(other.message).toEqual(one.message);
      // Version 6 does not receive answers sent by other clients.
      const parts = version === 7 ? loaded?.parts : loaded?.parts.map(withoutAnswer);
      const shown = version === 7 ? one.message?.parts : one.message?.parts.map(withoutAnswer);
      expect(shown ?? []).toEqual(JSON.parse(JSON.stringify(parts)));
    }
  });

  it('build messages that the SDK accepts and can convert for a model, at each point of a turn', async () => {
    const convert = (version === 7 ? convert7 : convert6) as typeof convert7;
    for (const events of turns) {
      for (const so of events.keys()) {
        const listed = toUiMessages(
          events.slice(0, so + 1),
          { agent: 'agent', session: 's', teller: { item: (item) => item } },
          { version, fileUrl: getFileUrl, pending: getPendingViews },
        );
        const plain = JSON.parse(JSON.stringify(listed));
        expect(await findProblem(plain, version)).toBeUndefined();
        await convert(plain);
      }
    }
  });

  it('replace streamed text with different journaled text if the client supports it', async () => {
    const events = turns.find((one) =>
      one.some((event) => event.type === 'model-replied' && event.text !== ''),
    );
    const strange = (events ?? []).flatMap((event): ShownEvent[] =>
      event.type === 'model-replied' && event.frame === undefined && event.text !== ''
        ? [{ type: 'text-delta', reply: '1.1', text: 'Something else.' }, event]
        : [event],
    );
    const { message } = await readBySdk(await collectChunks(strange, version), version);
    const { message: whole } = await readBySdk(await collectChunks(events ?? [], version), version);
    if (version === 7) expect(message).toEqual(whole);
    else expect(message?.parts).toContainEqual({ type: 'text', text: 'Something else.', state: 'done' });
  });

  it('report why a stream ends before its turn, and what to do', async () => {
    const told = await Promise.all(stopItems.map((stop) => collectChunks([stop], version)));
    const goesOn = 'The answer continues, but this stream must end. Resume the chat to see the rest.';
    expect(told).toEqual(
      ['This chat was erased.', goesOn, goesOn].map((errorText) => [{ type: 'error', errorText }]),
    );
  });

  it('are accepted by the SDK for any sequence of items', async () => {
    const all: readonly TurnItem[] = turns.flatMap((events) => [
      ...toStreamed(events, [3], true),
      ...listStopItems(events),
    ]);
    const item = fc.oneof(fc.constantFrom(...all), fc.constantFrom(...stopItems));
    const list = fc.array(item, { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(list, async (items) => {
        const chunks = await collectChunks(items, version);
        expect(await findProblems(chunks, version)).toEqual([]);
        const { problems } = await readBySdk(chunks, version);
        expect(problems.filter((text) => !isSaid(text, chunks))).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });
});

/** Returns `true` if a problem is the turn's own error. */
const isOfTurn = (problem: string, events: readonly StoredEvent[]): boolean =>
  events.some((event) => event.type === 'turn-ended' && problem.includes(event.error?.message ?? 'nothing'));

const isSaid = (problem: string, chunks: readonly UiChunk[]): boolean =>
  chunks.some((chunk) => chunk.type === 'error' && problem.includes(chunk.errorText));

const withoutAnswer = (part: object): object => {
  const { approval: _, ...rest } = part as { readonly approval?: unknown };
  return rest;
};
