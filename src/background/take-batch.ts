import type { Env } from '../app/host.ts';
import type { Invoked } from '../app/invoked.ts';
import { NewerEventError } from '../journal/parse-event.ts';
import type { HandOver } from '../journal/session-port.ts';
import { parseSessionName } from '../session/session-name.ts';
import { resumeTurn } from './resume-turn.ts';

/** What is used of a batch of the queue. */
export interface Batch {
  readonly messages: readonly QueueMessage[];
}

type QueueMessage = Pick<Message<unknown>, 'id' | 'body' | 'ack' | 'retry'>;

/** Longer than a session that is being moved, or is overloaded, takes to be there again; in seconds. */
const RETRY_AFTER = 5;

/**
 * Goes on with the turns that the messages name, one after another: they share the limits of this invocation, and what it
 * has no room left for is left to the next one. Never rejects: each message is acknowledged, or is to come again. A
 * message is only a hint (DESIGN 5, rule 5); the alarm of its session comes anyway.
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
