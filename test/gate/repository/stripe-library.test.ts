/** Stripe's own library, in Node: it takes ten seconds to load into workerd, where the other tests sign as it does. */
import Stripe from 'stripe';
import { describe, expect, it } from 'vitest';
import { stripeWebhook } from '../../../src/modules/webhooks/entry.ts';
import { arrive, NOT_SIGNED } from '../../fixtures/arrive.ts';
import { fromStripe, SECRET } from '../../fixtures/signed.ts';

const { webhooks } = new Stripe('sk_test_of_nobody');
const webhook = stripeWebhook({ agent: 'billing', secret: 'SECRET' });

const TIME = 1_700_000_000;
const body = JSON.stringify({
  id: 'evt_1',
  object: 'event',
  type: 'invoice.paid',
  data: { object: { id: 'in_1' } },
});

const headerFor = (secret: string, scheme = 'v1'): Promise<string> =>
  webhooks.generateTestHeaderStringAsync({ payload: body, secret, timestamp: TIME, scheme });

describe('stripe', () => {
  it('signs as the tests do', async () => {
    const { headers } = await fromStripe({ secret: SECRET, body, time: TIME });
    expect(headers['stripe-signature']).toBe(await headerFor(SECRET));
  });

  it('signs what is taken', async () => {
    const signed = { headers: { 'stripe-signature': await headerFor(SECRET) }, body };
    expect(await arrive(webhook, signed, { now: TIME * 1000 })).toMatchObject({
      type: 'start',
      key: 'evt_1',
    });
  });

  it('verifies what the tests sign', async () => {
    const { headers } = await fromStripe({ secret: SECRET, body });
    const event = await webhooks.constructEventAsync(body, headers['stripe-signature'] ?? '', SECRET);
    expect(event.id).toBe('evt_1');
  });

  it('signs under another secret what is refused', async () => {
    const signed = { headers: { 'stripe-signature': await headerFor('another secret') }, body };
    expect(await arrive(webhook, signed, { now: TIME * 1000 })).toEqual(NOT_SIGNED);
  });
});
