import { createErrorEntry } from '../tool/log.ts';
/** Consumes turns that alarms have handed over through the queue `TURNS`. */

import type { HandOver } from '../journal/agenda.ts';
import { NewerEventError } from '../journal/event-rows.ts';
import { ConfigurationError } from '../model/configuration-error.ts';
import { getSessionAgent } from '../session/read-secrets.ts';
import { UnreadableError } from '../session/read-session.ts';
import { attempt } from '../tool/async.ts';
import { describeValue } from '../tool/shown.ts';
import type { Holdfast } from './app.ts';
import { resumeTurn } from './background.ts';
import { APPS } from './code-host.ts';
import type { Env, InvokedHost } from './host.ts';
import { toInvokedHost } from './target.ts';

/** The consumer of the queue `TURNS`, as the platform calls it. */
type TurnConsumer = (
  batch: { readonly messages: readonly QueueMessage[] },
  env: object,
  execution: Parameters<typeof toInvokedHost>[2],
) => Promise<void>;

/**
 * Creates the consumer of the queue `TURNS`, for a Worker that runs its turns from a queue. It resumes the
 * turns in the messages one after another. They share the limits of an invocation, and messages beyond these
 * are retried. It acknowledges or retries each message, and never rejects. A lost message does no harm, since
 * the alarm of its session also resumes the turn.
 *
 * @throws ConfigurationError if the argument is not the return value of `createHoldfast`.
 *
 * @example
 * ```ts
 * const holdfast = createHoldfast({ agents: [clerk()] });
 * // The default export of the Worker.
 * const worker = { ...holdfast.worker, queue: consumeTurns(holdfast) };
 * ```
 */
export function consumeTurns<AppEnv extends object = Env>(holdfast: Holdfast<AppEnv>): TurnConsumer {
  const app = APPS.get(holdfast);
  if (!app)
    throw new ConfigurationError(
      `consumeTurns: ${describeValue(holdfast)} is not an app. Pass the result of createHoldfast.`,
    );
  return async ({ messages }, bindings, execution) => {
    const env = bindings as Env; // an interface of bindings has no index signature
    const host = toInvokedHost(app.host, env, execution);
    for (const [index, message] of messages.entries()) {
      if (index > 0 && host.meter.nearLimit()) message.retry();
      else await handleMessage(host, env, message);
    }
  };
}

interface QueueMessage {
  readonly id: string;
  readonly body: unknown;
  ack(): void;
  retry(options?: { readonly delaySeconds?: number }): void;
}

/** The delay of a retry in seconds, longer than a moved or overloaded session needs to become available. */
const RETRY_DELAY_SECONDS = 5;

async function handleMessage(host: InvokedHost, env: Env, message: QueueMessage): Promise<void> {
  const handOver = parseHandOver(message.body);
  if (!handOver) {
    // The message is not from an alarm. Its content is not logged, and it ends in the dead-letter queue.
    const told = `message ${message.id} of the queue has no turn, and is refused`;
    host.log(createErrorEntry(told));
    message.retry();
    return;
  }
  try {
    await resumeTurn(host, env, handOver);
    message.ack();
  } catch (failure) {
    // The session was released for a newer deployment, or as unreadable. Its alarm resumes it.
    if (failure instanceof NewerEventError || failure instanceof UnreadableError) return message.ack();
    const told = `turn ${handOver.turn} was not resumed`;
    host.log(createErrorEntry(told, failure));
    message.retry({ delaySeconds: RETRY_DELAY_SECONDS });
  }
}

/** Parses a message from an alarm, or returns `undefined`. */
function parseHandOver(body: unknown): HandOver | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const { name, turn } = body as Partial<Record<keyof HandOver, unknown>>; // each property is checked below
  if (typeof name !== 'string' || typeof turn !== 'string') return undefined;
  return attempt(() => getSessionAgent(name)).ok ? { name, turn } : undefined;
}
