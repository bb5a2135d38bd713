/**
 * Sends all stored turns as AG-UI, whole and split at any position. The protocol's client must accept each
 * and end with its answer.
 */
import { HttpAgent, type Message } from '@ag-ui/client';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ShownEvent, TurnItem } from '../../../src/create-holdfast.ts';
import { type AgUiEvent, toFrame } from '../../../src/examples/ag-ui/events.ts';
import { type SessionItem, toAgUi } from '../../../src/examples/ag-ui/translate.ts';
import { type KeptTurn, splitReplies, turns, yieldAll } from './kept-turns.ts';

/**
 * Lets the client read the events of a run, and returns its messages. Throws at the first event that is out of
 * order.
 */
async function readByClient(events: readonly AgUiEvent[], messages: readonly Message[] = []) {
  const body = events.map(toFrame).join('');
  const chat = new HttpAgent({
    url: 'https://holdfast.example/agents/a/ag-ui',
    threadId: 's',
    initialMessages: [...messages],
    fetch: async () => new Response(body, { headers: { 'content-type': 'text/event-stream' } }),
  });
  await chat.runAgent();
  return chat.messages;
}

async function translateItems(
  { turn }: KeptTurn,
  items: readonly (TurnItem | SessionItem)[],
  past: readonly ShownEvent[] = [],
) {
  const events: AgUiEvent[] = [];
  const run = { threadId: 's', runId: 'r', turn, past, files: (id: string) => `/files/${id}` };
  for await (const event of toAgUi(yieldAll(items), run)) events.push(event);
  return events;
}

const findLastWords = (messages: readonly Message[]): unknown =>
  messages.findLast(
    (one) =>
      one.role === 'assistant' &&
      one.subagentRunId === undefined &&
      one.content !== undefined &&
      one.content !== '',
  )?.content;

/** Asserts that the client's last message is the answer of the turn. */
function expectAnswer({ stop }: KeptTurn, messages: readonly Message[]): void {
  if (stop.type !== 'answer' || stop.answer.outcome === 'failed' || stop.answer.text === '') return;
  expect(findLastWords(messages)).toBe(stop.answer.text);
}

describe('stored turns as AG-UI', () => {
  it('include more than thirty turns, answered and suspended', () => {
    expect(turns.length).toBeGreaterThan(30);
    expect(new Set(turns.map(({ stop }) => stop.type))).toEqual(new Set(['answer', 'suspended']));
  });

  it.each(turns.map((one) => [one.of, one.turn, one] as const))(
    'show a client the answer of %s, turn %s',
    async (_, __, one) => {
      const { events, stop } = one;
      expectAnswer(one, await readByClient(await translateItems(one, [...events, stop])));
    },
  );

  it('show a client the answer if they arrive in pieces, and are accepted if they are cut at any position', async () => {
    const part = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });
    await fc.assert(
      fc.asyncProperty(fc.nat(), part, fc.infiniteStream(part), async (which, cut, parts) => {
        const one = turns[which % turns.length];
        if (!one) return;
        const draw = (): number => parts.next().value ?? 0;
        const items = splitReplies(one.events, draw);
        expectAnswer(one, await readByClient(await translateItems(one, [...items, one.stop])));
        const place = Math.floor(cut * one.events.length);
        const past = one.events.slice(0, place);
        const rest = splitReplies(one.events.slice(place), draw);
        await readByClient(await translateItems(one, [...rest, one.stop], past));
      }),
      { numRuns: 200 },
    );
  }, 60_000);
});
