import { waitId } from '../../journal/conversation.ts';
import type { EventPage } from '../../journal/event-page.ts';
import { parseKnown } from '../../journal/event-rows.ts';
import { type Principal, ROOT, type StoredEvent } from '../../journal/events.ts';
import type { JournaledCall } from '../../journal/reply-data.ts';
import type { SessionPort } from '../../journal/session-port.ts';
import type { Answer, DecisionWait, Wait } from '../../journal/wait.ts';
import { attempt } from '../../tool/async.ts';
import type { DecisionKind, TurnPrincipal } from '../../tool/call.ts';
import { parseToolInput } from '../../tool/check-input.ts';
import type { Json, JsonObject } from '../../tool/json.ts';
import type { JsonSchema } from '../../tool/json-schema.ts';
import { fromVisible, visible, visibleIn } from '../../tool/visible.ts';
import { PAGE_BYTES } from '../fold-session.ts';
import { isSamePerson } from '../new-message.ts';

/** What a call asked somebody outside the turn, and what became of it. */
export interface Question {
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
export function questionsOf(events: readonly StoredEvent[]): ReadonlyMap<string, readonly Question[]> {
  const calls = new Map<
    string,
    { readonly call: JournaledCall; readonly asked: Question[]; isOpen: boolean }
  >();
  const close = (id: string): void => {
    const ended = calls.get(id);
    if (ended) ended.isOpen = false;
  };
  const settle = (asked: Question[], standing: Question['standing']): void => {
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
        settle(calls.get(event.call)?.asked ?? [], hasExpired(event.answer) ? 'expired' : 'answered');
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
export const openQuestions = (events: readonly StoredEvent[]): readonly Question[] =>
  [...questionsOf(events).values()].flat().filter(({ standing }) => standing === 'open');

/**
 * Returns the same of a turn that asks somebody with a role; nothing of any other, of which no more is read than that it asks none. It
 * folds nothing, and reads what this code knows of events that a newer version wrote.
 */
export async function questionsForRoles(
  port: Pick<SessionPort, 'read'>,
  turn: string,
): Promise<readonly Question[]> {
  const types = { names: ['tool-call-suspended'], until: Number.MAX_SAFE_INTEGER };
  const asked = await port.read({ from: 1, turn, types });
  const isForRole = (event: StoredEvent): boolean =>
    event.type === 'tool-call-suspended' && event.wait.for === 'decision' && event.wait.by !== undefined;
  const mayBe = asked !== null && (asked.next !== null || asked.rows.flatMap(parseKnown).some(isForRole));
  if (!mayBe) return [];
  const events: StoredEvent[] = [];
  for (let from: number | null = 1; from !== null; ) {
    const page: EventPage | null = await port.read({ from, turn, maxBytes: PAGE_BYTES });
    events.push(...(page?.rows ?? []).flatMap(parseKnown));
    from = page?.next ?? null;
  }
  return openQuestions(events);
}

/** Whether somebody is one of those who asked for the turn of a question that is for others than these. */
export const isKeptOut = (
  { wait }: Question,
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

const hasExpired = ({ expired }: Answer): boolean => expired === true;

function toQuestion(
  { seq, at, turn, frame, call, wait }: Extract<StoredEvent, { type: 'tool-call-suspended' }>,
  of: { readonly call: JournaledCall; readonly number: number },
): Question {
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

/** A call that waits for somebody outside, as whoever answers it is shown it. */
export interface PendingCall {
  readonly call: string;
  readonly tool: string;
  /**
   * What the tool is to be called with: what an edit takes the place of. A text where the model sent no JSON object. Of a decision,
   * characters that cannot be seen stand in its texts as `\u{202e}`, and an edit may leave them so.
   */
  readonly input: Json;
  /** What the model sent, where that is something else: decorators, an edit before this one or an unfolding tool have changed it. */
  readonly sent?: Json;
  /** `result`: whoever reads this runs the tool, and sends what came of it. */
  readonly for: 'decision' | 'result';
  readonly message: string;
  /** Of a decision: what may be decided. */
  readonly allows?: readonly DecisionKind[];
  /** What the input of an `edit` must match; its texts are shown as those of `input`. */
  readonly schema?: JsonSchema;
  /** The role that may answer. */
  readonly by?: string;
  /** Who may not, whatever their roles. `requester`: whoever began the turn, or steered it. */
  readonly notBy?: 'requester';
  /** Milliseconds since the epoch after which no answer is taken. */
  readonly expiresAt?: number;
}

/**
 * Shows an open question. Whoever decides by what they see is shown what they could not see; whoever runs the tool is given
 * its input as it is.
 */
export function toPendingCall(question: Question): PendingCall {
  const { call, wait, expiresAt } = question;
  const show = (input: Json): Json => (wait.for === 'decision' ? shown(input, call) : input);
  const isChanged = wait.for === 'decision' && wait.input !== undefined;
  return {
    call: call.id,
    tool: call.name,
    input: show(inputOf(question)),
    ...(isChanged && { sent: show(sentOf(call)) }),
    for: wait.for,
    message: wait.for === 'decision' ? visible(wait.message) : wait.message,
    ...(wait.for === 'decision' && decisionOf(wait)),
    ...(expiresAt !== undefined && { expiresAt }),
  };
}

const sentOf = ({ name, input }: JournaledCall): Json => {
  const parsed = parseToolInput(name, input);
  return parsed.ok ? parsed.input : input;
};

const inputOf = ({ call, wait }: Pick<Question, 'call' | 'wait'>): Json =>
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
  question: Question,
  sent: Sent,
): Sent {
  if (sent.input === undefined) return sent;
  const { wait } = question;
  const data = [inputOf(question), wait.for === 'decision' ? wait.schema : null];
  const meant = attempt(() => fromVisible(sent.input, data));
  return meant.ok ? { ...sent, input: meant.value } : sent; // what is nested too deeply is refused by the check
}

const decisionOf = ({
  allows,
  schema,
  by,
  notBy,
}: DecisionWait): Pick<PendingCall, 'allows' | 'schema' | 'by' | 'notBy'> => ({
  allows,
  ...(allows.includes('edit') && { schema: shownSchema(schema) }),
  ...(by !== undefined && { by }),
  ...(notBy !== undefined && { notBy }),
});
