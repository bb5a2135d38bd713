/** The entry `holdfast/webhooks`: lets webhooks of other services start agents. */
export type { WhenBusy } from '../../tool/call.ts';

export { defineWebhook, type TurnOf, type WebhookConfig } from './define-webhook.ts';
export { webhookDescription } from './describe.ts';
export { type GithubDelivery, type GithubWebhookConfig, githubWebhook } from './github.ts';
export type { EventOf, GithubEvent, GithubEventName } from './github-events.ts';
export {
  checkTimely,
  fromBase64,
  fromHex,
  isSigned,
  notSigned,
  type SignatureCheck,
  secretsOf,
} from './signature.ts';
export { type SlackDelivery, type SlackKind, type SlackWebhookConfig, slackWebhook } from './slack.ts';
export { type StandardDelivery, type StandardWebhookConfig, standardWebhook } from './standard.ts';
export { type StripeDelivery, type StripeWebhookConfig, stripeWebhook } from './stripe.ts';
export type { SenderConfig, SenderDelivery } from './verify-and-start.ts';
export {
  type Acknowledgement,
  type Delivery,
  type IgnoredDelivery,
  ignored,
  type RawDelivery,
  type RefusalKind,
  type Reply,
  reply,
  toSessionId,
  type UnverifiedRequest,
  type VerifiedDelivery,
  verified,
  type Webhook,
  WebhookDefinitionError,
  type WebhookEnv,
  type WebhookOutcome,
  WebhookRefusal,
  type WebhookStart,
  type WebhookTurn,
} from './webhook.ts';
