/**
 * Tests with Stripe's own library, in Node because it takes ten seconds to load into workerd. The other tests
 * imitate its signatures.
 */
import Stripe from 'stripe';
import { describe, expect, it } from 'vitest';
import { stripeWebhook } from '../../../src/modules/webhooks/entry.ts';
import { INVALID_SIGNATURE, receive } from '../../fixtures/arrive.ts';
import { SECRET, signAsStripe } from '../../fixtures/signed.ts';

const { webhooks } = new Stripe('sk_test_of_nobody');
const webhook = stripeWebhook({ agent: 'billing', secret: 'SECRET' });

const TIME = 1_700_000_000;
const body = JSON.stringify({
  id: 'evt_1',
  object: 'event',
  type: 'invoice.paid',
  data: { object: { id: 'in_1' } },
});

const createHeader = (secret: string, scheme = 'v1'): Promise<string> =>
  webhooks.generateTestHeaderStringAsync({ payload: body, secret, timestamp: TIME, scheme });

describe('the Stripe library', () => {
  it('creates the same signatures as the test fixtures', async () => {
    const { headers } = await signAsStripe({ secret: SECRET, body, time: TIME });
    expect(headers['stripe-signature']).toBe(await createHeader(SECRET));
  });

  it('signs deliveries that the webhook accepts', async () => {
    const signed = { headers: { 'stripe-signature': await createHeader(SECRET) }, body };
    expect(await receive(webhook, signed, { now: TIME * 1000 })).toMatchObject({
      type: 'start',
      key: 'evt_1',
    });
  });

  it('accepts the signatures of the fixtures', async () => {
    const { headers } = await signAsStripe({ secret: SECRET, body });
    const event = await webhooks.constructEventAsync(body, headers['stripe-signature'] ?? '', SECRET);
    expect(event.id).toBe('evt_1');
  });

  it('signs with another secret, and the webhook refuses the signature', async () => {
    const signed = { headers: { 'stripe-signature': await createHeader('another secret') }, body };
    expect(await receive(webhook, signed, { now: TIME * 1000 })).toEqual(INVALID_SIGNATURE);
  });
});
