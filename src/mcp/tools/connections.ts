import { attempt, computeSha256Hex } from '../../tool/async.ts';
import type { CallContext } from '../../tool/call.ts';
import type { AnyTool, Discovery, LoopView } from '../../tool/tool.ts';
import { LOOP_ID_KEY } from '../../tool/tool-call-context.ts';
import { connect } from '../client/connect.ts';
import type { McpCaller, McpClient } from '../client/mcp-client.ts';
import {
  createSessionKeeper,
  type McpConnection,
  McpServerError,
  type SessionKeeper,
} from '../client/mcp-connection.ts';
import { resolveServerUrl } from '../client/server-access.ts';
import { logWarning } from '../content/words.ts';
import { findKnownListing, toCanonicalJson } from './listing.ts';

/** An invocation's connection to one server. */
interface ConnectionSlot {
  /** The opening or open connection. A failed one is removed. */
  opening: Promise<McpConnection> | undefined;
  /** Absent until it is open. */
  open: McpConnection | undefined;
}

const connectionSlots = createInvocationCache<ConnectionSlot>('mcp connections', () => ({
  opening: undefined,
  open: undefined,
}));

/** Returns the connection of this invocation, if there is one. */
export const findCurrentConnection = (client: McpClient, view: LoopView): McpConnection | undefined =>
  connectionSlots(client, view).open;

/**
 * Returns the connection of this invocation. The first call opens it, with the credentials of the turn's
 * caller, and it closes with the invocation. `claimed` is the number of requests that the caller has already
 * claimed for it.
 *
 * @throws McpServerError if the server cannot be reached. The next call then tries again.
 */
export async function getConnection(
  client: McpClient,
  discovery: Discovery,
  claimed: number,
): Promise<McpConnection> {
  const slot = connectionSlots(client, discovery.view);
  const connection = await (slot.opening ?? openConnection(client, discovery, slot));
  connection.credit(claimed);
  return connection;
}

/**
 * Returns the connection for a call, and logs if the server cannot be reached. The model receives the error
 * as the result.
 *
 * @throws McpServerError if the server cannot be reached.
 */
export async function getCallConnection(
  call: CallContext,
  { client, discovery, subrequests }: CallTarget,
): Promise<McpConnection> {
  try {
    return await getConnection(client, discovery, subrequests);
  } catch (thrown) {
    if (thrown instanceof McpServerError && !call.signal.aborted)
      logWarning(formatForLog(thrown, client, discovery.view), call);
    throw thrown;
  }
}

export interface CallTarget {
  readonly client: McpClient;
  readonly discovery: Discovery;
  /** The number of requests claimed for it. */
  readonly subrequests: number;
}

/**
 * Returns the log text for an unreachable or refusing server. It adds the origin, because path and query can
 * contain a credential, and the error of the client's own code. The model sees only the message.
 */
export function formatForLog(
  { message, cause }: Pick<Error, 'message' | 'cause'>,
  client: McpClient,
  view: LoopView,
): string {
  const address = attempt(() => resolveServerUrl(client, view).origin);
  const where = address.ok ? ` It is at ${address.value}.` : '';
  return `${message}${where}${cause === undefined ? '' : ` What was thrown: ${getTrace(cause)}`}`;
}

const getTrace = (thrown: unknown): string =>
  thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);

function openConnection(
  client: McpClient,
  discovery: Discovery,
  slot: ConnectionSlot,
): Promise<McpConnection> {
  const { signal } = discovery;
  const count = (subrequests: number): void => discovery.count(subrequests);
  const known = findKnownListing(client, discovery.view)?.listing.spoken;
  const opening = createKeeper(client, discovery).then((keeper) =>
    connect(client, toMcpCaller(discovery), { signal, count, known, keeper }),
  );
  slot.opening = opening;
  opening.then(
    (connection) => {
      slot.open = connection;
      discovery.atEnd(() => connection.close());
    },
    () => clearSlot(slot, opening),
  );
  return opening;
}

/**
 * Returns the session keeper for a client with `keepSession`. A stored session is bound to everything that
 * determines its URL and credentials. If that includes a function, it is also bound to the context, without
 * the loop id, which differs in each turn.
 */
async function createKeeper(
  client: McpClient,
  { view, credentials, secrets }: Discovery,
): Promise<SessionKeeper | undefined> {
  if (client.keepSession !== true) return undefined;
  const address = attempt(() => resolveServerUrl(client, view).href);
  if (!address.ok) return undefined; // connecting reports the problem
  const { [LOOP_ID_KEY]: _, ...context } = view.context.toJSON();
  const { id, tenant = null } = view.principal;
  const bound = [address.value, tenant, id, dependsOnContext(client) ? context : null];
  const { find, keep } = createSessionKeeper(credentials, {
    server: client.name,
    caller: await computeSha256Hex(toCanonicalJson(bound)),
  });
  return {
    find,
    async keep(session, isLost) {
      const isKept = await keep(session, isLost);
      if (session && !isKept) logWarning(formatNotKept(client), { secrets, log: view.log });
      return isKept;
    },
  };
}

const formatNotKept = ({ name }: McpClient): string =>
  `The session of MCP server '${name}' is not stored for the next turn: it has more than 16384 characters, there is no room for it, ` +
  'or another invocation has resumed the turn. With runAgent, sessions are never stored.';

const dependsOnContext = ({ url, headers, oauth }: McpClient): boolean =>
  [url, headers, oauth].some((part) => typeof part === 'function');

const toMcpCaller = ({ view: { principal, context }, secrets }: Discovery): McpCaller => ({
  principal,
  context,
  secrets,
});

/** Removes a broken connection, so the next call connects again. */
export function dropConnection(client: McpClient, view: LoopView, broken: McpConnection): void {
  const slot = connectionSlots(client, view);
  if (slot.open === broken) clearSlot(slot, slot.opening);
}

function clearSlot(slot: ConnectionSlot, opening: ConnectionSlot['opening']): void {
  if (slot.opening !== opening) return;
  slot.opening = undefined;
  slot.open = undefined;
}

/**
 * Returns a function that finds an invocation's data for a client under `name`, and creates it with `make` if
 * missing. Invocations do not share it, because the platform closes connections when one ends. Loops of one
 * invocation can have different contexts. If a client depends on the context, each context and each URL has
 * its own data.
 */
export function createInvocationCache<Kept>(
  name: string,
  make: () => Kept,
): (client: McpClient, view: LoopView) => Kept {
  const invocations = new WeakMap<readonly AnyTool[], Map<McpClient, Map<string, Kept>>>();
  return (client, view) => {
    const ofClients = getOrCreate(
      invocations,
      view.made(name, () => []),
      () => new Map(),
    );
    const ofContexts = getOrCreate(ofClients, client, () => new Map<string, Kept>());
    return getOrCreate(ofContexts, getContextKey(client, view), make);
  };
}

/**
 * Returns a key for a context. It is empty if the server and its credentials do not depend on the context.
 */
function getContextKey(client: McpClient, view: LoopView): string {
  if (!dependsOnContext(client)) return '';
  const address = attempt(() => resolveServerUrl(client, view).href);
  return toCanonicalJson([address.ok ? address.value : null, view.context.toJSON()]);
}

function getOrCreate<Key, Value>(
  map: { get(key: Key): Value | undefined; set(key: Key, value: Value): unknown },
  key: Key,
  make: () => Value,
): Value {
  const value = map.get(key) ?? make();
  map.set(key, value);
  return value;
}
