/** A door for tests. Deliveries, before a turn is started. */

export { sending } from '../../src/outgoing-webhooks/outgoing-webhook.ts';
export { describeDelivery, describeJson } from '../../src/webhooks/describe-delivery.ts';
export { isPayloadOf } from '../../src/webhooks/github-events.ts';
