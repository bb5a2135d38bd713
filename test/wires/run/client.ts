/** A client of one session. It repeats its message with the same key until it receives the answer. */
import { setTimeout as delay } from 'node:timers/promises';
import { createParser } from 'eventsource-parser';
import type { SessionEvent } from '../../../src/journal/entry.ts';
import { decodeBase64, type SaidMessage } from '../session/files.ts';
import type { Session } from '../session/names.ts';

export interface SessionRequest {
  readonly url: string;
  readonly session: Session;
  /** Aborts when the answer is no longer needed. */
  readonly signal: AbortSignal;
  /** Receives the reason for each repeat of a message. */
  readonly onAgain: (why: string) => void;
}

/** A message of a user, and how the client sends it. */
export interface Message extends SaidMessage {
  readonly form: 'json' | 'multipart';
}

/** The pause before a message is repeated while its turn runs elsewhere, in ms. */
const PAUSE_MS = 100;

/** Returns `true` if the message must be repeated with the same key later. */
const isForLater = ({ status }: Response): boolean => status === 202 || status === 429 || status === 503;

/** Returns the text of the answer, or the problem in the response. */
export async function sendUntilAnswered(
  asked: SessionRequest,
  message: Message,
  key: string,
): Promise<string> {
  for (;;) {
    const answer = await answerOnce(asked, message, key);
    if ('words' in answer) return answer.words;
    asked.onAgain(answer.again);
    await delay(PAUSE_MS, undefined, { signal: asked.signal });
  }
}

/** Returns the text of the answer, or the reason to repeat the message. */
async function answerOnce(
  asked: SessionRequest,
  message: Message,
  key: string,
): Promise<{ readonly words: string } | { readonly again: string }> {
  try {
    const response = await post(asked, message, key);
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    const body = isStream ? findAnswer(await response.text()) : await response.json();
    if (body !== undefined && !isForLater(response)) return { words: describeBody(body) };
    return { again: `${response.status} ${body === undefined ? 'without an answer' : describeBody(body)}` };
  } catch (failure) {
    asked.signal.throwIfAborted();
    // After a broken connection, the state of the turn is unknown.
    if (failure instanceof TypeError) return { again: `${failure.message}: ${String(failure.cause)}` };
    throw failure;
  }
}

const getSessionUrl = ({ url, session }: SessionRequest): string =>
  `${url}/agents/${session.name}/sessions/s1`;

function post(asked: SessionRequest, message: Message, key: string): Promise<Response> {
  const body = createBody(message);
  return fetch(`${getSessionUrl(asked)}/messages`, {
    method: 'POST',
    headers: {
      // `fetch` sets the type of a form, because it contains the boundary.
      ...(typeof body === 'string' && { 'content-type': 'application/json' }),
      'idempotency-key': key,
      accept: asked.session.manner === 'stream' ? 'text/event-stream' : 'application/json',
    },
    body,
    signal: asked.signal,
  });
}

function createBody({ text, files, form }: Message): string | FormData {
  if (files.length === 0) return JSON.stringify({ message: text });
  if (form === 'json') {
    const parts = files.map(({ base64: data, ...file }) => ({ type: 'file', ...file, data }));
    return JSON.stringify({ message: [{ type: 'text', text }, ...parts] });
  }
  const body = new FormData();
  body.set('message', text);
  for (const { base64, mediaType, name } of files)
    body.append('file', new Blob([decodeBase64(base64)], { type: mediaType }), name);
  return body;
}

/** Returns the last event of a stream if it is the answer of the turn. */
function findAnswer(stream: string): unknown {
  let answer: unknown;
  const parser = createParser({
    onEvent({ event, data }) {
      if (event === 'answer') answer = JSON.parse(data);
    },
  });
  parser.feed(stream);
  return answer;
}

function describeBody(body: unknown): string {
  const { text, detail } = Object(body) as { readonly text?: unknown; readonly detail?: unknown }; // the members can have any type
  if (typeof text === 'string') return text;
  return typeof detail === 'string' ? detail : JSON.stringify(body);
}

/** Returns the whole journal of the session. @throws Error with the response if it is not a page of events. */
export async function readJournal(asked: SessionRequest): Promise<readonly SessionEvent[]> {
  const response = await fetch(`${getSessionUrl(asked)}/events`, { signal: asked.signal });
  if (!response.ok) throw new Error(`GET events returned ${response.status}: ${await response.text()}`);
  const page = (await response.json()) as { readonly events: readonly SessionEvent[] }; // documented in docs/http.md
  return page.events;
}
