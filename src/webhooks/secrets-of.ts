import type { WebhookEnv } from './webhook.ts';
import { WebhookRefusal } from './webhook-refusal.ts';

/**
 * Names the vars or secrets of the Worker that a webhook's secret is in. Several while one secret takes the place of another:
 * a delivery may be signed with any of them. (A var holds one secret: the secrets of some senders have spaces inside.)
 */
export type SecretNames = string | readonly string[];

/**
 * The secrets that are set, without the line ends that they were pasted with.
 *
 * @throws WebhookRefusal `not-configured`, naming the vars, when none of them is set.
 */
export function secretsOf(env: WebhookEnv, names: SecretNames): readonly string[] {
  const listed = typeof names === 'string' ? [names] : names;
  const secrets = listed.map((name) => textOf(env[name])).filter((secret) => secret !== '');
  if (secrets.length > 0) return secrets;
  throw new WebhookRefusal(
    'not-configured',
    `This Worker has no secret to check the delivery with, so it is not taken. Set ${listed.join(' or ')} ` +
      `(wrangler secret put ${listed[0]}).`,
  );
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');
