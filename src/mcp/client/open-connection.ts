import {
  type CallToolResult,
  CallToolResultSchema,
  ErrorCode,
  McpError,
  type Tool,
} from '@modelcontextprotocol/sdk/types.js';
import { untilAborted } from '../../tool/async.ts';
import { callFailure, callGivenUp, callNotMade } from './call-failure.ts';
import { type CallInFlight, CallsInFlight, isInterrupted } from './calls-in-flight.ts';
import type { GivenUp } from './failure-phrases.ts';
import { listAll } from './list-all.ts';
import type { McpCaller, McpClient } from './mcp-client.ts';
import type { McpConnection, RemoteCall, RemoteCallOptions } from './mcp-connection.ts';
import { serverFailure } from './server-failure.ts';
import { type Credit, createCredit } from './wire/credit.ts';
import { MAX_WAIT, type OpenWire, openWire } from './wire/open-wire.ts';
import { accessTo, type ServerAccess } from './wire/server-access.ts';
import { HttpStatusError, NotSentError } from './wire/wire-error.ts';

/** Milliseconds that ending a session may take, and what the server is still being told. */
const END_TIMEOUT = 1_000;

/** A connection over its sessions: a server may forget one, or the stream of an old one breaks, and another is begun. */
export class OpenConnection implements McpConnection {
  readonly #client: McpClient;
  readonly #caller: McpCaller;
  readonly #credit: Credit;
  readonly #calls = new CallsInFlight();
  readonly #closed = new AbortController();
  /** Sessions that the server forgot: calls may still be answered on their streams. */
  readonly #forgotten = new Set<OpenWire>();
  /** Made once: the client's own code is asked once a connection. */
  #access: ServerAccess | undefined;
  #session: Promise<OpenWire> | undefined;
  #hasChanged = false;

  constructor(client: McpClient, caller: McpCaller, count: (subrequests: number) => void) {
    this.#client = client;
    this.#caller = caller;
    this.#credit = createCredit(count);
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
    // Not looked at again: a server that ends each session at once would be asked for ever.
    return untilAborted(signal, this.#session ?? this.#keep(this.#begin()));
  }

  async listTools(signal: AbortSignal): Promise<readonly Tool[]> {
    const deadline = createDeadline(signal, this.#client.connectTimeout);
    const hadChanged = this.#hasChanged;
    try {
      return await this.#inSession(deadline.signal, async ({ sdk }) => {
        // Before it is asked: a change while it answers is one that the answer may lack.
        this.#hasChanged = false;
        return await listAll(sdk, deadline.signal, this.#client.maxResponseBytes);
      });
    } catch (error) {
      this.#hasChanged ||= hadChanged;
      throw serverFailure(this.#client.name, { during: 'list', error, givenUp: deadline.givenUp });
    }
  }

  async callTool(asked: RemoteCall, options: RemoteCallOptions): Promise<CallToolResult> {
    const { name, timeout } = this.#client;
    if (options.signal.aborted) throw callNotMade(name, asked.name);
    const call = this.#calls.begin(options);
    try {
      return await this.#inSession(call.signal, (session) => request(session, asked, call));
    } catch (error) {
      const { ending } = call;
      if (isInterrupted(ending)) throw ending;
      if (ending === undefined) throw callFailure(name, asked.name, error);
      throw callGivenUp(name, asked.name, { why: ending, timeout });
    } finally {
      call.settle();
    }
  }

  async close(): Promise<void> {
    if (this.#closed.signal.aborted) return;
    this.#closed.abort();
    const session = await this.#session?.catch(() => undefined);
    const sessions = new Set([...this.#forgotten, ...(session ? [session] : [])]);
    const late = AbortSignal.timeout(END_TIMEOUT);
    // A call that was just cancelled: its server is to know that.
    const told = Promise.all([...sessions].map(({ wire }) => wire.told()));
    await untilAborted(late, told).catch(() => undefined);
    await session?.wire.end(late).catch(() => undefined);
    await Promise.all([...sessions].map(({ sdk }) => sdk.close()));
  }

  /** Does it in a session, and once more in a new one when the server has forgotten the session: then it did nothing. */
  async #inSession<T>(signal: AbortSignal, work: (session: OpenWire) => Promise<T>): Promise<T> {
    const session = await this.open(signal);
    try {
      return await within(session, work);
    } catch (error) {
      if (!isRefused(error, session)) throw error;
      // Also when another call has found that out before: then that one begins the new session.
      this.#forgotten.add(session);
      if (error.status !== FORGOTTEN) throw error;
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
      return await openWire(this.#client, this.#access, { reached, signal: deadline.signal });
    } catch (error) {
      throw serverFailure(name, { during: 'connect', error, givenUp: deadline.givenUp });
    }
  }

  /** One that fails is not kept: the next who asks tries again (MCP-09). */
  #keep(session: Promise<OpenWire>): Promise<OpenWire> {
    this.#session = session;
    session.catch(() => this.#drop(session));
    return session;
  }

  #drop(session: Promise<OpenWire>): void {
    if (this.#session === session) this.#session = undefined;
  }
}

/** @throws what `work` throws, but why the session ended in place of that it did. */
async function within<T>(session: OpenWire, work: (session: OpenWire) => Promise<T>): Promise<T> {
  if (session.wire.broken) throw new NotSentError();
  try {
    return await work(session);
  } catch (error) {
    // The SDK's own words say only that it was closed.
    const isClosed = error instanceof McpError && error.code === ErrorCode.ConnectionClosed;
    throw (isClosed && session.wire.broken) || error;
  }
}

/** By this a server says that it does not know a session (MCP specification, Session Management). */
const FORGOTTEN = 404;

/**
 * Whether a session is of no use any more. Servers that were restarted often answer 400 to one that they do not know; since
 * others so answer a request that they dislike, it is not sent again.
 */
const isRefused = (error: unknown, { wire }: OpenWire): error is HttpStatusError =>
  error instanceof HttpStatusError && [FORGOTTEN, 400].includes(error.status) && wire.sessionId !== undefined;

/**
 * Not the SDK's `callTool`: that checks structured content by the schema it was last told, where a session remembers its
 * own; and not its progress tokens, since the wire too has to know which call a request belongs to.
 */
const request = ({ sdk }: OpenWire, { name, input, meta }: RemoteCall, call: CallInFlight) =>
  sdk.request(
    {
      method: 'tools/call',
      params: { name, arguments: input, _meta: { ...meta, progressToken: call.token } },
    },
    CallToolResultSchema,
    { signal: call.signal, timeout: MAX_WAIT },
  );

/** A signal that also aborts when time is up, and which of both it was. */
interface Deadline {
  readonly signal: AbortSignal;
  /** Undefined while neither. */
  readonly givenUp: GivenUp | undefined;
  /** Waits for that, or until the signal aborts: it rejects with the reason then, and what came of it is not looked at. */
  wait<T>(work: Promise<T>): Promise<T>;
}

/** `timeout` in ms, from now. */
function createDeadline(signal: AbortSignal, timeout: number): Deadline {
  const late = AbortSignal.timeout(timeout);
  const either = AbortSignal.any([signal, late]);
  return {
    signal: either,
    get givenUp() {
      if (signal.aborted) return { why: 'cancelled', timeout } as const;
      return late.aborted ? ({ why: 'timeout', timeout } as const) : undefined;
    },
    wait: (work) => untilAborted(either, work),
  };
}
