/** The entry `holdfast/outgoing-webhooks`: tells somebody outside when turns stop. */
export type { TurnStop } from '../../session/turn-end.ts';
export { type OutgoingWebhookConfig, outgoingWebhook } from './outgoing-webhook.ts';
