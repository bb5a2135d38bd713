import type { Arrival, Received, Webhook } from '../../src/webhooks/entry.ts';
import { WebhookRefusal } from '../../src/webhooks/entry.ts';
import { SECRET, type Signed, STANDARD_SECRET } from './signed.ts';

/** The vars of a Worker. */
export const ENV = { SECRET, STANDARD_SECRET, OLD: 'the secret before it', EMPTY: ' \n' };

/** A signed delivery as it reaches a Worker, at this time unless another is given. */
export function arrival({ headers, body }: Signed, more: Partial<Arrival> = {}): Arrival {
  const bytes = new Uint8Array(new TextEncoder().encode(body));
  return { headers: new Headers(headers), body: bytes, env: ENV, now: Date.now(), ...more };
}

/** What comes of it: `received`, or why it was refused. */
export type Arrived = Received | { readonly type: 'refused'; readonly kind: string; readonly why: string };

/** Delivers, and answers a refusal as a value. */
export async function arrive(
  webhook: Webhook,
  signed: Signed,
  more: Partial<Arrival> = {},
): Promise<Arrived> {
  try {
    return await webhook.receive(arrival(signed, more));
  } catch (failure) {
    if (!(failure instanceof WebhookRefusal)) throw failure;
    return { type: 'refused', kind: failure.kind, why: failure.message };
  }
}

export const invalid = (why: string): Arrived => ({ type: 'refused', kind: 'invalid-signature', why });

/** The refusal of a signature that does not hold. */
export const NOT_SIGNED = invalid(
  'The signature is not that of this body under the secret of this Worker: the two sides have different secrets, or the ' +
    'body was changed on its way.',
);
