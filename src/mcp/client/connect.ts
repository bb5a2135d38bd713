import {
  type CallToolResult,
  type InputRequiredResult,
  isInputRequiredResult,
  type Result,
  specTypeSchemas,
  withInputRequired,
} from '@modelcontextprotocol/client';
import { untilAborted } from '../../tool/async.ts';
import { CallsInFlight, isInterrupted } from './calls-in-flight.ts';
import type { Spoken } from './discover.ts';
import {
  callFailure,
  callGivenUp,
  callNotMade,
  createDeadline,
  notOffered,
  requestFailure,
  serverFailure,
} from './failures.ts';
import {
  codeOf,
  FORGOTTEN,
  HEADER_MISMATCH,
  isMistaken,
  isRefused,
  listAll,
  mustRemember,
  request,
  whileAsked,
  within,
  withStreamed,
} from './in-session.ts';
import type { McpCaller, McpClient } from './mcp-client.ts';
import type {
  ForInvocation,
  FormerSession,
  McpConnection,
  RemoteCall,
  RemoteCallOptions,
  RemoteRequest,
  SessionKeeper,
  ToolList,
} from './mcp-connection.ts';
import { MAX_WAIT, type OpenWire, openWire } from './open-wire.ts';
import { accessTo, type Credit, createCredit } from './server-access.ts';
import type { ServerAccess } from './wire/wire.ts';

/**
 * Opens a connection to a server for one caller and one invocation, by the revision and the transport that the server has. To a
 * server without sessions, one request, and none where it is known for one; else four, one of which stays open, and three where
 * it is known; falling back to SSE, five; OAuth's come on top. Those of `connectingSubrequests` are paid for by the first
 * `credit` of the connection: they belong to the claim that opened it.
 *
 * @throws McpServerError.
 */
export async function connect(
  client: McpClient,
  caller: McpCaller,
  invocation: ForInvocation,
): Promise<McpConnection> {
  const { signal } = invocation;
  const connection = new OpenConnection(client, caller, invocation);
  try {
    await connection.open(signal);
    return connection;
  } catch (error) {
    // Nothing stays open when nobody waits for it any more.
    await connection.close();
    const givenUp = { why: 'cancelled', timeout: client.connectTimeout } as const;
    throw serverFailure(client.name, {
      during: 'connect',
      error,
      givenUp: signal.aborted ? givenUp : undefined,
    });
  }
}

/** Milliseconds that ending a session may take, together with what the server is still being told. */
const END_TIMEOUT = 1_000;

/** A connection over its sessions: a server may forget one, or the stream of an old one breaks, and another is begun. */
class OpenConnection implements McpConnection {
  readonly #client: McpClient;
  readonly #caller: McpCaller;
  readonly #credit: Credit;
  readonly #calls: CallsInFlight;
  readonly #closed = new AbortController();
  /** Sessions that the server forgot: calls may still be answered on their streams. */
  readonly #forgotten = new Set<OpenWire>();
  /** It is made once: the client's own code is asked once a connection. */
  #access: ServerAccess | undefined;
  readonly #keeper: SessionKeeper | undefined;
  #session: Promise<OpenWire> | undefined;
  #hasChanged = false;
  /** The session that another invocation will go on with. */
  #kept: OpenWire | undefined;
  #hasLost = false;
  /** What the server was found to speak. */
  #spoken: Spoken | undefined;

  constructor(client: McpClient, caller: McpCaller, invocation: ForInvocation) {
    this.#client = client;
    this.#caller = caller;
    this.#credit = createCredit((subrequests) => invocation.count(subrequests), invocation.known);
    this.#spoken = invocation.known;
    this.#keeper = invocation.keeper;
    // In a session that goes on, a server may still work for calls of another connection.
    this.#calls = new CallsInFlight(this.#keeper ? Math.floor(Math.random() * MAX_FIRST_TOKEN) : 0);
  }

  get spoken(): Spoken | undefined {
    return this.#spoken;
  }

  credit(subrequests: number): void {
    this.#credit.add(subrequests);
  }

  get hasChanged(): boolean {
    return this.#hasChanged;
  }

  /**
   * Begins a session unless there is one that is good.
   *
   * @throws McpServerError, and the signal's reason.
   */
  async open(signal: AbortSignal): Promise<OpenWire> {
    const former = this.#session;
    if (former) {
      const session = await untilAborted(signal, former);
      const isGone = session.wire.broken !== undefined || this.#forgotten.has(session);
      if (!isGone || this.#closed.signal.aborted) return session;
      this.#drop(former);
    }
    // The new session is not looked at again: a server that ends each session at once would be asked for ever.
    return untilAborted(signal, this.#session ?? this.#keep(this.#begin()));
  }

  async listTools(signal: AbortSignal): Promise<ToolList> {
    const deadline = createDeadline(signal, this.#client.connectTimeout);
    const hadChanged = this.#hasChanged;
    try {
      return await this.#inSession(deadline.signal, async (session) => {
        mustRemember(session, 'tools');
        // It is reset before the server is asked: the answer may lack a change that comes while it answers.
        this.#hasChanged = false;
        return await listAll(session.sdk, deadline.signal, this.#client.maxResponseBytes);
      });
    } catch (error) {
      this.#hasChanged ||= hadChanged;
      throw serverFailure(this.#client.name, { during: 'list', error, givenUp: deadline.givenUp });
    }
  }

  async callTool(
    asked: RemoteCall,
    options: RemoteCallOptions,
  ): Promise<CallToolResult | InputRequiredResult> {
    const { name, timeout } = this.#client;
    if (options.signal.aborted) throw callNotMade(name, asked.name);
    const call = this.#calls.begin(asked.name, options);
    try {
      const answer = await this.#inSession(call.signal, (session) => request(session, asked, call));
      return isInputRequiredResult(answer) ? answer : withStreamed(answer, call.streamed);
    } catch (error) {
      const { ending } = call;
      // Which headers a call has, the list says.
      this.#hasChanged ||= codeOf(error) === HEADER_MISMATCH;
      if (isInterrupted(ending)) throw ending;
      if (ending === undefined) throw callFailure(name, asked.name, error);
      throw callGivenUp(name, asked.name, { why: ending, timeout });
    } finally {
      call.settle();
    }
  }

  async request(asked: RemoteRequest, signal: AbortSignal): Promise<Result | InputRequiredResult> {
    const { name, timeout } = this.#client;
    const { method, offer, params, meta, goesOn } = asked;
    const deadline = createDeadline(signal, timeout);
    try {
      return await this.#inSession(deadline.signal, async (session) => {
        mustRemember(session, offer);
        const { sdk } = session;
        if (!sdk.getServerCapabilities()?.[offer]) throw notOffered(name, offer);
        const request = { method, params: { ...params, ...goesOn, _meta: meta } };
        return whileAsked(deadline.signal, (until) =>
          sdk.request(request, withInputRequired(specTypeSchemas.Result), {
            signal: until,
            timeout: MAX_WAIT,
            allowInputRequired: true,
          }),
        );
      });
    } catch (error) {
      throw requestFailure(name, { method, error, givenUp: deadline.givenUp });
    }
  }

  async takeLoss(): Promise<boolean> {
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
    const late = AbortSignal.timeout(END_TIMEOUT);
    // The server of a call that was just cancelled is to know that.
    const notified = Promise.all([...sessions].map(({ wire }) => wire.notified()));
    await untilAborted(late, notified).catch(() => undefined);
    if (session !== this.#kept) await session?.wire.end(late).catch(() => undefined);
    await Promise.all([...sessions].map(({ sdk }) => sdk.close()));
  }

  /** Does the work in a session, and once more in a new one when the server has forgotten the session and so did nothing. */
  async #inSession<T>(signal: AbortSignal, work: (session: OpenWire) => Promise<T>): Promise<T> {
    const session = await this.open(signal);
    try {
      return await within(session, work);
    } catch (error) {
      if (isMistaken(error, session)) {
        // Another call may have found that out before, and what the server speaks instead.
        if (!this.#forgotten.has(session)) this.#spoken = undefined;
        this.#forgotten.add(session);
      } else {
        if (!isRefused(error, session)) throw error;
        // Another call may have found that out before: then that one begins the new session.
        this.#forgotten.add(session);
        if (error.status !== FORGOTTEN) throw error;
      }
    }
    return within(await this.open(signal), work);
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
      this.#access ??= await deadline.wait(accessTo(this.#client, this.#caller, this.#credit));
      const former = await deadline.wait(this.#former(this.#access));
      const opening = { reached, signal: deadline.signal, known: this.#spoken, former: former?.session };
      const opened = await openWire(this.#client, this.#access, opening);
      this.#spoken = opened.spoken;
      await this.#keepFor(opened, this.#access, former);
      return opened;
    } catch (error) {
      throw serverFailure(name, { during: 'connect', error, givenUp: deadline.givenUp });
    }
  }

  async #former({ hide }: ServerAccess): Promise<FormerSession | undefined> {
    const former = await this.#keeper?.find();
    if (former?.session) hide(SESSION_HEADER, former.session.id);
    return former;
  }

  /** Keeps a session for the next invocation before anything is asked in it: once it was used, its loss must be known. */
  async #keepFor(opened: OpenWire, { hide }: ServerAccess, former: FormerSession | undefined): Promise<void> {
    if (!this.#keeper || !former) return;
    const { session } = opened.wire;
    // A server without sessions has none to lose.
    if (!session && !former.session && !former.isLost) return;
    const isFormer = former.session !== undefined && session?.id === former.session.id;
    this.#hasLost ||= former.isLost || (former.session !== undefined && !isFormer);
    if (session) hide(SESSION_HEADER, session.id);
    const isKept = isFormer || (await this.#keeper.keep(session, this.#hasLost));
    if (isKept) this.#kept = opened;
  }

  /** A session that fails is not kept: the next who asks tries again. */
  #keep(session: Promise<OpenWire>): Promise<OpenWire> {
    this.#session = session;
    session.catch(() => this.#drop(session));
    return session;
  }

  #drop(session: Promise<OpenWire>): void {
    if (this.#session === session) this.#session = undefined;
  }
}

const MAX_FIRST_TOKEN = 2 ** 30;

/** What stands in the place of a session's id, where a server repeats it. */
const SESSION_HEADER = 'mcp-session-id';
