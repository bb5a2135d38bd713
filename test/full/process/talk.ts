import { createParser } from 'eventsource-parser';
import * as v from 'valibot';

const turnAnswer = v.object({
  outcome: v.string(),
  text: v.string(),
  iterations: v.number(),
  toolCalls: v.number(),
  model: v.nullable(v.string()),
});

/** The response to a message, as a client reads it. */
export interface TurnResponse {
  readonly status: number;
  /** The response body: the answer of a turn, or a problem. */
  readonly body: unknown;
  /** The streamed texts of the replies, in order. */
  readonly streamed: readonly string[];
  /** The names of the streamed events. */
  readonly events: readonly string[];
}

interface MessageBody {
  readonly message: string;
  readonly context?: Readonly<Record<string, string>> | undefined;
}

/** Sends a message to a session (its URL) and reads the whole answer, as JSON or as a stream of events. */
export async function say(session: URL, message: MessageBody, as: 'json' | 'events'): Promise<TurnResponse> {
  const response = await fetch(new URL(`${session.href}/messages`), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: as === 'json' ? 'application/json' : 'text/event-stream',
    },
    body: JSON.stringify(message),
  });
  const text = await response.text();
  const isStream = response.headers.get('content-type') === 'text/event-stream';
  if (!isStream) return { status: response.status, body: JSON.parse(text), streamed: [], events: [] };
  return { status: response.status, ...readStream(text) };
}

/** Returns the turn's answer. @throws ValiError for a problem or a broken stream. */
export const parseAnswer = ({ body }: TurnResponse): v.InferOutput<typeof turnAnswer> =>
  v.parse(turnAnswer, body);

const textDelta = v.object({ reply: v.string(), text: v.string() });

/** @throws Error if the sequence numbers of journaled events do not increase. */
function readStream(text: string): Omit<TurnResponse, 'status'> {
  const streamed = new Map<string, string>();
  const events: string[] = [];
  let body: unknown;
  let seq = 0;
  const parser = createParser({
    onEvent: ({ event = '', data, id }) => {
      events.push(event);
      const value: unknown = JSON.parse(data);
      const place = id ? Number.parseInt(id, 10) : undefined;
      if (place !== undefined && place <= seq) throw new Error(`Event ${id} was sent after event ${seq}.`);
      seq = place ?? seq;
      if (event === 'answer') body = value;
      if (event !== 'text-delta') return;
      const piece = v.parse(textDelta, value);
      streamed.set(piece.reply, (streamed.get(piece.reply) ?? '') + piece.text);
    },
  });
  parser.feed(text);
  return { body, streamed: [...streamed.values()], events };
}
