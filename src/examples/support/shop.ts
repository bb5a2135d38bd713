import * as v from 'valibot';
import type { CallContext } from '../../index.ts';
import { type Shipment, shipments } from './books.ts';

/** What the shop can have done for it; also the path of the service that does it. */
export type Service = 'refunds' | 'emails' | 'delivery-notes' | 'warehouse';

const receiptSchema = v.object({ reference: v.string() });

/** What a service answers when it has done something. */
export type Receipt = v.InferOutput<typeof receiptSchema>;

/** The world outside the shop's books. */
export interface Shop {
  shipment(trackingCode: string, call: CallContext): Promise<Shipment | undefined>;
  /** Has something done, under the call's idempotency key. */
  act(service: Service, order: Readonly<Record<string, unknown>>, call: CallContext): Promise<Receipt>;
  /** What came of an earlier `act` of the same call. `not-done`: nothing, and nothing can come of it any more. */
  recall(service: Service, call: CallContext): Promise<Receipt | 'not-done' | 'unknown'>;
}

/** A shop on paper: it answers at once, and nothing real happens, neither now nor later. */
export const paperShop: Shop = {
  shipment: async (trackingCode) => shipments.get(trackingCode),
  act: async (service, _order, call) => ({ reference: `${service}-${call.idempotencyKey.slice(0, 8)}` }),
  recall: async () => 'not-done',
};

const shipmentSchema = v.object({
  trackingCode: v.string(),
  carrier: v.string(),
  location: v.string(),
  expectedDate: v.string(),
});

/** The gateway in front of a shop's services gives a request up after so many ms. */
const LONGEST_REQUEST = 60_000;

/**
 * A shop whose services answer at this address. `longestRequest`: for so many ms, 60,000 unless given, a service may still be
 * given what was sent to it.
 */
export function shopAt(url: string, { longestRequest = LONGEST_REQUEST } = {}): Shop {
  const at = (...path: string[]): string =>
    [url.replace(/\/$/, ''), ...path.map(encodeURIComponent)].join('/');
  return {
    async shipment(trackingCode, { signal }) {
      const response = await fetch(at('shipments', trackingCode), { signal });
      return response.status === 404 ? undefined : v.parse(shipmentSchema, await bodyOf(response));
    },
    async act(service, order, { id, idempotencyKey, signal }) {
      const response = await fetch(at(service), {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': idempotencyKey, 'call-id': id },
        body: JSON.stringify(order),
        signal,
      });
      return v.parse(receiptSchema, await bodyOf(response));
    },
    async recall(service, { idempotencyKey, signal, startedAt, now }) {
      // Before the service is asked: what arrives after its answer was not in it.
      const isYoung = now() - startedAt < longestRequest;
      const response = await fetch(at(service, idempotencyKey), { signal });
      if (response.status === 404) return isYoung ? 'unknown' : 'not-done';
      return response.ok ? v.parse(receiptSchema, await response.json()) : 'unknown';
    },
  };
}

/**
 * @throws TimeoutError for a 5xx: like a lost connection it is no answer, so that a `once` call is in doubt and is
 *   reconciled instead of being called a failure; Error when the service refused.
 */
async function bodyOf(response: Response): Promise<unknown> {
  if (response.ok) return response.json();
  if (response.status >= 500) throw new DOMException(`The shop answered ${response.status}.`, 'TimeoutError');
  throw new Error(`The shop refused this: ${response.status}.`);
}
