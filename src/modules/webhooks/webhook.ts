import { computeSha256Hex } from '../../tool/async.ts';
import type { WhenBusy } from '../../tool/call.ts';
import type { Owner } from '../../tool/call-origin.ts';
import { type Json, type JsonObject, shorten } from '../../tool/json.ts';
import type { ModuleUse } from '../../tool/module-use.ts';
import { withFullStop } from '../../tool/shown.ts';

/** The Worker's vars, secrets and bindings. */
export type WebhookEnv = Readonly<Record<string, unknown>>;

/** A request to a webhook before its body is read. Its sender is not verified. */
export interface UnverifiedRequest {
  readonly headers: Headers;
  readonly env: WebhookEnv;
  /** The current time in milliseconds since the epoch. */
  readonly now: number;
}

/** A request to a webhook with its body. Its sender is not verified yet. */
export interface RawDelivery extends UnverifiedRequest {
  /** The bytes as they were sent. Signatures cover these bytes, not parsed and reserialized JSON. */
  readonly body: Uint8Array<ArrayBuffer>;
}

/**
 * The response to an accepted delivery: the turn's address, or 200 without a body for senders that show
 * responses to people.
 */
export type Acknowledgement = 'address' | 'nothing';

/** A verified delivery. */
export interface VerifiedDelivery<Payload> {
  readonly type: 'verified';
  /**
   * The id of the delivery. Deliveries with equal ids count as one. Use signed data, since a replay can
   * change the rest.
   */
  readonly id: string;
  readonly payload: Payload;
  /** Defaults to `address`. */
  readonly acknowledge?: Acknowledgement | undefined;
}

/** A response with the status 200 to a handshake of the sender, which starts no turn. */
export interface Reply {
  readonly type: 'reply';
  readonly body: Json;
}

/** A verified delivery that starts no turn. */
export interface IgnoredDelivery {
  readonly type: 'ignored';
  /** The reason, which is sent to the sender. */
  readonly reason: string;
}

/** A verified delivery for `start`. */
export interface Delivery<Payload> {
  /** The webhook's name. */
  readonly hook: string;
  readonly id: string;
  readonly payload: Payload;
  /**
   * The headers of the request. An attacker who has seen one delivery can forge all headers that the sender
   * does not sign.
   */
  readonly headers: Headers;
  readonly env: WebhookEnv;
}

/** The turn that a delivery starts. */
export interface WebhookTurn {
  readonly type?: undefined;
  /** Defaults to the webhook's agent. */
  readonly agent?: string | undefined;
  /**
   * The owner of the session: `{ tenant }` or `{ id }` of the callers who can read it. Defaults to the
   * webhook's owner.
   */
  readonly owner?: Owner | undefined;
  /**
   * The session id: 1 to 128 of `A-Z a-z 0-9 _ . : @ -`, as `toSessionId` returns them. It must depend only
   * on the delivery, since a repeated delivery is recognized in its session.
   */
  readonly session: string;
  /** The text that the model reads. */
  readonly message: string;
  /**
   * Values for the tools, which the model never sees. They are journaled, so they must not contain
   * credentials.
   */
  readonly context?: JsonObject | undefined;
  /**
   * Identifies the delivery instead of the sender's id. A session accepts the first delivery with a key
   * within 7 days.
   */
  readonly key?: string | undefined;
}

/** The complete settings of a delivery's turn. */
export interface WebhookStart {
  readonly type: 'start';
  readonly agent: string | undefined;
  /** If absent, the app's `auth` decides the owner of the session. */
  readonly owner: Owner | undefined;
  readonly session: string;
  readonly message: string;
  readonly context: JsonObject;
  /** The key of the delivery: printable ASCII without spaces. */
  readonly key: string;
}

/** The outcome of a delivery. */
export type WebhookOutcome =
  | Reply
  | ((IgnoredDelivery | WebhookStart) & { readonly acknowledge: Acknowledgement });

/** A webhook for one sender, at `POST /hooks/{name}`. Created by `defineWebhook`, and never mutated. */
export interface Webhook<Name extends string = string> extends ModuleUse {
  readonly name: Name;
  /** The default agent of its turns. */
  readonly agent: string | undefined;
  /** The default owner of its sessions. If absent, the app's `auth` decides. */
  readonly owner: Owner | undefined;
  /** The scope of delivery ids: the webhook's name, or a name that several webhooks of one sender share. */
  readonly namespace: string;
  readonly maxBodyBytes: number;
  /**
   * The behavior if the session has an open turn. A message that would steer the turn is queued if the turn
   * waits for a person.
   */
  readonly whenBusy: WhenBusy;
  /** Rejects with a WebhookRefusal if no body could prove the sender, so that the body is not read. */
  admit(request: UnverifiedRequest): Promise<void>;
  /**
   * Returns the problem of an environment, as the end of a sentence after the webhook's name, or `undefined`.
   */
  readonly lacks: ((env: WebhookEnv) => Promise<string | undefined>) | undefined;
  /**
   * Verifies and maps a delivery. Rejects with a WebhookRefusal, or with errors of the app's own functions.
   */
  receive(raw: RawDelivery): Promise<WebhookOutcome>;
}

/** Returns a verified delivery. `id` identifies it permanently. */
export const verified = <Payload>(
  id: string,
  payload: Payload,
  acknowledge?: Acknowledgement,
): VerifiedDelivery<Payload> => ({ type: 'verified', id, payload, acknowledge });

/** Returns a JSON response to a handshake, which starts no turn. */
export const reply = (body: Json): Reply => ({ type: 'reply', body });

/**
 * Ignores a delivery. The sender receives `reason`, and counts the delivery as successful.
 *
 * @example
 * ```ts
 * const hook = stripeWebhook({
 *   agent: 'researcher',
 *   secret: 'STRIPE_SECRET',
 *   start: ({ usual, event }) => (event === 'charge.refunded' ? usual : ignored('Only refunds.')),
 * });
 * ```
 */
export const ignored = (reason: string): IgnoredDelivery => ({ type: 'ignored', reason });

const MAX_ID_LENGTH = 128;
const KEPT_PREFIX_LENGTH = 60;

/**
 * Builds a session id from parts, such as `acme:shop:42`. Different parts never result in the same id.
 * Characters that an id cannot contain become `@` and four hexadecimal digits. A long id is shortened and
 * ends with its SHA-256.
 *
 * @example
 * ```ts
 * const session = await toSessionId('acme', 'shop', '42'); // acme:shop:42
 * ```
 */
export async function toSessionId(...parts: readonly string[]): Promise<string> {
  const id = parts.map(escapePart).join(':');
  if (id === '') return '@@'; // no other short id contains `@@`
  if (id.length <= MAX_ID_LENGTH) return id;
  return `${id.slice(0, KEPT_PREFIX_LENGTH)}@@${await computeSha256Hex(id)}`;
}

/**
 * Escapes a part. `:` separates parts and `@` starts an escape, so both are escaped. Works by code units,
 * since half a surrogate pair is valid text.
 */
const escapePart = (part: string): string =>
  part.replaceAll(/[^A-Za-z0-9_.-]/g, (unit) => `@${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/**
 * The reason why a delivery is refused. `invalid-signature` means that the sender is not verified (401),
 * `bad-json` that the sender is verified but the body is unreadable (400), and `not-configured` that this
 * Worker has no secret for the check (503).
 */
export type RefusalKind = 'invalid-signature' | 'bad-json' | 'not-configured';

/**
 * Thrown by verifiers, including those of an app, to refuse a delivery without storing data. The sender
 * receives the message, so it must help an honest sender, and must not contain a secret or a valid signature.
 */
export class WebhookRefusal extends Error {
  override readonly name = 'WebhookRefusal';
  readonly kind: RefusalKind;

  constructor(kind: RefusalKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

/** Thrown at the definition of a webhook if its options are invalid. */
export class WebhookDefinitionError extends Error {
  override readonly name = 'WebhookDefinitionError';
  /** The name in the options, which may be invalid. */
  readonly webhook: string;
  /** The invalid property. */
  readonly field: string;

  /** `problem` completes the sentence that begins with "Webhook 'x' ". */
  constructor(webhook: string, field: string, problem: string) {
    super(`Webhook '${shorten(webhook, 80)}' ${withFullStop(problem)}`);
    this.webhook = webhook;
    this.field = field;
  }
}
