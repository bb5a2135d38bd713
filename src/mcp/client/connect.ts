import {
  type CallToolResult,
  type InputRequiredResult,
  isInputRequiredResult,
  type Result,
  specTypeSchemas,
  withInputRequired,
} from '@modelcontextprotocol/client';
import { raceAbort } from '../../tool/async.ts';
import { CallsInFlight, isInterrupted } from './calls-in-flight.ts';
import type { KnownProtocol } from './discover.ts';
import {
  createAbandonedCallFailure,
  createCallFailure,
  createCancelledCallFailure,
  createDeadline,
  createNotOfferedFailure,
  createRequestFailure,
  createServerFailure,
} from './failures.ts';
import {
  assertCapabilityKnown,
  getCode,
  HEADER_MISMATCH,
  isProtocolOutdated,
  isSessionRefused,
  listAll,
  mergeStreamed,
  requestCall,
  runInSession,
  UNKNOWN_SESSION_STATUS,
  withRequestSignal,
} from './in-session.ts';
import type { McpCaller, McpClient } from './mcp-client.ts';
import type {
  FormerSession,
  InvocationScope,
  McpConnection,
  RemoteCall,
  RemoteCallOptions,
  RemoteRequest,
  SessionKeeper,
  ToolList,
} from './mcp-connection.ts';
import { MAX_WAIT_MS, type OpenWire, openWire } from './open-wire.ts';
import { type Credit, createCredit, createServerAccess } from './server-access.ts';
import type { ServerAccess } from './wire/wire.ts';

/**
 * Opens a connection to a server for one caller and one invocation, with the revision and transport that the
 * server supports.
 *
 * A server without sessions costs one request, or none if its protocol is known. A server with sessions costs
 * four, one of which stays open, or three if its protocol is known. The fallback to SSE costs five. OAuth
 * adds its own requests. The claim that opened the connection covers `countConnectSubrequests` of them, made
 * before the first `credit`.
 *
 * @throws McpServerError if the server cannot be reached.
 */
export async function connect(
  client: McpClient,
  caller: McpCaller,
  invocation: InvocationScope,
): Promise<McpConnection> {
  const { signal } = invocation;
  const connection = new OpenConnection(client, caller, invocation);
  try {
    await connection.open(signal);
    return connection;
  } catch (error) {
    // If the caller has stopped waiting, the connection must not stay open.
    await connection.close();
    const abandoned = { why: 'cancelled', timeout: client.connectTimeout } as const;
    throw createServerFailure(client.name, {
      during: 'connect',
      error,
      abandoned: signal.aborted ? abandoned : undefined,
    });
  }
}

/** Milliseconds for ending a session, including notifications still on their way. */
const END_TIMEOUT_MS = 1_000;

/**
 * A connection that outlives its sessions. If a server forgets a session, or the stream of an old transport
 * breaks, the connection begins another.
 */
class OpenConnection implements McpConnection {
  readonly #client: McpClient;
  readonly #caller: McpCaller;
  readonly #credit: Credit;
  readonly #calls: CallsInFlight;
  readonly #closed = new AbortController();
  /** Sessions that the server forgot. Their streams can still deliver results. */
  readonly #forgotten = new Set<OpenWire>();
  /** Created once, because the client's own code must run only once for each connection. */
  #access: ServerAccess | undefined;
  readonly #keeper: SessionKeeper | undefined;
  #session: Promise<OpenWire> | undefined;
  #hasChanged = false;
  /** The session that the next invocation will resume. */
  #kept: OpenWire | undefined;
  #hasLost = false;
  /** The revision and transport that the server speaks. */
  #spoken: KnownProtocol | undefined;

  constructor(client: McpClient, caller: McpCaller, invocation: InvocationScope) {
    this.#client = client;
    this.#caller = caller;
    this.#credit = createCredit((subrequests) => invocation.count(subrequests), invocation.known);
    this.#spoken = invocation.known;
    this.#keeper = invocation.keeper;
    // In a resumed session, a server can still be running calls of another connection.
    this.#calls = new CallsInFlight(this.#keeper ? Math.floor(Math.random() * MAX_FIRST_PROGRESS_TOKEN) : 0);
  }

  get spoken(): KnownProtocol | undefined {
    return this.#spoken;
  }

  credit(subrequests: number): void {
    this.#credit.add(subrequests);
  }

  get hasChanged(): boolean {
    return this.#hasChanged;
  }

  /**
   * Returns the current session, or begins one.
   *
   * @throws McpServerError if the server cannot be reached. If the signal aborts, rejects with its reason.
   */
  async open(signal: AbortSignal): Promise<OpenWire> {
    const former = this.#session;
    if (former) {
      const session = await raceAbort(signal, former);
      const isGone = session.wire.broken !== undefined || this.#forgotten.has(session);
      if (!isGone || this.#closed.signal.aborted) return session;
      this.#drop(former);
    }
    // The new session is not checked again. Otherwise a server that ends each session at once would cause an
    // endless loop.
    return raceAbort(signal, this.#session ?? this.#keep(this.#begin()));
  }

  async listTools(signal: AbortSignal): Promise<ToolList> {
    const deadline = createDeadline(signal, this.#client.connectTimeout);
    const hadChanged = this.#hasChanged;
    try {
      return await this.#inSession(deadline.signal, async (session) => {
        assertCapabilityKnown(session, 'tools');
        // Reset before the request, because the response can lack a change that happens while the server
        // answers.
        this.#hasChanged = false;
        return await listAll(session.sdk, deadline.signal, this.#client.maxResponseBytes);
      });
    } catch (error) {
      this.#hasChanged ||= hadChanged;
      throw createServerFailure(this.#client.name, { during: 'list', error, abandoned: deadline.abandoned });
    }
  }

  async callTool(
    asked: RemoteCall,
    options: RemoteCallOptions,
  ): Promise<CallToolResult | InputRequiredResult> {
    const { name, timeout } = this.#client;
    if (options.signal.aborted) throw createCancelledCallFailure(name, asked.name);
    const call = this.#calls.begin(asked.name, options);
    try {
      const answer = await this.#inSession(call.signal, (session) => requestCall(session, asked, call));
      return isInputRequiredResult(answer) ? answer : mergeStreamed(answer, call.streamed);
    } catch (error) {
      const { ending } = call;
      // The tool list determines the headers of a call.
      this.#hasChanged ||= getCode(error) === HEADER_MISMATCH;
      if (isInterrupted(ending)) throw ending;
      if (ending === undefined) throw createCallFailure(name, asked.name, error);
      throw createAbandonedCallFailure(name, asked.name, { why: ending, timeout });
    } finally {
      call.settle();
    }
  }

  async request(asked: RemoteRequest, signal: AbortSignal): Promise<Result | InputRequiredResult> {
    const { name, timeout } = this.#client;
    const { method, offer, params, meta, continuation } = asked;
    const deadline = createDeadline(signal, timeout);
    try {
      return await this.#inSession(deadline.signal, async (session) => {
        assertCapabilityKnown(session, offer);
        const { sdk } = session;
        if (!sdk.getServerCapabilities()?.[offer]) throw createNotOfferedFailure(name, offer);
        const request = { method, params: { ...params, ...continuation, _meta: meta } };
        return withRequestSignal(deadline.signal, (until) =>
          sdk.request(request, withInputRequired(specTypeSchemas.Result), {
            signal: until,
            timeout: MAX_WAIT_MS,
            allowInputRequired: true,
          }),
        );
      });
    } catch (error) {
      throw createRequestFailure(name, { method, error, abandoned: deadline.abandoned });
    }
  }

  async consumeSessionLoss(): Promise<boolean> {
    if (!this.#hasLost) return false;
    this.#hasLost = false;
    await this.#keeper?.keep(this.#kept?.wire.session, false);
    return true;
  }

  async close(): Promise<void> {
    if (this.#closed.signal.aborted) return;
    this.#closed.abort();
    const session = await this.#session?.catch(() => undefined);
    const sessions = new Set([...this.#forgotten, ...(session ? [session] : [])]);
    const late = AbortSignal.timeout(END_TIMEOUT_MS);
    // The server must be notified of a call that was just cancelled.
    const notified = Promise.all([...sessions].map(({ wire }) => wire.allNotified()));
    await raceAbort(late, notified).catch(() => undefined);
    if (session !== this.#kept) await session?.wire.end(late).catch(() => undefined);
    await Promise.all([...sessions].map(({ sdk }) => sdk.close()));
  }

  /**
   * Does the work in a session. If the server has forgotten the session, and so has not acted, repeats the
   * work in a new one.
   */
  async #inSession<T>(signal: AbortSignal, work: (session: OpenWire) => Promise<T>): Promise<T> {
    const session = await this.open(signal);
    try {
      return await runInSession(session, work);
    } catch (error) {
      if (isProtocolOutdated(error, session)) {
        // Another call may already have discovered this, and the server's new protocol.
        if (!this.#forgotten.has(session)) this.#spoken = undefined;
        this.#forgotten.add(session);
      } else {
        if (!isSessionRefused(error, session)) throw error;
        // Another call may already have discovered this. That call then begins the new session.
        this.#forgotten.add(session);
        if (error.status !== UNKNOWN_SESSION_STATUS) throw error;
      }
    }
    return runInSession(await this.open(signal), work);
  }

  async #begin(): Promise<OpenWire> {
    const { name, connectTimeout, elicitation } = this.#client;
    const deadline = createDeadline(this.#closed.signal, connectTimeout);
    const reached = {
      calls: this.#calls,
      elicits: elicitation !== 'refuse',
      listChanged: () => {
        this.#hasChanged = true;
      },
    };
    try {
      this.#access ??= await deadline.wait(createServerAccess(this.#client, this.#caller, this.#credit));
      const former = await deadline.wait(this.#former(this.#access));
      const opening = { reached, signal: deadline.signal, known: this.#spoken, former: former?.session };
      const opened = await openWire(this.#client, this.#access, opening);
      this.#spoken = opened.spoken;
      await this.#keepFor(opened, this.#access, former);
      return opened;
    } catch (error) {
      throw createServerFailure(name, { during: 'connect', error, abandoned: deadline.abandoned });
    }
  }

  async #former({ hide }: ServerAccess): Promise<FormerSession | undefined> {
    const former = await this.#keeper?.find();
    if (former?.session) hide(SESSION_HEADER, former.session.id);
    return former;
  }

  /**
   * Stores a session for the next invocation before any request uses it. From the first use on, its loss must
   * be detectable.
   */
  async #keepFor(opened: OpenWire, { hide }: ServerAccess, former: FormerSession | undefined): Promise<void> {
    if (!this.#keeper || !former) return;
    const { session } = opened.wire;
    // A server without sessions cannot lose one.
    if (!session && !former.session && !former.isLost) return;
    const isFormer = former.session !== undefined && session?.id === former.session.id;
    this.#hasLost ||= former.isLost || (former.session !== undefined && !isFormer);
    if (session) hide(SESSION_HEADER, session.id);
    const isKept = isFormer || (await this.#keeper.keep(session, this.#hasLost));
    if (isKept) this.#kept = opened;
  }

  /** Remembers a session while it opens. If that fails, forgets it, so that the next caller tries again. */
  #keep(session: Promise<OpenWire>): Promise<OpenWire> {
    this.#session = session;
    session.catch(() => this.#drop(session));
    return session;
  }

  #drop(session: Promise<OpenWire>): void {
    if (this.#session === session) this.#session = undefined;
  }
}

const MAX_FIRST_PROGRESS_TOKEN = 2 ** 30;

/** The name that replaces a session's id if a server quotes it. */
const SESSION_HEADER = 'mcp-session-id';
