/** The entry `holdfast/outgoing-webhooks`: tells somebody outside when turns stop. */
export type { AnnouncingApp, OutgoingWebhook } from '../worker/host.ts';
export type { TurnStop } from './announce.ts';
export { type OutgoingWebhookConfig, outgoingWebhook } from './outgoing-webhook.ts';
