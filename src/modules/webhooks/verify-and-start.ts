import type { WhenBusy } from '../../tool/call.ts';
import type { Owner } from '../../tool/call-origin.ts';
import type { LiteralKind, LiteralShape } from '../../tool/check-literal.ts';
import { isSecretSource, readSecrets, SECRET_RULE, type SecretSource } from '../../tool/env.ts';
import { literals } from '../../tool/literals.ts';
import { nameIn } from '../../tool/shown.ts';
import { defineWebhook } from './define-webhook.ts';
import { isSigned, notSigned, type Signed, secretsOf } from './signature.ts';
import {
  type Ignored,
  ignored,
  type RawDelivery,
  type Reply,
  type UnverifiedRequest,
  type Verified,
  type Webhook,
  WebhookDefinitionError,
  type WebhookEnv,
  WebhookRefusal,
  type WebhookTurn,
} from './webhook.ts';

/** What the ready-made webhooks have in common. `Event` is what can be asked for, `View` how a delivery is shown. */
export interface SenderConfig<Event extends string, View> {
  /** The last part of its path, `/hooks/{name}`; the sender's name unless given. */
  readonly name?: string | undefined;
  /** The agent that deliveries start. */
  readonly agent: string;
  /**
   * Whose sessions they are: `{ tenant }` or `{ id }` of the callers who may read them. With the built-in authentication
   * those of its callers unless given (`{ id: 'token' }` with `HOLDFAST_TOKEN`, else `{ id: 'local' }`); with an `auth` of the app's own it has to be
   * given, or `createHoldfast` throws.
   */
  readonly owner?: Owner | undefined;
  /**
   * Where the secret is: `(env) => env.GITHUB_SECRET`, or the name of its var. While it is not set, deliveries are answered 503. A delivery
   * may be signed with any of several: `(env) => [env.NEW, env.OLD]`.
   */
  readonly secret: SecretSource;
  /** What is taken; all unless given. The rest is answered 200 and ignored. */
  readonly events?: readonly Event[] | undefined;
  /**
   * Which session gets which message; `delivery.usual` unless given. What it throws is answered 500, and nothing is taken, so
   * that the sender tries again. The same delivery has to be mapped to the same session every time.
   */
  readonly start?: ((delivery: View) => WebhookTurn | Ignored | Promise<WebhookTurn | Ignored>) | undefined;
  /** What a delivery may weigh; 5 MB unless given. */
  readonly maxBodyBytes?: number | undefined;
  /** What happens when the session has an open turn; `queue` unless given. */
  readonly whenBusy?: WhenBusy | undefined;
}

/** What every ready-made webhook shows of a delivery. */
export interface SenderDelivery {
  /** The webhook's name. */
  readonly hook: string;
  readonly headers: Headers;
  readonly env: WebhookEnv;
  /** What is started unless `start` says otherwise: copy it with a change, as in `{ ...usual, message }`. */
  readonly usual: WebhookTurn;
}

/** What a sender's webhook is made of. */
interface Sender<View extends SenderDelivery> {
  /** Also the webhook's name unless it is given one. */
  readonly name: string;
  /**
   * Who gives deliveries their ids. Those of one sender are one at all of its webhooks: what was taken at one cannot be played
   * again at another that has the same secret. What is sent by many is told apart by the webhook.
   */
  readonly ids: 'of the sender' | 'of the webhook';
  /** Reads what the headers say was signed. @throws WebhookRefusal when no body could make it right. */
  readHeader(request: UnverifiedRequest): SignatureHeader;
  /** Makes a key of a secret, whose text is the key otherwise. @throws WebhookRefusal when it cannot be one. */
  toKey?(secret: string): Signed['secrets'][number];
  /** Reads what is proven to come from the sender. @throws WebhookRefusal when it cannot. */
  read(signed: SignedDelivery): Promise<Verified<View> | Reply>;
  /** Gives the names by which `events` may ask for the delivery. */
  names(delivery: View): readonly string[];
  /** The options that its webhook takes beside those of every sender. */
  readonly options?: Readonly<Record<string, LiteralKind>> | undefined;
  /** In development: returns what is wrong with a name in `events`, to follow it, or `undefined`. */
  misnamed?(event: string): string | undefined;
  /** Says why the delivery starts nothing, whoever asked for it; `undefined` when it starts a turn. */
  skip(delivery: View): string | undefined;
}

/** The signature that the headers of a delivery carry; only its body can prove it. */
export interface SignatureHeader {
  /** Any of them may hold. */
  readonly signatures: readonly Uint8Array<ArrayBuffer>[];
  /** The text that was signed ahead of the body. */
  readonly ahead: string;
}

/** A delivery whose signature holds, and the name of the webhook that it came to. */
export interface SignedDelivery extends RawDelivery {
  readonly hook: string;
}

/**
 * Makes the webhook of a sender: it verifies each delivery and starts the turn that it is mapped to.
 *
 * @throws WebhookDefinitionError when a setting is none.
 */
export function verifyAndStart<Event extends string, View extends SenderDelivery>(
  config: SenderConfig<Event, View>,
  sender: Sender<View>,
): Webhook {
  const fault = literals?.fault(config, shapeOf(sender));
  if (fault) throw new WebhookDefinitionError(nameIn(config) || sender.name, fault.field, fault.problem);
  const { name = sender.name, agent, owner, secret, events, maxBodyBytes, whenBusy } = config;
  const start = config.start ?? (({ usual }: View) => usual);
  if (!isSecretSource(secret)) throw new WebhookDefinitionError(name, 'secret', SECRET_RULE);
  if (events && !(events.length > 0 && events.every((event) => event.trim() !== ''))) {
    throw new WebhookDefinitionError(name, 'events', 'lists events by name; without `events` it takes all');
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
          : 'has no secret, so it refuses every delivery: set the var that its `secret` reads (wrangler secret put; a line of .dev.vars for wrangler dev, which reads it when it starts)';
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
      if (events && !events.some((event) => names.includes(event))) return ignored(notAsked(names));
      const why = sender.skip(payload);
      return why === undefined ? start(payload) : ignored(why);
    },
  });
}

/** What becomes of what bots cause, as an option. */
export const BOTS: LiteralKind = ["'ignore' or 'take'", (given) => given === 'ignore' || given === 'take'];

const shapeOf = ({ name, options }: Pick<Sender<never>, 'name' | 'options'>): LiteralShape => ({
  of: `${name}Webhook`,
  keys: { ...KEYS, ...options },
  required: ['agent'],
  foreign: { event: 'events', on: 'events', secrets: 'secret', handler: 'start', agents: 'agent' },
});

const KEYS: Readonly<Record<keyof SenderConfig<string, unknown>, LiteralKind>> = {
  name: 'any',
  agent: 'text',
  owner: 'any',
  secret: 'any',
  events: 'list',
  start: 'function',
  maxBodyBytes: 'any',
  whenBusy: 'any',
};

/** All that can be found out without the body. @throws WebhookRefusal */
async function prepareCheck(
  request: UnverifiedRequest,
  source: SecretSource,
  sender: Pick<Sender<never>, 'readHeader' | 'toKey'>,
): Promise<SignatureHeader & Pick<Signed, 'secrets'>> {
  const secrets = (await secretsOf(request.env, source)).map((secret) => sender.toKey?.(secret) ?? secret);
  return { secrets, ...sender.readHeader(request) };
}

const notAsked = (names: readonly string[]): string =>
  `This webhook takes no '${(names.at(-1) ?? '').slice(0, 80)}'.`;
