/** Short texts by which a protocol finds sessions of its callers again: each list is the journal of a session that no route leads to. */
import { parseEvent, toRow, toTurnStart } from '../journal/event-rows.ts';
import type { SessionPort } from '../journal/session-port.ts';
import { readerOf } from '../session/fold-session.ts';
import { toSessionName } from '../session/read-secrets.ts';
import { sha256Hex } from '../tool/async.ts';
import { ToolCallContext } from '../tool/tool-call-context.ts';
import type { Caller, HostedApp, Invoked } from './host.ts';
import { ownerOf } from './target.ts';

/** Where texts are kept, and for whom. */
interface TextsOf extends HostedApp {
  readonly host: Invoked;
  readonly caller: Caller;
  /** The name of the module whose routes keep them: what one keeps is not found by another. */
  readonly module: string;
}

/** How many are read: the newest. */
const MOST_READ = 20;

/** How often it is tried while somebody else keeps a text under the same key, which takes two messages to the object. */
const TRIES = 5;

/**
 * Keeps a text under a key, for all callers with the same owner. It is a turn that no model is asked in: its message is the text, and it
 * ends where it begins. Never rejects: of what cannot be kept, the log says so.
 */
export async function keepText(of: TextsOf, key: string, text: string): Promise<void> {
  const { host } = of;
  const message =
    'a surface could not keep what leads to a session, which its client has to name the next time';
  try {
    const port = await portOf(of, key);
    for (let tries = 0; tries < TRIES; tries++) if (await isKept(port, of, text)) return;
    host.log({ level: 'warn', event: 'other', message });
  } catch (thrown) {
    host.log({ level: 'warn', event: 'other', message, thrown });
  }
}

async function isKept(port: SessionPort, { host, caller }: TextsOf, text: string): Promise<boolean> {
  const said = { agent: NO_AGENT, message: text, context: ToolCallContext.EMPTY, from: caller };
  const start = toTurnStart(said, host.newId);
  // Nothing of what is there already is read.
  const reader = { ...readerOf(host.modules), maxBytes: 1 };
  const leased = await port.begin({ start, nonce: host.newId(), reader });
  if (leased.status !== 'leased') return false;
  const ended = toRow({ type: 'turn-ended', turn: start.turn, outcome: 'completed' });
  const { status } = await port.append(leased.epoch, leased.page.head + 1, {
    events: [ended],
    release: 'ended',
  });
  return status === 'appended';
}

/** The newest texts that were kept under a key, the last one first. */
export async function keptTexts(of: TextsOf, key: string): Promise<readonly string[]> {
  const port = await portOf(of, key);
  // A text is two events, behind the one that opens the session.
  const limit = 2 * MOST_READ;
  const first = await port.read({ from: 1, limit: limit + 1 });
  const page = first?.next ? await port.read({ from: first.head - limit + 1, limit }) : first;
  const events = (page?.rows ?? []).map(parseEvent);
  return events.flatMap((event) => (event.type === 'turn-started' ? [event.message] : [])).toReversed();
}

/** Every agent has a name, so that no route leads to a session of none. */
const NO_AGENT = '';

async function portOf({ host, env, caller, module }: TextsOf, key: string): Promise<SessionPort> {
  const session = `${module}:${await sha256Hex(key)}`;
  return host.session(env, toSessionName({ owner: ownerOf(caller), agent: NO_AGENT, session }));
}
