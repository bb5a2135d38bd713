/** Internals for tests: deliveries before a turn starts. */

export { createSender } from '../../src/modules/outgoing-webhooks/announce.ts';
export { isPayloadOf } from '../../src/modules/webhooks/github-events.ts';
export { describeDelivery, describeJson } from '../../src/modules/webhooks/payload.ts';
