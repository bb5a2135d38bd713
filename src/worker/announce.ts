import type { StoredEvent } from '../journal/events.ts';
import type { Announced, Announcement, Change, SessionPort } from '../journal/session-port.ts';
import { readTurn } from '../session/fold-session.ts';
import { addressOfSession, agentOfSession } from '../session/read-secrets.ts';
import { stoppedTurn } from '../session/watching/turn-outcome.ts';
import { sha256Hex } from '../tool/async.ts';
import type { OutgoingWebhook, TurnStop, Undelivered } from '../webhooks/outgoing.ts';
import type { Env, Host } from './host.ts';
import { sessionPath, turnPath } from './target.ts';
import { pendingViews } from './turn-view.ts';

/** The port of a session that says with the end of a turn which of these webhooks are to be told of it. */
export function announcing(
  port: SessionPort,
  name: string,
  webhooks: readonly OutgoingWebhook[] = [],
): SessionPort {
  const agent = agentOfSession(name);
  const told = webhooks.filter(({ agents = [agent] }) => agents.includes(agent));
  if (told.length === 0) return port;
  return {
    ...port,
    append: (epoch, from, change) => {
      const stops = stopsOf(change);
      const wanted = told.filter(({ on }) => on.some((stop) => stops.includes(stop)));
      const announce = wanted.map((webhook) => webhook.name);
      return port.append(epoch, from, announce.length === 0 ? change : { ...change, announce });
    },
  };
}

/** How the turn has stopped, by the event that comes with its release; where that was stored before, it may be either. */
function stopsOf({ release, events }: Change): readonly TurnStop[] {
  if (release === 'suspended') return ['suspended'];
  if (release !== 'ended') return [];
  const last = events.at(-1);
  return last === undefined ? ['ended', 'failed'] : [endedAs(JSON.parse(last.body))];
}

const endedAs = ({ outcome }: { readonly outcome?: unknown }): TurnStop =>
  outcome === 'failed' ? 'failed' : 'ended';

/** The app, as it tells webhooks. */
export interface Announcer {
  readonly host: Pick<Host, 'outgoingWebhooks' | 'session' | 'clock' | 'log' | 'legacyTenants' | 'basePath'>;
  readonly env: Env;
}

/** Pauses between two tries, in ms, as the makers of Standard Webhooks have them: ten tries within 76 hours. */
const PAUSES = [5, 5 * 60, 30 * 60, 2 * 3600, 5 * 3600, 10 * 3600, 14 * 3600, 20 * 3600, 24 * 3600].map(
  (s) => s * 1000,
);

/** What a receiver wants to be left alone for is no more than this, in ms. */
const LONGEST_PAUSE = 24 * 3600_000;

/** What stopped so long ago is not tried again, in ms: it stood behind others that were not taken. */
const TOLD_WITHIN = 96 * 3600_000;

/** Tells a webhook that a turn has stopped, as a `TurnRunner` does. What goes wrong is told in one line of the log. */
export async function announce(app: Announcer, announcement: Announcement): Promise<Announced> {
  const { host } = app;
  const not = await tell(app, announcement).catch(toUndelivered);
  if (not === undefined) return 'done';
  const became = afterwards(host.clock.now(), announcement, not);
  const { name, webhook, turn } = announcement;
  const { agent, session } = addressOfSession(name);
  host.log({
    level: typeof became === 'object' ? 'warn' : 'error',
    event: 'webhook-not-delivered',
    message: `outgoing webhook '${webhook}' was not told of a turn, ${inWords(became)}: it ${not.why}`,
    ...{ agent, session, turn },
    ...(not.thrown !== undefined && { thrown: not.thrown }),
  });
  return became;
}

function afterwards(now: number, { attempt }: Announcement, not: NotTold): Announced {
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

/** Rejects with what reading the turn does, and with what the app's own functions throw. */
async function tell(app: Announcer, announcement: Announcement): Promise<NotTold | undefined> {
  const { host, env } = app;
  const { name, turn, seq, attempt } = announcement;
  const webhook = host.outgoingWebhooks.get(announcement.webhook);
  if (!webhook) return { why: 'is not among the outgoingWebhooks any more', isGone: true };
  if (attempt > PAUSES.length + 1) return { why: 'was tried ten times, and nobody came back from it', at: 0 };
  const events = (await readTurn(host.session(env, name), turn)).filter((event) => event.seq <= seq);
  const last = events.at(-1);
  // It was erased meanwhile.
  if (last === undefined) return undefined;
  const stop = last.type === 'turn-ended' ? endedAs(last) : 'suspended';
  if (!webhook.on.includes(stop)) return undefined;
  const body = bodyOf(app, { name, stop, events, at: last.at });
  const id = `msg_${(await sha256Hex(JSON.stringify([name, turn, seq]))).slice(0, 32)}`;
  const not = await webhook.send({ id, body, env, clock: host.clock });
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

function bodyOf(
  { host: { legacyTenants, basePath } }: Announcer,
  { name, stop, events, at }: Stopped,
): string {
  const { owner, agent, session } = addressOfSession(name);
  const path = sessionPath({ agent, session }, basePath);
  const view = stoppedTurn(session, agent, events);
  const { turn, outcome } = view;
  const brief = {
    // A name from before says the tenant where the owner's id stands.
    owner: legacyTenants ? { tenant: owner.tenant ?? owner.id } : owner,
    ...{ agent, session, turn, status: stop, outcome },
    ...(view.error && { error: view.error }),
    links: { turn: turnPath({ path }, turn) },
  };
  const pending = stop === 'suspended' && { pending: pendingViews({ path }, events) };
  const write = (data: object): string =>
    JSON.stringify({ type: `turn.${stop}`, timestamp: new Date(at).toISOString(), data });
  const body = write({ ...brief, ...view, ...pending });
  return body.length > LONGEST_BODY ? write({ ...brief, shortened: true }) : body;
}
