/** A door for tests. Deliveries, before a turn is started. */
export { isPayloadOf } from '../../src/webhooks/github/github-webhook.ts';
export { tellJson } from '../../src/webhooks/tell.ts';
