import * as v from 'valibot';
import type { CallContext } from '../../index.ts';
import { type Shipment, shipments } from './books.ts';

/** The shop's external services. Each name is also its path. */
export type Service = 'refunds' | 'emails' | 'delivery-notes' | 'warehouse';

const receiptSchema = v.object({ reference: v.string() });

/** The response of a service to a completed action. */
export type Receipt = v.InferOutput<typeof receiptSchema>;

/** The effects of the shop on external services. */
export interface Shop {
  shipment(trackingCode: string, call: CallContext): Promise<Shipment | undefined>;
  /** Requests an action with the call's idempotency key. */
  act(service: Service, order: Readonly<Record<string, unknown>>, call: CallContext): Promise<Receipt>;
  /**
   * Returns the outcome of an earlier `act` of the same call. `not-done` means that it did not happen and can
   * no longer happen.
   */
  recall(service: Service, call: CallContext): Promise<Receipt | 'not-done' | 'unknown'>;
}

/** A fake shop, which responds at once and has no real effect. */
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

/** Milliseconds after which the gateway of a shop's services aborts a request. */
const LONGEST_REQUEST = 60_000;

/**
 * Returns a shop whose services have this address. A request can still arrive for `longestRequest`
 * milliseconds, 60,000 by default.
 */
export function createShop(url: string, { longestRequest = LONGEST_REQUEST } = {}): Shop {
  const toUrl = (...path: string[]): string =>
    [url.replace(/\/$/, ''), ...path.map(encodeURIComponent)].join('/');
  return {
    async shipment(trackingCode, { signal }) {
      const response = await fetch(toUrl('shipments', trackingCode), { signal });
      return response.status === 404 ? undefined : v.parse(shipmentSchema, await readBody(response));
    },
    async act(service, order, { id, idempotencyKey, signal }) {
      const response = await fetch(toUrl(service), {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': idempotencyKey, 'call-id': id },
        body: JSON.stringify(order),
        signal,
      });
      return v.parse(receiptSchema, await readBody(response));
    },
    async recall(service, { idempotencyKey, signal, startedAt, now }) {
      // Checked before the request, since the response does not contain a call that arrives later.
      const isYoung = now() - startedAt < longestRequest;
      const response = await fetch(toUrl(service, idempotencyKey), { signal });
      if (response.status === 404) return isYoung ? 'unknown' : 'not-done';
      return response.ok ? v.parse(receiptSchema, await response.json()) : 'unknown';
    },
  };
}

/**
 * Returns the parsed body of a response.
 *
 * @throws TimeoutError for a 5xx status. The outcome of a `once` call is then unknown, as after a lost
 * connection, so the call is reconciled instead of reported as failed.
 * @throws Error if the service refused the request.
 */
async function readBody(response: Response): Promise<unknown> {
  if (response.ok) return response.json();
  if (response.status >= 500) throw new DOMException(`The shop returned ${response.status}.`, 'TimeoutError');
  throw new Error(`The shop refused the request with ${response.status}.`);
}
