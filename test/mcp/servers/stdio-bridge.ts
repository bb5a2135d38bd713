import { randomUUID } from 'node:crypto';
import process from 'node:process';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isJSONRPCRequest, type JSONRPCMessage, type RequestId } from '@modelcontextprotocol/sdk/types.js';
import type { Arrived, Backend } from './backend.ts';
import { eventStore } from './event-store.ts';
import { leash } from './leash.ts';

/** How a server on standard input and output is started. */
export interface StdioCommand {
  /** Of Node. */
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Streams that break can be taken up again. */
  readonly isResumable?: boolean;
}

/** One HTTP session and the process that is its server. */
interface Pair {
  readonly run: string;
  readonly http: StreamableHTTPServerTransport;
  readonly child: StdioClientTransport;
}

/** Serves an MCP server that speaks over standard input and output by streamable HTTP: a process for each session. */
export function stdioBridge(commandOf: (run: string) => StdioCommand): Backend {
  const pairs = new Set<Pair>();
  const sessions = new Map<string, Pair>();

  /** A process for a session that is about to begin. */
  async function open(run: string): Promise<Pair> {
    const { args, env = {}, isResumable = false } = commandOf(run);
    const child = new StdioClientTransport({
      command: process.execPath,
      args: [...leash({ reads: true }), ...args],
      env,
      stderr: 'ignore',
    });
    const http = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, pair),
      ...(isResumable && { eventStore: eventStore(), retryInterval: 100 }),
    });
    const pair: Pair = { run, http, child };
    pairs.add(pair);
    join(pair, () => {
      pairs.delete(pair);
      if (http.sessionId !== undefined) sessions.delete(http.sessionId);
    });
    await child.start();
    await http.start();
    return pair;
  }

  async function pairOf({ run, request }: Arrived): Promise<Pair | undefined> {
    const session = request.headers['mcp-session-id'];
    return session === undefined ? open(run) : sessions.get(String(session));
  }

  return {
    async handle(arrived) {
      const { request, response, body } = arrived;
      const pair = await pairOf(arrived);
      if (pair) await pair.http.handleRequest(request, response, body === '' ? undefined : JSON.parse(body));
      else response.writeHead(404).end();
    },
    kill(run) {
      for (const pid of pidsOf([...pairs].filter((pair) => pair.run === run))) process.kill(pid, 'SIGKILL');
    },
    pids: () => pidsOf([...pairs]),
    async stop() {
      await Promise.all([...pairs].map(({ child }) => child.close()));
    },
  };
}

const pidsOf = (pairs: readonly Pair[]): readonly number[] => pairs.flatMap(({ child }) => child.pid ?? []);

/** Passes messages on both ways; when one side ends, the other does. */
function join({ http, child }: Pair, onEnd: () => void): void {
  const asked = new Set<RequestId>();
  http.onmessage = (message) => {
    if (isJSONRPCRequest(message)) asked.add(message.id);
    void child.send(message);
  };
  child.onmessage = (message) => {
    const about = requestOf(message, asked);
    if ('id' in message && !('method' in message) && message.id !== undefined) asked.delete(message.id);
    http.send(message, about === undefined ? {} : { relatedRequestId: about }).catch(() => {
      // Whoever asked is gone.
    });
  };
  http.onclose = () => void child.close();
  child.onclose = () => {
    onEnd();
    void http.close();
  };
}

/** A pipe does not say which request a message is about, as HTTP has to: the last one that is open may well be it. */
function requestOf(message: JSONRPCMessage, asked: ReadonlySet<RequestId>): RequestId | undefined {
  return 'method' in message ? [...asked].at(-1) : undefined;
}
