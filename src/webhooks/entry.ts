/** The entry `holdfast/webhooks`: lets the senders of webhooks start agents. */
export type { WhenBusy } from '../tool/tool.ts';
export { defineWebhook, type TurnOf, type WebhookConfig } from './define-webhook.ts';
export type { SenderConfig, SenderDelivery } from './from-sender.ts';
export type { GithubDelivery } from './github/github-delivery.ts';
export {
  type EventOf,
  type GithubEvent,
  type GithubEventName,
  type GithubWebhookConfig,
  githubWebhook,
} from './github/github-webhook.ts';
export {
  fromBase64,
  fromHex,
  isSigned,
  notSigned,
  type SecretNames,
  type Signed,
  secretsOf,
} from './hmac.ts';
export type { SlackDelivery } from './slack/slack-delivery.ts';
export type { SlackKind } from './slack/slack-parts.ts';
export { type SlackWebhookConfig, slackWebhook } from './slack/slack-webhook.ts';
export {
  type StandardDelivery,
  type StandardWebhookConfig,
  standardWebhook,
} from './standard/standard-webhook.ts';
export { type StripeDelivery, type StripeWebhookConfig, stripeWebhook } from './stripe/stripe-webhook.ts';
export { toSessionId } from './tell.ts';
export {
  type Acknowledgement,
  type Arrival,
  checkTimely,
  type Delivery,
  type Ignored,
  ignored,
  type Knock,
  type Received,
  type RefusalKind,
  type Reply,
  reply,
  type Verified,
  verified,
  type Webhook,
  WebhookDefinitionError,
  type WebhookEnv,
  WebhookRefusal,
  type WebhookStart,
  type WebhookTurn,
} from './webhook.ts';
