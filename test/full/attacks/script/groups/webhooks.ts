/** Deliveries without the secret, or with a stolen signature. */
import { type Attack, type Check, hasStatus, isProblem } from '../attack.ts';
import type { Scene } from '../scene.ts';
import { SECRETS } from '../secrets.ts';
import {
  createGithubDelivery,
  createSlackDelivery,
  createStandardDelivery,
  createStripeDelivery,
  type Delivery,
  getHeader,
  getNowInSeconds,
  withHeader,
} from '../signatures.ts';
import { contact, createIssue, deliver, event, invoice } from './hooks.ts';

const isNotSigned = isProblem(
  401,
  'invalid-signature',
  'The signature does not match the body: the two sides have different secrets, or the body was changed on its way.',
);

const isUnsigned = isProblem(401, 'invalid-signature');

/** A valid delivery of each sender, with the headers that contain its signature and its time. */
const senders: readonly (readonly [name: string, good: () => Delivery, signature: string, time?: string])[] =
  [
    ['github', () => createGithubDelivery(createIssue(1)), 'x-hub-signature-256'],
    ['slack', () => createSlackDelivery(event), 'x-slack-signature', 'x-slack-request-timestamp'],
    ['stripe', () => createStripeDelivery(invoice), 'stripe-signature'],
    ['standard', () => createStandardDelivery(contact), 'webhook-signature', 'webhook-timestamp'],
  ];

/** Changes to a valid signature. */
const spoiledSignatures: readonly (readonly [what: string, spoil: (signature: string) => string])[] = [
  ['empty', () => ''],
  ['cut', (text) => text.slice(0, -2)],
  ['longer', (text) => `${text}00`],
  ['with another last digit', (text) => text.slice(0, -1) + (text.endsWith('0') ? '1' : '0')],
  ['with a scheme of its own', (text) => text.replace(/sha256=|v0=|v1[=,]/, 'none=')],
];

const forgeries: readonly Attack[] = senders.flatMap(([name, good, header, time]) => [
  ...spoiledSignatures.map(
    ([what, spoil]): Attack => ({
      name: `${name}: a signature that is ${what} starts no turn`,
      act: (scene) => deliver(scene, withHeader(good(), header, spoil(getHeader(good(), header)))),
      comes: isUnsigned,
    }),
  ),
  {
    name: `${name}: a delivery without its signature starts no turn`,
    act: (scene) => deliver(scene, withHeader(good(), header)),
    comes: isUnsigned,
  },
  {
    name: `${name}: a changed body starts no turn`,
    act: (scene) => deliver(scene, { ...good(), body: good().body.replace('"', ' "') }),
    comes: isNotSigned,
  },
  {
    name: `${name}: a body with the same JSON in other bytes starts no turn`,
    act: (scene) => deliver(scene, { ...good(), body: JSON.stringify(JSON.parse(good().body), null, 1) }),
    comes: isNotSigned,
  },
  {
    name: `${name}: two signatures, of which only the second is valid, start no turn`,
    act(scene) {
      const bad = getHeader(good(), header).replace(/[0-9a-f]{64}|[\w+/]{43}=/, (one) =>
        one.replaceAll(/./g, 'A'),
      );
      const { headers, ...delivery } = good();
      return deliver(scene, { ...delivery, headers: [[header, bad], ...headers] });
    },
    comes: isUnsigned,
  },
  ...(time === undefined
    ? []
    : [
        {
          name: `${name}: a time that was not signed starts no turn`,
          act: (scene: Scene) => deliver(scene, withHeader(good(), time, String(getNowInSeconds() - 5))),
          comes: isNotSigned,
        },
        {
          name: `${name}: a time that is not a number starts no turn`,
          act: (scene: Scene) => deliver(scene, withHeader(good(), time, '1e9')),
          comes: isUnsigned,
        },
      ]),
]);

const isTooFar = (apart: string): Check =>
  isProblem(
    401,
    'invalid-signature',
    `The delivery was signed ${apart} by this Worker's clock; at most 300 s are allowed. Send it again with a new signature.`,
  );

const oldDeliveries: readonly Attack[] = [
  {
    name: 'slack: a delivery that is six minutes old starts no turn',
    act: (scene) => deliver(scene, createSlackDelivery(event, { time: getNowInSeconds() - 360 })),
    comes: isTooFar('36… s ago'),
  },
  {
    name: 'stripe: a delivery that is six minutes old starts no turn',
    act: (scene) => deliver(scene, createStripeDelivery(invoice, { time: getNowInSeconds() - 360 })),
    comes: isTooFar('36… s ago'),
  },
  {
    name: 'standard: a delivery that is six minutes old starts no turn',
    act: (scene) => deliver(scene, createStandardDelivery(contact, { time: getNowInSeconds() - 360 })),
    comes: isTooFar('36… s ago'),
  },
  {
    name: 'standard: a delivery from the future starts no turn',
    act: (scene) => deliver(scene, createStandardDelivery(contact, { time: getNowInSeconds() + 400 })),
    comes: isTooFar('… s in the future'),
  },
  {
    name: 'stripe: a second, current time in the header does not make an old signature valid',
    act(scene) {
      const kept = createStripeDelivery(invoice, { time: getNowInSeconds() - 360 });
      const header = getHeader(kept, 'stripe-signature');
      return deliver(scene, withHeader(kept, 'stripe-signature', `t=${getNowInSeconds()},${header}`));
    },
    comes: isUnsigned,
  },
  {
    name: 'standard: an id with a full stop, which would shift the signed content, starts no turn',
    act: (scene) => deliver(scene, createStandardDelivery(contact, { as: 'msg_1.1' })),
    comes: isProblem(
      401,
      'invalid-signature',
      'webhook-id must be 1 to 256 visible ASCII characters without a full stop.',
    ),
  },
  {
    name: 'standard: a delivery with nine signatures is refused',
    act(scene) {
      const good = createStandardDelivery(contact);
      const header = getHeader(good, 'webhook-signature');
      return deliver(
        scene,
        withHeader(good, 'webhook-signature', Array.from({ length: 9 }, () => header).join(' ')),
      );
    },
    comes: isProblem(401, 'invalid-signature', 'The delivery carries 9 signatures; at most 8 are checked.'),
  },
  {
    name: 'github: a SHA-1 signature, which GitHub also sends, is refused',
    act: (scene) =>
      deliver(
        scene,
        withHeader(createGithubDelivery(createIssue(1)), 'x-hub-signature-256', `sha1=${'a'.repeat(40)}`),
      ),
    comes: isProblem(
      401,
      'invalid-signature',
      'X-Hub-Signature-256 must be sha256= and 64 hexadecimal digits, once.',
    ),
  },
];

const otherEntrances: readonly Attack[] = [
  {
    name: 'the secret of one sender is not valid for another sender',
    act: (scene) => deliver(scene, createGithubDelivery(createIssue(2), { secret: SECRETS.SLACK_SECRET })),
    comes: isNotSigned,
  },
  {
    name: 'an old secret that one webhook still accepts is refused by another webhook',
    act: (scene) => deliver(scene, createGithubDelivery(createIssue(2), { secret: SECRETS.GITHUB_OLD })),
    comes: isNotSigned,
  },
  {
    name: 'a webhook without its secret refuses all deliveries, also those signed with an empty secret',
    act: (scene) =>
      deliver(scene, createGithubDelivery(createIssue(2), { hook: 'unset', secret: 'undefined' })),
    comes: isProblem(
      503,
      'not-configured',
      'This Worker has no secret to verify the delivery. Set the var that the `secret` of this webhook reads (wrangler secret put).',
    ),
  },
  ...['nothing', '__proto__', 'constructor', '..%2fhealth', '%00', 'GITHUB'].map(
    (hook): Attack => ({
      name: `the webhook ${hook} does not exist`,
      act: (scene) => deliver(scene, createGithubDelivery(createIssue(2), { hook })),
      comes: hasStatus(404, 401),
    }),
  ),
  {
    name: 'a body that exceeds the limit of a webhook is not read, even if its signature is valid',
    act: (scene) =>
      deliver(scene, createGithubDelivery(createIssue(2, 'x'.repeat(30_000)), { hook: 'github2' })),
    comes: isProblem(413, 'body-too-large', 'The body is larger than 20000 bytes. Send less.'),
  },
  {
    name: 'a signed body with excessive nesting is refused before it is traversed',
    act: (scene) =>
      deliver(
        scene,
        createGithubDelivery(`{"a":${'['.repeat(4_000)}${']'.repeat(4_000)}}`, { hook: 'github2' }),
      ),
    comes: isProblem(400, 'bad-json', 'The body is nested more than 100 deep.'),
  },
  {
    name: 'a signed body that is not JSON is refused',
    act: (scene) => deliver(scene, createGithubDelivery('[1,2')),
    comes: isProblem(400, 'bad-json'),
  },
  {
    name: 'a GET of a webhook is not a delivery',
    act: ({ nobody }) => nobody.get('/hooks/github'),
    comes: hasStatus(401, 405),
  },
];

export const listWebhookAttacks = (): readonly Attack[] => [
  ...forgeries,
  ...oldDeliveries,
  ...otherEntrances,
];
