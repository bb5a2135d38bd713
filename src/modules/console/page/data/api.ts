/** Requests to the app's HTTP API as the caller who opened the page. */
import type { Client } from '../../../../client/client-session.ts';
import { createClient } from '../../../../client/create-client.ts';
import { HoldfastError } from '../../../../client/holdfast-error.ts';
import { createIndexClient } from '../../../../client/index-client.ts';
import { createTransport, type RepeatableRequest, readJson } from '../../../../client/transport.ts';

/** The prefix of the app's paths. The page is at `{base}/console`. */
export const BASE_PATH = location.pathname.replace(/\/console\/?$/, '');

/**
 * The number of retries. It is low, so that a person soon sees that the connection is lost. Streams have
 * their own retries.
 */
const MAX_RETRIES = 2;

const TRANSPORT_OPTIONS = { url: BASE_PATH === '' ? '/' : BASE_PATH, retries: MAX_RETRIES };

const transport = createTransport(TRANSPORT_OPTIONS);

/** Client for session lists, the inbox and usage, if the app has `sessionIndex()`. */
export const index = createIndexClient(TRANSPORT_OPTIONS);

/**
 * Returns the JSON of a path below the app. @throws HoldfastError if the request is refused or the connection
 * is lost.
 */
export async function ask<Answer>(path: string, asked: Partial<RepeatableRequest> = {}): Promise<Answer> {
  return (await transport.ask({ path, ...asked }, readJson)) as Answer; // the server's own type
}

/** A session, and its owner if the caller views it as an operator. */
export interface SessionPlace {
  readonly agent: string;
  readonly id: string;
  readonly owner?: string | undefined;
}

/** Returns the path and query of a console route of a session. */
export function toConsolePath({ agent, id, owner }: SessionPlace, route: string, query: object): string {
  const search = new URLSearchParams({ ...query, ...(owner !== undefined && { owner }) });
  return `/agents/${encodeURIComponent(agent)}/sessions/${encodeURIComponent(id)}/console/${route}?${search}`;
}

const clients = new Map<string, Client>();

/** Returns the client for an agent's sessions. Defaults to the caller's own sessions. */
export function createAgentClient(agent: string, owner?: string): Client {
  const key = JSON.stringify([agent, owner]);
  const known = clients.get(key) ?? createClient({ ...TRANSPORT_OPTIONS, agent, owner });
  clients.set(key, known);
  return known;
}

/** A failure as a message for a person. */
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
