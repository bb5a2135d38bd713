import type { Effect } from './counted-effects.ts';
import type { ScriptedReply } from './held-model.ts';

/**
 * One kill: the message, the response that is held back when the process is killed, and the expected effects.
 */
export interface Kill {
  readonly title: string;
  readonly session: string;
  /** The kind of request. With `json` and `stream`, the kill breaks the client's connection. */
  readonly client: 'json' | 'stream' | 'background';
  readonly message: string;
  /** The model's replies to the message. */
  readonly replies: readonly ScriptedReply[];
  /** The response that is held back: that of a shop service, or one of `replies`. */
  readonly held: { readonly service: string } | { readonly reply: number };
  /** The calls that end in the journal before the kill. */
  readonly endedBefore: readonly string[];
  /** The number of effects on the counter's disk before the kill. */
  readonly doneBefore: number;
  /** Every effect of a `once` call of the turn. */
  readonly effects: readonly Effect[];
  readonly unknown: number;
}

const createCallReply = (name: string, input: object): ScriptedReply => ({ calls: [{ name, input }] });
const createMailEffect = (mail: object): Effect => ({ service: 'emails', what: JSON.stringify(mail) });
const createRefundEffect = (orderId: number, amount: number): Effect => ({
  service: 'refunds',
  what: JSON.stringify({ orderId, amount }),
});

const compassMail = { to: 'maren@example.com', subject: 'Your refund', text: 'The compass is refunded.' };
const anchorMail = { to: 'ada@example.com', subject: 'Your anchor', text: 'It will be at the boathouse.' };
const refundMail = { to: 'ada@example.com', subject: 'Your refund', text: 'Order 1005 is refunded.' };
const tidesMail = { to: 'maren@example.com', subject: 'Your tide tables', text: 'They leave tomorrow.' };

export const kills: readonly Kill[] = [
  {
    title: 'between two effects. The refund is paid, and the mail is not sent yet',
    session: 'kill-1',
    client: 'json',
    message: 'Refund order 1001, see where its parcel was last, and write to the customer.',
    replies: [
      createCallReply('refund_order', { orderId: 1001 }),
      createCallReply('track_shipment', { trackingCode: 'KC-7001' }),
      createCallReply('send_email', compassMail),
      { text: 'Order 1001 is refunded, and Maren has a mail.' },
    ],
    held: { service: 'shipments' },
    endedBefore: ['refund_order'],
    doneBefore: 1,
    effects: [createRefundEffect(1001, 64), createMailEffect(compassMail)],
    unknown: 0,
  },
  {
    title: 'while the model answers',
    session: 'kill-2',
    client: 'background',
    message: 'Have order 1005 left at the boathouse and tell the customer.',
    replies: [
      createCallReply('find_order', { orderId: 1005 }),
      createCallReply('set_delivery_note', { trackingCode: 'KC-7005', note: 'Leave it at the boathouse.' }),
      createCallReply('send_email', anchorMail),
      { text: 'The carrier has the note, and Ada a mail.' },
    ],
    held: { reply: 1 },
    endedBefore: ['find_order'],
    doneBefore: 0,
    effects: [createMailEffect(anchorMail)],
    unknown: 0,
  },
  {
    title: 'inside a refund. It is paid, the answer is lost, and the tool can look it up (`reconcile`)',
    session: 'kill-3',
    client: 'stream',
    message: 'Refund order 1005 and tell the customer.',
    replies: [
      createCallReply('refund_order', { orderId: 1005 }),
      createCallReply('send_email', refundMail),
      { text: 'Order 1005 is refunded, and Ada has a mail.' },
    ],
    held: { service: 'refunds' },
    endedBefore: [],
    doneBefore: 1,
    effects: [createRefundEffect(1005, 82), createMailEffect(refundMail)],
    unknown: 0,
  },
  {
    title: 'inside a mail. It is sent, the answer is lost, and the tool cannot look it up',
    session: 'kill-4',
    client: 'background',
    message: 'Write to Maren about her tide tables.',
    replies: [
      createCallReply('send_email', tidesMail),
      { text: 'I cannot tell whether the mail to Maren went out, and have not sent it again.' },
    ],
    held: { service: 'emails' },
    endedBefore: [],
    doneBefore: 1,
    effects: [createMailEffect(tidesMail)],
    unknown: 1,
  },
];
