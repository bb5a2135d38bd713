import type { DueRow } from '../../journal/agenda.ts';
import type { StoredEvent } from '../../journal/events.ts';
import type { Clock } from '../../session/read-platform.ts';
import { getSessionAgent, parseSessionName } from '../../session/read-secrets.ts';
import { readTurn } from '../../session/read-session.ts';
import { type StoppedTurn, type TurnStop, toTurnStop } from '../../session/turn-end.ts';
import { foldStoppedTurn } from '../../session/watching/turn-outcome.ts';
import { computeSha256Hex } from '../../tool/async.ts';
import { toBase64 } from '../../tool/content.ts';
import { readSecrets, type SecretSource } from '../../tool/env.ts';
import type { DueApp, DueHandler } from '../../worker/background.ts';
import type { Env } from '../../worker/host.ts';
import { getSessionPath, getTurnPath } from '../../worker/target.ts';
import { listPendingViews } from '../../worker/turn-view.ts';
import { computeHmac, decodeStandardKey, STANDARD_KEY_RULE } from '../webhooks/signature.ts';
import type { WebhookEnv } from '../webhooks/webhook.ts';
import { findUrlProblem, type PostRequest, parseRetryAfter, post } from './post.ts';

export interface OutgoingMessage {
  /** The id of the message, which is the same for every attempt. It is visible ASCII without a period. */
  readonly id: string;
  readonly body: string;
  readonly env: Env;
  readonly clock: Clock;
}

/** The reason that a message was not delivered. */
export interface DeliveryFailure {
  /**
   * The text after the name of the webhook, such as `answered 500`. It contains neither a secret nor the URL.
   */
  readonly why: string;
  /** `true` if the receiver no longer accepts messages. */
  readonly isGone?: true;
  /** The pause that the receiver requests, in milliseconds. */
  readonly retryAfter?: number;
}

/** A receiver, and the events that it subscribes to. */
export interface Receiver {
  readonly name: string;
  readonly on: readonly TurnStop[];
  readonly agents: readonly string[] | undefined;
  /**
   * Sends a message once. Returns the reason if it was not delivered, or `undefined` if it was. Rejects with
   * errors of the app's `url` function.
   */
  send(message: OutgoingMessage): Promise<DeliveryFailure | undefined>;
  /**
   * Returns the missing settings of an environment, as the text after the webhook's name, or `undefined`.
   * Rejects with errors of the app's `url` function.
   */
  lacks(env: Env): Promise<string | undefined>;
}

/** A stop of a turn that must be sent to the receiver. */
type StopRef = Pick<StoppedTurn, 'id' | 'seq'>;

/** Returns the `ref` of the message for a stop, or `undefined` if the receiver does not subscribe to it. */
export const toMessageRef = (
  { on, agents }: Receiver,
  { id, seq, stop, name }: StoppedTurn,
): string | undefined =>
  on.includes(stop) && agents?.includes(getSessionAgent(name)) !== false
    ? JSON.stringify([id, seq])
    : undefined;

function parseMessageRef(ref: string): StopRef {
  const [id, seq] = JSON.parse(ref) as [id: string, seq: number]; // `toMessageRef` wrote it
  return { id, seq };
}

/**
 * The pauses between attempts, in milliseconds, as Standard Webhooks recommends: ten attempts within 76
 * hours.
 */
const RETRY_PAUSES_MS = [
  5,
  5 * 60,
  30 * 60,
  2 * 3600,
  5 * 3600,
  10 * 3600,
  14 * 3600,
  20 * 3600,
  24 * 3600,
].map((s) => s * 1000);

/** The maximum pause that a receiver can request, in milliseconds. */
const MAX_PAUSE_MS = 24 * 3600_000;

/**
 * The age of a stop after which it is not sent again, in milliseconds. It can wait this long behind other
 * messages that were not delivered.
 */
const MAX_STOP_AGE_MS = 96 * 3600_000;

/** The outcome of an attempt to deliver a stop. */
type DeliveryOutcome = Awaited<ReturnType<DueHandler>>;

/** Sends a turn's stop to the receiver. Logs one line if it fails. */
export async function deliver(app: DueApp, row: DueRow, receiver: Receiver): Promise<DeliveryOutcome> {
  const { host } = app;
  const { name, attempt, ref } = row;
  const { id: turn, seq } = parseMessageRef(ref);
  const not = await deliverOnce(app, { receiver, name, turn, seq, attempt }).catch(toStopFailure);
  if (not === undefined) return 'done';
  const became = toDeliveryOutcome(host.clock.now(), attempt, not);
  host.log({
    level: typeof became === 'object' ? 'warn' : 'error',
    event: 'webhook-not-delivered',
    message: `outgoing webhook '${receiver.name}' missed a message about a turn, ${describeOutcome(became)}: it ${not.why}`,
    ...parseSessionName(name),
    turn,
    ...(not.thrown !== undefined && { thrown: not.thrown }),
  });
  return became;
}

function toDeliveryOutcome(now: number, attempt: number, not: StopFailure): DeliveryOutcome {
  if (not.isGone) return 'forget';
  const { at = now, retryAfter = 0 } = not;
  const wanted = Math.min(retryAfter, MAX_PAUSE_MS);
  const again = Math.max(RETRY_PAUSES_MS[attempt - 1] ?? Infinity, wanted);
  return now + again > at + MAX_STOP_AGE_MS ? 'done' : { again };
}

function describeOutcome(became: DeliveryOutcome): string {
  if (typeof became === 'object') return `which is tried again in ${Math.ceil(became.again / 1000)} s`;
  return became === 'done' ? 'which is dropped' : 'as well as the other messages of this session';
}

/** The reason that a stop was not delivered, and the time of the stop. */
interface StopFailure extends DeliveryFailure {
  /** The time at which the turn stopped, in milliseconds since the epoch. */
  readonly at?: number;
  readonly thrown?: unknown;
}

const toStopFailure = (thrown: unknown): StopFailure => ({ why: 'could not be called', thrown });

interface StopDelivery extends Pick<DueRow, 'name' | 'attempt'> {
  readonly receiver: Receiver;
  readonly turn: string;
  readonly seq: number;
}

/**
 * Sends the message of a stop once. Rejects with errors from reading the turn and from the app's own
 * functions.
 */
async function deliverOnce(
  app: DueApp,
  { receiver, name, turn, seq, attempt }: StopDelivery,
): Promise<StopFailure | undefined> {
  const { host, env } = app;
  if (attempt > RETRY_PAUSES_MS.length + 1) return { why: 'was tried ten times without an outcome', at: 0 };
  const events = (await readTurn(host.session(env, name), turn)).filter((event) => event.seq <= seq);
  const last = events.at(-1);
  // The turn was erased.
  if (last === undefined) return undefined;
  const stop = last.type === 'turn-ended' ? toTurnStop(last.outcome) : 'suspended';
  if (!receiver.on.includes(stop)) return undefined;
  const body = createBody(app, { name, stop, events, at: last.at });
  const id = `msg_${(await computeSha256Hex(JSON.stringify([name, turn, seq]))).slice(0, 32)}`;
  const not = await receiver.send({ id, body, env, clock: host.clock });
  return not && { ...not, at: last.at };
}

interface StopContent {
  readonly name: string;
  readonly stop: TurnStop;
  readonly events: readonly StoredEvent[];
  readonly at: number;
}

/**
 * The maximum length of a body in characters, because receivers limit the size of messages. A longer body is
 * sent without the turn's answer.
 */
const MAX_BODY_LENGTH = 256 * 1024;

function createBody({ host }: DueApp, { name, stop, events, at }: StopContent): string {
  const { owner, agent, session } = parseSessionName(name);
  const [first] = events;
  const base = first?.type === 'turn-started' ? first.base : undefined;
  const path = getSessionPath({ agent, session }, base ?? host.basePath);
  const view = foldStoppedTurn(session, agent, events);
  const { turn, outcome } = view;
  const brief = {
    ...{ owner, agent, session, turn, status: stop, outcome },
    ...(view.error && { error: view.error }),
    links: { turn: getTurnPath({ path }, turn) },
  };
  const pending = stop === 'suspended' && { pending: listPendingViews({ host, target: { path } }, events) };
  const formatBody = (data: object): string =>
    JSON.stringify({ type: `turn.${stop}`, timestamp: new Date(at).toISOString(), data });
  const body = formatBody({ ...brief, ...view, ...pending });
  return body.length > MAX_BODY_LENGTH ? formatBody({ ...brief, shortened: true }) : body;
}

/** The URL for messages, and the secret that signs them. */
interface SenderSettings {
  readonly url: string | ((env: WebhookEnv) => unknown);
  readonly secret: SecretSource;
}

/**
 * Reads the URL and the keys from an environment. Returns any problem as the text after the webhook's name.
 */
async function readSenderSettings(
  { url, secret }: SenderSettings,
  env: Env,
): Promise<string | { readonly to: string; readonly keys: readonly Uint8Array<ArrayBuffer>[] }> {
  const told = typeof url === 'function' ? url(env) : url;
  const to = typeof told === 'string' ? told : '';
  const problem = findUrlProblem(to);
  if (problem !== undefined) return problem;
  const keys = (await readSecrets(env, secret)).map(decodeStandardKey);
  if (keys.length === 0)
    return 'has no secret. Set the var that its `secret` reads (wrangler secret put, or .dev.vars for wrangler dev, which reads it when it starts)';
  const known = keys.filter((key) => key !== undefined);
  return known.length < keys.length ? `has an invalid secret: it ${STANDARD_KEY_RULE}` : { to, keys: known };
}

/** Returns the functions that send signed messages to a URL. */
export const createSender = (config: SenderSettings): Pick<Receiver, 'send' | 'lacks'> => ({
  async lacks(env) {
    const read = await readSenderSettings(config, env);
    return typeof read === 'string' ? read : undefined;
  },
  async send({ id, body, env, clock }) {
    const read = await readSenderSettings(config, env);
    if (typeof read === 'string') return { why: read };
    const { to, keys } = read;
    const time = Math.floor(clock.now() / 1000);
    const signatures: string[] = [];
    for (const key of keys)
      signatures.push(`v1,${toBase64(await computeHmac(key, `${id}.${time}.${body}`))}`);
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'holdfast',
      'webhook-id': id,
      'webhook-timestamp': String(time),
      'webhook-signature': signatures.join(' '),
    };
    return postOnce(clock, { url: to, headers, body });
  },
});

/** Posts a message once, and reads only the status of the response. */
async function postOnce(
  clock: OutgoingMessage['clock'],
  message: Omit<PostRequest, 'read'>,
): Promise<DeliveryFailure | undefined> {
  const read = (response: Response): void => void response.body?.cancel().catch(() => {});
  const response = await post(clock, { ...message, read });
  if ('unanswered' in response) return { why: response.unanswered };
  return response.ok ? undefined : toDeliveryFailure(response, clock.now());
}

function toDeliveryFailure(response: Response, now: number): DeliveryFailure {
  const retryAfter = parseRetryAfter(response, now);
  return {
    why: `answered ${response.status}`,
    ...(response.status === 410 && { isGone: true }),
    ...(retryAfter !== undefined && { retryAfter }),
  };
}
