import { sha256Hex } from '../../tool/async.ts';
import type { WhenBusy } from '../../tool/call.ts';
import type { Owner } from '../../tool/call-origin.ts';
import { type Json, type JsonObject, shorten } from '../../tool/json.ts';
import type { ModuleUse } from '../../tool/module-use.ts';
import { ended } from '../../tool/shown.ts';

/** The Worker's vars, secrets and bindings. */
export type WebhookEnv = Readonly<Record<string, unknown>>;

/** A request to a webhook before its body is read: nothing is known of who sent it. */
export interface UnverifiedRequest {
  readonly headers: Headers;
  readonly env: WebhookEnv;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** A request to a webhook with its body: who sent it is still to be proved. */
export interface RawDelivery extends UnverifiedRequest {
  /** The bytes as they were sent: signatures cover these, and nothing that was parsed and written again. */
  readonly body: Uint8Array<ArrayBuffer>;
}

/** What is answered to a delivery that was taken: its turn's address, or 200 and nothing, for senders that show it to people. */
export type Acknowledgement = 'address' | 'nothing';

/** A delivery that is what it says it is. */
export interface Verified<Payload> {
  readonly type: 'verified';
  /** Two deliveries with one id are one. Taken from what was signed, or a replay goes by another name. */
  readonly id: string;
  readonly payload: Payload;
  /** `address` unless given. */
  readonly acknowledge?: Acknowledgement | undefined;
}

/** A question of the sender's that is answered at once, 200, and starts nothing. */
export interface Reply {
  readonly type: 'reply';
  readonly body: Json;
}

/** A verified delivery that is nobody's business. */
export interface Ignored {
  readonly type: 'ignored';
  /** Told to the sender. */
  readonly reason: string;
}

/** A verified delivery on its way to an agent. */
export interface Delivery<Payload> {
  /** The webhook's name. */
  readonly hook: string;
  readonly id: string;
  readonly payload: Payload;
  /** Of the request; what the sender does not sign can be forged by whoever has seen one delivery. */
  readonly headers: Headers;
  readonly env: WebhookEnv;
}

/** The turn that a delivery starts. */
export interface WebhookTurn {
  readonly type?: undefined;
  /** The webhook's own unless given. */
  readonly agent?: string | undefined;
  /** Whose the session is: `{ tenant }` or `{ id }` of those who may read it. The webhook's own unless given. */
  readonly owner?: Owner | undefined;
  /**
   * 1 to 128 of `A-Z a-z 0-9 _ . : @ -`, as `toSessionId` makes them. A delivery that is sent again is recognised in its
   * session, so it has to be a function of the delivery alone.
   */
  readonly session: string;
  /** What the model reads. */
  readonly message: string;
  /** Values for the tools, which the model never sees; no credentials, since it is journaled. */
  readonly context?: JsonObject | undefined;
  /** Names the delivery in place of the sender's id: of those with one key, in one session, the first is taken (7 days). */
  readonly key?: string | undefined;
}

/** A delivery's turn, with everything decided. */
export interface WebhookStart {
  readonly type: 'start';
  readonly agent: string | undefined;
  /** When it is absent, the app's `auth` says whose the session is. */
  readonly owner: Owner | undefined;
  readonly session: string;
  readonly message: string;
  readonly context: JsonObject;
  /** Printable ASCII without spaces. */
  readonly key: string;
}

/** What comes of a delivery. */
export type Received = Reply | ((Ignored | WebhookStart) & { readonly acknowledge: Acknowledgement });

/** A door for one sender, at `POST /hooks/{name}`. Made by `defineWebhook`; never mutated. */
export interface Webhook<Name extends string = string> extends ModuleUse {
  readonly name: Name;
  /** The agent that it starts unless its mapping names another. */
  readonly agent: string | undefined;
  /** Its sessions belong to this owner unless its mapping names another. When it is absent, the app's `auth` says whose they are. */
  readonly owner: Owner | undefined;
  /** Ids of deliveries are told apart within it: its name, or what several webhooks of one sender share. */
  readonly namespace: string;
  readonly maxBodyBytes: number;
  /** What happens to its turns when their session has an open one. What would steer a turn that waits for somebody waits behind it. */
  readonly whenBusy: WhenBusy;
  /** Rejects with a WebhookRefusal when no body could prove who sent this, so that none is read. */
  admit(request: UnverifiedRequest): Promise<void>;
  /** Returns what it lacks of an environment, to follow its name, or `undefined`. */
  readonly lacks: ((env: WebhookEnv) => Promise<string | undefined>) | undefined;
  /** Verifies and maps a delivery. Rejects with a WebhookRefusal, or with what the app's own functions throw. */
  receive(raw: RawDelivery): Promise<Received>;
}

/** Says that a delivery is verified; `id` names it for ever. */
export const verified = <Payload>(
  id: string,
  payload: Payload,
  acknowledge?: Acknowledgement,
): Verified<Payload> => ({ type: 'verified', id, payload, acknowledge });

/** Answers a question of the sender's with JSON, and starts nothing. */
export const reply = (body: Json): Reply => ({ type: 'reply', body });

/** Leaves a delivery alone; `reason` is told to the sender, who counts it as delivered. */
export const ignored = (reason: string): Ignored => ({ type: 'ignored', reason });

const MAX_LENGTH = 128;
const KEPT_OF_LONG = 60;

/**
 * A session id of these parts, such as `acme:shop:42`; different parts never get the same id. What an id cannot hold is
 * written as `@` and four hexadecimal digits, and what is too long is cut and ends in its SHA-256.
 */
export async function toSessionId(...parts: readonly string[]): Promise<string> {
  const id = parts.map(escaped).join(':');
  if (id === '') return '@@'; // `@@` stands in no other short id
  if (id.length <= MAX_LENGTH) return id;
  return `${id.slice(0, KEPT_OF_LONG)}@@${await sha256Hex(id)}`;
}

/** `:` separates the parts and `@` escapes, so both are escaped inside of them. By code units: half a pair is a text, too. */
const escaped = (part: string): string =>
  part.replaceAll(/[^A-Za-z0-9_.-]/g, (unit) => `@${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/**
 * Why a delivery is not taken. `invalid-signature`: it is not shown to come from the sender (401). `bad-json`: it does,
 * and cannot be read (400). `not-configured`: this Worker has no secret to check it with (503).
 */
export type RefusalKind = 'invalid-signature' | 'bad-json' | 'not-configured';

/**
 * A delivery is refused, and nothing of it was taken. Thrown by verifiers, those of an app included. The message is
 * answered to whoever sent the delivery: it tells an honest sender what to mend, and holds no secret and no right signature.
 */
export class WebhookRefusal extends Error {
  override readonly name = 'WebhookRefusal';
  readonly kind: RefusalKind;

  constructor(kind: RefusalKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

/** A webhook was declared wrongly; thrown where it is defined. */
export class WebhookDefinitionError extends Error {
  override readonly name = 'WebhookDefinitionError';
  /** The name that was given, valid or not. */
  readonly webhook: string;
  /** The property of the definition that is wrong. */
  readonly field: string;

  /** `problem` is a sentence that goes on after "Webhook 'x' ". */
  constructor(webhook: string, field: string, problem: string) {
    super(`Webhook '${shorten(webhook, 80)}' ${ended(problem)}`);
    this.webhook = webhook;
    this.field = field;
  }
}
