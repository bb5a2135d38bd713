import type { JsonObject } from '../../tools/json.ts';
import { bodyHash } from '../body-hash.ts';
import { fromSender, type SecretArrival, type SenderConfig } from '../from-sender.ts';
import { readJsonOrForm } from '../read-body.ts';
import { type Reply, reply, type Verified, verified, type Webhook } from '../webhook.ts';
import { WebhookRefusal } from '../webhook-refusal.ts';
import { type GithubDelivery, toGithubDelivery } from './github-delivery.ts';
import type { EventOf, GithubEvent } from './github-event.ts';
import { verifyGithub } from './verify-github.ts';

/** The literal that `githubWebhook` takes. */
export interface GithubWebhookConfig<Asked extends GithubEvent>
  extends SenderConfig<Asked, GithubDelivery<EventOf<Asked>>> {
  /**
   * What becomes of events that a bot caused; `ignore` unless given, since an agent that answers through a GitHub App would
   * hear itself. (One that answers with a person's token has to tell its own words apart in `start`.)
   */
  readonly bots?: 'ignore' | 'take' | undefined;
}

/**
 * Starts an agent by GitHub's webhooks, of either content type. By default each issue, pull request and discussion has a
 * session of its own, `{owner}:{repository}:{number}`. `ping` is answered and starts nothing.
 *
 * GitHub signs the body alone: neither the id of a delivery, nor its event, nor its time. So a delivery is known by its body:
 * one that is sent again starts nothing, also under another id. Events that say the same in every byte are one event for 7
 * days, such as a member who is added, removed and added again; `repository_dispatch` and `workflow_dispatch`, which repeat
 * by design, are known by body and id. `start` may say otherwise by `key`. Since no time is signed, whoever has got hold of a
 * delivery can play it again after those 7 days: change the secret when one may have leaked.
 *
 * @throws WebhookDefinitionError when a setting is none.
 */
export function githubWebhook<const Asked extends GithubEvent = string>(
  config: GithubWebhookConfig<Asked>,
): Webhook {
  const { bots = 'ignore' } = config;
  return fromSender<Asked, GithubDelivery<EventOf<Asked>>>(config, {
    name: 'github',
    // Not narrowed yet: `events` is looked at before anybody sees the delivery.
    verify: (arrival) => receive(arrival) as Promise<Verified<GithubDelivery<EventOf<Asked>>> | Reply>,
    names: ({ event, action }) => (action === undefined ? [event] : [event, `${event}.${action}`]),
    skip: ({ sender }) =>
      sender?.isBot && bots !== 'take'
        ? 'A bot caused it, and this webhook takes nothing from bots.'
        : undefined,
  });
}

async function receive(arrival: SecretArrival): Promise<Verified<GithubDelivery> | Reply> {
  const { headers, body, hook, env } = arrival;
  await verifyGithub(arrival);
  const { payload } = readJsonOrForm(body);
  if (!payload) throw new WebhookRefusal('bad-json', 'The form has no field payload.');
  if (headers.get('x-github-event') === 'ping') return reply({ hook, status: 'pong' });
  return verified(await idOf(arrival, payload), await toGithubDelivery({ hook, headers, env, payload }));
}

/**
 * Only what is signed can tell a replay from a new event; but what was asked for twice is no replay. Not the signature:
 * GitHub signs anew what it sends again after its secret was changed.
 */
async function idOf({ headers, body }: SecretArrival, payload: JsonObject): Promise<string> {
  const id = await bodyHash(body);
  const repeats = Object.hasOwn(payload, 'client_payload') || Object.hasOwn(payload, 'inputs');
  return repeats ? `${id}:${headers.get('x-github-delivery') ?? ''}` : id;
}
