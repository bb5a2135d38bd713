import type { JsonObject } from '../../tools/json.ts';
import { bodyHash } from '../body-hash.ts';
import { fromSender, type SenderConfig, type SignedArrival } from '../from-sender.ts';
import { readJsonOrForm } from '../read-body.ts';
import { type Reply, reply, type Verified, verified, type Webhook } from '../webhook.ts';
import { WebhookRefusal } from '../webhook-refusal.ts';
import { githubClaim } from './github-claim.ts';
import { type GithubDelivery, toGithubDelivery } from './github-delivery.ts';
import type { EventOf, GithubEvent } from './github-event.ts';
import { isPayloadOf } from './is-payload-of.ts';

/** The literal that `githubWebhook` takes. */
export interface GithubWebhookConfig<Asked extends GithubEvent>
  extends SenderConfig<Asked, GithubDelivery<EventOf<Asked>>> {
  /**
   * What becomes of events that a bot caused; `ignore` unless given, since an agent that answers through a GitHub App would
   * hear itself. (One that answers with a person's token has to tell its own words apart in `start`.)
   */
  readonly bots?: 'ignore' | 'take' | undefined;
  /**
   * What becomes of a `repository_dispatch` or `workflow_dispatch` that says the same in every byte as one before it. `repeat`
   * unless given: it is told apart by the id of its delivery, which is not signed, so that whoever has got hold of one can
   * start as many turns with it as they like. `once`: it is known by its body, like everything else, for those 7 days.
   */
  readonly dispatches?: 'repeat' | 'once' | undefined;
}

/**
 * Starts an agent by GitHub's webhooks, of either content type. By default each issue, pull request and discussion has a
 * session of its own, `{owner}:{repository}:{number}`. `ping` is answered and starts nothing.
 *
 * GitHub signs the body alone: neither the id of a delivery, nor its event, nor its time. What follows from that:
 *
 * - A delivery is known by its body. One that is sent again starts nothing in its session, under whichever id and at whichever
 *   `githubWebhook` of the app. Events that say the same in every byte are one event, such as a member who is added, removed
 *   and added again; `start` may say otherwise by `key`. `repository_dispatch` and `workflow_dispatch` repeat by design, and
 *   bodies with a `client_payload` or with `inputs` are therefore known by body and id together: see `dispatches`.
 * - It is known for 7 days, and no longer than its session: a session that is erased, by `DELETE` or by its retention, takes
 *   what it knew with it. Whoever has got hold of a delivery can play it again after that: change the secret when one may have
 *   leaked, and let tools find out whether what they are asked to do is still to be done.
 * - The event is taken at its word only if the payload has what GitHub sends with it, so that a pull request is not played again
 *   as an issue; otherwise it is ignored. Of alerts, of repositories and of events that this package does not know, which differ
 *   by their header alone, `start` has to look at the payload.
 *
 * @throws WebhookDefinitionError when a setting is none.
 */
export function githubWebhook<const Asked extends GithubEvent = string>(
  config: GithubWebhookConfig<Asked>,
): Webhook {
  const { bots = 'ignore', dispatches = 'repeat' } = config;
  return fromSender<Asked, GithubDelivery<EventOf<Asked>>>(config, {
    name: 'github',
    ids: 'of the sender',
    claim: githubClaim,
    // Not narrowed yet: `events` is looked at before anybody sees the delivery.
    read: (signed) => read(signed, dispatches) as Promise<Verified<GithubDelivery<EventOf<Asked>>> | Reply>,
    names: ({ event, action }) => (action === undefined ? [event] : [event, `${event}.${action}`]),
    skip: ({ sender, event, payload }) => {
      if (!isPayloadOf(event, payload)) return `Its payload is not that of an event '${event}'.`;
      return sender?.isBot && bots !== 'take'
        ? 'A bot caused it, and this webhook takes nothing from bots.'
        : undefined;
    },
  });
}

type Dispatches = NonNullable<GithubWebhookConfig<never>['dispatches']>;

async function read(
  { headers, body, hook, env }: SignedArrival,
  dispatches: Dispatches,
): Promise<Verified<GithubDelivery> | Reply> {
  const { payload } = readJsonOrForm(body);
  if (!payload) throw new WebhookRefusal('bad-json', 'The form has no field payload.');
  if (headers.get('x-github-event') === 'ping') return reply({ hook, status: 'pong' });
  const delivery = await toGithubDelivery({ hook, headers, env, payload });
  const id = await bodyHash(body);
  return verified(
    dispatches === 'repeat' && isDispatch(payload) ? `${id}:${delivery.delivery ?? ''}` : id,
    delivery,
  );
}

/**
 * Only what is signed can tell a replay from a new event; but what was asked for twice is no replay. Not the signature:
 * GitHub signs anew what it sends again after its secret was changed.
 */
const isDispatch = (payload: JsonObject): boolean =>
  Object.hasOwn(payload, 'client_payload') || Object.hasOwn(payload, 'inputs');
