import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import {
  StreamableHTTPServerTransport,
  type StreamableHTTPServerTransportOptions,
} from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import {
  ErrorCode,
  isJSONRPCRequest,
  type JSONRPCMessage,
  type RequestId,
} from '@modelcontextprotocol/sdk/types.js';
import { createLeashArguments } from './leash.ts';

/** The command that starts an MCP server on standard input and output. */
export interface StdioCommand {
  readonly args: readonly string[];
  /** Environment variables, in addition to `PATH`, `HOME` and similar variables. */
  readonly env?: Readonly<Record<string, string>>;
  /** The handling of its standard error. Defaults to `ignore`. */
  readonly stderr?: 'ignore' | 'inherit';
}

export interface BridgeOptions {
  /** Receives each message from a client. */
  readonly heard?: (message: JSONRPCMessage) => void;
  /**
   * Creates the message store of a session, with which broken streams can resume. By default, they cannot.
   */
  readonly streams?: () => Pick<StreamableHTTPServerTransportOptions, 'eventStore' | 'retryInterval'>;
  /**
   * The maximum number of sessions, since each has its own process. More sessions get a 503 response.
   * Defaults to 32.
   */
  readonly sessions?: number;
  /** Milliseconds after which the session of an inactive client ends. Defaults to 300,000. */
  readonly idle?: number;
}

/** An MCP server on standard input and output, exposed over HTTP. */
export interface StdioBridge {
  /** Handles a request. `body` is its parsed JSON if the request was already read. */
  handle(request: IncomingMessage, response: ServerResponse, body?: unknown): Promise<void>;
  /** Returns the ids of the running processes, one for each session. */
  pids(): readonly number[];
  /** Ends all processes. Resolves when they have ended. */
  stop(): Promise<void>;
}

/** One HTTP session and its server process. */
interface Session {
  readonly http: StreamableHTTPServerTransport;
  readonly child: StdioClientTransport;
  /** The number of open requests, including one on which the client listens. */
  open: number;
  idle?: NodeJS.Timeout;
}

/**
 * Serves an MCP server on standard input and output over streamable HTTP (MCP specification, Transports),
 * with one process for each session. The caller is responsible for authentication.
 */
export function createStdioBridge(command: StdioCommand, options: BridgeOptions = {}): StdioBridge {
  const { heard, streams, sessions: most = 32, idle = 300_000 } = options;
  const sessions = new Map<string, Session>();

  /** Creates a session. Its process starts with a valid `initialize` request. */
  function createSession(): Session {
    const { args, env = {}, stderr = 'ignore' } = command;
    const child = new StdioClientTransport({
      command: process.execPath,
      args: [...createLeashArguments({ reads: true }), ...args],
      env,
      stderr,
    });
    const http = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: async (id) => {
        sessions.set(id, session);
        await child.start();
      },
      ...streams?.(),
    });
    const session: Session = { http, child, open: 0 };
    join(session, {
      heard: (message) => heard?.(message),
      ended: () => void sessions.delete(http.sessionId ?? ''),
    });
    return session;
  }

  return {
    async handle(request, response, body) {
      const id = request.headers['mcp-session-id'];
      if (id === undefined && sessions.size >= most) return void response.writeHead(503).end();
      const session = id === undefined ? createSession() : sessions.get(String(id));
      if (!session) return void response.writeHead(404).end();
      keepAlive(session, response, idle);
      await session.http.handleRequest(request, response, body);
    },
    pids: () => Array.from(sessions.values()).flatMap(({ child }) => child.pid ?? []),
    async stop() {
      await Promise.all(Array.from(sessions.values(), ({ child }) => child.close()));
    },
  };
}

/** Keeps a session alive while a request is open, and for `idle` milliseconds after the last request. */
function keepAlive(session: Session, response: ServerResponse, idle: number): void {
  session.open += 1;
  clearTimeout(session.idle);
  response.once('close', () => {
    session.open -= 1;
    if (session.open === 0) session.idle = setTimeout(() => void session.http.close(), idle).unref();
  });
}

interface BridgeListeners {
  readonly heard: (message: JSONRPCMessage) => void;
  readonly ended: () => void;
}

/** Passes messages in both directions. If one side ends, the other ends, too. */
function join({ http, child }: Session, { heard, ended }: BridgeListeners): void {
  const asked = new Set<RequestId>();
  // Ends the session if the process has ended and cannot receive messages.
  const forwardMessage = (message: JSONRPCMessage): void =>
    void child.send(message).catch(() => http.close());
  http.onmessage = (message) => {
    heard(message);
    if (isJSONRPCRequest(message)) asked.add(message.id);
    forwardMessage(message);
  };
  child.onmessage = (message) => {
    if (isJSONRPCRequest(message) && message.method === 'roots/list')
      return forwardMessage(createNoRootsAnswer(message.id));
    const about = findRequest(message, asked);
    if ('id' in message && !('method' in message) && message.id !== undefined) asked.delete(message.id);
    http.send(message, about === undefined ? {} : { relatedRequestId: about }).catch(() => {
      // The client has disconnected.
    });
  };
  http.onclose = () => void child.close();
  child.onclose = () => {
    ended();
    void http.close();
  };
}

/**
 * Returns a refusal to list roots. A client's roots could be folders of this machine, and the server might
 * serve them instead of its own folder.
 */
const createNoRootsAnswer = (id: RequestId): JSONRPCMessage => ({
  jsonrpc: '2.0',
  id,
  error: { code: ErrorCode.MethodNotFound, message: 'This server works with no roots but its own.' },
});

/**
 * Returns the request that a server's message belongs to. HTTP requires one, but messages on a pipe do not
 * contain it, so this assumes the last open request.
 */
function findRequest(message: JSONRPCMessage, asked: ReadonlySet<RequestId>): RequestId | undefined {
  return 'method' in message ? [...asked].at(-1) : undefined;
}
