import { computeSha256Hex } from '../../tool/async.ts';
import type { WhenBusy } from '../../tool/call.ts';
import type { Owner } from '../../tool/call-origin.ts';
import { findWordProblem } from '../../tool/check-definition.ts';
import type { LiteralShape } from '../../tool/check-literal.ts';
import { literals } from '../../tool/literals.ts';
import { createModule, createUse } from '../../tool/module-use.ts';
import { findOwnerProblem } from '../../tool/owner.ts';
import { readName } from '../../tool/shown.ts';
import { APP } from '../../worker/app-seam.ts';
import { WEBHOOK_PARTS, WEBHOOK_SEAM } from './hook-route.ts';
import {
  type Acknowledgement,
  type Delivery,
  type IgnoredDelivery,
  type RawDelivery,
  type Reply,
  type UnverifiedRequest,
  type VerifiedDelivery,
  type Webhook,
  WebhookDefinitionError,
  type WebhookEnv,
  type WebhookOutcome,
  type WebhookStart,
  type WebhookTurn,
} from './webhook.ts';

/** The turn that `start` of a webhook returns. It must name an agent if the webhook does not. */
export type TurnOf<Agent extends string | undefined> = Agent extends string
  ? WebhookTurn
  : WebhookTurn & { readonly agent: string };

/** The options of `defineWebhook`. */
export interface WebhookConfig<Name extends string, Payload, Agent extends string | undefined> {
  /** The name, which is the last part of the path `/hooks/{name}`: 1 to 64 of `A-Z a-z 0-9 _ -`. */
  readonly name: Name;
  /** The agent that deliveries start. If absent, `start` must name the agent. */
  readonly agent?: Agent | undefined;
  /**
   * The default owner of its sessions: `{ tenant }` or `{ id }` of the callers who can read them. Defaults to
   * the owner of the built-in authentication. Required if the app has its own `auth`.
   */
  readonly owner?: Owner | undefined;
  /**
   * Webhooks with the same namespace share one set of delivery ids in a session. Defaults to the webhook's
   * name.
   */
  readonly namespace?: string | undefined;
  /**
   * Checks a delivery before its body is read, since an unverified sender could fill memory with the body.
   *
   * @throws WebhookRefusal if no body could prove the sender, such as without a signature.
   */
  readonly admit?: ((request: UnverifiedRequest) => void | Promise<void>) | undefined;
  /**
   * Verifies the sender of a delivery from the raw bytes, and parses the payload. Returns `reply` for a
   * handshake.
   *
   * @throws WebhookRefusal if the delivery does not prove its sender.
   */
  readonly verify: (
    raw: RawDelivery,
  ) => VerifiedDelivery<Payload> | Reply | Promise<VerifiedDelivery<Payload> | Reply>;
  /**
   * Maps a delivery to a session and a message. If it throws, the delivery is not stored and the response is
   * 500, so that the sender retries. It must map the same delivery to the same session every time.
   */
  readonly start: (
    delivery: Delivery<Payload>,
  ) => TurnOf<Agent> | IgnoredDelivery | Promise<TurnOf<Agent> | IgnoredDelivery>;
  /**
   * Returns the problem of an environment, such as `has no secret. Set LINEAR_SECRET.`, or `undefined`.
   * `GET /health` reports it after the webhook's name.
   */
  readonly lacks?: ((env: WebhookEnv) => Promise<string | undefined>) | undefined;
  /** The maximum number of bytes of a delivery. Defaults to 5 MB. */
  readonly maxBodyBytes?: number | undefined;
  /** The behavior if the session has an open turn. Defaults to `queue`. */
  readonly whenBusy?: WhenBusy | undefined;
}

const MAX_BODY_BYTES = 5_000_000;

/**
 * Declares a webhook for any sender. It verifies a delivery, maps it to a turn, and responds with 202 after
 * one durable write. The turn runs in the background. A delivery that is repeated within 7 days does not
 * start another turn.
 *
 * @throws WebhookDefinitionError if the name cannot be part of a path, or a setting is invalid.
 *
 * @example
 * ```ts
 * const linear = defineWebhook({
 *   name: 'linear',
 *   agent: 'planner',
 *   async verify({ headers, body, env }) {
 *     const signature = fromHex(headers.get('linear-signature') ?? '');
 *     const secrets = await secretsOf(env, ({ LINEAR_SECRET }) => LINEAR_SECRET);
 *     if (!signature || !(await isSigned({ secrets, signatures: [signature], content: [body] }))) throw notSigned();
 *     return verified(headers.get('linear-delivery') ?? '', JSON.parse(new TextDecoder().decode(body)));
 *   },
 *   start: ({ id }) => ({ session: id, message: 'An issue has changed.' }),
 * });
 * ```
 */
export function defineWebhook<
  const Name extends string,
  Payload,
  Agent extends string | undefined = undefined,
>(config: WebhookConfig<Name, Payload, Agent>): Webhook<Name> {
  const fault = literals?.fault(config, SHAPE);
  if (fault) throw new WebhookDefinitionError(readName(config), fault.field, fault.problem);
  const { name, agent, owner, namespace = name, maxBodyBytes = MAX_BODY_BYTES, whenBusy = 'queue' } = config;
  checkSettings({ name, owner, maxBodyBytes, whenBusy });
  const webhook: Webhook<Name> = createUse(WEBHOOKS_MODULE, name, {
    name,
    agent,
    owner,
    namespace,
    maxBodyBytes,
    whenBusy,
    lacks: config.lacks,
    admit: async (request: UnverifiedRequest) => config.admit?.(request),
    async receive(raw: RawDelivery): Promise<WebhookOutcome> {
      const proof = await config.verify(raw);
      if (proof.type === 'reply') return proof;
      const { id, payload, acknowledge = 'address' } = proof;
      const { headers, env } = raw;
      const turn = await config.start({ hook: name, id, payload, headers, env });
      if (turn.type === 'ignored') return { ...turn, acknowledge };
      return toStart(turn, { agent, owner, id, acknowledge });
    },
  });
  WEBHOOK_SEAM.give(webhook, webhook);
  APP.give(webhook, WEBHOOK_PARTS);
  return webhook;
}

const WEBHOOKS_MODULE = createModule({ name: 'webhooks' });

const SHAPE = {
  of: 'defineWebhook',
  keys: {
    name: 'any',
    agent: 'text',
    owner: 'any',
    namespace: 'text',
    admit: 'function',
    verify: 'function',
    start: 'function',
    lacks: 'function',
    maxBodyBytes: 'any',
    whenBusy: 'any',
  },
  required: ['name', 'verify', 'start'],
} satisfies LiteralShape<keyof WebhookConfig<string, unknown, undefined>>;

interface DeliveryDefaults {
  readonly agent: string | undefined;
  readonly owner: Owner | undefined;
  readonly id: string;
  readonly acknowledge: Acknowledgement;
}

async function toStart(
  turn: WebhookTurn,
  usual: DeliveryDefaults,
): Promise<WebhookStart & Pick<DeliveryDefaults, 'acknowledge'>> {
  const { agent = usual.agent, owner = usual.owner, session, message, context = {}, key = usual.id } = turn;
  const { acknowledge } = usual;
  return { type: 'start', agent, owner, session, message, context, key: await toKey(key), acknowledge };
}

/**
 * Returns the key for an id. The key is the id itself, or a hash if the id is long or has unusual characters.
 *
 * @throws Error if the id is empty, since all deliveries would share it.
 */
async function toKey(id: string): Promise<string> {
  if (id === '')
    throw new Error('The delivery has an empty id or key, so other deliveries would count as repeats of it.');
  return /^[\x21-\x7e]{1,200}$/.test(id) ? id : `sha256:${await computeSha256Hex(JSON.stringify(id))}`;
}

function checkSettings({
  name,
  owner,
  maxBodyBytes,
  whenBusy,
}: Pick<Webhook, 'name' | 'owner' | 'maxBodyBytes' | 'whenBusy'>): void {
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(name)) {
    throw new WebhookDefinitionError(
      name,
      'name',
      'needs a name of 1 to 64 of the characters A-Z a-z 0-9 _ -',
    );
  }
  const notOwner = owner === undefined ? undefined : findOwnerProblem(owner);
  if (notOwner !== undefined) {
    throw new WebhookDefinitionError(name, 'owner', `needs another owner, since its owner ${notOwner}`);
  }
  if (!Number.isSafeInteger(maxBodyBytes) || maxBodyBytes < 1) {
    const problem = `has a maxBodyBytes of ${maxBodyBytes}. It must be a whole number of bytes above 0`;
    throw new WebhookDefinitionError(name, 'maxBodyBytes', problem);
  }
  const use = findWordProblem(whenBusy, ['queue', 'steer']);
  if (use) {
    throw new WebhookDefinitionError(name, 'whenBusy', `has a whenBusy of '${whenBusy}'. It must be ${use}`);
  }
}
