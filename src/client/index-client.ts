/**
 * Reads the index of an app: lists of sessions, the inbox, usage, and data for operators. Requires
 * `sessionIndex()` in the app.
 */
import type {
  Inbox,
  IndexedOwner,
  OwnerList,
  ReadSession,
  SessionList,
  SessionStatus,
  TitledSession,
  UsageReport,
} from '../worker/index-views.ts';
import type { WaitOptions } from './client-session.ts';
import {
  createKey,
  createTransport,
  type RepeatableRequest,
  readJson,
  type TransportOptions,
} from './transport.ts';

/** Selects a page of a list. */
export interface ListOptions extends WaitOptions {
  /** The `next` of the previous page. */
  readonly cursor?: string | undefined;
  /** The maximum number of entries: 1 to 100. Defaults to 50. */
  readonly limit?: number | undefined;
}

/** The owner, for operators: `id:` or `tenant:`, and a name. Defaults to the caller. */
interface OwnerOption {
  readonly owner?: string | undefined;
}

/** Selects a page of the sessions of an agent. */
export interface ListSessionsOptions extends ListOptions, OwnerOption {
  readonly status?: SessionStatus | undefined;
  /** Only sessions with activity since then: in milliseconds since the epoch, or as ISO 8601. */
  readonly since?: number | string | undefined;
}

/** Selects usage. */
export interface UsageOptions extends WaitOptions, OwnerOption {
  /** Defaults to `day`. */
  readonly by?: 'day' | 'agent' | 'model' | undefined;
  /** The first day, in UTC: `2026-11-01`. */
  readonly from?: string | undefined;
  /** The last day. */
  readonly to?: string | undefined;
}

/** The index of an app for one caller. Its methods throw refusals as a HoldfastError. */
export interface IndexClient {
  /** Returns a page of the sessions of an agent, the latest first. */
  sessions(agent: string, options?: ListSessionsOptions): Promise<SessionList>;
  /** Sets the title of a session. `null` restores the first words of its first message. */
  setTitle(
    session: { readonly agent: string; readonly session: string },
    title: string | null,
    options?: WaitOptions,
  ): Promise<TitledSession>;
  /**
   * Makes a model write the title. Requires `modelTitles()` in the app. Calls with the same `idempotencyKey`
   * call the model at most once. Defaults to a new key.
   */
  writeTitle(
    session: { readonly agent: string; readonly session: string },
    options?: WaitOptions & { readonly idempotencyKey?: string | undefined },
  ): Promise<TitledSession>;
  /**
   * Marks a session as read by the caller, up to an event: `seq` of a list, or the `seq` of a shown event.
   * Defaults to the last event.
   */
  markRead(
    session: { readonly agent: string; readonly session: string; readonly seq?: number | undefined },
    options?: WaitOptions,
  ): Promise<ReadSession>;
  /**
   * Returns a page of the sessions that wait for the caller. It can be empty even if more pages follow:
   * `next` is then not `null`.
   */
  pending(options?: ListOptions): Promise<Inbox>;
  usage(options?: UsageOptions): Promise<UsageReport>;
  /** For operators, like the methods below. */
  owners(options?: ListOptions): Promise<OwnerList>;
  owner(owner: string, options?: WaitOptions): Promise<IndexedOwner>;
  /** Starts to erase all sessions of an owner in the background. `owner` returns the progress. */
  eraseOwner(owner: string, options?: WaitOptions): Promise<IndexedOwner>;
}

/**
 * Makes a client of the index of an app. It retries all requests after a lost connection.
 *
 * @throws TypeError if the url is invalid.
 *
 * @example
 * ```ts
 * const index = createIndexClient({ url: 'https://agents.example.com', token: 'of-the-user' });
 * const { sessions } = await index.sessions('clerk', { status: 'waiting' });
 * ```
 */
export function createIndexClient(options: TransportOptions): IndexClient {
  const transport = createTransport(options);
  const ask = async <Answer>(
    path: string,
    { signal, ...query }: WaitOptions & { readonly [name: string]: unknown } = {},
    more: Partial<RepeatableRequest> = {},
  ): Promise<Answer> => {
    const said = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) if (value !== undefined) said.set(name, String(value));
    const search = said.size > 0 ? `?${said}` : '';
    return (await transport.ask({ path: path + search, signal, ...more }, readJson)) as Answer; // the server's own type
  };
  const at = encodeURIComponent;
  const getSessionPath = ({ agent, session }: { readonly agent: string; readonly session: string }): string =>
    `/agents/${at(agent)}/sessions/${at(session)}`;
  return {
    sessions: (agent, query) => ask(`/agents/${at(agent)}/sessions`, { ...query }),
    setTitle: (session, title, waiting) =>
      ask(getSessionPath(session), { ...waiting }, createJsonRequest('PATCH', { title })),
    writeTitle: (session, { idempotencyKey = createKey(), ...waiting } = {}) =>
      ask(`${getSessionPath(session)}/title`, waiting, {
        method: 'POST',
        headers: { 'idempotency-key': idempotencyKey },
      }),
    markRead: ({ seq, ...session }, waiting) =>
      ask(`${getSessionPath(session)}/read`, { ...waiting }, createJsonRequest('POST', { seq })),
    pending: (query) => ask('/pending', { ...query }),
    usage: (query) => ask('/usage', { ...query }),
    owners: (query) => ask('/owners', { ...query }),
    owner: (owner, waiting) => ask(`/owners/${at(owner)}`, { ...waiting }),
    eraseOwner: (owner, waiting) => ask(`/owners/${at(owner)}`, { ...waiting }, { method: 'DELETE' }),
  };
}

const createJsonRequest = (method: string, body: object): Partial<RepeatableRequest> => ({
  method,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});
