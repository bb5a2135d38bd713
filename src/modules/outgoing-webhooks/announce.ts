import type { DueRow } from '../../journal/agenda.ts';
import type { StoredEvent } from '../../journal/events.ts';
import type { Clock } from '../../session/read-platform.ts';
import { addressOfSession, agentOfSession } from '../../session/read-secrets.ts';
import { readTurn } from '../../session/read-session.ts';
import { type StoppedTurn, stopOfEnd, type TurnStop } from '../../session/turn-end.ts';
import { stoppedTurn } from '../../session/watching/turn-outcome.ts';
import { sha256Hex } from '../../tool/async.ts';
import type { DoWork, DueApp } from '../../worker/background.ts';
import type { Env } from '../../worker/host.ts';
import { sessionPath, turnPath } from '../../worker/target.ts';
import { pendingViews } from '../../worker/turn-view.ts';

/** Something that a receiver is to be told. */
export interface OutgoingMessage {
  /** Names the message, and is the same at every try: visible ASCII without a full stop. */
  readonly id: string;
  readonly body: string;
  readonly env: Env;
  readonly clock: Clock;
}

/** Why a message is not delivered. */
export interface Undelivered {
  /** Goes on after the name of the webhook, as in `answered 500`. It holds no secret, and nothing of the address. */
  readonly why: string;
  /** The receiver wants nothing of it any more. */
  readonly isGone?: true;
  /** In ms: the receiver wants to be left alone for so long. */
  readonly retryAfter?: number;
}

/** Who is told, and of what. */
export interface Receiver {
  readonly name: string;
  readonly on: readonly TurnStop[];
  readonly agents: readonly string[] | undefined;
  /** Sends a message once. Answers why it is not delivered; nothing when it is. Rejects with what the app's `url` throws. */
  send(message: OutgoingMessage): Promise<Undelivered | undefined>;
}

/** A stop of a turn that the receiver is owed. */
type Owed = Pick<StoppedTurn, 'id' | 'seq'>;

/** Returns the `ref` of what the receiver is owed for a stop; `undefined` if it is not for such a stop. */
export const owedFor = (
  { on, agents }: Receiver,
  { id, seq, stop, name }: StoppedTurn,
): string | undefined =>
  on.includes(stop) && agents?.includes(agentOfSession(name)) !== false
    ? JSON.stringify([id, seq])
    : undefined;

function fromRef(ref: string): Owed {
  const [id, seq] = JSON.parse(ref) as [id: string, seq: number]; // written by owedFor
  return { id, seq };
}

/** Pauses between two tries, in ms, as the makers of Standard Webhooks have them: ten tries within 76 hours. */
const PAUSES = [5, 5 * 60, 30 * 60, 2 * 3600, 5 * 3600, 10 * 3600, 14 * 3600, 20 * 3600, 24 * 3600].map(
  (s) => s * 1000,
);

/** What a receiver wants to be left alone for is no more than this, in ms. */
const LONGEST_PAUSE = 24 * 3600_000;

/** What stopped so long ago is not tried again, in ms: it stood behind others that were not taken. */
const TOLD_WITHIN = 96 * 3600_000;

/** What becomes of a stop that the receiver is owed. */
type Announced = Awaited<ReturnType<DoWork>>;

/** Tells the receiver that a turn has stopped. What goes wrong is told in one line of the log. */
export async function announce(app: DueApp, row: DueRow, receiver: Receiver): Promise<Announced> {
  const { host } = app;
  const { name, attempt, ref } = row;
  const { id: turn, seq } = fromRef(ref);
  const not = await tell(app, { receiver, name, turn, seq, attempt }).catch(toUndelivered);
  if (not === undefined) return 'done';
  const became = afterwards(host.clock.now(), attempt, not);
  const { agent, session } = addressOfSession(name);
  host.log({
    level: typeof became === 'object' ? 'warn' : 'error',
    event: 'webhook-not-delivered',
    message: `outgoing webhook '${receiver.name}' was not told of a turn, ${inWords(became)}: it ${not.why}`,
    ...{ agent, session, turn },
    ...(not.thrown !== undefined && { thrown: not.thrown }),
  });
  return became;
}

function afterwards(now: number, attempt: number, not: NotTold): Announced {
  if (not.isGone) return 'forget';
  const { at = now, retryAfter = 0 } = not;
  const wanted = Math.min(retryAfter, LONGEST_PAUSE);
  const again = Math.max(PAUSES[attempt - 1] ?? Number.POSITIVE_INFINITY, wanted);
  return now + again > at + TOLD_WITHIN ? 'done' : { again };
}

function inWords(became: Announced): string {
  if (typeof became === 'object') return `which is tried again in ${Math.ceil(became.again / 1000)} s`;
  return became === 'done' ? 'which is given up' : 'nor is it of what else this session had to tell it';
}

/** Why it was not told, and of what time. */
interface NotTold extends Undelivered {
  /** When the turn has stopped, in ms since the epoch. */
  readonly at?: number;
  readonly thrown?: unknown;
}

const toUndelivered = (thrown: unknown): NotTold => ({ why: 'could not be sent anything', thrown });

interface Telling extends Pick<DueRow, 'name' | 'attempt'> {
  readonly receiver: Receiver;
  readonly turn: string;
  readonly seq: number;
}

/** Rejects with what reading the turn does, and with what the app's own functions throw. */
async function tell(
  app: DueApp,
  { receiver, name, turn, seq, attempt }: Telling,
): Promise<NotTold | undefined> {
  const { host, env } = app;
  if (attempt > PAUSES.length + 1) return { why: 'was tried ten times, and nobody came back from it', at: 0 };
  const events = (await readTurn(host.session(env, name), turn)).filter((event) => event.seq <= seq);
  const last = events.at(-1);
  // It was erased meanwhile.
  if (last === undefined) return undefined;
  const stop = last.type === 'turn-ended' ? stopOfEnd(last.outcome) : 'suspended';
  if (!receiver.on.includes(stop)) return undefined;
  const body = bodyOf(app, { name, stop, events, at: last.at });
  const id = `msg_${(await sha256Hex(JSON.stringify([name, turn, seq]))).slice(0, 32)}`;
  const not = await receiver.send({ id, body, env, clock: host.clock });
  return not && { ...not, at: last.at };
}

interface Stopped {
  /** Of the session. */
  readonly name: string;
  readonly stop: TurnStop;
  readonly events: readonly StoredEvent[];
  readonly at: number;
}

/** Characters. Receivers take messages of some size; what is longer is told without what the turn has answered. */
const LONGEST_BODY = 256 * 1024;

function bodyOf({ host }: DueApp, { name, stop, events, at }: Stopped): string {
  const { owner, agent, session } = addressOfSession(name);
  const path = sessionPath({ agent, session }, host.basePath);
  const view = stoppedTurn(session, agent, events);
  const { turn, outcome } = view;
  const brief = {
    ...{ owner, agent, session, turn, status: stop, outcome },
    ...(view.error && { error: view.error }),
    links: { turn: turnPath({ path }, turn) },
  };
  const pending = stop === 'suspended' && { pending: pendingViews({ host, target: { path } }, events) };
  const write = (data: object): string =>
    JSON.stringify({ type: `turn.${stop}`, timestamp: new Date(at).toISOString(), data });
  const body = write({ ...brief, ...view, ...pending });
  return body.length > LONGEST_BODY ? write({ ...brief, shortened: true }) : body;
}
