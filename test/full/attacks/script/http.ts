/** Requests as an attacker sends them, with any headers and bytes, and their complete responses. */
import { once } from 'node:events';
import { Agent, type IncomingMessage, request as open } from 'node:http';
import { connect } from 'node:net';

export interface RequestToSend {
  readonly method?: string;
  readonly path: string;
  /** An ordered list, because a name can occur twice. */
  readonly headers?: readonly (readonly [name: string, value: string])[];
  readonly body?: string | Uint8Array | undefined;
  /** Closes the connection as soon as this returns `true` for the received text. */
  readonly until?: ((text: string) => boolean) | undefined;
}

export interface ReceivedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** The parsed body, if it is JSON. */
  readonly json: Readonly<Record<string, unknown>> | undefined;
}

/**
 * The maximum duration of a request in milliseconds. Without it, a stream that an attack opens by mistake would
 * never end.
 */
const PATIENCE_MS = 10_000;

const agent = new Agent({ keepAlive: true, maxSockets: 200 });

/** Sends a request and returns the response. The status is 0 if the connection broke before the response. */
export async function send(origin: string, sent: RequestToSend): Promise<ReceivedResponse> {
  const { hostname, port } = new URL(origin);
  const { method = 'GET', path, headers = [], body } = sent;
  const named = headers.some(([name]) => name.toLowerCase() === 'host');
  const all = [...headers, ...(named ? [] : [['host', `${hostname}:${port}`] as const])];
  const length = body === undefined ? [] : [['content-length', String(Buffer.byteLength(body))] as const];
  const asked = open({
    hostname,
    port,
    method,
    path,
    agent,
    setHost: false,
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  const values = new Map<string, string[]>();
  for (const [name, value] of [...all, ...length]) values.set(name, [...(values.get(name) ?? []), value]);
  for (const [name, listed] of values)
    asked.setHeader(name, listed.length === 1 ? (listed[0] ?? '') : listed);
  asked.end(body);
  try {
    const [response]: IncomingMessage[] = await once(asked, 'response');
    return response ? await readAll(response, sent) : createBrokenResponse('no response');
  } catch (failure) {
    return createBrokenResponse(String(failure));
  }
}

const createBrokenResponse = (why: string): ReceivedResponse => ({
  status: 0,
  headers: {},
  text: why,
  json: undefined,
});

async function readAll(response: IncomingMessage, { until }: RequestToSend): Promise<ReceivedResponse> {
  const chunks: Buffer[] = [];
  let text = '';
  try {
    for await (const chunk of response) {
      chunks.push(chunk);
      if (until === undefined) continue;
      text = Buffer.concat(chunks).toString();
      if (until(text)) break;
    }
  } catch (failure) {
    chunks.push(Buffer.from(`\n[broken off: ${failure}]`));
  }
  text = Buffer.concat(chunks).toString('latin1');
  const read = Buffer.from(text, 'latin1').toString();
  return { status: response.statusCode ?? 0, headers: response.headers, text: read, json: parseJson(read) };
}

function parseJson(text: string): ReceivedResponse['json'] {
  try {
    return Object(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/**
 * Sends raw bytes and returns everything received until the other side closes, or until half a second passes
 * without data.
 */
export async function sendBytes(origin: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(origin);
  const socket = connect(Number(port), hostname);
  socket.setTimeout(500, () => socket.destroy());
  socket.write(Buffer.from(bytes, 'latin1'));
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of socket) chunks.push(chunk);
  } catch {
    // The data received before the error is the response.
  }
  return Buffer.concat(chunks).toString('latin1');
}

/** Returns the pending calls of a response. */
export function listPendingCalls({ json, text }: ReceivedResponse): readonly [PendingCall, ...PendingCall[]] {
  const pending: unknown = json?.pending;
  if (!Array.isArray(pending) || pending.length === 0)
    throw new Error(`The response has no pending calls: ${text.slice(0, 400)}`);
  return pending as [PendingCall, ...PendingCall[]]; // documented in docs/approvals.md
}

export interface PendingCall {
  readonly call: string;
  readonly tool: string;
  readonly links: { readonly approvals?: string; readonly results?: string };
  readonly [member: string]: unknown;
}
