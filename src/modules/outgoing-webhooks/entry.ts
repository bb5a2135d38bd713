/** The entry `holdfast/outgoing-webhooks`, which notifies other systems when turns stop. */
import { DeploymentError } from '../../session/deployment.ts';
import { STOP_SEAM, type TurnStop } from '../../session/turn-end.ts';
import { findWordProblem } from '../../tool/check-definition.ts';
import type { LiteralShape } from '../../tool/check-literal.ts';
import { isSecretSource, SECRET_RULE, type SecretSource } from '../../tool/env.ts';
import { literals } from '../../tool/literals.ts';
import { createModule, createUse, type ModuleUse } from '../../tool/module-use.ts';
import { readName, withFullStop } from '../../tool/shown.ts';
import { APP } from '../../worker/app-seam.ts';
import { DUE } from '../../worker/background.ts';
import { assertKnownAgent } from '../../worker/check-app.ts';
import { WebhookDefinitionError, type WebhookEnv } from '../webhooks/webhook.ts';
import { createSender, deliver, type Receiver, toMessageRef } from './announce.ts';
import { findUrlProblem } from './post.ts';

export type { TurnStop } from '../../session/turn-end.ts';

/** The configuration of `outgoingWebhook`. */
export interface OutgoingWebhookConfig {
  /**
   * The name of the webhook: 1 to 64 of `A-Z a-z 0-9 _ -`. Defaults to `outgoing`. Sessions store their
   * undelivered messages under it.
   */
  readonly name?: string | undefined;
  /**
   * The destination: an `https` URL, or `http` on localhost. Redirects are not followed. The result of a
   * function is checked when it is used.
   */
  readonly url: string | ((env: WebhookEnv) => unknown);
  /**
   * The secret: `(env) => env.TURNS_WEBHOOK_SECRET`, or the name of its var. It is `whsec_` and the base64 of
   * 24 bytes or more. With several, `(env) => [env.NEW, env.OLD]`, every message is signed with each, and a
   * receiver can check either.
   */
  readonly secret: SecretSource;
  /** The events to send. Defaults to all events. */
  readonly on?: readonly TurnStop[] | undefined;
  /** The agents whose turns are reported. Defaults to all agents. */
  readonly agents?: readonly string[] | undefined;
}

const TURN_STOPS: readonly TurnStop[] = ['suspended', 'ended', 'failed'];

/**
 * Declares a receiver for `createHoldfast({ use })`. It receives a message, signed as in Standard Webhooks
 * 1.0.0, when a turn suspends, ends or fails. The message is stored with the end of the turn and sent at
 * least once, in the order of its session, until the receiver responds with 2xx. There are at most ten
 * attempts, with pauses that grow to a day. A repeated message has the same `webhook-id`.
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
 * @throws WebhookDefinitionError if a setting is invalid.
 */
export function outgoingWebhook(config: OutgoingWebhookConfig): ModuleUse {
  const fault = literals?.fault(config, SHAPE);
  if (fault) throw new WebhookDefinitionError(readName(config) || 'outgoing', fault.field, fault.problem);
  const { name = 'outgoing', url, secret, on = TURN_STOPS, agents } = config;
  checkSettings({ name, url, secret, on });
  const receiver: Receiver = { name, on, agents, ...createSender(config) };
  const use = createUse(OUTGOING_WEBHOOKS_MODULE, name);
  STOP_SEAM.give(use, (turn) => {
    const ref = toMessageRef(receiver, turn);
    return ref === undefined ? undefined : { agenda: [{ ref }] };
  });
  DUE.give(use, (row, app) => deliver(app, row, receiver));
  APP.give(use, {
    routes({ host }) {
      for (const one of agents ?? [])
        assertKnownAgent(host.agents, `Outgoing webhook '${name}' names the agent`, one);
      return [];
    },
    checks: ({ env }) => [
      async () => {
        const problem = await receiver.lacks(env);
        if (problem !== undefined)
          throw new DeploymentError(`Outgoing webhook '${name}' ${withFullStop(problem)}`);
      },
    ],
  });
  return use;
}

/** Each webhook is a use of this module, with its name as the key. */
const OUTGOING_WEBHOOKS_MODULE = createModule({ name: 'outgoing-webhooks' });

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
    refuse('name', 'needs a name of 1 to 64 of the characters A-Z a-z 0-9 _ -');
  }
  const problem = typeof url === 'function' ? undefined : findUrlProblem(url);
  if (problem !== undefined) refuse('url', problem);
  if (!isSecretSource(secret)) refuse('secret', SECRET_RULE);
  if (on?.length === 0) refuse('on', `has no events. Use one or more of ${TURN_STOPS.join(', ')}`);
  for (const one of on ?? []) {
    const use = findWordProblem(one, TURN_STOPS);
    if (use) refuse('on', `has '${String(one)}' in its 'on'. It must be ${use}`);
  }
}
