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
import { leash } from './leash.ts';

/** How a server on standard input and output is started. */
export interface StdioCommand {
  /** Of Node. */
  readonly args: readonly string[];
  /** Beside `PATH`, `HOME` and the like. */
  readonly env?: Readonly<Record<string, string>>;
  /** What becomes of its standard error; `ignore` unless given. */
  readonly stderr?: 'ignore' | 'inherit';
}

/** What a bridge may be given beside its server. */
export interface BridgeOptions {
  /** Is told what clients say. */
  readonly heard?: (message: JSONRPCMessage) => void;
  /** How a session keeps what it was sent, for streams that break to be taken up again; not at all unless given. */
  readonly streams?: () => Pick<StreamableHTTPServerTransportOptions, 'eventStore' | 'retryInterval'>;
  /** Sessions at the same time, since each costs a process: more are answered 503. 32 unless given. */
  readonly sessions?: number;
  /** Milliseconds after which a session ends whose client has gone without a word; 300,000 unless given. */
  readonly idle?: number;
}

/** A server on standard input and output, as HTTP sees it. */
export interface StdioBridge {
  /** Answers a request. `body` is what JSON it holds, where somebody has read it already. */
  handle(request: IncomingMessage, response: ServerResponse, body?: unknown): Promise<void>;
  /** The processes that run now: one for each session. */
  pids(): readonly number[];
  /** Ends them; resolves when they have ended. */
  stop(): Promise<void>;
}

/** One HTTP session and the process that is its server. */
interface Session {
  readonly http: StreamableHTTPServerTransport;
  readonly child: StdioClientTransport;
  /** Requests that are being answered: a client listens by one of them. */
  open: number;
  idle?: NodeJS.Timeout;
}

/**
 * Serves an MCP server that speaks over standard input and output by streamable HTTP (MCP specification, Transports): a
 * process for each session. Who may ask is for the caller to see to.
 */
export function stdioBridge(command: StdioCommand, options: BridgeOptions = {}): StdioBridge {
  const { heard, streams, sessions: most = 32, idle = 300_000 } = options;
  const sessions = new Map<string, Session>();

  /** A session that may begin: it gets its process with a proper `initialize`. */
  function made(): Session {
    const { args, env = {}, stderr = 'ignore' } = command;
    const child = new StdioClientTransport({
      command: process.execPath,
      args: [...leash({ reads: true }), ...args],
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
      const session = id === undefined ? made() : sessions.get(String(id));
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

/** While a request is answered, and for a while after the last one. */
function keepAlive(session: Session, response: ServerResponse, idle: number): void {
  session.open += 1;
  clearTimeout(session.idle);
  response.once('close', () => {
    session.open -= 1;
    if (session.open === 0) session.idle = setTimeout(() => void session.http.close(), idle).unref();
  });
}

interface Ears {
  readonly heard: (message: JSONRPCMessage) => void;
  readonly ended: () => void;
}

/** Passes messages on both ways; when one side ends, the other does. */
function join({ http, child }: Session, { heard, ended }: Ears): void {
  const asked = new Set<RequestId>();
  // A process that has ended can be told nothing; then the session ends too.
  const tell = (message: JSONRPCMessage): void => void child.send(message).catch(() => http.close());
  http.onmessage = (message) => {
    heard(message);
    if (isJSONRPCRequest(message)) asked.add(message.id);
    tell(message);
  };
  child.onmessage = (message) => {
    if (isJSONRPCRequest(message) && message.method === 'roots/list') return tell(noRoots(message.id));
    const about = requestOf(message, asked);
    if ('id' in message && !('method' in message) && message.id !== undefined) asked.delete(message.id);
    http.send(message, about === undefined ? {} : { relatedRequestId: about }).catch(() => {
      // Whoever asked is gone.
    });
  };
  http.onclose = () => void child.close();
  child.onclose = () => {
    ended();
    void http.close();
  };
}

/** A client's roots would be folders of this machine, and a server may serve them in place of what it was started with. */
const noRoots = (id: RequestId): JSONRPCMessage => ({
  jsonrpc: '2.0',
  id,
  error: { code: ErrorCode.MethodNotFound, message: 'This server works with no roots but its own.' },
});

/** A pipe does not say which request a message is about, as HTTP has to: the last one that is open may well be it. */
function requestOf(message: JSONRPCMessage, asked: ReadonlySet<RequestId>): RequestId | undefined {
  return 'method' in message ? [...asked].at(-1) : undefined;
}
