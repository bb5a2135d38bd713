/**
 * Code that the strict servers share: the script, the record of refusals, and functions for signatures and
 * streams.
 *
 * A wire replaces the model's side of a provider's API. It plays a script and makes the same checks as the real
 * provider: its data must be returned unchanged. It keeps no state. The number of replies in a request's
 * conversation selects the next reply, so a repeated request receives the same reply.
 */

/** A provider's API with scripted replies. */
export interface Wire {
  readonly name: string;
  /** Handles one HTTP request. Never rejects: an error is a response with an error status. */
  handle(request: Request): Promise<Response>;
  /** The refusals, in the order of the requests. */
  readonly refused: readonly Refusal[];
  /** The parsed bodies of all requests, including refused ones. */
  readonly requests: readonly unknown[];
}

/** A refused request. */
export interface Refusal {
  /** The index of the request in `requests`. */
  readonly request: number;
  readonly status: number;
  /** The provider's error message. */
  readonly message: string;
}

/** The behavior of the model, by turn. A turn starts with a user message and ends with a text answer. */
export interface Script {
  readonly turns: readonly ScriptTurn[];
}

export interface ScriptTurn {
  /** The replies that call tools. */
  readonly steps: readonly ScriptStep[];
  /** The text that ends the turn. */
  readonly answer: string;
}

/** One reply with parallel calls. */
export interface ScriptStep {
  readonly calls: readonly ScriptCall[];
  /** The thinking before the reply. Defaults to a generated text. */
  readonly thinking?: string;
  /** The text next to the calls. */
  readonly text?: string;
}

export interface ScriptCall {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** A reply of a script, with its position. */
export interface ScriptedReply {
  /** The number of earlier replies in all turns. */
  readonly at: number;
  readonly turn: number;
  /** Its index in its turn. The index of the answer equals the number of steps. */
  readonly step: number;
  /** The calls of the reply. Empty for the answer of a turn. */
  readonly calls: readonly ScriptCall[];
  readonly thinking: string;
  /** The answer, or the text next to calls, which can be empty. */
  readonly text: string;
}

/** Returns all replies of a script in order: each turn's steps, then its answer. */
export function listReplies(script: Script): readonly ScriptedReply[] {
  const replies: ScriptedReply[] = [];
  for (const [turn, { steps, answer }] of script.turns.entries()) {
    const ofTurn: ScriptStep[] = [...steps, { calls: [], text: answer }];
    for (const [step, { calls, thinking, text }] of ofTurn.entries()) {
      const madeUp = `Thinking of turn ${turn + 1}, reply ${step + 1}: what is known, and what comes next.`;
      replies.push({ at: replies.length, turn, step, calls, thinking: thinking ?? madeUp, text: text ?? '' });
    }
  }
  return replies;
}

/** Returns the reply after `count` replies. Refuses with the wire's own message if the script has no more. */
export function getReply(replies: readonly ScriptedReply[], count: number): ScriptedReply {
  const reply = replies[count];
  if (reply === undefined)
    throw createOwnRefusal(`the script has ${replies.length} replies and was asked for one more`);
  return reply;
}

/** Returns the answer of a reply's turn, which a model gives if it must not call tools. */
export function getAnswerReply(replies: readonly ScriptedReply[], reply: ScriptedReply): ScriptedReply {
  return replies.find(({ turn, calls }) => turn === reply.turn && calls.length === 0) ?? reply;
}

/**
 * Returns the script positions of the replies in a conversation. A reply is identified by a call id or by the
 * text of an answer. Otherwise, it follows the previous reply. This also works if the beginning of a
 * conversation was replaced by a summary.
 */
export function findScriptPlaces(
  replies: readonly ScriptedReply[],
  held: readonly { readonly callIds: readonly string[]; readonly text: string }[],
  idOf: (reply: ScriptedReply, call: number) => string,
): readonly number[] {
  const byId = new Map(
    replies.flatMap((reply) => reply.calls.map((_, call) => [idOf(reply, call), reply.at])),
  );
  const answers = new Map(
    replies.filter(({ calls }) => calls.length === 0).map(({ text, at }) => [text, at]),
  );
  const places: number[] = [];
  for (const { callIds, text } of held) {
    const known = callIds.map((id) => byId.get(id)).find((at) => at !== undefined);
    const answer = callIds.length === 0 ? answers.get(text) : undefined;
    places.push(known ?? answer ?? (places.at(-1) ?? -1) + 1);
  }
  return places;
}

/** Thrown by a wire's checks. The response is the provider's error. */
export class RefusalError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = 'Refused';
    this.status = status;
  }
}

/** Returns a refusal that is stricter than the real provider. */
export function createOwnRefusal(message: string): RefusalError {
  return new RefusalError(400, `wire: ${message}`);
}

/** A request as received by the checks of a wire. */
export interface WireRequest {
  readonly url: URL;
  readonly headers: Headers;
  /** The parsed JSON body. */
  readonly body: unknown;
}

/** The provider-specific part of {@link createStrictWire}. */
export interface WireProtocol {
  readonly name: string;
  /** Checks the request and returns the response. @throws {@link Refused} if the provider would refuse it. */
  answer(request: WireRequest): Response;
  /** Returns the body of an error in the provider's format. */
  errorBody(status: number, message: string): unknown;
}

/** Creates a wire that records the requests and refusals of a protocol. */
export function createStrictWire(protocol: WireProtocol): Wire {
  const refused: Refusal[] = [];
  const requests: unknown[] = [];
  return {
    name: protocol.name,
    refused,
    requests,
    async handle(request) {
      const text = await request.text();
      const place = requests.length;
      try {
        requests.push(text);
        const body: unknown = JSON.parse(text);
        requests[place] = body;
        return protocol.answer({ url: new URL(request.url), headers: request.headers, body });
      } catch (error) {
        // An unexpected error of the wire is also treated as a refusal, so that no request passes unchecked.
        const status = error instanceof RefusalError ? error.status : 400;
        const message = error instanceof Error ? error.message : String(error);
        refused.push({ request: place, status, message });
        return createJsonResponse(protocol.errorBody(status, message), status);
      }
    },
  };
}

/** Returns a `fetch` whose requests a wire handles, for the `fetch` option of provider packages. */
export function createFetch(wire: Wire): typeof fetch {
  return (input, init) => wire.handle(new Request(input, init));
}

export function createJsonResponse(body: unknown, status = 200): Response {
  return new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });
}

/** A server-sent event. A string is sent unchanged, and other data is sent as JSON. */
export interface StreamEvent {
  readonly event?: string;
  readonly data: unknown;
}

/** Returns a response with a stream of server-sent events, one chunk for each event. */
export function createEventStream(events: Iterable<StreamEvent>): Response {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const { event, data } of events) {
        const name = event === undefined ? '' : `event: ${event}\n`;
        const line = typeof data === 'string' ? data : JSON.stringify(data);
        controller.enqueue(encoder.encode(`${name}data: ${line}\n\n`));
      }
      controller.close();
    },
  });
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}

/** Splits a text into pieces for a stream. */
export function splitText(text: string, length = 24): readonly string[] {
  return text.match(new RegExp(`[^]{1,${length}}`, 'g')) ?? [];
}

/**
 * Returns a text of `length` letters and digits that depends only on `parts` and the boundaries between them.
 * Wires use it for signatures, ids and opaque data. It detects mistakes in tests and does not protect against
 * attackers.
 */
export function computeFingerprint(parts: readonly unknown[], length = 40): string {
  const text = JSON.stringify(parts);
  let out = '';
  for (let round = 0; out.length < length; round += 1) out += computeHash64(`${round}:${text}`);
  return out.slice(0, length);
}

/** Two multiplicative hashes of 32 bits with different seeds, as 14 characters of base 36. */
function computeHash64(text: string): string {
  let a = 0x811c9dc5;
  let b = 0x9e3779b9;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b ^ code, 0x85ebca6b);
    b ^= b >>> 13;
  }
  a = Math.imul(a ^ (a >>> 16) ^ b, 0xc2b2ae35);
  a ^= a >>> 15;
  return toWord(a) + toWord(b ^ Math.imul(a, 0x27d4eb2f));
}

function toWord(bits: number): string {
  return (bits >>> 0).toString(36).padStart(7, '0');
}

/** Serializes a value with sorted keys, so that equal values yield equal texts. */
export function formatCanonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    isRecord(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  );
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
