import type { PendingCall } from '../../../src/examples/demo/client.ts';

/** The outcome of one request, as its sender observes it. */
export type Reply =
  /** The turn's outcome. */
  | { readonly came: 'answer'; readonly turn: string; readonly outcome: string }
  /** The turn waits for a decision. */
  | { readonly came: 'suspended'; readonly turn: string; readonly pending: readonly PendingCall[] }
  /** 202: the message is stored, and the answer arrives elsewhere. */
  | { readonly came: 'accepted'; readonly turn: string; readonly status: string }
  /** The session is busy, suspended or unreachable. */
  | { readonly came: 'refused'; readonly why: string; readonly retryAfter: number }
  /** The Worker was down, so the request did not arrive. */
  | { readonly came: 'down' }
  /** The connection was lost, but the request may have arrived. */
  | { readonly came: 'broken' }
  /** A response that must never occur. */
  | { readonly came: 'unexpected'; readonly status: number; readonly body: string };

/** The relevant members of a JSON answer or a problem. */
interface Body {
  readonly turn?: string;
  readonly outcome?: string;
  readonly status?: string | number;
  readonly pending?: readonly PendingCall[];
  readonly type?: string;
}

const PROBLEM = 'urn:holdfast:problem:';

/** The reasons for which requests may be refused in this run. Any other reason is unexpected. */
const REFUSALS = ['session-busy', 'turn-suspended', 'queue-full', 'session-unavailable'];

/**
 * Wrangler's own response when it restarts the Worker after a file was saved. The request may have arrived.
 */
const RELOADED = 'Your worker restarted mid-request.';

/** Converts a response to a reply. */
export function toReply(response: Response, text: string): Reply {
  const { status, headers } = response;
  const { turn = '', outcome, status: word, pending, type } = parseBody(text);
  if (turn !== '' && (outcome === 'suspended' || word === 'suspended')) {
    return { came: 'suspended', turn, pending: pending ?? [] };
  }
  // A failed turn is a problem that contains its outcome.
  if (turn !== '' && outcome) return { came: 'answer', turn, outcome };
  if (status === 202 && turn !== '') return { came: 'accepted', turn, status: String(word) };
  const why = type?.startsWith(PROBLEM) ? type.slice(PROBLEM.length) : '';
  if (status === 503 && text.startsWith(RELOADED)) return { came: 'broken' };
  if (!REFUSALS.includes(why)) return { came: 'unexpected', status, body: text.slice(0, 400) };
  return { came: 'refused', why, retryAfter: 1_000 * Number(headers.get('retry-after') ?? 1) };
}

function parseBody(text: string): Body {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {}; // the body is not JSON, so the response is unexpected
  }
}
