import type { ClientAnswer } from '../machine/platform.ts';

/** A pending call. */
export interface PendingCall {
  readonly call: string;
  readonly tool: string;
  readonly links: { readonly approvals?: string; readonly results?: string };
}

/** The reply to one request, as its sender receives it. */
export type Reply =
  | { readonly came: 'answer'; readonly turn: string; readonly outcome: string }
  | { readonly came: 'suspended'; readonly turn: string; readonly pending: readonly PendingCall[] }
  /** The message is stored, and the answer arrives elsewhere. */
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
  /** The requested resource does not exist or no longer exists. */
  | { readonly came: 'gone'; readonly why: string }
  | { readonly came: 'broken' }
  /** A response that must never occur. */
  | { readonly came: 'unexpected'; readonly status: number; readonly body: string };

/** An event of a stream, with its raw data. */
export interface ShownEvent {
  readonly seq: number;
  readonly incarnation: string;
  readonly type: string;
  readonly data: string;
  /** `true` if it arrived before its event was durable. */
  readonly isEarly: boolean;
}

/** The received text of a stream, with the durable head of its session at each piece. */
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

  /** Returns the durable head of the session when the text up to `end` had arrived. */
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
  /** Members of a fork's response. */
  readonly session?: string;
  readonly at?: number;
  readonly calls?: readonly { readonly call: string }[];
}

const PROBLEM_PREFIX = 'urn:holdfast:problem:';

/** Reasons for a temporary refusal. */
const REFUSAL_PROBLEMS = [
  'session-busy',
  'turn-suspended',
  'queue-full',
  'session-unavailable',
  'newer-deployment',
  'rate-limited',
];
/** Reasons for a final refusal if another request was faster. */
const GONE_PROBLEMS = [
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

/** Converts a response that is not a stream to a reply. */
export function toReply(answer: ClientAnswer | undefined): Reply {
  if (!answer) return { came: 'broken' };
  return parseReply(answer.status, answer.headers, answer.text);
}

function parseReply(status: number, headers: Headers, text: string): Reply {
  const { turn = '', outcome, status: word, into, pending = [] } = parseBody(text);
  if (status === 202 && (outcome === 'suspended' || word === 'suspended'))
    return { came: 'suspended', turn, pending };
  if (turn !== '' && outcome) return { came: 'answer', turn, outcome };
  if ((status === 202 || status === 303) && turn !== '')
    return { came: 'accepted', turn, status: String(word), into };
  if (status === 204) return { came: 'gone', why: 'erased' };
  const why = parseProblem(text);
  if (REFUSAL_PROBLEMS.includes(why))
    return { came: 'refused', why, retryAfter: 1_000 * Number(headers.get('retry-after') ?? 1), pending };
  if (GONE_PROBLEMS.includes(why)) return { came: 'gone', why };
  return { came: 'unexpected', status, body: text.slice(0, 400) };
}

/** Returns the problem type of a response, or an empty string. */
export function parseProblem(text: string): string {
  const { type } = parseBody(text);
  return type?.startsWith(PROBLEM_PREFIX) ? type.slice(PROBLEM_PREFIX.length) : '';
}

/** Parses a body. Returns an empty object if it is not JSON. */
export function parseBody(text: string): Body {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {}; // the body is not JSON, so the response is unexpected
  }
}

/** Reads a turn's stream. Returns its end and the events that it has shown. */
export function readStream(
  answer: ClientAnswer | undefined,
  reception: Reception,
): { readonly reply: Reply; readonly shown: readonly ShownEvent[] } {
  const isRefused = answer && !answer.headers.get('content-type')?.startsWith('text/event-stream');
  if (isRefused) return { reply: toReply(answer), shown: [] };
  const shown: ShownEvent[] = [];
  let reply: Reply = { came: 'broken' };
  let end = 0;
  // The last frame can be incomplete.
  for (const frame of reception.text.split('\n\n').slice(0, -1)) {
    end += frame.length + 2;
    const { id, event = '', data = '' } = parseFields(frame);
    const [, seq, incarnation = ''] = /^(\d+)(?:-(.*))?$/.exec(id ?? '') ?? [];
    if (seq !== undefined) {
      const isEarly = Number(seq) > reception.headAt(end);
      shown.push({ seq: Number(seq), incarnation, type: event, data, isEarly });
    } else if (event === 'answer') reply = parseReply(200, new Headers(), data);
    else if (event === 'suspended') reply = parseReply(202, new Headers(), data);
    else if (
      event === 'later' ||
      event === 'accepted' ||
      event === 'continues' ||
      event === 'queued' ||
      event === 'steering' ||
      event === 'steered'
    )
      reply = parseReply(202, new Headers(), data);
    else if (event === 'erased') reply = { came: 'gone', why: 'session-erased' };
  }
  return { reply, shown };
}

const parseFields = (frame: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    frame.split('\n').map((line) => {
      const at = line.indexOf(': ');
      return [line.slice(0, at), line.slice(at + 2)];
    }),
  );
