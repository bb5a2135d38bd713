import { NewerEventError } from '../journal/parse-event.ts';
import type { HandOver } from '../journal/session-port.ts';
import { readerOf } from '../session/fold-session.ts';
import { parseSessionName } from '../session/read-secrets.ts';
import { runTurn } from '../session/run-turn.ts';
import type { Env, Invoked } from './host.ts';
import { turnServices } from './target.ts';

/**
 * Goes on with a turn that nobody holds, as far as this invocation may; a turn that is over, waits or is held by somebody
 * is left alone, so it may be asked for any number of times. What the deployment lacks for a turn is found out under its
 * lease, so that even then the turn has an outcome.
 *
 * @throws Error when the name names no session, NewerEventError when the session is for a newer deployment, and
 *   SessionUnavailableError when it cannot be reached.
 */
export async function resumeTurn(host: Invoked, env: Env, { name, turn }: HandOver): Promise<void> {
  const { agent } = parseSessionName(name);
  const port = host.session(env, name);
  const sentAt = host.clock.now();
  const leased = await port.resume({ nonce: host.newId(), turn, reader: readerOf(host.kinds) });
  if (leased.status !== 'leased') return;
  await runTurn(turnServices({ host, env }, { port, agent }), leased, sentAt);
}

/** What is used of a batch of the queue. */
interface Batch {
  readonly messages: readonly QueueMessage[];
}

type QueueMessage = Pick<Message<unknown>, 'id' | 'body' | 'ack' | 'retry'>;

/** Longer than a session that is being moved, or is overloaded, takes to be there again; in seconds. */
const RETRY_AFTER = 5;

/**
 * Goes on with the turns that the messages name, one after another: they share the limits of this invocation, and what it
 * has no room left for is left to the next one. Never rejects: each message is acknowledged, or is to come again. A
 * message is only a hint; the alarm of its session comes anyway.
 */
export async function takeBatch(host: Invoked, env: Env, { messages }: Batch): Promise<void> {
  for (const [index, message] of messages.entries()) {
    if (index > 0 && host.meter.short) message.retry();
    else await takeMessage(host, env, message);
  }
}

async function takeMessage(host: Invoked, env: Env, message: QueueMessage): Promise<void> {
  const handOver = parseHandOver(message.body);
  if (!handOver) {
    // Whoever sent it, it is not from here: nothing of it is told, and it ends in the dead-letter queue.
    console.error(`holdfast: message ${message.id} of the queue names no turn, and is refused`);
    message.retry();
    return;
  }
  try {
    await resumeTurn(host, env, handOver);
    message.ack();
  } catch (failure) {
    // The session has been given back for a newer deployment, and comes by itself.
    if (failure instanceof NewerEventError) return message.ack();
    console.error(`holdfast: turn ${handOver.turn} was not gone on with`, failure);
    message.retry({ delaySeconds: RETRY_AFTER });
  }
}

/** What an alarm has sent; `undefined` when it is anything else. */
function parseHandOver(body: unknown): HandOver | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const { name, turn } = body as Partial<Record<keyof HandOver, unknown>>; // what is there is looked at
  if (typeof name !== 'string' || typeof turn !== 'string') return undefined;
  try {
    parseSessionName(name);
    return { name, turn };
  } catch {
    return undefined;
  }
}
