/** Requests to the app's HTTP API as the caller who opened the page. */
import type { Client } from '../../../../client/client-session.ts';
import { createClient } from '../../../../client/create-client.ts';
import { HoldfastError } from '../../../../client/holdfast-error.ts';
import { createIndexClient } from '../../../../client/index-client.ts';
import { createTransport, type RepeatableRequest, readJson } from '../../../../client/transport.ts';

/** The prefix of the app's paths. The page is at `{base}/console`. */
export const BASE = location.pathname.replace(/\/console\/?$/, '');

/**
 * The number of retries. It is low, because a person waits for a lost connection to be reported. Streams have
 * their own retries.
 */
const RETRIES = 2;

const TRANSPORT = { url: BASE === '' ? '/' : BASE, retries: RETRIES };

const transport = createTransport(TRANSPORT);

/** Lists sessions, the inbox and usage, if the app has `sessionIndex()`. */
export const index = createIndexClient(TRANSPORT);

/**
 * Returns the JSON of a path below the app. @throws HoldfastError if the request is refused or the connection
 * is lost.
 */
export async function ask<Answer>(path: string, asked: Partial<RepeatableRequest> = {}): Promise<Answer> {
  return (await transport.ask({ path, ...asked }, readJson)) as Answer; // the server's own type
}

/** Returns the path of a session, followed by `rest`. */
export const pathOf = (agent: string, session: string, rest = ''): string =>
  `/agents/${encodeURIComponent(agent)}/sessions/${encodeURIComponent(session)}${rest}`;

const clients = new Map<string, Client>();

/** Returns the client of an agent's sessions. */
export function clientOf(agent: string): Client {
  const known = clients.get(agent) ?? createClient({ ...TRANSPORT, agent });
  clients.set(agent, known);
  return known;
}

/** A failure in words for a person. */
export interface Failure {
  readonly type: string;
  readonly message: string;
}

export const toFailure = (thrown: unknown): Failure =>
  thrown instanceof HoldfastError
    ? { type: thrown.type, message: thrown.message }
    : { type: 'error', message: thrown instanceof Error ? thrown.message : String(thrown) };

/** Returns whether the app lacks the module that serves a path. */
export const isMissingRoute = ({ type }: Failure): boolean => type === 'unknown-route';
