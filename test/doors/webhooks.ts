/** A door for tests. Deliveries, before a turn is started. */

export { describeDelivery, describeJson } from '../../src/modules/webhooks/describe-delivery.ts';
export { isPayloadOf } from '../../src/modules/webhooks/github-events.ts';
export { sending } from '../../src/outgoing-webhooks/outgoing-webhook.ts';
