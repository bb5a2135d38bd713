/** A use of a Worker, from the first request to the last byte of its response. */
import type { RunningWorker } from '../../full/process/start-worker.ts';

export interface Scenario {
  readonly name: string;
  /** The file of its Worker in `workers`. */
  readonly worker: string;
  /** Sends the requests. Runs twice in one session, and the second run is measured. */
  talk(worker: RunningWorker, run: number): Promise<void>;
}

const SESSION = '/agents/agent/sessions/s1';

/** @throws Error if the response does not have this status. */
async function post(worker: RunningWorker, path: string, body: object, status = 200): Promise<unknown> {
  const response = await fetch(new URL(path, worker.url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (response.status !== status)
    throw new Error(`${path} returned ${response.status}, not ${status}: ${text}`);
  return response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : text;
}

/** @throws Error if the turn did not complete with one call. */
async function send(worker: RunningWorker, message: unknown): Promise<void> {
  const answer = await post(worker, `${SESSION}/messages`, { message });
  const { outcome, text, toolCalls } = answer as Readonly<Record<string, unknown>>; // the answer of a turn
  if (outcome === 'completed' && text === 'Done.' && toolCalls === 1) return;
  throw new Error(`The turn did not complete with one call: ${JSON.stringify(answer)}`);
}

const sendLook = (worker: RunningWorker): Promise<void> => send(worker, 'Look.');

async function approve(worker: RunningWorker): Promise<void> {
  const waiting = await post(worker, `${SESSION}/messages`, { message: 'Look.' }, 202);
  const { pending } = waiting as { pending: readonly { call: string }[] }; // the answer of a suspended turn
  const answer = await post(worker, `${SESSION}/approvals/${pending[0]?.call}`, { decision: 'approve' });
  const { outcome } = answer as Readonly<Record<string, unknown>>;
  if (outcome !== 'completed') throw new Error(`The turn did not complete: ${JSON.stringify(answer)}`);
}

const sendFile = (worker: RunningWorker, run: number): Promise<void> =>
  send(worker, [
    { type: 'text', text: 'Look.' },
    { type: 'file', mediaType: 'text/plain', data: btoa(`File ${run}`) },
  ]);

async function sendChat(worker: RunningWorker, run: number): Promise<void> {
  const messages = [{ id: `m${run}`, role: 'user', parts: [{ type: 'text', text: 'Look.' }] }];
  const stream = await post(worker, '/agents/agent/chat', { id: 's1', messages, trigger: 'submit-message' });
  if (!String(stream).includes('"delta":"Done."'))
    throw new Error(`The chat did not stream the answer 'Done.': ${stream}`);
}

/** All scenarios. The first one is a plain message, whose cost all users have. */
export const SCENARIOS: readonly Scenario[] = [
  { name: 'a `read` call', worker: 'read', talk: sendLook },
  { name: 'a `once` call', worker: 'once', talk: sendLook },
  { name: 'an approval, asked and decided', worker: 'approval', talk: approve },
  { name: 'unfolding', worker: 'unfolding', talk: sendLook },
  { name: 'a file', worker: 'file', talk: sendFile },
  { name: 'compaction', worker: 'compaction', talk: sendLook },
  { name: "an MCP server's tool", worker: 'mcp', talk: sendLook },
  { name: 'useChat', worker: 'use-chat', talk: sendChat },
];
