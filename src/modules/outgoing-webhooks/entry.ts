/** The entry `holdfast/outgoing-webhooks`: tells somebody outside when turns stop. */
import { DeploymentError } from '../../session/deployment.ts';
import { ENDED, type TurnStop } from '../../session/turn-end.ts';
import { notOneOf } from '../../tool/check-definition.ts';
import type { LiteralShape } from '../../tool/check-literal.ts';
import { isSecretSource, SECRET_RULE, type SecretSource } from '../../tool/env.ts';
import { literals } from '../../tool/literals.ts';
import { createModule, type ModuleUse, useOf } from '../../tool/module-use.ts';
import { ended, nameIn } from '../../tool/shown.ts';
import { APP } from '../../worker/app-seam.ts';
import { DUE } from '../../worker/background.ts';
import { mustHaveAgent } from '../../worker/check-app.ts';
import { WebhookDefinitionError, type WebhookEnv } from '../webhooks/webhook.ts';
import { announce, owedFor, type Receiver, sending, urlProblem } from './announce.ts';

export type { TurnStop } from '../../session/turn-end.ts';

/** The literal that `outgoingWebhook` takes. */
export interface OutgoingWebhookConfig {
  /** 1 to 64 of `A-Z a-z 0-9 _ -`. Defaults to `outgoing`. Sessions remember by it what they still have to tell. */
  readonly name?: string | undefined;
  /** Where it is sent to: `https`, or `http` on localhost. Redirects are not followed. What a function returns is checked when it is read. */
  readonly url: string | ((env: WebhookEnv) => unknown);
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
  const receiver: Receiver = { name, on, agents, ...sending(config) };
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
    checks: ({ env }) => [
      async () => {
        const problem = await receiver.lacks(env);
        if (problem !== undefined) throw new DeploymentError(`Outgoing webhook '${name}' ${ended(problem)}`);
      },
    ],
  });
  return use;
}

/** Each webhook is a use of it, whose key is its name. */
const OUTGOING_WEBHOOKS = createModule({ name: 'outgoing-webhooks' });

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
