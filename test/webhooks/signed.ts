/** Deliveries as their senders sign them, by the senders' own libraries where there are any. */
import { sign as signGithub } from '@octokit/webhooks-methods';
import { Webhook as StandardWebhooks } from 'standardwebhooks';

export interface Signed {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What is signed, and how it differs from a delivery that everything is right with. */
export interface Signing {
  readonly secret: string;
  readonly body: string;
  /** In seconds since the epoch; now unless given. */
  readonly time?: number;
}

export const SECRET = 'a secret of some length';
/** 24 bytes, as Standard Webhooks writes them. */
export const STANDARD_SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

const nowInSeconds = (): number => Math.floor(Date.now() / 1000);

/** Signed by `@octokit/webhooks-methods`. */
export async function fromGithub(
  event: string,
  { secret, body }: Omit<Signing, 'time'>,
  delivery: string = crypto.randomUUID(),
): Promise<Signed> {
  const signature = await signGithub(secret, body);
  const headers = {
    'content-type': 'application/json',
    'x-github-event': event,
    'x-github-delivery': delivery,
    'x-hub-signature-256': signature,
  };
  return { headers, body };
}

/** Signed as `stripe` does it; a test in Node holds the two against each other, for that library is long to load here. */
export async function fromStripe({ secret, body, time = nowInSeconds() }: Signing): Promise<Signed> {
  const signature = await hmacHex(secret, `${time}.${body}`);
  const headers = { 'content-type': 'application/json', 'stripe-signature': `t=${time},v1=${signature}` };
  return { headers, body };
}

/** Signed by `standardwebhooks`. */
export function fromStandard(id: string, { secret, body, time = nowInSeconds() }: Signing): Signed {
  const signature = new StandardWebhooks(secret).sign(id, new Date(time * 1000), body);
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(time),
    'webhook-signature': signature,
  };
  return { headers, body };
}

/** Signed as Slack documents it, since there is no library of Slack's that signs. */
export async function fromSlack({ secret, body, time = nowInSeconds() }: Signing): Promise<Signed> {
  const hex = await hmacHex(secret, `v0:${time}:${body}`);
  const type = body.startsWith('{') ? 'application/json' : 'application/x-www-form-urlencoded';
  const headers = {
    'content-type': type,
    'x-slack-request-timestamp': String(time),
    'x-slack-signature': `v0=${hex}`,
  };
  return { headers, body };
}

/** HMAC-SHA256 in hexadecimal digits. */
export async function hmacHex(secret: string, content: string): Promise<string> {
  const encoder = new TextEncoder();
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', encoder.encode(secret), algorithm, false, ['sign']);
  const signature = await crypto.subtle.sign('HMAC', key, encoder.encode(content));
  return [...new Uint8Array(signature)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
