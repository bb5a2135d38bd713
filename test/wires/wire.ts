/**
 * What the strict servers of all providers share: the script that they play, the record of what they refused, and the
 * small tools to sign and to stream.
 *
 * A wire stands in for the model's side of a provider's API. It plays a script, and it checks each request for what the
 * real provider checks: that everything it gave comes back as it was given. It keeps no state: the next reply is found
 * by the count of replies in the request's own conversation, so that a request which is sent again gets the same reply.
 */

/** A provider's API, answered from a script. */
export interface Wire {
  readonly name: string;
  /** Answers one HTTP request of the provider's API. Never rejects: what goes wrong is an answer with an error's status. */
  handle(request: Request): Promise<Response>;
  /** What was refused, in the order of the requests. */
  readonly refused: readonly Refusal[];
  /** The parsed bodies of all requests, refused ones included. */
  readonly requests: readonly unknown[];
}

/** One request that was refused. */
export interface Refusal {
  /** The request's place in `requests`. */
  readonly request: number;
  readonly status: number;
  /** The words of the provider's error. */
  readonly message: string;
}

/** What the model does, turn by turn. A turn starts with a user's message and ends with an answer in words. */
export interface Script {
  readonly turns: readonly ScriptTurn[];
}

export interface ScriptTurn {
  /** The replies that call tools. */
  readonly steps: readonly ScriptStep[];
  /** The words that end the turn. */
  readonly answer: string;
}

/** One reply that calls tools: all its calls are made at once. */
export interface ScriptStep {
  readonly calls: readonly ScriptCall[];
  /** What the model thinks before; the wire makes words up when there are none. */
  readonly thinking?: string;
  /** What the model says beside its calls. */
  readonly text?: string;
}

export interface ScriptCall {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** One reply of a script, with its place. */
export interface ScriptedReply {
  /** How many replies came before it, in all turns. */
  readonly at: number;
  readonly turn: number;
  /** Its place in its turn; the answer's is the count of the turn's steps. */
  readonly step: number;
  /** Empty for a turn's answer. */
  readonly calls: readonly ScriptCall[];
  readonly thinking: string;
  /** The answer, or what is said beside calls; may be empty beside calls. */
  readonly text: string;
}

/** All replies of a script, in their order: each turn's steps, then its answer. */
export function repliesOf(script: Script): readonly ScriptedReply[] {
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

/** The reply that comes after `count` replies. Refuses, in the wire's own words, when the script has no more. */
export function replyAfter(replies: readonly ScriptedReply[], count: number): ScriptedReply {
  const reply = replies[count];
  if (reply === undefined)
    throw ownRefusal(`the script has ${replies.length} replies and was asked for one more`);
  return reply;
}

/** The words that end the turn of a reply: what a model says when it may call nothing. */
export function answerOf(replies: readonly ScriptedReply[], reply: ScriptedReply): ScriptedReply {
  return replies.find(({ turn, calls }) => turn === reply.turn && calls.length === 0) ?? reply;
}

/**
 * The places in the script of the replies that a conversation holds. A reply is known by the id of one of its calls, or
 * by the words of an answer; one that is neither is the next after the one before. A conversation whose beginning was
 * summarized away is so understood too.
 */
export function placesOf(
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

/** Thrown by a wire's checks: the request is answered with the provider's error. */
export class Refused extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = 'Refused';
    this.status = status;
  }
}

/** A refusal that the real provider does not know: what it would take, and the wire does not. */
export function ownRefusal(message: string): Refused {
  return new Refused(400, `wire: ${message}`);
}

/** A request as a wire's checks see it. */
export interface WireRequest {
  readonly url: URL;
  readonly headers: Headers;
  /** The parsed JSON body. */
  readonly body: unknown;
}

/** What one provider adds to {@link strictWire}. */
export interface WireProtocol {
  readonly name: string;
  /** Checks the request and answers it. Throws {@link Refused} for what the provider refuses. */
  answer(request: WireRequest): Response;
  /** The body of an error, as the provider writes it. */
  errorBody(status: number, message: string): unknown;
}

/** A wire that keeps the record of a protocol's requests and refusals. */
export function strictWire(protocol: WireProtocol): Wire {
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
        // A wire that fails on a request it does not know is told as a refusal too: nothing passes unchecked.
        const status = error instanceof Refused ? error.status : 400;
        const message = error instanceof Error ? error.message : String(error);
        refused.push({ request: place, status, message });
        return jsonResponse(protocol.errorBody(status, message), status);
      }
    },
  };
}

/** A `fetch` whose requests a wire answers, for the option of that name of a provider's package. */
export function fetchOf(wire: Wire): typeof fetch {
  return (input, init) => wire.handle(new Request(input, init));
}

export function jsonResponse(body: unknown, status = 200): Response {
  return new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });
}

/** One event of a stream of server-sent events; a string is sent as it is, anything else as JSON. */
export interface StreamEvent {
  readonly event?: string;
  readonly data: unknown;
}

/** Answers with a stream of server-sent events, one chunk an event. */
export function eventStream(events: Iterable<StreamEvent>): Response {
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

/** Cuts a text into pieces, as a stream sends it. */
export function piecesOf(text: string, length = 24): readonly string[] {
  return text.match(new RegExp(`[^]{1,${length}}`, 'g')) ?? [];
}

/**
 * A text of `length` letters and digits that follows from `parts` alone: the wires' signatures, ids and opaque blobs.
 * Every part and the bounds between them count. It keeps tests honest and is no protection against an attacker.
 */
export function fingerprint(parts: readonly unknown[], length = 40): string {
  const text = JSON.stringify(parts);
  let out = '';
  for (let round = 0; out.length < length; round += 1) out += hash64(`${round}:${text}`);
  return out.slice(0, length);
}

/** Two multiplicative hashes of 32 bits with different seeds, as 14 characters of base 36. */
function hash64(text: string): string {
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
  return word(a) + word(b ^ Math.imul(a, 0x27d4eb2f));
}

function word(bits: number): string {
  return (bits >>> 0).toString(36).padStart(7, '0');
}

/** JSON with the keys of all objects in one order: equal values give equal texts. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    isRecord(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  );
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
