/** The entry `holdfast/webhooks`: lets the senders of webhooks start agents. */
export type { WhenBusy } from '../tools/when-busy.ts';
export { defineWebhook, type TurnOf, type WebhookConfig } from './define-webhook.ts';
export type { SenderConfig, SenderDelivery } from './from-sender.ts';
export type { GithubDelivery } from './github/github-delivery.ts';
export type { EventOf, GithubEvent, GithubEventName } from './github/github-event.ts';
export { type GithubWebhookConfig, githubWebhook } from './github/github-webhook.ts';
export { fromBase64, fromHex, isSigned, notSigned, type Signed } from './hmac.ts';
export { type SecretNames, secretsOf } from './secrets-of.ts';
export { toSessionId } from './session-id.ts';
export type { SlackDelivery } from './slack/slack-delivery.ts';
export type { SlackKind } from './slack/slack-parts.ts';
export { type SlackWebhookConfig, slackWebhook } from './slack/slack-webhook.ts';
export {
  type StandardDelivery,
  type StandardWebhookConfig,
  standardWebhook,
} from './standard/standard-webhook.ts';
export type { StripeDelivery } from './stripe/stripe-delivery.ts';
export { type StripeWebhookConfig, stripeWebhook } from './stripe/stripe-webhook.ts';
export { checkTimely } from './timely.ts';
export {
  type Acknowledgement,
  type Arrival,
  type Delivery,
  type Ignored,
  ignored,
  type Knock,
  type Received,
  type Reply,
  reply,
  type Verified,
  verified,
  type Webhook,
  type WebhookEnv,
  type WebhookStart,
  type WebhookTurn,
} from './webhook.ts';
export { WebhookDefinitionError } from './webhook-definition-error.ts';
export { type RefusalKind, WebhookRefusal } from './webhook-refusal.ts';
