/** Asks the index of an app: lists of sessions, the inbox, usage, and what operators do. The app has `sessionIndex()`. */
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
import type { Waiting } from './client-session.ts';
import { type Asked, createTransport, newKey, readJson, type TransportOptions } from './transport.ts';

/** Asks for a page of a list. */
export interface ListOptions extends Waiting {
  /** The `next` of the page before. */
  readonly cursor?: string | undefined;
  /** The most entries: 1 to 100. Defaults to 50. */
  readonly limit?: number | undefined;
}

/** Whose it is, where an operator asks: `id:` or `tenant:`, and a name. Defaults to the caller. */
interface OfOwner {
  readonly owner?: string | undefined;
}

/** Asks for a page of the sessions of an agent. */
export interface ListSessionsOptions extends ListOptions, OfOwner {
  readonly status?: SessionStatus | undefined;
  /** Only sessions with activity since: in ms since the epoch, or as ISO 8601. */
  readonly since?: number | string | undefined;
}

/** Asks for what was used. */
export interface UsageOptions extends Waiting, OfOwner {
  /** Defaults to `day`. */
  readonly by?: 'day' | 'agent' | 'model' | undefined;
  /** The first day, in UTC: `2026-11-01`. */
  readonly from?: string | undefined;
  /** The last day. */
  readonly to?: string | undefined;
}

/** The index of an app, as a caller may ask it. What is refused is thrown as a HoldfastError. */
export interface IndexClient {
  /** Returns a page of the sessions of an agent, the latest first. */
  sessions(agent: string, options?: ListSessionsOptions): Promise<SessionList>;
  /** Gives a session a title. `null`: the first words of its first message again. */
  setTitle(
    session: { readonly agent: string; readonly session: string },
    title: string | null,
    options?: Waiting,
  ): Promise<TitledSession>;
  /**
   * Has a model write the title. The app has `modelTitles()`. Under one `idempotencyKey` the model is asked at most once. Defaults to a key
   * of its own.
   */
  writeTitle(
    session: { readonly agent: string; readonly session: string },
    options?: Waiting & { readonly idempotencyKey?: string | undefined },
  ): Promise<TitledSession>;
  /**
   * Marks a session as read by the caller, up to an event of it: `seq` of a list, or the `seq` of an event that was shown. Defaults to the last
   * event that there is.
   */
  markRead(
    session: { readonly agent: string; readonly session: string; readonly seq?: number | undefined },
    options?: Waiting,
  ): Promise<ReadSession>;
  /** Returns a page of what waits for the caller. It may be empty though more follows: `next` is then not `null`. */
  pending(options?: ListOptions): Promise<Inbox>;
  usage(options?: UsageOptions): Promise<UsageReport>;
  /** Of operators, as are those below. */
  owners(options?: ListOptions): Promise<OwnerList>;
  owner(owner: string, options?: Waiting): Promise<IndexedOwner>;
  /** Has all sessions of an owner erased in the background; `owner` says how far that is. */
  eraseOwner(owner: string, options?: Waiting): Promise<IndexedOwner>;
}

/**
 * Makes a client of the index of an app. All of it may be sent again after a lost connection, and is.
 *
 * @throws TypeError when the url cannot be one.
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
    { signal, ...query }: Waiting & { readonly [name: string]: unknown } = {},
    more: Partial<Asked> = {},
  ): Promise<Answer> => {
    const said = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) if (value !== undefined) said.set(name, String(value));
    const search = said.size > 0 ? `?${said}` : '';
    return (await transport.ask({ path: path + search, signal, ...more }, readJson)) as Answer; // of a server of ours
  };
  const at = encodeURIComponent;
  const pathOf = ({ agent, session }: { readonly agent: string; readonly session: string }): string =>
    `/agents/${at(agent)}/sessions/${at(session)}`;
  return {
    sessions: (agent, query) => ask(`/agents/${at(agent)}/sessions`, { ...query }),
    setTitle: (session, title, waiting) => ask(pathOf(session), { ...waiting }, sending('PATCH', { title })),
    writeTitle: (session, { idempotencyKey = newKey(), ...waiting } = {}) =>
      ask(`${pathOf(session)}/title`, waiting, {
        method: 'POST',
        headers: { 'idempotency-key': idempotencyKey },
      }),
    markRead: ({ seq, ...session }, waiting) =>
      ask(`${pathOf(session)}/read`, { ...waiting }, sending('POST', { seq })),
    pending: (query) => ask('/pending', { ...query }),
    usage: (query) => ask('/usage', { ...query }),
    owners: (query) => ask('/owners', { ...query }),
    owner: (owner, waiting) => ask(`/owners/${at(owner)}`, { ...waiting }),
    eraseOwner: (owner, waiting) => ask(`/owners/${at(owner)}`, { ...waiting }, { method: 'DELETE' }),
  };
}

const sending = (method: string, body: object): Partial<Asked> => ({
  method,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});
