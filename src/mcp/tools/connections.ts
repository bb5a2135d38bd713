import { attempt, sha256Hex } from '../../tool/async.ts';
import type { CallContext } from '../../tool/call.ts';
import type { AnyTool, Discovery, LoopView } from '../../tool/tool.ts';
import { LOOP_ID_KEY } from '../../tool/tool-call-context.ts';
import { connect } from '../client/connect.ts';
import type { McpCaller, McpClient } from '../client/mcp-client.ts';
import {
  keptSession,
  type McpConnection,
  McpServerError,
  type SessionKeeper,
} from '../client/mcp-connection.ts';
import { addressOf } from '../client/server-access.ts';
import { warn } from '../content/words.ts';
import { canonicalJson, knownListing } from './listing.ts';

/** An invocation's connection to one server. */
interface ConnectionSlot {
  /** The opening or open connection. A failed one is removed. */
  opening: Promise<McpConnection> | undefined;
  /** Absent until it is open. */
  open: McpConnection | undefined;
}

const connections = perInvocation<ConnectionSlot>('mcp connections', () => ({
  opening: undefined,
  open: undefined,
}));

/** Returns the connection of this invocation, if there is one. */
export const currentConnection = (client: McpClient, view: LoopView): McpConnection | undefined =>
  connections(client, view).open;

/**
 * Returns the connection of this invocation. The first call opens it, with the credentials of the turn's
 * caller, and it closes with the invocation. `claimed` is the number of requests that the caller has already
 * claimed for it.
 *
 * @throws McpServerError if the server cannot be reached. The next call then tries again.
 */
export async function connectionTo(
  client: McpClient,
  discovery: Discovery,
  claimed: number,
): Promise<McpConnection> {
  const slot = connections(client, discovery.view);
  const connection = await (slot.opening ?? opened(client, discovery, slot));
  connection.credit(claimed);
  return connection;
}

/**
 * Returns the connection for a call, and logs if the server cannot be reached. The model receives the error
 * as the result.
 *
 * @throws McpServerError if the server cannot be reached.
 */
export async function connectionFor(
  call: CallContext,
  { client, discovery, subrequests }: Party,
): Promise<McpConnection> {
  try {
    return await connectionTo(client, discovery, subrequests);
  } catch (thrown) {
    if (thrown instanceof McpServerError && !call.signal.aborted)
      warn(forLog(thrown, client, discovery.view), call);
    throw thrown;
  }
}

/** The server of a call. */
export interface Party {
  readonly client: McpClient;
  readonly discovery: Discovery;
  /** The number of requests claimed for it. */
  readonly subrequests: number;
}

/**
 * Returns the log text for an unreachable or refusing server. It adds the origin, because path and query can
 * contain a credential, and the error of the client's own code. The model sees neither.
 */
export function forLog(
  { message, cause }: Pick<Error, 'message' | 'cause'>,
  client: McpClient,
  view: LoopView,
): string {
  const address = attempt(() => addressOf(client, view).origin);
  const where = address.ok ? ` It is at ${address.value}.` : '';
  return `${message}${where}${cause === undefined ? '' : ` What was thrown: ${traceOf(cause)}`}`;
}

const traceOf = (thrown: unknown): string =>
  thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);

function opened(client: McpClient, discovery: Discovery, slot: ConnectionSlot): Promise<McpConnection> {
  const { signal } = discovery;
  const count = (subrequests: number): void => discovery.count(subrequests);
  const known = knownListing(client, discovery.view)?.listing.spoken;
  const opening = keeperOf(client, discovery).then((keeper) =>
    connect(client, callerOf(discovery), { signal, count, known, keeper }),
  );
  slot.opening = opening;
  opening.then(
    (connection) => {
      slot.open = connection;
      discovery.atEnd(() => connection.close());
    },
    () => forget(slot, opening),
  );
  return opening;
}

/**
 * Returns the session keeper for a client with `keepSession`. A stored session is bound to everything that
 * determines its URL and credentials. If that includes a function, it is also bound to the context, without
 * the loop id, which differs in each turn.
 */
async function keeperOf(
  client: McpClient,
  { view, credentials, secrets }: Discovery,
): Promise<SessionKeeper | undefined> {
  if (client.keepSession !== true) return undefined;
  const address = attempt(() => addressOf(client, view).href);
  if (!address.ok) return undefined; // connecting reports the problem
  const { [LOOP_ID_KEY]: _, ...context } = view.context.toJSON();
  const { id, tenant = null } = view.principal;
  const bound = [address.value, tenant, id, isMadeOfContext(client) ? context : null];
  const { find, keep } = keptSession(credentials, {
    server: client.name,
    caller: await sha256Hex(canonicalJson(bound)),
  });
  return {
    find,
    async keep(session, isLost) {
      const isKept = await keep(session, isLost);
      if (session && !isKept) warn(notKept(client), { secrets, log: view.log });
      return isKept;
    },
  };
}

const notKept = ({ name }: McpClient): string =>
  `The session of MCP server '${name}' is not stored for the next turn: it has more than 16384 characters, there is no room for it, ` +
  'or another invocation has resumed the turn. With runAgent, sessions are never stored.';

const isMadeOfContext = ({ url, headers, oauth }: McpClient): boolean =>
  [url, headers, oauth].some((part) => typeof part === 'function');

const callerOf = ({ view: { principal, context }, secrets }: Discovery): McpCaller => ({
  principal,
  context,
  secrets,
});

/** Removes a broken connection, so the next call connects again. */
export function dropConnection(client: McpClient, view: LoopView, broken: McpConnection): void {
  const slot = connections(client, view);
  if (slot.open === broken) forget(slot, slot.opening);
}

function forget(slot: ConnectionSlot, opening: ConnectionSlot['opening']): void {
  if (slot.opening !== opening) return;
  slot.opening = undefined;
  slot.open = undefined;
}

/**
 * Returns a function that finds the data of an invocation for a client, under `name`; `make` creates it. It
 * is not shared between invocations, because the platform closes connections at the end of one. Loops of one
 * invocation can have different contexts. If a client depends on the context, each context and each URL has
 * its own data.
 */
export function perInvocation<Kept>(
  name: string,
  make: () => Kept,
): (client: McpClient, view: LoopView) => Kept {
  const invocations = new WeakMap<readonly AnyTool[], Map<McpClient, Map<string, Kept>>>();
  return (client, view) => {
    const ofClients = inside(
      invocations,
      view.made(name, () => []),
      () => new Map(),
    );
    const ofContexts = inside(ofClients, client, () => new Map<string, Kept>());
    return inside(ofContexts, contextOf(client, view), make);
  };
}

/**
 * Returns a key for a context. It is empty if the server and its credentials do not depend on the context.
 */
function contextOf(client: McpClient, view: LoopView): string {
  if (!isMadeOfContext(client)) return '';
  const address = attempt(() => addressOf(client, view).href);
  return canonicalJson([address.ok ? address.value : null, view.context.toJSON()]);
}

function inside<Key, Value>(
  map: { get(key: Key): Value | undefined; set(key: Key, value: Value): unknown },
  key: Key,
  make: () => Value,
): Value {
  const value = map.get(key) ?? make();
  map.set(key, value);
  return value;
}
