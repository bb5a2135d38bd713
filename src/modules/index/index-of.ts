/** Gives the app's code access to the index. */
import { ConfigurationError } from '../../model/configuration-error.ts';
import type { Owner } from '../../tool/call-origin.ts';
import { describeValue } from '../../tool/shown.ts';
import type { Holdfast } from '../../worker/app.ts';
import { findCallerProblem } from '../../worker/auth.ts';
import { createInvalidBodyError } from '../../worker/body.ts';
import { APPS } from '../../worker/code-host.ts';
import type { Caller, Env } from '../../worker/host.ts';
import type {
  Inbox,
  IndexedOwner,
  OwnerList,
  ReadSession,
  SessionList,
  SessionStatus,
  TitledSession,
  UsageReport,
} from '../../worker/index-views.ts';
import { validateOwner } from '../../worker/operator.ts';
import { toSessionError } from '../../worker/refusal.ts';
import { toRequestKey } from '../../worker/request-headers.ts';
import { createTarget, toInvokedHost } from '../../worker/target.ts';
import {
  eraseOwner,
  findMarkProblem,
  findTitleProblem,
  type IndexApp,
  listOwners,
  listSessions,
  markRead,
  type ReindexPage,
  readInbox,
  readIndexedOwner,
  readUsage,
  reindexOwner,
  setTitle,
  toIndexApp,
} from './ask.ts';
import { assertIndexBound } from './owner-index.ts';
import { assertReader } from './queries.ts';
import { TITLE_WRITERS } from './title-writer.ts';

/** The query for a page of a list. */
export interface PageQuery {
  /** The `next` of the previous page. */
  readonly cursor?: string | undefined;
  /** The maximum number of entries: 1 to 100. Defaults to 50. */
  readonly limit?: number | undefined;
}

/** The query for a page of sessions, the latest first. */
export interface SessionsQuery extends PageQuery {
  readonly owner: Owner;
  /** Defaults to all agents. */
  readonly agent?: string | undefined;
  readonly status?: SessionStatus | undefined;
  /** Selects sessions with activity since this time, in milliseconds since the epoch or in ISO 8601. */
  readonly since?: number | string | undefined;
  /** The id of the person who reads the list. If set, sessions have `unread`. */
  readonly reader?: string | undefined;
}

/** The query for an owner's usage. */
export interface OwnerUsageQuery {
  readonly owner: Owner;
  /** Defaults to `day`. */
  readonly by?: 'day' | 'agent' | 'model' | undefined;
  /** The first day in UTC, such as `2026-11-01`. */
  readonly from?: string | undefined;
  /** The last day in UTC, which is included. */
  readonly to?: string | undefined;
}

/** The index of all sessions of an app, for its own code. It does not check who calls it. */
export interface SessionIndex {
  sessions(query: SessionsQuery): Promise<SessionList>;
  /** Returns the questions that this person can answer, given their roles. A page has at most 20 sessions. */
  pending(query: PageQuery & { readonly principal: Caller }): Promise<Inbox>;
  setTitle(session: {
    readonly owner: Owner;
    readonly agent: string;
    readonly session: string;
    readonly title: string | null;
  }): Promise<TitledSession>;
  /**
   * Writes the title with a model. The app needs `modelTitles()`. Rejects with a `ModelError` if the model
   * returns no title. Calls a model at most once per `idempotencyKey`.
   */
  writeTitle(session: {
    readonly owner: Owner;
    readonly agent: string;
    readonly session: string;
    readonly idempotencyKey?: string | undefined;
  }): Promise<TitledSession>;
  /** Marks a session as read by a person, up to an event. Defaults to the last event. */
  markRead(mark: {
    readonly owner: Owner;
    readonly agent: string;
    readonly session: string;
    readonly reader: string;
    readonly seq?: number | undefined;
  }): Promise<ReadSession>;
  usage(query: OwnerUsageQuery): Promise<UsageReport>;
  owners(query?: PageQuery): Promise<OwnerList>;
  owner(owner: Owner): Promise<IndexedOwner>;
  /** Erases all sessions of an owner in the background. The erasure outlives the Worker. */
  eraseOwner(owner: Owner): Promise<IndexedOwner>;
  /** Refreshes one page of the sessions in the index. */
  reindex(query: PageQuery & { readonly owner: Owner }): Promise<ReindexPage>;
}

/**
 * Returns the index of an app that has `sessionIndex()` in its `use`. Its methods reject with a
 * `SessionError` if a request is invalid.
 *
 * @throws ConfigurationError if the first argument does not come from `createHoldfast`.
 * @throws DeploymentError if INDEX is not bound.
 *
 * @example
 * ```ts
 * const holdfast = createHoldfast({ agents: [clerk()], use: [sessionIndex()] });
 * const { sessions } = await indexOf(holdfast, env).sessions({ owner: { tenant: 'acme' }, status: 'failed' });
 * ```
 */
export function indexOf<AppEnv extends object = Env>(holdfast: Holdfast<AppEnv>, env: object): SessionIndex {
  const found = APPS.get(holdfast);
  if (!found)
    throw new ConfigurationError(
      `indexOf: ${describeValue(holdfast)} is not an app. Pass the result of createHoldfast.`,
    );
  const bindings = env as Env; // an interface of bindings has no index signature
  assertIndexBound(bindings);
  const { host, waitUntil } = found;
  const createIndexApp = (): IndexApp =>
    toIndexApp({ host: toInvokedHost(host, bindings, { waitUntil }), env: bindings, base: host.basePath });
  const askIndex = async <T>(ask: (app: IndexApp) => Promise<T>): Promise<T> => {
    try {
      return await ask(createIndexApp());
    } catch (failure) {
      throw toSessionError(failure) ?? failure;
    }
  };
  return {
    sessions: ({ owner, agent, reader, ...query }) =>
      askIndex(async (at) => {
        if (reader !== undefined) assertReader(reader);
        return listSessions(at, { owner: validateOwner(owner), agent, reader }, { ...query });
      }),
    writeTitle: ({ owner, agent, session, idempotencyKey }) =>
      askIndex(async (at) => {
        const [writer] = host.modules.uses.flatMap((use) => TITLE_WRITERS.get(use) ?? []);
        if (!writer)
          throw new ConfigurationError('writeTitle needs modelTitles() in `use` of createHoldfast.');
        const key = idempotencyKey ?? host.newId();
        await toRequestKey(key, ''); // throws if the key is invalid
        const target = createTarget(at, { id: 'code' }, { owner: validateOwner(owner), agent, session });
        return writer.write({ app: at, target, key, waitUntil });
      }),
    markRead: ({ owner, agent, session, reader, seq }) =>
      askIndex(async (at) => {
        assertReader(reader);
        const problem = findMarkProblem(seq);
        if (problem !== undefined) throw createInvalidBodyError([problem]);
        const target = createTarget(at, { id: 'code' }, { owner: validateOwner(owner), agent, session });
        return markRead(at, target, { reader, seq });
      }),
    pending: ({ principal, ...query }) =>
      askIndex(async (at) => {
        const problem = findCallerProblem(Object(principal));
        if (problem !== undefined) throw new ConfigurationError(`indexOf received a principal ${problem}.`);
        return readInbox(at, principal, { ...query });
      }),
    setTitle: ({ owner, agent, session, title }) =>
      askIndex(async (at) => {
        const problem = findTitleProblem(title);
        if (problem !== undefined) throw createInvalidBodyError([problem]);
        const target = createTarget(at, { id: 'code' }, { owner: validateOwner(owner), agent, session });
        return setTitle(at, target, title);
      }),
    usage: ({ owner, ...query }) => askIndex(async (at) => readUsage(at, validateOwner(owner), { ...query })),
    owners: (query = {}) => askIndex(async (at) => listOwners(at, { ...query })),
    owner: (owner) => askIndex(async (at) => readIndexedOwner(at, validateOwner(owner))),
    eraseOwner: (owner) => askIndex(async (at) => eraseOwner(at, validateOwner(owner))),
    reindex: ({ owner, ...query }) =>
      askIndex(async (at) => reindexOwner(at, validateOwner(owner), { ...query })),
  };
}
