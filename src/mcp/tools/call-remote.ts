import type {
  CallToolResult,
  InputRequiredResult,
  LoggingMessageNotification,
  Progress,
} from '@modelcontextprotocol/client';
import { createTimeoutError } from '../../tool/async.ts';
import type { CallContext, Effect } from '../../tool/call.ts';
import type { JsonObject } from '../../tool/json.ts';
import { createErrorEntry } from '../../tool/log.ts';
import { createFailureResult, error, mapContent, type ToolResult } from '../../tool/tool-result.ts';
import type { McpClient } from '../client/mcp-client.ts';
import {
  type Continuation,
  type McpConnection,
  McpLostError,
  McpServerError,
} from '../client/mcp-connection.ts';
import { resolveServerUrl } from '../client/server-access.ts';
import { IDEMPOTENCY_KEY } from '../content/rpc.ts';
import { logWarning, toOneLine } from '../content/words.ts';
import { answerElicitation } from './answer-elicitation.ts';
import { type CallTarget, dropConnection, getCallConnection } from './connections.ts';
import { sendUntilAnswered } from './input-required.ts';
import type { ListedTool } from './listing.ts';
import { toResult } from './to-result.ts';

/** One call of a server's tool. */
interface RemoteTarget extends CallTarget {
  readonly tool: ListedTool;
  /** The server's URL when it listed the tool. */
  readonly address: string;
  readonly effect: Effect;
  readonly input: JsonObject;
}

/** The maximum length of a server's status text. */
const MAX_STATUS = 500;

/** The minimum time between two displayed statuses, and between two log lines, in ms. */
const THROTTLE_MS = 100;

/**
 * Calls the tool on its server. A definite failure becomes an error result in the server's words.
 *
 * @throws McpLostError if the outcome of the call is unknown, CallInterrupted if it waits for a person.
 */
export async function callRemote(remote: RemoteTarget, call: CallContext): Promise<ToolResult> {
  const { client, tool, effect, discovery } = remote;
  const meta = createMeta(client, call);
  if (!meta) return error(formatNotPrepared(tool));
  try {
    // The listed names and effects are valid only at the URL that listed them.
    if (resolveServerUrl(client, discovery.view).href !== remote.address)
      return error(formatMoved(remote, call));
    const asking = { client, effect, call, of: getTargetId(remote), what: `MCP tool '${tool.name}'` };
    const used: { connection?: McpConnection } = {};
    const result = await sendUntilAnswered(asking, async (continuation) => {
      used.connection = await getCallConnection(call, remote);
      return requestAnswer(remote, { call, meta, connection: used.connection, continuation });
    }).then(
      (answer) =>
        answer === 'late' ? createFailureResult('timeout', formatTimeout(remote)) : toResult(tool, answer),
      toErrorResult,
    );
    if (!(await used.connection?.consumeSessionLoss())) return result;
    return mapContent(result, (words) => `${formatNewSession(client)}\n\n${words}`);
  } catch (thrown) {
    return toErrorResult(thrown);
  }
}

function toErrorResult(thrown: unknown): ToolResult {
  if (thrown instanceof McpServerError) return error(thrown.message);
  throw thrown;
}

/**
 * Returns the text about a new session. The model may depend on state that earlier calls left on the server.
 */
const formatNewSession = ({ name }: McpClient): string =>
  `MCP server '${name}' has begun a new session: the state of earlier calls is lost.`;

interface OutgoingCall {
  readonly call: CallContext;
  readonly meta: JsonObject;
  readonly connection: McpConnection;
  readonly continuation: Continuation | undefined;
}

/**
 * Returns the server's response, or `late` for a read that timed out, because its outcome does not matter.
 */
async function requestAnswer(
  { client, tool, address, effect, input, discovery }: RemoteTarget,
  { call, meta, connection, continuation }: OutgoingCall,
): Promise<CallToolResult | InputRequiredResult | 'late'> {
  const time = createServerClock(client.timeout);
  const reportStatus = (status: string): void => call.progress(status);
  const progress = createThrottle(THROTTLE_MS, reportStatus);
  const log = createThrottle(THROTTLE_MS, reportStatus);
  let unasked: Error | undefined;
  try {
    return await connection.callTool(
      { name: tool.name, input, inputSchema: tool.inputSchema, meta, continuation },
      {
        signal: AbortSignal.any([call.signal, time.signal]),
        progress: (told) => progress.tell(formatProgress(told)),
        log: (told) => log.tell(formatLog(told)),
        elicit: (asked) =>
          time.during(answerElicitation({ client, effect, call }, asked)).catch((why: unknown) => {
            if (why instanceof Error) unasked = why;
            throw why;
          }),
      },
    );
  } catch (thrown) {
    if (thrown instanceof McpLostError) {
      // The model sees only that the outcome is in doubt.
      logWarning(`${thrown.message} It is at ${new URL(address).origin}.`, call);
      dropConnection(client, discovery.view, connection);
    }
    if (time.signal.aborted && effect === 'read') return 'late';
    // The reason why a question could not be asked is more useful than the resulting failure of the tool.
    if (unasked && thrown instanceof McpServerError) {
      throw new McpServerError({ server: client.name, during: 'call', message: unasked.message });
    }
    throw thrown;
  } finally {
    time.end();
    progress.end();
    log.end();
  }
}

/** Returns an id for this tool of this server. */
const getTargetId = ({ client, address, tool }: RemoteTarget): string =>
  JSON.stringify([client.name, address, tool.name]);

const formatMoved = ({ client: { name } }: RemoteTarget, { tool }: CallContext): string =>
  `Tool '${tool}' is not called: MCP server '${name}' has another URL than when it listed this tool. Its tools are ` +
  'listed again before your next reply: call one of those.';

const formatNotPrepared = ({ name }: ListedTool): string =>
  `MCP tool '${name}' was not called: the app could not prepare the context for its server. Go on without it.`;

const formatTimeout = ({ tool: { name }, client: { timeout } }: RemoteTarget): string =>
  `MCP tool '${name}' did not answer within ${timeout} ms.`;

/**
 * Returns all metadata to send with a call: from the tool-call context, only the result of the client's
 * converter. Returns `undefined` if the converter throws, and the tool is then not called.
 */
export function createMeta(client: McpClient, call: CallContext): JsonObject | undefined {
  try {
    return { ...client.meta?.(call.context), [IDEMPOTENCY_KEY]: call.idempotencyKey };
  } catch (thrown) {
    call.log(createErrorEntry(`the meta converter of MCP client '${client.name}' threw`, thrown));
    return undefined;
  }
}

function formatProgress({ progress, total, message }: Progress): string {
  const share = total === undefined ? String(progress) : `${progress}/${total}`;
  return message === undefined ? share : `${toOneLine(message, MAX_STATUS)} (${share})`;
}

function formatLog({ level, logger, data }: LoggingMessageNotification['params']): string {
  const words = typeof data === 'string' ? data : JSON.stringify(data);
  return `[${level}] ${logger === undefined ? '' : `${toOneLine(logger, 80)}: `}${toOneLine(words ?? '', MAX_STATUS)}`;
}

/** Limits how often updates are forwarded. */
interface Throttle {
  /** Forwards a status at once, or when the interval is over. A newer status replaces a pending one. */
  tell(status: string): void;
  /** Drops a pending status. */
  end(): void;
}

/** Creates a throttle that forwards at most one status every `ms` milliseconds. */
export function createThrottle(ms: number, pass: (status: string) => void): Throttle {
  let newest: string | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let hasEnded = false;
  const flushStatus = (): void => {
    timer = undefined;
    const status = newest;
    newest = undefined;
    if (status !== undefined) reportStatusNow(status);
  };
  const reportStatusNow = (status: string): void => {
    timer = setTimeout(flushStatus, ms);
    pass(status);
  };
  return {
    tell(status) {
      if (hasEnded) return;
      if (timer === undefined) reportStatusNow(status);
      else newest = status;
    },
    end() {
      hasEnded = true;
      if (timer !== undefined) clearTimeout(timer);
    },
  };
}

/** A server's time limit, which pauses while the server waits for a person. */
interface ServerClock {
  /** Aborts when the time limit expires. */
  readonly signal: AbortSignal;
  /** Pauses the clock until the promise settles. */
  during<T>(waiting: Promise<T>): Promise<T>;
  /** Stops the clock. Call it when the response has arrived. */
  end(): void;
}

/** Starts a clock of `ms` milliseconds. */
function createServerClock(ms: number): ServerClock {
  const over = new AbortController();
  let left = ms;
  let waiting = 0;
  let isOver = false;
  let since = 0;
  let cancel = (): void => {};
  const start = (): void => {
    since = Date.now();
    const timer = setTimeout(() => over.abort(createTimeoutError(ms)), left);
    cancel = () => clearTimeout(timer);
  };
  const stopTimer = (): void => {
    cancel();
    left -= Date.now() - since;
  };
  start();
  return {
    signal: over.signal,
    async during(waited) {
      if (waiting === 0) stopTimer();
      waiting += 1;
      try {
        return await waited;
      } finally {
        waiting -= 1;
        if (waiting === 0 && !isOver) start();
      }
    },
    end() {
      isOver = true;
      cancel();
    },
  };
}
