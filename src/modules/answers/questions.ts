import { createWaitId } from '../../journal/conversation.ts';
import { type Principal, ROOT, type StoredEvent } from '../../journal/events.ts';
import { type JournaledCall, parseCallId } from '../../journal/reply-data.ts';
import type { PendingCall, Wait } from '../../journal/wait.ts';
import { isSamePerson } from '../../session/new-message.ts';
import { readTurn } from '../../session/read-session.ts';
import { attempt } from '../../tool/async.ts';
import type { TurnPrincipal } from '../../tool/call.ts';
import { parseToolInput } from '../../tool/check-input.ts';
import type { Json, JsonObject, JsonSchema } from '../../tool/json.ts';
import { escapeInvisible, escapeInvisibleData, unescapeInvisible } from '../../tool/shown.ts';
import type { Caller } from '../../worker/host.ts';
import { SessionError } from '../../worker/problem.ts';
import { createUnknownSessionError } from '../../worker/session-view.ts';
import type { Target } from '../../worker/target.ts';
import { type PendingView, toPendingView } from '../../worker/turn-view.ts';

/** A question that a call asked outside the turn, and its state. */
export interface AskedQuestion {
  /** The id of the question, unique in the session. An answer refers to it. */
  readonly id: string;
  readonly turn: string;
  readonly frame: string;
  readonly call: JournaledCall;
  /** The number of the question in its call, starting at 1. */
  readonly number: number;
  /** The sequence number of the event that asked it. */
  readonly seq: number;
  readonly wait: Wait;
  /** Milliseconds since the epoch, by the object's clock. `undefined` if the question does not expire. */
  readonly expiresAt: number | undefined;
  /** `left` means that the call ended without an answer, and `dropped` that the turn did. */
  readonly standing: 'open' | 'answered' | 'expired' | 'left' | 'dropped';
}

/**
 * Returns the questions of a turn by call id, ordered by the calls in the model's replies, then by when they
 * were asked.
 */
export function collectQuestions(
  events: readonly StoredEvent[],
): ReadonlyMap<string, readonly AskedQuestion[]> {
  const calls = new Map<
    string,
    { readonly call: JournaledCall; readonly asked: AskedQuestion[]; isOpen: boolean }
  >();
  const close = (id: string): void => {
    const ended = calls.get(id);
    if (ended) ended.isOpen = false;
  };
  const settle = (asked: AskedQuestion[], standing: AskedQuestion['standing']): void => {
    const last = asked.at(-1);
    const isUnanswered = last?.standing === 'open' || last?.standing === 'left';
    if (isUnanswered) asked[asked.length - 1] = { ...last, standing };
  };
  for (const event of events) {
    switch (event.type) {
      case 'model-replied':
        for (const call of event.toolCalls) calls.set(call.id, { call, asked: [], isOpen: true });
        break;
      case 'tool-call-suspended': {
        const known = calls.get(event.call);
        if (known?.isOpen)
          known.asked.push(toQuestion(event, { call: known.call, number: known.asked.length + 1 }));
        break;
      }
      case 'tool-call-answered':
        settle(calls.get(event.call)?.asked ?? [], event.answer.expired ? 'expired' : 'answered');
        break;
      case 'tool-call-ended':
        settle(calls.get(event.call)?.asked ?? [], 'left');
        close(event.call);
        break;
      case 'turn-ended':
        for (const { asked } of calls.values()) settle(asked, 'dropped');
        break;
    }
  }
  return new Map([...calls].map(([id, { asked }]) => [id, asked]));
}

/** Returns the open questions of a turn, outermost frames first, each in source order. */
export const listOpenQuestions = (events: readonly StoredEvent[]): readonly AskedQuestion[] =>
  [...collectQuestions(events).values()].flat().filter(({ standing }) => standing === 'open');

/** Returns `true` if the question excludes the requesters of its turn and this person is one of them. */
export const isExcluded = (
  { wait }: AskedQuestion,
  requesters: readonly TurnPrincipal[],
  one: TurnPrincipal,
): boolean =>
  wait.for === 'decision' &&
  wait.notBy !== undefined &&
  requesters.some((requester) => isSamePerson(requester, one));

/** Returns the senders of a turn's messages: the people who started and steered it. */
export const listRequesters = (events: readonly StoredEvent[]): readonly Principal[] =>
  events.flatMap((event) =>
    event.type === 'turn-started' || event.type === 'turn-steered' ? [event.principal] : [],
  );

function toQuestion(
  { seq, at, turn, frame, call, wait }: Extract<StoredEvent, { type: 'tool-call-suspended' }>,
  of: { readonly call: JournaledCall; readonly number: number },
): AskedQuestion {
  return {
    id: createWaitId(call, of.number - 1),
    turn,
    frame: frame ?? ROOT,
    call: of.call,
    number: of.number,
    seq,
    wait,
    expiresAt: wait.expires === undefined ? undefined : at + wait.expires,
    standing: 'open',
  };
}

/**
 * Converts an open question to the form that clients see. A person who decides sees invisible characters made
 * visible. A program that runs the tool receives the input unchanged.
 */
export function toPendingCall(question: AskedQuestion): PendingCall {
  const { call, wait, expiresAt } = question;
  const isDecision = wait.for === 'decision';
  const input = getInput(question);
  return {
    call: call.id,
    question: question.number,
    tool: call.name,
    input: isDecision ? toVisibleInput(input, call) : input,
    ...(isDecision && wait.input !== undefined && { sent: toVisibleInput(getSentInput(call), call) }),
    for: wait.for,
    message: isDecision ? escapeInvisible(wait.message) : wait.message,
    ...(isDecision && {
      allows: wait.allows,
      ...(wait.allows.includes('edit') && { schema: toVisibleSchema(wait.schema) }),
      ...(wait.by !== undefined && { by: wait.by }),
      ...(wait.notBy !== undefined && { notBy: wait.notBy }),
    }),
    ...(expiresAt !== undefined && { expiresAt }),
  };
}

const getSentInput = ({ name, input }: JournaledCall): Json => {
  const parsed = parseToolInput(name, input);
  return parsed.ok ? parsed.input : input;
};

const getInput = ({ call, wait }: Pick<AskedQuestion, 'call' | 'wait'>): Json =>
  (wait.for === 'decision' ? wait.input : undefined) ?? getSentInput(call);

/** Makes invisible characters in an input visible. Returns the text of an input that is nested too deeply. */
function toVisibleInput(input: Json, call: JournaledCall): Json {
  const made = attempt(() => escapeInvisibleData(input));
  return made.ok ? made.value : escapeInvisible(call.input);
}

/**
 * Makes invisible characters in a schema visible, because its text can come from a third party. A schema that
 * is nested too deeply stays unchanged.
 */
function toVisibleSchema(schema: JsonSchema): JsonSchema {
  const made = attempt(() => escapeInvisibleData(schema));
  return made.ok ? made.value : schema;
}

/**
 * Returns a decision in which the edited input has its original characters again, where the sender left the
 * displayed text unchanged.
 */
export function withOriginalCharacters<Sent extends { readonly input?: JsonObject | undefined }>(
  question: AskedQuestion,
  sent: Sent,
): Sent {
  if (sent.input === undefined) return sent;
  const { wait } = question;
  const data = [getInput(question), wait.for === 'decision' ? wait.schema : null];
  const meant = attempt(() => unescapeInvisible(sent.input, data));
  return meant.ok ? { ...sent, input: meant.value } : sent; // the check refuses input that is nested too deeply
}

/** Returns a turn's pending calls from its events. All views show the same list. */
export const listPendingCalls = (events: readonly StoredEvent[]): readonly PendingCall[] =>
  listOpenQuestions(events).map(toPendingCall);

/** Returns the pending calls, each with the path below `path` that accepts its answer. */
export const listPendingViews = (
  { path }: Pick<Target, 'path'>,
  events: readonly StoredEvent[],
): readonly PendingView[] => listPendingCalls(events).map(toPendingView(path));

/** A question, the principal of its turn, and the senders of the turn's messages. */
interface QuestionOfTurn {
  readonly question: AskedQuestion;
  readonly principal: Principal;
  readonly requesters: readonly Principal[];
}

/** The id of a call, and the number of its question, starting at 1. */
interface QuestionName {
  readonly call: string;
  readonly question: number;
}

/** The events of a turn, and whether the session exists. */
interface TurnContent {
  readonly hasSession: boolean;
  readonly events: readonly StoredEvent[];
  readonly questions: ReturnType<typeof collectQuestions>;
}

/** Turns by id. A long turn is read once for all answers of a request. */
export type TurnContents = Map<string, Promise<TurnContent>>;

function readTurnOnce({ port }: Target, turn: string, turns: TurnContents): Promise<TurnContent> {
  const readContent = async (): Promise<TurnContent> => {
    const [session, events] = await Promise.all([port.read({ from: 1, limit: 1 }), readTurn(port, turn)]);
    return { hasSession: session !== null, events, questions: collectQuestions(events) };
  };
  const reading = turns.get(turn) ?? readContent();
  turns.set(turn, reading);
  return reading;
}

/**
 * Finds the question that an answer is for. @throws SessionError if the session, call or question does not
 * exist.
 */
export async function findQuestion(
  target: Target,
  { call, question: number }: QuestionName,
  turns: TurnContents,
): Promise<QuestionOfTurn> {
  const { turn } = parseCallId(call) ?? { turn: call };
  const { hasSession, events, questions } = await readTurnOnce(target, turn, turns);
  if (!hasSession) throw createUnknownSessionError(target);
  const shown = call.slice(0, 80);
  const asked = questions.get(call);
  if (!asked) {
    const detail = `There is no call '${shown}' in this session. GET ${target.path} shows what the session waits for.`;
    throw new SessionError('unknown-call', detail);
  }
  const question = asked[number - 1];
  const [started] = events;
  if (question && started?.type === 'turn-started') {
    return { question, principal: started.principal, requesters: listRequesters(events) };
  }
  const what = number === 1 ? 'It did not ask' : `It has not asked ${number} questions`;
  throw new SessionError('not-waiting', `Call ${shown} is not waiting for this answer. ${what}.`);
}

/** @throws SessionError if the question excludes the requesters of its turn and the caller is one of them. */
export function assertAnotherPerson(
  caller: Caller,
  question: AskedQuestion,
  requesters: readonly TurnPrincipal[],
): void {
  if (!isExcluded(question, requesters, caller)) return;
  const { call, turn } = question;
  throw new SessionError(
    'another-person-required',
    `Call ${call.id} needs a decision by someone who did not ask for turn ${turn}, and you did. ` +
      'Send the token of another person. To withdraw your request, cancel the turn.',
    { more: { notBy: 'requester' } },
  );
}
