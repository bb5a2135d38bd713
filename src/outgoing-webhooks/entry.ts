/** The entry `holdfast/outgoing-webhooks`: tells somebody outside when turns stop. */
export type { SecretSource } from '../tool/secret-source.ts';
export type { AnnouncingApp, OutgoingWebhook } from '../worker/host.ts';
export type { TurnStop } from './announce.ts';
export { type OutgoingWebhookConfig, outgoingWebhook } from './outgoing-webhook.ts';
