import { registerScript, type ScriptedTurn } from '../../../fixtures/scripts.ts';
import { createSessionPath, post, readJson, type Send, send } from './client.ts';

interface Options {
  readonly headers?: Readonly<Record<string, string>>;
  readonly via?: Send;
  readonly signal?: AbortSignal;
}

/** Answers a pending call by its link, or by a path below its session. */
export const answer = (
  path: string,
  body: unknown,
  { headers = {}, via = send, signal }: Options = {},
): Promise<Response> =>
  via(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...(signal && { signal }),
  });

export interface WaitingTurn {
  readonly session: string;
  readonly turn: string;
  /** The recipient of this turn's payments, which no other turn uses. */
  readonly to: string;
  /** The addresses for answering the pending calls, in order. */
  readonly links: readonly string[];
  readonly pending: readonly Record<string, unknown>[];
  readonly model: ScriptedTurn['model'];
}

/** Starts a turn of the clerk that waits for one call of each of these tools, and then has these replies. */
export async function startWaitingTurn(
  tools: readonly string[],
  {
    via = send,
    replies = ['Done.', 'Next.'],
    session = createSessionPath('clerk'),
  }: Partial<Options> & {
    readonly replies?: readonly string[];
    readonly session?: string;
  } = {},
): Promise<WaitingTurn> {
  const to = crypto.randomUUID();
  const calls = tools.map((name, i) => ({
    name,
    input: name === 'look_up' ? { id: 'o1' } : { to, amount: i + 1 },
  }));
  const { message, model } = registerScript({ calls }, ...replies);
  const response = await post(session, { message: message() }, { via });
  const body = await readJson(response);
  if (response.status !== 202) throw new Error(`The turn is not waiting for a call: ${JSON.stringify(body)}`);
  const pending = body.pending as Record<string, unknown>[];
  const links = pending.map((one) => String(Object.values(Object(one.links))[0]));
  return { session, turn: String(body.turn), to, links, pending, model };
}

/** Returns the only link of a turn with one pending call. */
export function getOnlyLink({ links: [link, ...more] }: WaitingTurn): string {
  if (link === undefined || more.length > 0) throw new Error('The turn is not waiting for exactly one call.');
  return link;
}

export const createProblem = (
  type: string,
  status: number,
  detail: string,
  more: Readonly<Record<string, unknown>> = {},
) => ({ type: `urn:holdfast:problem:${type}`, title: type.replaceAll('-', ' '), status, detail, ...more });
