/** A door for tests. Deliveries, before a turn is started. */

export { describeJson } from '../../src/webhooks/describe-delivery.ts';
export { isPayloadOf } from '../../src/webhooks/github-events.ts';
