import { ToolCallContext } from '../../../src/index.ts';
import type { SessionEvent } from '../../../src/journal/entry.ts';
import type { SessionPort } from '../../../src/testing/entry.ts';
import { type NewRow, toRow } from '../../doors/journal.ts';
import { toReader, toTurnStart } from '../../doors/session.ts';

/** A typical message and answer. */
const WORDS = 'The zarnik of the third flomp was moved to the northern shelf, where it is dry. ';
const QUESTION = WORDS.repeat(2);
const ANSWER = WORDS.repeat(6);

/** The number of rows in each append. */
const EVENTS_AT_ONCE = 5_000;

type Call = Extract<SessionEvent, { type: 'model-replied' }>['toolCalls'][number];

/** Returns the events of an answered turn after its start. */
const createAnswerEvents = (turn: string, answer = ANSWER): SessionEvent[] => [
  createModelReplied(turn, answer),
  { type: 'turn-ended', turn, outcome: 'completed' },
];

const createModelReplied = (turn: string, text: string, toolCalls: readonly Call[] = []): SessionEvent => ({
  type: 'model-replied',
  turn,
  model: 'filled',
  text,
  toolCalls,
  finish: 'stop',
  usage: { inputTokens: 400, outputTokens: 120 },
});

const createTurnStarted = (turn: string): SessionEvent => ({
  type: 'turn-started',
  turn,
  loopId: turn,
  message: QUESTION,
  context: {},
  principal: { id: 'filler' },
});

const createTurnStart = (agent: string, turn: string) => {
  const ids = [turn, `incarnation-${turn}`];
  const start = { agent, message: QUESTION, context: ToolCallContext.EMPTY, from: { id: 'filler' } };
  return toTurnStart(start, () => ids.shift() ?? '');
};

/** Begins a turn that no invocation runs. */
export async function beginTurn(port: SessionPort, agent: string, turn: string) {
  const request = { nonce: `of ${turn}`, start: createTurnStart(agent, turn), reader: toReader() };
  const leased = await port.begin(request);
  if (leased.status !== 'leased')
    throw new Error(`The turn ${turn} got no lease: the session is ${leased.status}.`);
  return { request, leased };
}

/**
 * Fills a session with a conversation of this many messages. Half of them are replies, each in its own turn.
 */
export const fillSession = (port: SessionPort, agent: string, messages: number): Promise<void> =>
  fillWith(port, agent, { messages });

/** Fills a session with a conversation whose replies are all `answer`. */
export async function fillWith(
  port: SessionPort,
  agent: string,
  { messages, answer }: { readonly messages: number; readonly answer?: string },
): Promise<void> {
  const turns = Array.from({ length: messages / 2 }, (_, turn) => `t${turn}`);
  const events = turns.flatMap((turn, index) => [
    ...(index === 0 ? [] : [createTurnStarted(turn)]),
    ...createAnswerEvents(turn, answer),
  ]);
  await storeEvents(port, agent, events);
}

/** Fills a session's blackboard with this many entries, 100 for each call. */
export async function fillBlackboard(port: SessionPort, agent: string, entries: number): Promise<void> {
  const turns = Array.from({ length: entries / 100 }, (_, turn) => `t${turn}`);
  const events = turns.flatMap((turn, index): SessionEvent[] => {
    const call = `${turn}.0.0`;
    const blackboard = Array.from({ length: 100 }, (_, at) => ({
      name: `e${index * 100 + at}`,
      value: WORDS,
    }));
    return [
      ...(index === 0 ? [] : [createTurnStarted(turn)]),
      createModelReplied(turn, '', [{ id: call, providerId: call, name: 'note', input: '{}' }]),
      {
        type: 'tool-call-ended',
        turn,
        call,
        result: { type: 'text', content: 'Done' },
        changes: { blackboard },
      },
      ...createAnswerEvents(turn),
    ];
  });
  await storeEvents(port, agent, events);
}

/** Appends events as a single holder, without ending between turns. The last event ends the last turn. */
async function storeEvents(port: SessionPort, agent: string, events: readonly SessionEvent[]): Promise<void> {
  const { leased } = await beginTurn(port, agent, 't0');
  const rows: NewRow[] = events.map(toRow);
  for (let at = 0; at < rows.length; at += EVENTS_AT_ONCE) {
    const part = rows.slice(at, at + EVENTS_AT_ONCE);
    const release = at + EVENTS_AT_ONCE >= rows.length ? ('ended' as const) : undefined;
    const from = leased.page.head + 1 + at;
    const { status } = await port.append(leased.epoch, from, { events: part, release });
    if (status !== 'appended') throw new Error(`The session refused an append: ${status}.`);
  }
}

/** Returns the events of one more iteration: a reply with a call, and the start and end of the call. */
export function createIteration(turn: string, at: number): readonly NewRow[] {
  const call = `${turn}.${at}.0`;
  const calls = [{ id: call, providerId: call, name: 'look', input: '{"id":7}' }];
  return [
    createModelReplied(turn, '', calls),
    { type: 'tool-call-started', turn, call, effect: 'once' } as const,
    { type: 'tool-call-ended', turn, call, result: { type: 'text', content: WORDS } } as const,
  ].map(toRow);
}
