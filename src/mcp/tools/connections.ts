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

/** What one invocation has of one server. */
interface ConnectionSlot {
  /** It is opening or open; one that failed is forgotten. */
  opening: Promise<McpConnection> | undefined;
  /** Absent until it is open. */
  open: McpConnection | undefined;
}

const connections = perInvocation<ConnectionSlot>('mcp connections', () => ({
  opening: undefined,
  open: undefined,
}));

/** Answers the connection of this invocation, when there is one. */
export const currentConnection = (client: McpClient, view: LoopView): McpConnection | undefined =>
  connections(client, view).open;

/**
 * Answers the connection of this invocation; it is opened by the first who asks, with the credentials of whoever's turn
 * it is, and closed with the invocation. `claimed`: the requests that whoever asks has claimed for it, before they are
 * made.
 *
 * @throws McpServerError when the server cannot be reached; then the next who asks tries again.
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
 * The same for a call, where the log is told of a server that cannot be reached: the model has it in the answer.
 *
 * @throws McpServerError.
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

/** A server that a call is to ask. */
export interface Party {
  readonly client: McpClient;
  readonly discovery: Discovery;
  /** The requests that were claimed for it. */
  readonly subrequests: number;
}

/**
 * What the log is told of a server that was not reached, or refused: where it is, of which a path or a query may be a credential, and
 * what code of the client threw. A model has nothing to do with either.
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
 * What a client keeps for the next invocation is bound to all that its address and credentials are made of. Where that is a
 * function, it is the context too, but for the id of the loop, which is another one in each turn.
 */
async function keeperOf(
  client: McpClient,
  { view, credentials, secrets }: Discovery,
): Promise<SessionKeeper | undefined> {
  if (client.keepSession !== true) return undefined;
  const address = attempt(() => addressOf(client, view).href);
  if (!address.ok) return undefined; // whoever connects is told so
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
  `The session of MCP server '${name}' is not kept for the next turn: it has more than 16384 characters, there is no room for it, ` +
  'or another invocation goes on with the turn. Nothing is kept by runAgent.';

const isMadeOfContext = ({ url, headers, oauth }: McpClient): boolean =>
  [url, headers, oauth].some((part) => typeof part === 'function');

const callerOf = ({ view: { principal, context }, secrets }: Discovery): McpCaller => ({
  principal,
  context,
  secrets,
});

/** Forgets a connection that broke, so that whoever asks next connects anew. */
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
 * Finds what one invocation keeps of each client, under this name; `make` begins it. What is kept is gone with the
 * invocation, and no other one sees it: the platform cuts an invocation's connections when it ends. Loops of one
 * invocation may have contexts of their own: where a client makes anything of the context, each context and each address
 * has its own.
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

/** Tells contexts apart; empty where the client is the same server, spoken to in the same way, whatever the context. */
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
