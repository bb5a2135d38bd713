import { isJSONRPCResultResponse, type JSONRPCMessage } from '@modelcontextprotocol/client';
import { isPrivateHost, parsePublicAddress } from '../../tool/public-address.ts';
import { Secrets } from '../../tool/secrets.ts';
import type { KnownProtocol } from './discover.ts';
import type { McpCaller, McpClient, McpUser } from './mcp-client.ts';
import { McpServerError } from './mcp-connection.ts';
import { createAuthorizingFetch } from './wire/authorizing-fetch.ts';
import { createGuardedFetch, type Fetch } from './wire/guarded-fetch.ts';
import type { ServerAccess } from './wire/wire.ts';

/**
 * Returns the URL of a client's server for this person. Makes no request, and returns the same URL for the
 * same person.
 *
 * @throws McpServerError if the URL is not allowed, or the client's own code throws. That error is the cause.
 */
export function resolveServerUrl(client: McpClient, { principal, context }: McpUser): URL {
  const { url, allowPrivate } = client;
  const given = typeof url === 'string' ? url : computeUrl(client, url, { principal, context });
  // Code without types can return a promise.
  const address = typeof given === 'string' ? URL.parse(given) : null;
  if (!address || !/^https?:$/.test(address.protocol)) {
    throw createUnreachableError(client, 'its URL is not an http(s) URL');
  }
  // A literal comes from the developer. A URL from data can come from anyone.
  if (typeof url === 'string') return address;
  const read = parsePublicAddress(given, allowPrivate);
  if (read instanceof URL) return read;
  throw createUnreachableError(client, `its URL ${read.wrong}`);
}

/**
 * Returns the number of requests for connecting that the caller's claim covers. A session needs three to
 * begin and one to end. Discovering that a server needs a session takes another request, which is counted
 * when it is made. A server that is known to have no sessions needs none.
 */
export const countConnectSubrequests = (known: KnownProtocol | undefined): number =>
  known?.era === 'stateless' ? 0 : 4;

/** The requests that one connection can make without counting them. */
export interface Credit {
  /** Adds the requests that a claim covers. */
  add(subrequests: number): void;
  /** Subtracts one request. */
  use(): void;
}

/**
 * Creates the credit of a connection. Each request beyond the claims is counted, because an invocation has a
 * limited number. The claim that opened the connection covers the requests before the first `add`.
 */
export function createCredit(count: (subrequests: number) => void, known?: KnownProtocol): Credit {
  let left = 0;
  let lent = countConnectSubrequests(known);
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

/** Matches headers of the protocol, which a client cannot set. */
const PROTOCOL_HEADERS =
  /^(?:accept|content-type|last-event-id|mcp-(?:protocol-version|session-id|method|name|param-.*))$/;

/** The maximum size of an authorization server's response, in bytes. */
const MAX_TOKEN_BYTES = 256 * 1024;

/**
 * Returns the URL of a client's server and the credentials of this caller. Makes no request to the server.
 * Later requests use the credit.
 *
 * @throws McpServerError if a secret is missing, the URL is not allowed, or the client's own code throws.
 * That error is the cause.
 */
export async function createServerAccess(
  client: McpClient,
  caller: McpCaller,
  credit: Credit,
): Promise<ServerAccess> {
  const url = resolveServerUrl(client, caller);
  const headers = await createHeaders(client, caller);
  const redactor = createRedactor(caller.secrets);
  hideHeaders(redactor, headers);
  const createLimitedFetch = (maxResponseBytes: number): Fetch =>
    createClientFetch(client, { url, redactor, credit, maxResponseBytes });
  const fetch = createLimitedFetch(client.maxResponseBytes);
  const fetchToken = createLimitedFetch(Math.min(client.maxResponseBytes, MAX_TOKEN_BYTES));
  const provider = await runClientCode(client, 'OAuth provider', () => client.oauth?.(caller));
  const { hide, redact } = redactor;
  return {
    url,
    headers,
    fetch: provider
      ? createAuthorizingFetch({ provider, server: url, fetch, fetchToken, hide, redact })
      : fetch,
    mayAnswer: createAnswerLimit(),
    redact,
    hide,
  };
}

async function createHeaders(
  client: McpClient,
  caller: McpCaller,
): Promise<Readonly<Record<string, string>>> {
  const { headers, bearer } = client;
  const token = bearer === undefined ? undefined : readToken(client, caller, bearer);
  const given = await runClientCode(client, 'headers', () => headers?.(caller));
  try {
    const sent = new Headers(given);
    for (const name of [...sent.keys()]) if (PROTOCOL_HEADERS.test(name)) sent.delete(name);
    if (token !== undefined) sent.set('authorization', `Bearer ${token}`);
    return Object.fromEntries(sent);
  } catch {
    // The cause is omitted, because it can quote the value.
    throw createUnreachableError(client, 'its headers cannot be sent');
  }
}

function readToken({ name: server }: McpClient, { secrets }: McpCaller, name: string): string {
  const token = secrets.get(name);
  if (token !== undefined) return token;
  // A model reads this message. The property may hold the secret itself by mistake, so its value is not
  // quoted.
  const message = `MCP server '${server}' needs the secret that its \`bearer\` names, which this caller does not have.`;
  throw new McpServerError({ server, during: 'connect', message });
}

/** The rules for requests: the URL, the size of responses, and the credit. */
interface GuardOptions {
  readonly url: URL;
  readonly redactor: Redactor;
  readonly credit: Credit;
  readonly maxResponseBytes: number;
}

function createClientFetch(
  client: McpClient,
  { url: server, redactor, credit, maxResponseBytes }: GuardOptions,
): Fetch {
  const { fetch = globalThis.fetch, allowPrivate = false, url } = client;
  return createGuardedFetch({
    // Called without a receiver, because the platform's `fetch` accepts only the global one.
    fetch: (address, init) => {
      credit.use();
      return fetch(address, init);
    },
    server,
    // A server in the developer's own network can have its authorization server there.
    allowPrivate: allowPrivate || (typeof url === 'string' && isPrivateHost(server.hostname)),
    maxResponseBytes,
    redact: redactor.redact,
  });
}

/** Runs the client's own code. If it throws, a model sees only what could not be created, not the error. */
async function runClientCode<T>(client: McpClient, what: string, make: () => T): Promise<Awaited<T>> {
  try {
    return await make();
  } catch (cause) {
    throw createUnreachableError(client, `its ${what} could not be made`, { cause });
  }
}

/** Each answer to a server is a request, and an invocation can make few. */
const MAX_ANSWERS = 12;

/**
 * Limits how often one connection answers its server. Answers from people are always sent, because the number
 * of questions in a call is limited.
 */
function createAnswerLimit(): (answer: JSONRPCMessage) => boolean {
  let answers = 0;
  return (answer) => isElicitationAnswer(answer) || ++answers <= MAX_ANSWERS;
}

const isElicitationAnswer = (answer: JSONRPCMessage): boolean =>
  isJSONRPCResultResponse(answer) && Object.hasOwn(answer.result, 'action');

function computeUrl(client: McpClient, url: (user: McpUser) => string, user: McpUser): string {
  try {
    return url(user);
  } catch (cause) {
    throw createUnreachableError(client, 'its URL could not be made', { cause });
  }
}

/** Creates the error for a server that was not called yet. `why` follows "it cannot be reached: ". */
const createUnreachableError = ({ name }: McpClient, why: string, options?: ErrorOptions): McpServerError =>
  new McpServerError({
    server: name,
    during: 'connect',
    message: `MCP server '${name}' cannot be reached: ${why}.`,
    ...options,
  });

/** Removes credentials from a server's messages. */
interface Redactor {
  /** Hides this value from now on. The name replaces it. */
  hide(name: string, credential: string): void;
  /** Returns a copy without the hidden values, like `Secrets.redact`. */
  redact<T>(value: T): T;
}

/**
 * Creates a redactor for the secrets of a caller and the other credentials of a connection. Servers quote
 * their input, and sessions, models and logs must not contain these secrets. It runs on all data before
 * truncation, because half a secret is not recognizable.
 */
export function createRedactor(secrets: Secrets): Redactor {
  /**
   * A name can have several values, such as the former and the renewed token. Each map has one of these
   * values.
   */
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

/**
 * Redacts the values of these headers. For an authorization header, redacts the credentials after the scheme,
 * and for Basic also the decoded password.
 */
export function hideHeaders({ hide }: Redactor, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) {
    const [, scheme = '', credentials = value] =
      (/authorization$/i.test(name) && /^([\w-]+) +(.+)$/.exec(value)) || [];
    hide(name, credentials);
    if (scheme.toLowerCase() === 'basic') hide('password', getPassword(credentials));
  }
}

/**
 * Returns the password, or an empty text. A short password is returned with its user, because short words
 * occur by chance.
 */
function getPassword(credentials: string): string {
  try {
    const decoded = new TextDecoder().decode(Uint8Array.from(atob(credentials), (one) => one.charCodeAt(0)));
    const password = decoded.slice(decoded.indexOf(':') + 1);
    return password.length < 6 ? decoded : password;
  } catch {
    return '';
  }
}
