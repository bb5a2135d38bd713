/** The usage of a turn, from the journal of its session. */
import { parseKnownEvent } from '../../journal/event-rows.ts';
import type { EventType, StoredEvent } from '../../journal/events.ts';
import type { SessionPort } from '../../journal/session-port.ts';
import { sumTokens } from '../../journal/spending.ts';
import { roundUsd, type Usage } from '../../model/prices.ts';
import { MAX_PAGE_BYTES, readPages } from '../../session/fold-session.ts';
import { isJsonObject } from '../../tool/json.ts';
import { SPENDING_MEMORY } from '../limits/spending.ts';
import type { TurnUsage } from './account.ts';

const USAGE_EVENT_TYPES: readonly EventType[] = [
  'turn-started',
  'turn-steered',
  'model-replied',
  'module-event',
  'conversation-cut',
  'turn-ended',
];

/** Returns the usage of a turn, or `null` if the session does not exist. @throws the errors of the port. */
export async function readTurnUsage(
  port: Pick<SessionPort, 'read'>,
  turn: string,
): Promise<TurnUsage | null> {
  const query = { turn, types: { names: USAGE_EVENT_TYPES, until: Number.MAX_SAFE_INTEGER } };
  const first = await port.read({ ...query, from: 1, maxBytes: MAX_PAGE_BYTES });
  if (!first) return null;
  const count = new UsageCounter();
  for await (const { rows } of readPages(port, first, query))
    for (const event of rows.flatMap(parseKnownEvent)) count.add(event);
  const waits = first.waits !== undefined || first.waiting.some((one) => one.turn === turn);
  return count.used(first.into !== undefined ? 'steered' : waits ? 'open' : 'unknown');
}

class UsageCounter {
  #state: TurnUsage['state'] | undefined;
  #startedAt = 0;
  #tokens = 0;
  #cost = 0;
  #replies = 0;
  readonly #steeredBy: string[] = [];
  /** The amount reserved for the last model call of each loop. */
  readonly #reserved = new Map<string, Usage & { readonly cost?: number | undefined }>();

  add(event: StoredEvent): void {
    switch (event.type) {
      case 'turn-started':
        this.#state = 'open';
        this.#startedAt = event.at;
        break;
      case 'turn-steered':
        this.#steeredBy.push(event.as);
        break;
      case 'model-replied':
        if (!event.planned) this.#reply(event);
        break;
      case 'module-event':
        this.#hold(event);
        this.#use(event.usage);
        break;
      case 'conversation-cut':
        this.#use(event.usage);
        break;
      case 'turn-ended':
        this.#state = 'ended';
        break;
    }
  }

  /** Counts the amount reserved for the call if the provider reports no usage. */
  #reply({ usage, frame = '' }: Extract<StoredEvent, { type: 'model-replied' }>): void {
    this.#replies += 1;
    this.#use(usage && usage.inputTokens > 0 ? usage : this.#reserved.get(frame));
    this.#reserved.delete(frame);
  }

  #hold({ facts, frame = '' }: Extract<StoredEvent, { type: 'module-event' }>): void {
    for (const { slice, fact } of facts) {
      if (slice !== SPENDING_MEMORY.name || !isJsonObject(fact) || !isJsonObject(fact.reserved)) continue;
      const { inputTokens, outputTokens, cost } = fact.reserved;
      this.#reserved.set(frame, {
        inputTokens: Number(inputTokens),
        outputTokens: Number(outputTokens),
        ...(cost !== undefined && { cost: Number(cost) }),
      });
    }
  }

  #use(usage: (Usage & { readonly cost?: number | undefined }) | undefined): void {
    if (!usage) return;
    this.#tokens += sumTokens(usage);
    this.#cost = roundUsd(this.#cost + (usage.cost ?? 0));
  }

  /** Returns the usage. `otherwise` is the state of a turn without events. */
  used(otherwise: TurnUsage['state']): TurnUsage {
    return {
      state: this.#state ?? otherwise,
      startedAt: this.#startedAt,
      tokens: this.#tokens,
      cost: this.#cost,
      replies: this.#replies,
      steeredBy: this.#steeredBy,
    };
  }
}
