import { waitId } from '../../journal/conversation.ts';
import { type Principal, ROOT, type StoredEvent } from '../../journal/events.ts';
import { type JournaledCall, placeOfCall } from '../../journal/reply-data.ts';
import type { PendingCall, Wait } from '../../journal/wait.ts';
import { isSamePerson } from '../../session/new-message.ts';
import { readTurn } from '../../session/read-session.ts';
import { attempt } from '../../tool/async.ts';
import type { TurnPrincipal } from '../../tool/call.ts';
import { parseToolInput } from '../../tool/check-input.ts';
import type { Json, JsonObject, JsonSchema } from '../../tool/json.ts';
import { fromVisible, visible, visibleIn } from '../../tool/shown.ts';
import type { Caller } from '../../worker/host.ts';
import { SessionError } from '../../worker/problem.ts';
import { unknownSession } from '../../worker/session-view.ts';
import type { Target } from '../../worker/target.ts';
import { type PendingView, toPendingView } from '../../worker/turn-view.ts';

/** What a call asked somebody outside the turn, and what became of it. */
export interface AskedQuestion {
  /** Names it in the whole session; an answer is given for this and nothing else. */
  readonly id: string;
  readonly turn: string;
  readonly frame: string;
  readonly call: JournaledCall;
  /** Its place among the questions of its call, from 1. */
  readonly number: number;
  /** Of the event that asked it. */
  readonly seq: number;
  readonly wait: Wait;
  /** Milliseconds since the epoch, by the object's clock; `undefined` when it waits for ever. */
  readonly expiresAt: number | undefined;
  /** `left`: its call ended without an answer, and the turn goes on. `dropped`: its turn ended without one. */
  readonly standing: 'open' | 'answered' | 'expired' | 'left' | 'dropped';
}

/** The calls of a turn by their ids, in the order in which they were asked for, each with its questions in order. */
export function questionsOf(events: readonly StoredEvent[]): ReadonlyMap<string, readonly AskedQuestion[]> {
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

/** Answers what a turn waits for, outermost frames first, each in source order. */
export const openQuestions = (events: readonly StoredEvent[]): readonly AskedQuestion[] =>
  [...questionsOf(events).values()].flat().filter(({ standing }) => standing === 'open');

/** Whether somebody is one of those who asked for the turn of a question that is for others than these. */
export const isKeptOut = (
  { wait }: AskedQuestion,
  requesters: readonly TurnPrincipal[],
  one: TurnPrincipal,
): boolean =>
  wait.for === 'decision' &&
  wait.notBy !== undefined &&
  requesters.some((requester) => isSamePerson(requester, one));

/** Answers whose messages a turn has taken, by its events: of whoever began it, and of all who steered it. */
export const requestersOf = (events: readonly StoredEvent[]): readonly Principal[] =>
  events.flatMap((event) =>
    event.type === 'turn-started' || event.type === 'turn-steered' ? [event.principal] : [],
  );

function toQuestion(
  { seq, at, turn, frame, call, wait }: Extract<StoredEvent, { type: 'tool-call-suspended' }>,
  of: { readonly call: JournaledCall; readonly number: number },
): AskedQuestion {
  return {
    id: waitId(call, of.number - 1),
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
 * Shows an open question. Whoever decides by what they see is shown what they could not see; whoever runs the tool is given
 * its input as it is.
 */
export function toPendingCall(question: AskedQuestion): PendingCall {
  const { call, wait, expiresAt } = question;
  const isDecision = wait.for === 'decision';
  const input = inputOf(question);
  return {
    call: call.id,
    question: question.number,
    tool: call.name,
    input: isDecision ? shown(input, call) : input,
    ...(isDecision && wait.input !== undefined && { sent: shown(sentOf(call), call) }),
    for: wait.for,
    message: isDecision ? visible(wait.message) : wait.message,
    ...(isDecision && {
      allows: wait.allows,
      ...(wait.allows.includes('edit') && { schema: shownSchema(wait.schema) }),
      ...(wait.by !== undefined && { by: wait.by }),
      ...(wait.notBy !== undefined && { notBy: wait.notBy }),
    }),
    ...(expiresAt !== undefined && { expiresAt }),
  };
}

const sentOf = ({ name, input }: JournaledCall): Json => {
  const parsed = parseToolInput(name, input);
  return parsed.ok ? parsed.input : input;
};

const inputOf = ({ call, wait }: Pick<AskedQuestion, 'call' | 'wait'>): Json =>
  (wait.for === 'decision' ? wait.input : undefined) ?? sentOf(call);

/** An input that is nested too deeply to be gone through is shown as its text. */
function shown(input: Json, call: JournaledCall): Json {
  const made = attempt(() => visibleIn(input));
  return made.ok ? made.value : visible(call.input);
}

/** A schema whose words may be a stranger's; one that is nested too deeply to be gone through is shown as it is. */
function shownSchema(schema: JsonSchema): JsonSchema {
  const made = attempt(() => visibleIn(schema));
  return made.ok ? made.value : schema;
}

/** A decision as it is meant: an edit of what was shown has the characters of the input, and of its schema, where it still shows them. */
export function asMeant<Sent extends { readonly input?: JsonObject | undefined }>(
  question: AskedQuestion,
  sent: Sent,
): Sent {
  if (sent.input === undefined) return sent;
  const { wait } = question;
  const data = [inputOf(question), wait.for === 'decision' ? wait.schema : null];
  const meant = attempt(() => fromVisible(sent.input, data));
  return meant.ok ? { ...sent, input: meant.value } : sent; // what is nested too deeply is refused by the check
}

/** Returns what a turn waits for, by its events: the same wherever it is shown. */
export const pendingCalls = (events: readonly StoredEvent[]): readonly PendingCall[] =>
  openQuestions(events).map(toPendingCall);

/** The same, with where below `path` it is answered. */
export const pendingViews = (
  { path }: Pick<Target, 'path'>,
  events: readonly StoredEvent[],
): readonly PendingView[] => pendingCalls(events).map(toPendingView(path));

/** A question, whose turn asks it, and whose messages the turn has taken. */
interface QuestionOfTurn {
  readonly question: AskedQuestion;
  readonly principal: Principal;
  readonly requesters: readonly Principal[];
}

/** Which question of which call, from 1. */
interface NamedQuestion {
  readonly call: string;
  readonly question: number;
}

/** A turn as it was read, and whether there is a session at all. */
interface ReadTurn {
  readonly hasSession: boolean;
  readonly events: readonly StoredEvent[];
  readonly questions: ReturnType<typeof questionsOf>;
}

/** Turns by their ids: a long one is read once for all answers of a request. */
export type ReadTurns = Map<string, Promise<ReadTurn>>;

function readOnce({ port }: Target, turn: string, turns: ReadTurns): Promise<ReadTurn> {
  const read = async (): Promise<ReadTurn> => {
    const [session, events] = await Promise.all([port.read({ from: 1, limit: 1 }), readTurn(port, turn)]);
    return { hasSession: session !== null, events, questions: questionsOf(events) };
  };
  const reading = turns.get(turn) ?? read();
  turns.set(turn, reading);
  return reading;
}

/** @throws SessionError when there is no such session, call or question. */
export async function askedQuestion(
  target: Target,
  { call, question: number }: NamedQuestion,
  turns: ReadTurns,
): Promise<QuestionOfTurn> {
  const { turn } = placeOfCall(call) ?? { turn: call };
  const { hasSession, events, questions } = await readOnce(target, turn, turns);
  if (!hasSession) throw unknownSession(target);
  const shown = call.slice(0, 80);
  const asked = questions.get(call);
  if (!asked) {
    const detail = `There is no call '${shown}' in this session: GET ${target.path} shows what it waits for.`;
    throw new SessionError('unknown-call', detail);
  }
  const question = asked[number - 1];
  const [started] = events;
  if (question && started?.type === 'turn-started') {
    return { question, principal: started.principal, requesters: requestersOf(events) };
  }
  const what = number === 1 ? 'It asked nothing' : `It has not asked ${number} questions`;
  throw new SessionError('not-waiting', `Call ${shown} does not wait for this answer. ${what}.`);
}

/** @throws SessionError when a question is for others than those who asked for its turn, and the caller is one of them. */
export function mustBeAnother(
  caller: Caller,
  question: AskedQuestion,
  requesters: readonly TurnPrincipal[],
): void {
  if (!isKeptOut(question, requesters, caller)) return;
  const { call, turn } = question;
  throw new SessionError(
    'another-person-required',
    `Call ${call.id} is decided by somebody else than those who asked for turn ${turn}, and you are one of them. ` +
      'Send the token of another person. To take back what you asked for, cancel the turn.',
    { more: { notBy: 'requester' } },
  );
}
