import type { Accepted, Deferred, NotStarted, TurnStart } from '../journal/session-port.ts';
import { toTurnStart } from '../session/start-turn.ts';
import type { WhenBusy } from '../tool/call.ts';
import type { JsonObject } from '../tool/json.ts';
import { ToolCallContext } from '../tool/tool-call-context.ts';
import type { HostedApp } from './host.ts';
import { type Target, targetOf } from './target.ts';

/**
 * How long what has started a turn is known when it comes again, in ms. Senders of webhooks try for three days, and people press
 * a button later; the platform may deliver a time of a schedule more than once.
 */
export const KNOWN_FOR = 7 * 24 * 60 * 60_000;

/** What starts a turn that no caller waits for. */
interface OutsideStart {
  /** What it is, such as `schedule:nightly`: the id of the turn's principal. */
  readonly by: string;
  /** Whose the session is. */
  readonly owner: string;
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
  readonly target: Target;
  readonly start: TurnStart;
}

/** Finds out before anything is taken what is wrong with it. @throws Error that says so. */
export function toBackgroundTurn(
  here: HostedApp,
  { by, owner, whenBusy, key, context, ...named }: OutsideStart,
): BackgroundTurn {
  if (isBlank(owner)) throw new Error('Its owner is blank.');
  if (isBlank(named.message)) throw new Error('Its message is blank.');
  const from = { id: by, tenant: owner };
  const target = targetOf(here, from, named);
  checkModel(here, target);
  // The bytes that came may differ the next time; what the key names does not.
  const request = { key, bodyHash: key, ttl: KNOWN_FOR };
  const { agent, message } = named;
  const start = toTurnStart(
    { agent, message, context: ToolCallContext.of(context), from, request },
    here.host.newId,
  );
  return { target, start: { ...start, whenBusy } };
}

/** A turn without a model could only fail: whoever starts it is told at once, and may start it again when that is mended. */
const checkModel = ({ host, env }: HostedApp, { agent }: Target): unknown => agent.model ?? host.model(env);

/** What became of it: `full` changes nothing. */
type Background = Accepted | Deferred | Extract<NotStarted, { status: 'known' | 'full' }>;

/**
 * Stores the turn in one durable write; it runs in the background. What would steer a turn that waits for somebody outside waits
 * in line: nobody is there to be told what to answer first.
 */
export async function startInBackground({ target, start }: BackgroundTurn): Promise<Background> {
  const first = await target.port.accept(start);
  const taken = first.status === 'suspended' ? await target.port.accept(queued(start)) : first;
  switch (taken.status) {
    case 'busy':
    case 'suspended':
    case 'key-reused':
      // No port answers so to what may queue, under a key that names it alone.
      throw new Error(`The session took no message: it is ${taken.status}.`);
    default:
      return taken;
  }
}

const queued = (start: TurnStart): TurnStart => ({ ...start, whenBusy: 'queue' });

/** Functions of the app made it, so that it may be anything. */
const isBlank = (text: unknown): boolean => typeof text !== 'string' || text.trim() === '';
