import type { DueOutcome, DueRow, HandOver } from '../journal/agenda.ts';
import type { DeferredTurn } from '../journal/event-page.ts';
import { toTurnStart } from '../journal/event-rows.ts';
import type { AcceptedTurn, StartRefusal, TurnStart } from '../journal/session-port.ts';
import { toReader } from '../session/fold-session.ts';
import { storeMessage } from '../session/new-message.ts';
import { parseSessionName } from '../session/read-secrets.ts';
import { runTurn } from '../session/run-turn.ts';
import type { WhenBusy } from '../tool/call.ts';
import type { Owner } from '../tool/call-origin.ts';
import type { JsonObject } from '../tool/json.ts';
import { defineSeam } from '../tool/module-use.ts';
import { findOwnerProblem } from '../tool/owner.ts';
import { ToolCallContext } from '../tool/tool-call-context.ts';
import type { Env, Host, HostedApp, InvokedHost } from './host.ts';
import { createTarget, createTurnServices, getAgentModel, type Target } from './target.ts';

/**
 * The time in milliseconds during which a repeated start finds its turn. Senders of webhooks retry for three
 * days, people press a button again later, and the platform may deliver a scheduled time more than once.
 */
export const START_KEY_TTL_MS = 7 * 24 * 60 * 60_000;

/** The start of a turn without a waiting caller. */
interface BackgroundStart {
  /** The source, such as `schedule:nightly`. Becomes the id of the turn's principal. */
  readonly by: string;
  /** The owner of the session. Comes from the app's code, so it is not checked yet. */
  readonly owner: Owner;
  readonly agent: string;
  readonly session: string;
  readonly message: string;
  readonly context: JsonObject;
  /** Identifies this start: repeats within `START_KEY_TTL_MS` start one turn in its session. */
  readonly key: string;
  readonly whenBusy: WhenBusy;
}

/** A turn, and the session that it is for. */
export interface BackgroundTurn {
  readonly owner: Owner;
  readonly target: Target;
  readonly start: TurnStart;
}

/** Validates a start before anything is stored. Rejects with an Error that describes the problem. */
export async function toBackgroundTurn(
  here: HostedApp,
  { by, owner, whenBusy, key, context, ...named }: BackgroundStart,
): Promise<BackgroundTurn> {
  const problem = findOwnerProblem(owner);
  if (problem !== undefined) throw new Error(`The owner of the turn ${problem}.`);
  if (isBlank(named.message)) throw new Error('The message of the turn is blank.');
  const from = { id: by, tenant: owner.tenant };
  const target = createTarget(here, from, { ...named, owner });
  checkModel(here, target);
  // The bytes of a repeat may differ, so the key alone identifies it.
  const request = { key, bodyHash: key, ttl: START_KEY_TTL_MS };
  const { agent, message } = named;
  const start = toTurnStart(
    { agent, message, context: ToolCallContext.of(context), from, request, base: here.base },
    here.host.newId,
  );
  return { owner, target, start: { ...start, whenBusy } };
}

/**
 * Checks that there is a model. Otherwise, the turn could only fail. Failing now lets the caller retry after
 * the problem is fixed.
 */
const checkModel = (here: HostedApp, { agent }: Target): unknown => getAgentModel(here, agent);

/** The outcome of a start. `full` and `session-full`: the message was not stored. */
type BackgroundOutcome =
  | AcceptedTurn
  | DeferredTurn
  | Extract<StartRefusal, { status: 'known' | 'full' | 'session-full' }>;

/**
 * Stores the turn in one durable write. It runs in the background. If it would steer a turn that waits for a
 * person, it is queued instead, since there is no client to answer first.
 */
export async function startInBackground({ target, start }: BackgroundTurn): Promise<BackgroundOutcome> {
  const { port, caller: from, agent } = target;
  const { steering } = agent.policies;
  const first = await storeMessage({ port, steering, from, start, take: (one) => port.accept(one) });
  const taken = first.status === 'suspended' ? await port.accept(toQueued(start)) : first;
  switch (taken.status) {
    case 'busy':
    case 'suspended':
    case 'key-reused':
    case 'blobs-full':
    case 'blobs-moved':
      // A port does not return these for a message that can be queued, has its own key, and contains no
      // files.
      throw new Error(`The session did not accept the message (${taken.status}).`);
    default:
      return taken;
  }
}

const toQueued = (start: TurnStart): TurnStart => ({ ...start, whenBusy: 'queue' });

/** Returns whether a text is blank. It comes from functions of the app, so it can be of any type. */
const isBlank = (text: unknown): boolean => typeof text !== 'string' || text.trim() === '';

/**
 * Resumes a turn without a lease holder, as far as this invocation can. Has no effect if the turn has ended,
 * waits or is leased, so it is safe to call any number of times. Missing parts of the deployment are detected
 * under the turn's lease, so that the turn still has an outcome.
 *
 * @throws Error if the name is not a session's, NewerEventError if the session needs a newer deployment,
 * UnreadableError if
 *   it was released as unreadable, and SessionUnavailableError if it is unreachable.
 */
export async function resumeTurn(host: InvokedHost, env: Env, { name, turn }: HandOver): Promise<void> {
  const address = parseSessionName(name);
  const port = host.session(env, name);
  const sentAt = host.clock.now();
  const leased = await port.resume({ nonce: host.newId(), turn, reader: toReader(host.modules) });
  if (leased.status !== 'leased') return;
  await runTurn(createTurnServices({ host, env }, { port, ...address }), leased, sentAt);
}

/** The part of the app that a module receives with a due row. */
export interface DueApp extends Pick<HostedApp, 'env'> {
  readonly host: Pick<Host, 'session' | 'clock' | 'log' | 'basePath' | 'answers'> & {
    readonly modules: Pick<Host['modules'], 'uses'>;
  };
}

/**
 * Does the work of an agenda row of the same use, at least once: a row whose outcome was lost is passed
 * again. The work can continue for 30 seconds after the calling object is gone. If it rejects, the row is
 * passed again after a minute, then at intervals that double up to an hour.
 */
export type DueHandler = (row: DueRow, app: DueApp) => Promise<Exclude<DueOutcome, 'unknown'>>;

/** The seam `due`. */
export const DUE = defineSeam<DueHandler>();

/**
 * Passes a row to the use that wrote it. If the app lacks that use, the row stays, so that another version of
 * the app can do the work. Rejects with errors of the module.
 */
export async function runDueRow(app: DueApp, row: DueRow): Promise<DueOutcome> {
  const { modules, log } = app.host;
  const use = modules.uses.find(({ module, key }) => module.name === row.module && key === row.key);
  const work = use && DUE.of(use);
  if (work) return work(row, app);
  log({
    level: 'warn',
    event: 'module-missing',
    message: `work of module '${row.module}' (key '${row.key}') is not done: this deployment does not use it`,
    ...parseSessionName(row.name),
  });
  return 'unknown';
}
