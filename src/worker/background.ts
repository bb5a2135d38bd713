import type { DueOutcome, DueRow, HandOver } from '../journal/agenda.ts';
import type { Deferred } from '../journal/event-page.ts';
import { toTurnStart } from '../journal/event-rows.ts';
import type { Accepted, NotStarted, TurnStart } from '../journal/session-port.ts';
import { readerOf } from '../session/fold-session.ts';
import { storeMessage } from '../session/new-message.ts';
import { addressOfSession } from '../session/read-secrets.ts';
import { runTurn } from '../session/run-turn.ts';
import type { WhenBusy } from '../tool/call.ts';
import type { Owner } from '../tool/call-origin.ts';
import type { JsonObject } from '../tool/json.ts';
import { defineSeam } from '../tool/module-use.ts';
import { ownerProblem } from '../tool/owner.ts';
import { ToolCallContext } from '../tool/tool-call-context.ts';
import type { Env, Host, HostedApp, Invoked } from './host.ts';
import { modelOfAgent, type Target, targetOf, turnServices } from './target.ts';

/**
 * How long what has started a turn is known when it comes again, in ms. Senders of webhooks try for three days, and people press
 * a button later; the platform may deliver a time of a schedule more than once.
 */
export const KNOWN_FOR = 7 * 24 * 60 * 60_000;

/** What starts a turn that no caller waits for. */
interface OutsideStart {
  /** What it is, such as `schedule:nightly`: the id of the turn's principal. */
  readonly by: string;
  /** Whose the session is. Code of the app may have made it, so that it may be anything. */
  readonly owner: Owner;
  readonly agent: string;
  readonly session: string;
  readonly message: string;
  readonly context: JsonObject;
  /** Names it alone: however often it comes within `KNOWN_FOR`, it starts one turn in its session. */
  readonly key: string;
  readonly whenBusy: WhenBusy;
}

/** A turn, and the session that it is for. */
export interface BackgroundTurn {
  /** Of the session. */
  readonly owner: Owner;
  readonly target: Target;
  readonly start: TurnStart;
}

/** Finds out before anything is taken what is wrong with it. Rejects with an Error that says so. */
export async function toBackgroundTurn(
  here: HostedApp,
  { by, owner, whenBusy, key, context, ...named }: OutsideStart,
): Promise<BackgroundTurn> {
  const problem = ownerProblem(owner);
  if (problem !== undefined) throw new Error(`Its owner ${problem}.`);
  if (isBlank(named.message)) throw new Error('Its message is blank.');
  const from = { id: by, tenant: owner.tenant };
  const target = targetOf(here, from, { ...named, owner });
  checkModel(here, target);
  // The bytes that came may differ the next time; what the key names does not.
  const request = { key, bodyHash: key, ttl: KNOWN_FOR };
  const { agent, message } = named;
  const start = toTurnStart(
    { agent, message, context: ToolCallContext.of(context), from, request, base: here.base },
    here.host.newId,
  );
  return { owner, target, start: { ...start, whenBusy } };
}

/** A turn without a model could only fail: whoever starts it is told at once, and may start it again when that is mended. */
const checkModel = (here: HostedApp, { agent }: Target): unknown => modelOfAgent(here, agent);

/** What became of it: `full` and `session-full` change nothing. */
type Background = Accepted | Deferred | Extract<NotStarted, { status: 'known' | 'full' | 'session-full' }>;

/**
 * Stores the turn in one durable write; it runs in the background. What would steer a turn that waits for somebody outside waits
 * in line: nobody is there to be told what to answer first.
 */
export async function startInBackground({ target, start }: BackgroundTurn): Promise<Background> {
  const { port, caller: from, agent } = target;
  const { steering } = agent.policies;
  const first = await storeMessage({ port, steering, from, start, take: (one) => port.accept(one) });
  const taken = first.status === 'suspended' ? await port.accept(queued(start)) : first;
  switch (taken.status) {
    case 'busy':
    case 'suspended':
    case 'key-reused':
    case 'blobs-full':
    case 'blobs-moved':
      // No port answers so to what may queue, under a key that names it alone, and holds no files.
      throw new Error(`The session took no message: it is ${taken.status}.`);
    default:
      return taken;
  }
}

const queued = (start: TurnStart): TurnStart => ({ ...start, whenBusy: 'queue' });

/** Functions of the app made it, so that it may be anything. */
const isBlank = (text: unknown): boolean => typeof text !== 'string' || text.trim() === '';

/**
 * Goes on with a turn that nobody holds, as far as this invocation may; a turn that is over, waits or is held by somebody
 * is left alone, so it may be asked for any number of times. What the deployment lacks for a turn is found out under its
 * lease, so that even then the turn has an outcome.
 *
 * @throws Error when the name names no session, NewerEventError when the session is for a newer deployment, UnreadableError when
 *   it was given back since it cannot be read, and SessionUnavailableError when it cannot be reached.
 */
export async function resumeTurn(host: Invoked, env: Env, { name, turn }: HandOver): Promise<void> {
  const address = addressOfSession(name);
  const port = host.session(env, name);
  const sentAt = host.clock.now();
  const leased = await port.resume({ nonce: host.newId(), turn, reader: readerOf(host.modules) });
  if (leased.status !== 'leased') return;
  await runTurn(turnServices({ host, env }, { port, ...address }), leased, sentAt);
}

/** What a module receives of the app with a row that is due. */
export interface DueApp extends Pick<HostedApp, 'env'> {
  readonly host: Pick<Host, 'session' | 'clock' | 'log' | 'basePath' | 'answers'> & {
    readonly modules: Pick<Host['modules'], 'uses'>;
  };
}

/**
 * Does the work of one row that the same use has put on the agenda of a session, at least once: a row whose outcome was lost comes
 * again. It has 30 seconds after the object that asks has gone. If it rejects, the row is offered again after a minute, then after
 * pauses that double up to an hour.
 */
export type DoWork = (row: DueRow, app: DueApp) => Promise<Exclude<DueOutcome, 'unknown'>>;

/** The seam `due`. */
export const DUE = defineSeam<DoWork>();

/**
 * Gives a row to the use that has written it. Without that use the row stays, and another version of the app may do the work.
 * Rejects with what the module throws.
 */
export async function doDue(app: DueApp, row: DueRow): Promise<DueOutcome> {
  const { modules, log } = app.host;
  const use = modules.uses.find(({ module, key }) => module.name === row.module && key === row.key);
  const work = use && DUE.of(use);
  if (work) return work(row, app);
  log({
    level: 'warn',
    event: 'module-missing',
    message: `work of module '${row.module}' (key '${row.key}') is not done: this deployment does not use it`,
    ...addressOfSession(row.name),
  });
  return 'unknown';
}
