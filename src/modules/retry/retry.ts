import type { EventPage } from '../../journal/event-page.ts';
import { parseEvent, parseKnownEvent, toPrincipal, toRow } from '../../journal/event-rows.ts';
import type { EventOf, EventType, StoredEvent } from '../../journal/events.ts';
import type { SessionPort, TurnStart } from '../../journal/session-port.ts';
import { readPages, toReader } from '../../session/fold-session.ts';
import { isSamePerson } from '../../session/new-message.ts';
import { ToolCallContext } from '../../tool/tool-call-context.ts';
import { START_KEY_TTL_MS } from '../../worker/background.ts';
import { type AcceptedRequest, takeOver, toRunElsewhere, toRunHere } from '../../worker/begun-turn.ts';
import { SessionError } from '../../worker/problem.ts';
import { toRefusal, toUnansweredError } from '../../worker/refusal.ts';
import { toRequestKey } from '../../worker/request-headers.ts';
import type { HttpHost } from '../../worker/route.ts';
import { createUnknownSessionError } from '../../worker/session-view.ts';
import { createTurnServices, type SessionAccess } from '../../worker/target.ts';

export interface RetryRequest {
  /**
   * Retries with the same key within a day count as one retry. Without a key, each turn has at most one
   * retry.
   */
  readonly idempotencyKey?: string | undefined;
  /** `true` if the turn runs in the background and the caller does not wait for its answer. */
  readonly inBackground: boolean;
  /**
   * The context that the request has in addition to its message. Defaults to the context of the message, if
   * the same person sent it.
   */
  readonly context?: ToolCallContext | undefined;
  /** The context from mapped headers, which overrides `context`. */
  readonly contextOfHeaders?: ToolCallContext | undefined;
  /** `true` to follow a retry that is running. Otherwise the open turn refuses every other retry. */
  readonly joins?: boolean | undefined;
}

/** A session, as accessed by a request or by the app's code. */
export interface RetrySession extends SessionAccess {
  readonly host: SessionAccess['host'] & Pick<HttpHost, 'contextHeaders'>;
}

/** The text that the model reads after the output of the failed turn. */
const ANSWER_NOW_MESSAGE = '[My last message was not answered. Go on from here, and answer it now.]';

/**
 * Starts a turn for the last message of a session if that turn failed, was cancelled or reached a limit. The
 * output of the failed turn stays in the conversation. Finds an earlier retry, even if it has ended.
 *
 * @throws SessionError if the session does not exist, a turn is open, or the last turn was answered.
 */
export async function retryTurn(at: RetrySession, how: RetryRequest): Promise<AcceptedRequest> {
  const { port, caller, agent } = at.target;
  const { idempotencyKey: key } = how;
  const known = key === undefined ? undefined : await deriveTurnId('key', key);
  const page = await port.read({ from: 1, limit: 1, turn: known });
  if (!page) throw createUnknownSessionError(at.target);
  const isKnown = known !== undefined && page.rows.length > 0;
  if (!isKnown && page.openTurn) return joinOpenRetry(at, page.openTurn, how);
  const failed = isKnown ? parseStart(page) : await findUnansweredTurn(at, page.head);
  const turn = isKnown ? failed.turn : (known ?? (await deriveTurnId('turn', failed.turn)));
  const line = isKnown || !(await hasReplied(port, failed.turn)) ? undefined : ANSWER_NOW_MESSAGE;
  const { message, parts, loopId } = failed;
  const start: TurnStart = {
    turn,
    opening: toRow({ type: 'session-opened', incarnation: at.host.newId(), agent: agent.name }),
    started: toRow({
      type: 'turn-started',
      turn,
      loopId: loopId === failed.turn ? turn : loopId,
      message,
      ...(parts && { parts }),
      context: createRetryContext(at, failed, how).toJSON(),
      principal: toPrincipal(caller),
      retries: failed.turn,
      ...(line && { line }),
      ...(at.base && { base: at.base }),
      ...at.origin?.send(),
    }),
    // Another retry may have started and ended since. Each turn has one retry, regardless of its key.
    request: isKnown ? undefined : { key: `retry ${failed.turn}`, bodyHash: turn, ttl: START_KEY_TTL_MS },
  };
  return beginRetry(at, start, how);
}

/**
 * Derives the id of a retry from its turn or key, so that repeated retries start one turn.
 *
 * @throws SessionError if the key is invalid.
 */
const deriveTurnId = async (of: 'key' | 'turn', name: string): Promise<string> =>
  (await toRequestKey(name, JSON.stringify(['retry', of, name]))).bodyHash.slice(0, 32);

/**
 * Returns a running retry that the client may join.
 *
 * @throws SessionError, as for a message, if the client may not join.
 */
async function joinOpenRetry(
  at: RetrySession,
  { id: turn, state }: NonNullable<EventPage['openTurn']>,
  { joins = false, inBackground }: RetryRequest,
): Promise<AcceptedRequest> {
  if (joins && (await readStart(at.target.port, turn)).retries !== undefined)
    return inBackground ? toRunElsewhere(at, turn) : { turn };
  const status = state === 'waiting' ? ({ status: 'suspended', turn } as const) : undefined;
  const refused = await toRefusal(status ?? { status: 'busy', turn, retryAfter: 1_000 }, at);
  // Unlike a message, a retry cannot be queued or steer a turn.
  throw new SessionError(refused.type, refused.worded?.() ?? refused.message, refused);
}

async function beginRetry(at: RetrySession, start: TurnStart, how: RetryRequest): Promise<AcceptedRequest> {
  const { inBackground } = how;
  const { host, target, request } = at;
  const { port, owner, agent, session, caller } = target;
  // Copying calls every getter, so missing configuration is found before the turn is stored.
  const services = {
    ...createTurnServices(
      at,
      { port, owner, agent: agent.name, session },
      { turn: start.turn, caller, request },
    ),
  };
  const sentAt = host.clock.now();
  const taking = inBackground
    ? port.accept(start)
    : port.begin({ nonce: host.newId(), start, reader: toReader(host.modules) });
  const answer = await taking.catch((failure: unknown) => {
    throw toUnansweredError(failure, { target, start, log: host.log });
  });
  switch (answer.status) {
    case 'leased':
      return toRunHere({ turn: start.turn, services, lease: answer, sentAt });
    case 'accepted':
      return toRunElsewhere(at, answer.turn);
    case 'known':
      if (inBackground) return toRunElsewhere(at, answer.turn);
      return answer.expired ? takeOver(at, answer.turn) : { turn: answer.turn };
    case 'key-reused':
      return retryTurn(at, how);
    case 'queued':
    case 'steering':
    case 'scheduled':
      return { turn: answer.turn };
    default:
      throw await toRefusal(answer, at);
  }
}

/**
 * Returns the context that the message was sent with, if the same person retries it. Excludes the context
 * from mapped headers, which belong to their own request, and the context of another person.
 */
function createRetryContext(
  { host, target }: RetrySession,
  { context, principal }: EventOf<'turn-started'>,
  { context: given, contextOfHeaders = ToolCallContext.EMPTY }: RetryRequest,
): ToolCallContext {
  if (given) return given.merge(contextOfHeaders);
  const mapped = new Set(host.contextHeaders.values());
  const said = Object.entries(context).filter(([key]) => !mapped.has(key));
  const own = isSamePerson(principal, target.caller) ? said : [];
  return ToolCallContext.of(Object.fromEntries(own)).merge(contextOfHeaders);
}

type TurnStartEvent = EventOf<'turn-started'>;

/**
 * Returns the start event of the last turn if it has no answer.
 *
 * @throws SessionError `nothing-to-retry` if it has an answer, or no turn exists.
 */
async function findUnansweredTurn({ target }: RetrySession, head: number): Promise<TurnStartEvent> {
  const last = await findLastEnd(target.port, head);
  if (last && !ANSWERED_OUTCOMES.has(last.outcome)) return readStart(target.port, last.turn);
  const detail = last
    ? `The last message was answered, as turn ${last.turn}. Send another message.`
    : 'No message was sent to this session. Send one.';
  throw new SessionError('nothing-to-retry', detail, { more: last && { turn: last.turn } });
}

/** Outcomes that need no retry. A turn that reached a limit may have produced text, but is not complete. */
export const ANSWERED_OUTCOMES: ReadonlySet<string> = new Set<EventOf<'turn-ended'>['outcome']>([
  'completed',
  'returned-direct',
]);

/** Finds the last end of a turn, after which modules may have appended events. */
export async function findLastEnd(
  port: SessionReader,
  head: number,
): Promise<EventOf<'turn-ended'> | undefined> {
  for (let back = 64; ; back *= 8) {
    const from = Math.max(1, head - back);
    const ends = await readEvents(port, { from, names: ['turn-ended'] });
    const last = ends.at(-1);
    if (last?.type === 'turn-ended' || from === 1) return last?.type === 'turn-ended' ? last : undefined;
  }
}

export async function readStart(port: SessionReader, turn: string): Promise<TurnStartEvent> {
  const page = await port.read({ from: 1, limit: 1, turn });
  if (!page) throw new Error(`Turn ${turn} has no start.`);
  return parseStart(page);
}

function parseStart({ rows: [row] }: EventPage): TurnStartEvent {
  const event = row && parseEvent(row);
  if (event?.type !== 'turn-started') throw new Error('A turn has no start.');
  return event;
}

/**
 * Returns whether the turn's own model has produced text or calls, which follow the message in the
 * conversation.
 */
const hasReplied = async (port: SessionReader, turn: string): Promise<boolean> =>
  (await readEvents(port, { from: 1, turn, names: ['model-replied'] })).some(
    (event) => event.type === 'model-replied' && event.frame === undefined,
  );

export type SessionReader = Pick<SessionPort, 'read'>;

interface EventsQuery {
  readonly from: number;
  readonly turn?: string;
  readonly names: readonly EventType[];
}

/** Returns the events of these types, starting at `from`. */
export async function readEvents(
  port: SessionReader,
  { from, turn, names }: EventsQuery,
): Promise<StoredEvent[]> {
  const of = { turn, types: { names, until: Number.MAX_SAFE_INTEGER } };
  const events: StoredEvent[] = [];
  for await (const { rows } of readPages(port, await port.read({ from, ...of }), of))
    events.push(...rows.flatMap(parseKnownEvent));
  return events;
}
