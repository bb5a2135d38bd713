/** A door for tests. Deliveries, before a turn is started. */
export { isPayloadOf } from '../../src/webhooks/github/is-payload-of.ts';
export { tellJson } from '../../src/webhooks/tell-json.ts';
