import type { ClientAnswer } from '../machine/platform.ts';

/** A call that waits for somebody. */
export interface PendingCall {
  readonly call: string;
  readonly tool: string;
  readonly links: { readonly approvals?: string; readonly results?: string };
}

/** What came of one request, as its sender sees it. */
export type Reply =
  | { readonly came: 'answer'; readonly turn: string; readonly outcome: string }
  | { readonly came: 'suspended'; readonly turn: string; readonly pending: readonly PendingCall[] }
  /** The message is stored, and the answer will be elsewhere. */
  | {
      readonly came: 'accepted';
      readonly turn: string;
      readonly status: string;
      readonly into: string | undefined;
    }
  | {
      readonly came: 'refused';
      readonly why: string;
      readonly retryAfter: number;
      readonly pending: readonly PendingCall[];
    }
  /** What was asked for is not there, or not any more. */
  | { readonly came: 'gone'; readonly why: string }
  | { readonly came: 'broken' }
  /** What no client should ever be told. */
  | { readonly came: 'unexpected'; readonly status: number; readonly body: string };

/** An event of a stream, with its data as it was sent. */
export interface Shown {
  readonly seq: number;
  readonly incarnation: string;
  readonly type: string;
  readonly data: string;
  /** It came before its event was durable. */
  readonly isEarly: boolean;
}

/** The text of a stream as it comes, with how far its session was durable when each piece came. */
export class Reception {
  text = '';
  readonly #durableHead: () => number;
  readonly #pieces: { readonly end: number; readonly head: number }[] = [];

  constructor(durableHead: () => number) {
    this.#durableHead = durableHead;
  }

  readonly take = (piece: string): void => {
    this.text += piece;
    this.#pieces.push({ end: this.text.length, head: this.#durableHead() });
  };

  /** How far the session was durable when the text up to `end` had come. */
  headAt(end: number): number {
    return this.#pieces.find((piece) => piece.end >= end)?.head ?? 0;
  }
}

interface Body {
  readonly turn?: string;
  readonly outcome?: string;
  readonly status?: string | number;
  readonly into?: string;
  readonly pending?: readonly PendingCall[];
  readonly type?: string;
  /** Of a fork. */
  readonly session?: string;
  readonly at?: number;
  readonly calls?: readonly { readonly call: string }[];
}

const PROBLEM = 'urn:holdfast:problem:';

/** Why a request may be refused for a while. */
const REFUSALS = [
  'session-busy',
  'turn-suspended',
  'queue-full',
  'session-unavailable',
  'newer-deployment',
  'rate-limited',
];
/** Why it may be refused for good where somebody else was faster. */
const GONE = [
  'unknown-session',
  'unknown-turn',
  'session-erased',
  'no-open-turn',
  'turn-over',
  'call-over',
  'unknown-call',
  'not-waiting',
  'already-answered',
  'approval-expired',
  'result-expired',
  'nothing-to-retry',
  'session-exists',
];

/** Reads an answer that is no stream. */
export function toReply(answer: ClientAnswer | undefined): Reply {
  if (!answer) return { came: 'broken' };
  return replyOf(answer.status, answer.headers, answer.text);
}

function replyOf(status: number, headers: Headers, text: string): Reply {
  const { turn = '', outcome, status: word, into, pending = [] } = bodyOf(text);
  if (status === 202 && (outcome === 'suspended' || word === 'suspended'))
    return { came: 'suspended', turn, pending };
  if (turn !== '' && outcome) return { came: 'answer', turn, outcome };
  if ((status === 202 || status === 303) && turn !== '')
    return { came: 'accepted', turn, status: String(word), into };
  if (status === 204) return { came: 'gone', why: 'erased' };
  const why = problemOf(text);
  if (REFUSALS.includes(why))
    return { came: 'refused', why, retryAfter: 1_000 * Number(headers.get('retry-after') ?? 1), pending };
  if (GONE.includes(why)) return { came: 'gone', why };
  return { came: 'unexpected', status, body: text.slice(0, 400) };
}

/** The problem that an answer tells of; empty if there is none. */
export function problemOf(text: string): string {
  const { type } = bodyOf(text);
  return type?.startsWith(PROBLEM) ? type.slice(PROBLEM.length) : '';
}

/** What an answer says, if it is ours. */
export function bodyOf(text: string): Body {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {}; // not ours, and so unexpected
  }
}

/** Reads a stream of a turn: how it ends, and the events that it has shown. */
export function readStream(
  answer: ClientAnswer | undefined,
  reception: Reception,
): { readonly reply: Reply; readonly shown: readonly Shown[] } {
  const isRefused = answer && !answer.headers.get('content-type')?.startsWith('text/event-stream');
  if (isRefused) return { reply: toReply(answer), shown: [] };
  const shown: Shown[] = [];
  let reply: Reply = { came: 'broken' };
  let end = 0;
  // The last frame may be cut off.
  for (const frame of reception.text.split('\n\n').slice(0, -1)) {
    end += frame.length + 2;
    const { id, event = '', data = '' } = fieldsOf(frame);
    const [, seq, incarnation = ''] = /^(\d+)(?:-(.*))?$/.exec(id ?? '') ?? [];
    if (seq !== undefined) {
      const isEarly = Number(seq) > reception.headAt(end);
      shown.push({ seq: Number(seq), incarnation, type: event, data, isEarly });
    } else if (event === 'answer') reply = replyOf(200, new Headers(), data);
    else if (event === 'suspended') reply = replyOf(202, new Headers(), data);
    else if (
      event === 'later' ||
      event === 'accepted' ||
      event === 'continues' ||
      event === 'queued' ||
      event === 'steering' ||
      event === 'steered'
    )
      reply = replyOf(202, new Headers(), data);
    else if (event === 'erased') reply = { came: 'gone', why: 'session-erased' };
  }
  return { reply, shown };
}

const fieldsOf = (frame: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    frame.split('\n').map((line) => {
      const at = line.indexOf(': ');
      return [line.slice(0, at), line.slice(at + 2)];
    }),
  );
