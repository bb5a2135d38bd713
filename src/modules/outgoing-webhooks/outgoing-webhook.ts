import { ENDED, type TurnStop } from '../../session/turn-end.ts';
import { inTime } from '../../tool/async.ts';
import { notOneOf } from '../../tool/check-definition.ts';
import type { LiteralShape } from '../../tool/check-literal.ts';
import { literals } from '../../tool/literals.ts';
import { createModule, type ModuleUse, useOf } from '../../tool/module-use.ts';
import { isSecretSource, readSecrets, SECRET_RULE, type SecretSource } from '../../tool/secret-source.ts';
import { nameIn } from '../../tool/shown.ts';
import { APP } from '../../worker/app-seam.ts';
import { DUE } from '../../worker/background.ts';
import { mustHaveAgent } from '../../worker/check-app.ts';
import { hmacOf, STANDARD_KEY_RULE, standardKey } from '../webhooks/signature.ts';
import { WebhookDefinitionError, type WebhookEnv } from '../webhooks/webhook.ts';
import { announce, type OutgoingMessage, owedFor, type Receiver, type Undelivered } from './announce.ts';

/** The literal that `outgoingWebhook` takes. */
export interface OutgoingWebhookConfig {
  /** 1 to 64 of `A-Z a-z 0-9 _ -`. Defaults to `outgoing`. Sessions remember by it what they still have to tell. */
  readonly name?: string | undefined;
  /** Where it is sent to: `https`, or `http` on localhost. Redirects are not followed. */
  readonly url: string | ((env: WebhookEnv) => string);
  /**
   * Where the secret is: `(env) => env.TURNS_WEBHOOK_SECRET`, or the name of its var. It is `whsec_` and the base64 of 24 bytes or more.
   * Every message is signed with each of several, `(env) => [env.NEW, env.OLD]`, so that a receiver may have either.
   */
  readonly secret: SecretSource;
  /** What it is told of; all three unless given. */
  readonly on?: readonly TurnStop[] | undefined;
  /** The agents whose turns it is told of; all unless given. */
  readonly agents?: readonly string[] | undefined;
}

const STOPS: readonly TurnStop[] = ['suspended', 'ended', 'failed'];

/**
 * Declares a receiver for `createHoldfast({ use })`: it is sent a message, signed by Standard Webhooks 1.0.0, whenever
 * a turn suspends, ends or fails. What it is owed is stored with the end of the turn, and sent at least once, in the order
 * of its session, until it answers 2xx: ten times, with pauses that grow to a day. A message that comes twice has the same `webhook-id`.
 *
 * @example
 * ```ts
 * const turns = outgoingWebhook({
 *   url: 'https://desk.example.com/hooks/turns',
 *   secret: (env) => env.TURNS_WEBHOOK_SECRET,
 *   on: ['failed'],
 * });
 * ```
 *
 * @throws WebhookDefinitionError when a setting is none.
 */
export function outgoingWebhook(config: OutgoingWebhookConfig): ModuleUse {
  const fault = literals?.fault(config, SHAPE);
  if (fault) throw new WebhookDefinitionError(nameIn(config) || 'outgoing', fault.field, fault.problem);
  const { name = 'outgoing', url, secret, on = STOPS, agents } = config;
  checkSettings({ name, url, secret, on });
  const receiver: Receiver = { name, on, agents, send: sending({ url, secret }) };
  const use = useOf(OUTGOING_WEBHOOKS, name);
  ENDED.give(use, (turn) => {
    const ref = owedFor(receiver, turn);
    return ref === undefined ? undefined : { agenda: [{ ref }] };
  });
  DUE.give(use, (row, app) => announce(app, row, receiver));
  APP.give(use, {
    routes({ host }) {
      for (const one of agents ?? [])
        mustHaveAgent(host.agents, `Outgoing webhook '${name}' is told of the agent`, one);
      return [];
    },
  });
  return use;
}

/** Each webhook is a use of it, whose key is its name. */
const OUTGOING_WEBHOOKS = createModule({ name: 'outgoing-webhooks' });

/** Answers what sends messages to this address, signed with these secrets. */
export function sending({ url, secret }: Pick<OutgoingWebhookConfig, 'url' | 'secret'>): Receiver['send'] {
  return async ({ id, body, env, clock }) => {
    const to = typeof url === 'function' ? url(env) : url;
    const problem = urlProblem(to);
    if (problem !== undefined) return { why: problem };
    const keys = (await readSecrets(env, secret)).map(standardKey);
    if (keys.length === 0)
      return { why: 'has no secret: set the var that its `secret` reads (wrangler secret put)' };
    const time = Math.floor(clock.now() / 1000);
    const signatures: string[] = [];
    for (const key of keys) {
      if (key === undefined) return { why: `has a secret that is none: it ${STANDARD_KEY_RULE}` };
      signatures.push(`v1,${toBase64(await hmacOf(key, `${id}.${time}.${body}`))}`);
    }
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'holdfast',
      'webhook-id': id,
      'webhook-timestamp': String(time),
      'webhook-signature': signatures.join(' '),
    };
    return post(to, { headers, body }, clock);
  };
}

const SHAPE = {
  of: 'outgoingWebhook',
  keys: { name: 'any', url: 'any', secret: 'any', on: 'list', agents: 'list' },
  required: [],
  foreign: { agent: 'agents', events: 'on', secrets: 'secret' },
} satisfies LiteralShape<keyof OutgoingWebhookConfig>;

function checkSettings({ name, url, secret, on }: OutgoingWebhookConfig & { readonly name: string }): void {
  const refuse = (field: string, problem: string): never => {
    throw new WebhookDefinitionError(name, field, problem);
  };
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(name)) {
    refuse('name', "needs a name of 1 to 64 of A-Z, a-z, 0-9, '_' and '-'");
  }
  const problem = typeof url === 'function' ? undefined : urlProblem(url);
  if (problem !== undefined) refuse('url', problem);
  if (!isSecretSource(secret)) refuse('secret', SECRET_RULE);
  if (on?.length === 0) refuse('on', `is told of nothing: use one or more of ${STOPS.join(', ')}`);
  for (const one of on ?? []) {
    const use = notOneOf(one, STOPS);
    if (use) refuse('on', `has '${String(one)}' in its 'on': it must be ${use}`);
  }
}

/** Says what is wrong with an address. It is not shown, since it may hold a credential. */
function urlProblem(url: unknown): string | undefined {
  const parsed = typeof url === 'string' ? URL.parse(url) : null;
  const isLocal = parsed !== null && ['localhost', '127.0.0.1', '[::1]'].includes(parsed.hostname);
  const isSafe = parsed?.protocol === 'https:' || (parsed?.protocol === 'http:' && isLocal);
  return isSafe && !parsed.username && !parsed.password
    ? undefined
    : "has no 'url' that can be used: it must be an https URL without a user, or http on localhost";
}

/** A receiver has so long to answer; in ms. */
const TIMEOUT = 15_000;

/** Posts it once, and reads nothing of what is answered but the status. */
async function post(
  url: string,
  request: Pick<RequestInit, 'headers' | 'body'>,
  clock: OutgoingMessage['clock'],
): Promise<Undelivered | undefined> {
  const over = new AbortController();
  const { signal } = over;
  const late = (ms: number): Error => new TooLate(`did not answer within ${ms} ms`);
  try {
    // Whoever redirects might be led elsewhere than the app's developer has said.
    const asked = fetch(url, { method: 'POST', ...request, redirect: 'manual', signal });
    const response = await inTime(clock, asked, { ms: TIMEOUT, late });
    void response.body?.cancel().catch(() => {});
    return response.ok ? undefined : refusedBy(response, clock.now());
  } catch (failure) {
    over.abort();
    return { why: failure instanceof TooLate ? failure.message : 'could not be reached' };
  }
}

class TooLate extends Error {}

function refusedBy({ status, headers }: Response, now: number): Undelivered {
  const retryAfter = status === 429 || status === 503 ? pauseIn(headers.get('retry-after'), now) : undefined;
  return {
    why: `answered ${status}`,
    ...(status === 410 && { isGone: true }),
    ...(retryAfter !== undefined && { retryAfter }),
  };
}

/** The ms that a `Retry-After` asks for, in seconds or by a date. */
function pauseIn(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now;
  return Number.isFinite(ms) && ms > 0 ? ms : undefined;
}

const toBase64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));
