import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  githubWebhook,
  slackWebhook,
  standardWebhook,
  stripeWebhook,
} from '../../../../src/modules/webhooks/entry.ts';
import { createRawDelivery } from '../../../fixtures/arrive.ts';
import {
  SECRET,
  type SignedRequest,
  STANDARD_SECRET,
  signAsGithub,
  signAsSlack,
  signAsStandard,
  signAsStripe,
} from '../../../fixtures/signed.ts';

const SEED = 20261122;
const TIME = 1_700_000_000;
const body = JSON.stringify({
  id: 'evt_1',
  event_id: 'Ev1',
  type: 'x',
  action: 'opened',
  issue: { number: 7 },
});
const agent = 'a';

/** Each sender, with the headers that it signs in addition to the body. */
const SENDERS = [
  {
    name: 'GitHub',
    webhook: githubWebhook({ agent, secret: 'SECRET' }),
    signed: signAsGithub('issues', { secret: SECRET, body }),
    headers: ['x-hub-signature-256'],
  },
  {
    name: 'Stripe',
    webhook: stripeWebhook({ agent, secret: 'SECRET' }),
    signed: signAsStripe({ secret: SECRET, body, time: TIME }),
    headers: ['stripe-signature'],
  },
  {
    name: 'Slack',
    webhook: slackWebhook({ agent, secret: 'SECRET' }),
    signed: signAsSlack({ secret: SECRET, body, time: TIME }),
    headers: ['x-slack-signature', 'x-slack-request-timestamp'],
  },
  {
    name: 'Standard Webhooks',
    webhook: standardWebhook({ agent, secret: 'STANDARD_SECRET' }),
    signed: Promise.resolve(signAsStandard('msg_1', { secret: STANDARD_SECRET, body, time: TIME })),
    headers: ['webhook-id', 'webhook-timestamp', 'webhook-signature'],
  },
];

/** A small edit of a text, which replaces some characters at a position with others. */
interface Edit {
  readonly at: number;
  readonly remove: number;
  readonly insert: string;
}

const visible = fc.string({ maxLength: 3 }).map((text) => text.replace(/[^\x21-\x7e]/g, '0'));
const edit: fc.Arbitrary<Edit> = fc.record({ at: fc.nat(), remove: fc.nat(3), insert: visible });

function applyEdit(text: string, { at, remove, insert }: Edit): string {
  const from = at % (text.length + 1);
  return text.slice(0, from) + insert + text.slice(from + remove);
}

interface Mutation {
  /** The index of the signed part that is changed. */
  readonly part: number;
  readonly edits: readonly Edit[];
}

const mutation: fc.Arbitrary<Mutation> = fc.record({
  part: fc.nat(),
  edits: fc.array(edit, { minLength: 1, maxLength: 3 }),
});

/** Returns the changed delivery, or `undefined` if the edits cancel each other out. */
function applyMutation(
  signed: SignedRequest,
  headers: readonly string[],
  { part, edits }: Mutation,
): SignedRequest | undefined {
  const name = [...headers, undefined][part % (headers.length + 1)];
  const before = name === undefined ? signed.body : (signed.headers[name] ?? '');
  const after = edits.reduce(applyEdit, before);
  if (after.trim() === before) return undefined; // White space around a header is ignored.
  return name === undefined
    ? { ...signed, body: after }
    : { ...signed, headers: { ...signed.headers, [name]: after } };
}

describe.each(SENDERS)('a delivery of $name', ({ webhook, signed, headers }) => {
  const now = TIME * 1000;

  it('is refused if any of its signed parts was edited', async () => {
    const original = await signed;
    expect(await webhook.receive(createRawDelivery(original, { now }))).toMatchObject({ type: 'start' });
    let changed = 0;
    await fc.assert(
      fc.asyncProperty(mutation, async (drawn) => {
        const delivery = applyMutation(original, headers, drawn);
        if (!delivery) return;
        changed += 1;
        const refusal = { name: 'WebhookRefusal', kind: 'invalid-signature' };
        await expect(webhook.receive(createRawDelivery(delivery, { now }))).rejects.toMatchObject(refusal);
      }),
      { seed: SEED, numRuns: 500 },
    );
    expect(changed).toBeGreaterThan(400);
  });

  it('is refused if any bit of its body has changed', async () => {
    const original = createRawDelivery(await signed, { now });
    for (let at = 0; at < original.body.byteLength; at += 1) {
      const bytes = original.body.map((byte, index) => (index === at ? byte ^ (1 << (at % 8)) : byte));
      await expect(webhook.receive({ ...original, body: bytes })).rejects.toMatchObject({
        kind: 'invalid-signature',
      });
    }
  });

  it('is refused with headers that its sender has not signed', async () => {
    const anyHeaders = fc.record(
      Object.fromEntries(
        headers.map((name) => [
          name,
          fc.oneof(
            visible,
            fc.base64String(),
            fc.constantFrom(
              `sha256=${'0'.repeat(64)}`,
              `v0=${'0'.repeat(64)}`,
              `t=${TIME},v1=${'0'.repeat(64)}`,
              `v1,${'A'.repeat(43)}=`,
              String(TIME),
            ),
          ),
        ]),
      ),
    );
    await fc.assert(
      fc.asyncProperty(anyHeaders, fc.string(), async (sent, text) => {
        const delivery = createRawDelivery({ headers: sent, body: text }, { now });
        await expect(webhook.receive(delivery)).rejects.toMatchObject({ kind: 'invalid-signature' });
      }),
      { seed: SEED, numRuns: 300 },
    );
  });
});
