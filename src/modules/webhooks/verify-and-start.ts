import type { WhenBusy } from '../../tool/call.ts';
import type { Owner } from '../../tool/call-origin.ts';
import type { LiteralKind, LiteralShape } from '../../tool/check-literal.ts';
import { isSecretSource, readSecrets, SECRET_RULE, type SecretSource } from '../../tool/env.ts';
import { literals } from '../../tool/literals.ts';
import { readName } from '../../tool/shown.ts';
import { defineWebhook } from './define-webhook.ts';
import { isSigned, notSigned, type SignatureCheck, secretsOf } from './signature.ts';
import {
  type IgnoredDelivery,
  ignored,
  type RawDelivery,
  type Reply,
  type UnverifiedRequest,
  type VerifiedDelivery,
  type Webhook,
  WebhookDefinitionError,
  type WebhookEnv,
  WebhookRefusal,
  type WebhookTurn,
} from './webhook.ts';

/**
 * The common options of the ready-made webhooks. `Event` is the type of names in `events`, and `View` the
 * type of a delivery.
 */
export interface SenderConfig<Event extends string, View> {
  /** The name, which is the last part of the path `/hooks/{name}`. Defaults to the sender's name. */
  readonly name?: string | undefined;
  /** The agent that deliveries start. */
  readonly agent: string;
  /**
   * The owner of its sessions: `{ tenant }` or `{ id }` of the callers who can read them. Defaults to the
   * owner of the built-in authentication (`{ id: 'token' }` with `HOLDFAST_TOKEN`, or else
   * `{ id: 'local' }`). If the app has its own `auth` and `owner` is missing, `createHoldfast` throws.
   */
  readonly owner?: Owner | undefined;
  /**
   * Returns the secret, as in `(env) => env.GITHUB_SECRET`, or names its var. While it is not set, deliveries
   * get a 503 response. For several valid secrets, return a list: `(env) => [env.NEW, env.OLD]`.
   */
  readonly secret: SecretSource;
  /** The events to accept. Defaults to all events. Other events get a 200 response and are ignored. */
  readonly events?: readonly Event[] | undefined;
  /**
   * Maps a delivery to a session and a message. Defaults to `delivery.usual`. If it throws, the delivery is
   * not stored and the response is 500, so that the sender retries. It must map the same delivery to the same
   * session every time.
   */
  readonly start?:
    | ((delivery: View) => WebhookTurn | IgnoredDelivery | Promise<WebhookTurn | IgnoredDelivery>)
    | undefined;
  /** The maximum number of bytes of a delivery. Defaults to 5 MB. */
  readonly maxBodyBytes?: number | undefined;
  /** The behavior if the session has an open turn. Defaults to `queue`. */
  readonly whenBusy?: WhenBusy | undefined;
}

/** The common properties of deliveries to ready-made webhooks. */
export interface SenderDelivery {
  /** The webhook's name. */
  readonly hook: string;
  readonly headers: Headers;
  readonly env: WebhookEnv;
  /** The turn that starts by default. Copy it to change it, as in `{ ...usual, message }`. */
  readonly usual: WebhookTurn;
}

/** The parts of a sender's webhook. */
interface WebhookSender<View extends SenderDelivery> {
  /** The default name of its webhook. */
  readonly name: string;
  /**
   * The scope of delivery ids. All webhooks of a sender share ids `of the sender`, so that a delivery to one
   * webhook cannot be replayed at another with the same secret. A format with many senders uses ids
   * `of the webhook`.
   */
  readonly ids: 'of the sender' | 'of the webhook';
  /** Reads the signed parts of the headers. @throws WebhookRefusal if no body could make them valid. */
  readHeader(request: UnverifiedRequest): SignatureHeader;
  /**
   * Converts a secret to a key. Defaults to the secret's text. @throws WebhookRefusal if the secret is
   * invalid.
   */
  toKey?(secret: string): SignatureCheck['secrets'][number];
  /** Parses a verified delivery. @throws WebhookRefusal if it is invalid. */
  read(signed: SignedDelivery): Promise<VerifiedDelivery<View> | Reply>;
  /** Returns the names in `events` that match the delivery. */
  names(delivery: View): readonly string[];
  /** The webhook's own options, in addition to the common ones. */
  readonly options?: Readonly<Record<string, LiteralKind>> | undefined;
  /**
   * Returns the problem with a name in `events`, as the end of a sentence, or `undefined`. Only called in
   * development.
   */
  misnamed?(event: string): string | undefined;
  /**
   * Returns the reason why the delivery starts no turn, regardless of `events`, or `undefined` if it starts
   * one.
   */
  skip(delivery: View): string | undefined;
}

/** The signature in the headers of a delivery. Only the body can verify it. */
export interface SignatureHeader {
  /** One valid signature is enough. */
  readonly signatures: readonly Uint8Array<ArrayBuffer>[];
  /** The text that is signed before the body. */
  readonly ahead: string;
}

/** A delivery with a valid signature, and the name of its webhook. */
export interface SignedDelivery extends RawDelivery {
  readonly hook: string;
}

/**
 * Creates the webhook of a sender, which verifies each delivery and starts the turn that `start` returns.
 *
 * @throws WebhookDefinitionError if a setting is invalid.
 */
export function createSenderWebhook<Event extends string, View extends SenderDelivery>(
  config: SenderConfig<Event, View>,
  sender: WebhookSender<View>,
): Webhook {
  const fault = literals?.fault(config, createConfigShape(sender));
  if (fault) throw new WebhookDefinitionError(readName(config) || sender.name, fault.field, fault.problem);
  const { name = sender.name, agent, owner, secret, events, maxBodyBytes, whenBusy } = config;
  const start = config.start ?? (({ usual }: View) => usual);
  if (!isSecretSource(secret)) throw new WebhookDefinitionError(name, 'secret', SECRET_RULE);
  if (events && !(events.length > 0 && events.every((event) => event.trim() !== ''))) {
    throw new WebhookDefinitionError(
      name,
      'events',
      'has no names in its `events`. Omit `events` to accept all',
    );
  }
  for (const event of (literals && events) ?? []) {
    const problem = sender.misnamed?.(event);
    if (problem !== undefined)
      throw new WebhookDefinitionError(name, 'events', `has '${event}' in its 'events', ${problem}`);
  }
  return defineWebhook({
    name,
    agent,
    owner,
    namespace: sender.ids === 'of the sender' ? sender.name : undefined,
    maxBodyBytes,
    whenBusy,
    async lacks(env) {
      try {
        const secrets = await readSecrets(env, secret);
        for (const one of secrets) sender.toKey?.(one);
        return secrets.length > 0
          ? undefined
          : 'has no secret, so it refuses every delivery. Set the var that its `secret` reads (wrangler secret put, or .dev.vars for wrangler dev, which reads it when it starts)';
      } catch (failure) {
        if (failure instanceof WebhookRefusal) return `cannot use its secret: ${failure.message}`;
        return 'cannot read its secret: the Secrets Store, or the function that reads it, failed';
      }
    },
    admit: async (request) => {
      await prepareCheck(request, secret, sender);
    },
    async verify(raw) {
      const { secrets, signatures, ahead } = await prepareCheck(raw, secret, sender);
      if (!(await isSigned({ secrets, signatures, content: [ahead, raw.body] }))) throw notSigned();
      return sender.read({ ...raw, hook: name });
    },
    start: ({ payload }) => {
      const names = sender.names(payload);
      if (events && !events.some((event) => names.includes(event)))
        return ignored(formatIgnoredReason(names));
      const why = sender.skip(payload);
      return why === undefined ? start(payload) : ignored(why);
    },
  });
}

export const BOTS_RULE: LiteralKind = [
  "'ignore' or 'take'",
  (given) => given === 'ignore' || given === 'take',
];

const createConfigShape = ({
  name,
  options,
}: Pick<WebhookSender<never>, 'name' | 'options'>): LiteralShape => ({
  of: `${name}Webhook`,
  keys: { ...OPTION_KINDS, ...options },
  required: ['agent'],
  foreign: { event: 'events', on: 'events', secrets: 'secret', handler: 'start', agents: 'agent' },
});

const OPTION_KINDS: Readonly<Record<keyof SenderConfig<string, unknown>, LiteralKind>> = {
  name: 'any',
  agent: 'text',
  owner: 'any',
  secret: 'any',
  events: 'list',
  start: 'function',
  maxBodyBytes: 'any',
  whenBusy: 'any',
};

/** Makes all checks that do not need the body. @throws WebhookRefusal if one fails. */
async function prepareCheck(
  request: UnverifiedRequest,
  source: SecretSource,
  sender: Pick<WebhookSender<never>, 'readHeader' | 'toKey'>,
): Promise<SignatureHeader & Pick<SignatureCheck, 'secrets'>> {
  const secrets = (await secretsOf(request.env, source)).map((secret) => sender.toKey?.(secret) ?? secret);
  return { secrets, ...sender.readHeader(request) };
}

const formatIgnoredReason = (names: readonly string[]): string =>
  `This webhook ignores '${(names.at(-1) ?? '').slice(0, 80)}'.`;
