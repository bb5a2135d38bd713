/** The entry `holdfast/outgoing-webhooks`: tells somebody outside when turns stop. */
export type { SecretNames } from '../webhooks/signature.ts';
export { WebhookDefinitionError, type WebhookEnv } from '../webhooks/webhook.ts';
export type { AnnouncingApp, OutgoingWebhook } from '../worker/host.ts';
export type { TurnStop } from './announce.ts';
export { type OutgoingWebhookConfig, outgoingWebhook } from './outgoing-webhook.ts';
