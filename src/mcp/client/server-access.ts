import { isJSONRPCResultResponse, type JSONRPCMessage } from '@modelcontextprotocol/client';
import { isPrivateHost, publicAddress } from '../../tool/public-address.ts';
import { Secrets } from '../../tool/secrets.ts';
import type { Spoken } from './discover.ts';
import type { McpCaller, McpClient, McpUser } from './mcp-client.ts';
import { McpServerError } from './mcp-connection.ts';
import { authorizingFetch } from './wire/authorizing-fetch.ts';
import { type Fetch, guardedFetch } from './wire/guarded-fetch.ts';
import type { ServerAccess } from './wire/wire.ts';

/**
 * Tells where a client's server is for this person. It asks nothing of anybody, and answers the same for the same person.
 *
 * @throws McpServerError when the address may not be used, or the client's own code throws; what it threw is the cause.
 */
export function addressOf(client: McpClient, { principal, context }: McpUser): URL {
  const { url, allowPrivate } = client;
  const given = typeof url === 'string' ? url : addressFrom(client, url, { principal, context });
  // Code without types may answer a promise.
  const address = typeof given === 'string' ? URL.parse(given) : null;
  if (!address || !/^https?:$/.test(address.protocol)) {
    throw unreachable(client, 'its address is no http(s) URL');
  }
  // A literal is the developer's own word. What comes from data is anybody's.
  if (typeof url === 'string') return address;
  const read = publicAddress(given, allowPrivate);
  if (read instanceof URL) return read;
  throw unreachable(client, `its address ${read.wrong}`);
}

/**
 * Requests of connecting, which whoever connects pays for. Three begin a session and one ends it; to find out that a server
 * wants one takes one more, which is counted when it is made. A server that is known to have no sessions is just asked.
 */
export const connectingSubrequests = (known: Spoken | undefined): number =>
  known?.era === 'stateless' ? 0 : 4;

/** What the requests of one connection may be booked on. */
export interface Credit {
  /** Adds the requests that a claim has paid for. */
  add(subrequests: number): void;
  /** Takes one away: a request is made. */
  use(): void;
}

/**
 * Every request of a connection uses up what was claimed for it; each beyond that is counted, since an invocation has so many
 * and no more. Connecting comes before the first credit, by whose claim it is paid for.
 */
export function createCredit(count: (subrequests: number) => void, known?: Spoken): Credit {
  let left = 0;
  let lent = connectingSubrequests(known);
  return {
    add(subrequests) {
      left += subrequests;
      if (lent > 0 && left < 0) {
        count(-left);
        left = 0;
      }
      lent = 0;
    },
    use() {
      if (left + lent > 0) left -= 1;
      else count(1);
    },
  };
}

/** Headers that the protocol sets, and no client. */
const PROTOCOL_HEADERS =
  /^(?:accept|content-type|last-event-id|mcp-(?:protocol-version|session-id|method|name|param-.*))$/;

/** The most bytes of what an authorization server answers. */
const MAX_TOKEN_BYTES = 256 * 1024;

/**
 * Tells where a client's server is, and with which credentials this caller speaks to it. It asks nothing of the server;
 * requests are booked on the credit.
 *
 * @throws McpServerError when a secret is missing, the address may not be used, or the client's own code throws; what it
 *   threw is the cause.
 */
export async function accessTo(client: McpClient, caller: McpCaller, credit: Credit): Promise<ServerAccess> {
  const url = addressOf(client, caller);
  const headers = await headersOf(client, caller);
  const redactor = createRedactor(caller.secrets);
  hideHeaders(redactor, headers);
  const guarded = (maxResponseBytes: number): Fetch =>
    guardedOf(client, { url, redactor, credit, maxResponseBytes });
  const fetch = guarded(client.maxResponseBytes);
  const fetchToken = guarded(Math.min(client.maxResponseBytes, MAX_TOKEN_BYTES));
  const provider = await attempt(client, 'OAuth provider', () => client.oauth?.(caller));
  const { hide, redact } = redactor;
  return {
    url,
    headers,
    fetch: provider ? authorizingFetch({ provider, server: url, fetch, fetchToken, hide, redact }) : fetch,
    mayAnswer: createAnswerLimit(),
    redact,
    hide,
  };
}

async function headersOf(client: McpClient, caller: McpCaller): Promise<Readonly<Record<string, string>>> {
  const { headers, bearer } = client;
  const token = bearer === undefined ? undefined : tokenOf(client, caller, bearer);
  const given = await attempt(client, 'headers', () => headers?.(caller));
  try {
    const sent = new Headers(given);
    for (const name of [...sent.keys()]) if (PROTOCOL_HEADERS.test(name)) sent.delete(name);
    if (token !== undefined) sent.set('authorization', `Bearer ${token}`);
    return Object.fromEntries(sent);
  } catch {
    // Without the cause, which may quote the value.
    throw unreachable(client, 'its headers cannot be sent');
  }
}

function tokenOf({ name: server }: McpClient, { secrets }: McpCaller, name: string): string {
  const token = secrets.get(name);
  if (token !== undefined) return token;
  // A model reads it. The secret itself may be given in place of its name.
  const message = `MCP server '${server}' needs the secret that its \`bearer\` names, which this caller does not have.`;
  throw new McpServerError({ server, during: 'connect', message });
}

/** How requests are made: to where, how large their answers may be, and on whose account. */
interface Guarded {
  readonly url: URL;
  readonly redactor: Redactor;
  readonly credit: Credit;
  readonly maxResponseBytes: number;
}

function guardedOf(client: McpClient, { url: server, redactor, credit, maxResponseBytes }: Guarded): Fetch {
  const { fetch = globalThis.fetch, allowPrivate = false, url } = client;
  return guardedFetch({
    // Called without a receiver: that of the platform insists on having none but the global one.
    fetch: (address, init) => {
      credit.use();
      return fetch(address, init);
    },
    server,
    // A server of the developer's own network may have its authorization server there.
    allowPrivate: allowPrivate || (typeof url === 'string' && isPrivateHost(server.hostname)),
    maxResponseBytes,
    redact: redactor.redact,
  });
}

/** Runs code of the client, which a model has nothing to do with: it is only told what could not be made. */
async function attempt<T>(client: McpClient, what: string, make: () => T): Promise<Awaited<T>> {
  try {
    return await make();
  } catch (cause) {
    throw unreachable(client, `its ${what} could not be made`, { cause });
  }
}

/** Each answer to a server is a request of its own, of which an invocation has few. */
const MAX_ANSWERS = 12;

/**
 * Limits how often one connection answers its server. What people have answered is always sent: a call puts only so many
 * questions.
 */
function createAnswerLimit(): (answer: JSONRPCMessage) => boolean {
  let answers = 0;
  return (answer) => isOfPeople(answer) || ++answers <= MAX_ANSWERS;
}

const isOfPeople = (answer: JSONRPCMessage): boolean =>
  isJSONRPCResultResponse(answer) && Object.hasOwn(answer.result, 'action');

function addressFrom(client: McpClient, url: (user: McpUser) => string, user: McpUser): string {
  try {
    return url(user);
  } catch (cause) {
    throw unreachable(client, 'its address could not be made', { cause });
  }
}

/** Says that nothing was asked of the server yet. `why` goes on after "it cannot be reached: ". */
const unreachable = ({ name }: McpClient, why: string, options?: ErrorOptions): McpServerError =>
  new McpServerError({
    server: name,
    during: 'connect',
    message: `MCP server '${name}' cannot be reached: ${why}.`,
    ...options,
  });

/** Takes credentials out of what a server says. */
interface Redactor {
  /** Hides this value from now on; the name stands in its place. */
  hide(name: string, credential: string): void;
  /** Makes a copy without them, as `Secrets.redact` does. */
  redact<T>(value: T): T;
}

/**
 * Knows the secrets of a caller, and what a connection sends beside them: servers repeat what they are sent, and neither a
 * session nor a model nor a log is to have it. Applied to all that comes, before anything of it is cut: half a secret is not
 * recognised.
 */
export function createRedactor(secrets: Secrets): Redactor {
  /** A name may have had several values, such as a token that was renewed: each bag has one of them. */
  const values: Map<string, string>[] = [];
  let bags: readonly Secrets[] = [secrets];
  return {
    hide(name, credential) {
      if (credential === '' || values.some((bag) => bag.get(name) === credential)) return;
      const free = values.find((bag) => !bag.has(name)) ?? new Map<string, string>();
      if (free.size === 0) values.push(free);
      free.set(name, credential);
      bags = [secrets, ...values.map((bag) => Secrets.of(Object.fromEntries(bag)))];
    },
    redact: (value) => bags.reduce((left, bag) => bag.redact(left), value),
  };
}

/** Hides what these headers say: without the scheme of an authorization, and the password that a Basic one holds. */
export function hideHeaders({ hide }: Redactor, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) {
    const [, scheme = '', credentials = value] =
      (/authorization$/i.test(name) && /^([\w-]+) +(.+)$/.exec(value)) || [];
    hide(name, credentials);
    if (scheme.toLowerCase() === 'basic') hide('password', passwordOf(credentials));
  }
}

/** Finds the password, and with its user when it is short, since short words occur by chance. Empty when there is none. */
function passwordOf(credentials: string): string {
  try {
    const decoded = new TextDecoder().decode(Uint8Array.from(atob(credentials), (one) => one.charCodeAt(0)));
    const password = decoded.slice(decoded.indexOf(':') + 1);
    return password.length < 6 ? decoded : password;
  } catch {
    return '';
  }
}
