import type { Agent } from '../../agent/define-agent.ts';
import { attempt } from '../../tool/async.ts';
import { isTool } from '../../tool/check-definition.ts';
import type { LiteralShape } from '../../tool/check-literal.ts';
import { type JsonObject, shorten } from '../../tool/json.ts';
import { literals } from '../../tool/literals.ts';
import { describeValue, withFullStop } from '../../tool/shown.ts';
import type { AnyTool } from '../../tool/tool.ts';
import { findHeaderFault, findHeaderParameters, findValue, type HeaderFault } from '../content/rpc.ts';

/** A published tool or agent. */
export type Publication =
  | { readonly kind: 'tool'; readonly name: string; readonly tool: AnyTool }
  | {
      readonly kind: 'agent';
      readonly name: string;
      /** The agent's name in the app. */
      readonly agent: string;
      /** Replaces the agent's own description. */
      readonly description?: string | undefined;
    };

/**
 * An agent to publish: its name, the agent itself, or an object with a different name or description for
 * clients.
 */
export type PublishedAgent =
  | string
  | Agent
  | {
      readonly agent: string | Agent;
      /** The name for clients. Defaults to the agent's name. */
      readonly as?: string | undefined;
      /** The description as a tool. Defaults to the agent's description. */
      readonly description?: string | undefined;
    };

/** Thrown for an invalid MCP endpoint, where it or its prompt is defined, and never in a request. */
export class McpEndpointDefinitionError extends Error {
  override readonly name = 'McpEndpointDefinitionError';
  /** The invalid property of the definition, such as `tools[2]`. */
  readonly field: string;

  /** `problem` is a sentence that follows "MCP endpoint: ". */
  constructor(field: string, problem: string) {
    super(`MCP endpoint: ${problem}`);
    this.field = field;
  }
}

/**
 * Returns the tools and agents of an endpoint by name.
 *
 * @throws McpEndpointDefinitionError if an entry cannot be published, or two share a name.
 */
export function collectPublications(
  tools: readonly AnyTool[],
  agents: readonly PublishedAgent[],
): ReadonlyMap<string, Publication> {
  const published = new Map<string, Publication>();
  const add = (field: string, publication: Publication): void => {
    const { name } = publication;
    if (!/^[A-Za-z0-9_-]{1,64}$/.test(name)) {
      throw new McpEndpointDefinitionError(
        field,
        `'${shorten(name, 80)}' is not a valid tool name. Use 1 to 64 of the characters A-Z a-z 0-9 _ and -.`,
      );
    }
    if (published.has(name)) {
      throw new McpEndpointDefinitionError(field, `two of its entries are called '${name}'. Rename one.`);
    }
    published.set(name, publication);
  };
  for (const [index, tool] of tools.entries())
    add(`tools[${index}]`, toToolPublication(`tools[${index}]`, tool));
  for (const [index, agent] of agents.entries())
    add(`agents[${index}]`, toAgentPublication(`agents[${index}]`, agent));
  return published;
}

function toToolPublication(field: string, tool: AnyTool): Publication {
  // Callers without types can pass any value.
  if (!isTool(tool)) throw new McpEndpointDefinitionError(field, `${field} is not a tool.`);
  if (tool.effect === 'none') {
    throw new McpEndpointDefinitionError(
      field,
      `the tool '${tool.name}' needs a session, since it opens a loop of its own, unfolds, or waits for a person. ` +
        'Publish an agent that has it instead.',
    );
  }
  const fault = findHeadersProblem(tool.inputSchema);
  if (fault !== undefined) throw new McpEndpointDefinitionError(field, `the tool '${tool.name}' ${fault}`);
  return { kind: 'tool', name: tool.name, tool };
}

function toAgentPublication(field: string, declared: PublishedAgent): Publication {
  const { agent, as, description } = normalizeAgent(field, declared);
  const name = typeof agent === 'string' ? agent : agent.name;
  return { kind: 'agent', name: as ?? name, agent: name, description };
}

/** Normalizes the three forms of a published agent. Callers without types can pass any value. */
function normalizeAgent(field: string, declared: PublishedAgent): PublishedAsTool {
  const isRenamed = typeof declared === 'object' && declared !== null && 'agent' in declared;
  const fault = isRenamed ? literals?.fault(declared, AGENT_SHAPE) : undefined;
  if (fault) throw new McpEndpointDefinitionError(field, `${field} ${withFullStop(fault.problem)}`);
  const published = isRenamed ? declared : { agent: declared };
  if (typeof Object(published.agent).name === 'string' || typeof published.agent === 'string')
    return published;
  const problem = `${field} is ${describeValue(published.agent)}. Use an agent, its name, or { agent, as, description }.`;
  throw new McpEndpointDefinitionError(field, problem);
}

type PublishedAsTool = Exclude<PublishedAgent, string | Agent>;

const AGENT_SHAPE = {
  of: 'a published agent',
  keys: { agent: 'any', as: 'text', description: 'text' },
  required: ['agent'],
  foreign: { name: 'as' },
} satisfies LiteralShape<keyof PublishedAsTool>;

/** Returns the problem with the headers that a tool's schema declares, as text after the tool's name. */
export function findHeadersProblem(schema: unknown): string | undefined {
  const fault = findHeaderFault(schema);
  if (!fault) return undefined;
  const { path, header, kind } = fault;
  return `has the \`x-mcp-header\` ${JSON.stringify(header)} at '${path.join('.')}'${HEADER_FIXES[kind]}`;
}

const HEADER_FIXES: Readonly<Record<HeaderFault['kind'], string>> = {
  place: '. Only a property of its input, or of an object in it, can be a header.',
  name: '. Use only characters that a header name can have.',
  type: '. Only a string, an integer or a boolean can be a header.',
  twice: ', which another parameter also has.',
};

/**
 * Returns the difference between the headers of a call and its arguments, or `undefined` if there is none.
 */
export function findHeadersMismatch(
  schema: unknown,
  input: JsonObject,
  headers: Headers,
): { readonly header: string; readonly body: string } | undefined {
  for (const { path, header, type } of findHeaderParameters(schema)) {
    const value = findValue(input, path);
    // A value of another type has no header. The schema refuses it.
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') continue;
    const name = `Mcp-Param-${header}`;
    const sent = headers.get(name);
    const told = `the body carries ${path.join('.')}=${JSON.stringify(value)}`;
    if (sent === null) return { header: name, body: `${told} but the ${name} header is absent` };
    const read = decodeHeader(sent);
    if (read === undefined)
      return { header: name, body: `the ${name} header says that it is Base64, and is not` };
    const isSame =
      type === 'integer' && /^-?\d+(\.\d+)?$/.test(read) ? Number(read) === value : read === String(value);
    if (!isSame) return { header: name, body: `${told} but the ${name} header says ${JSON.stringify(read)}` };
  }
  return undefined;
}

/**
 * Returns the value of a header, decoded if it is marked as Base64. Returns `undefined` if that encoding is
 * invalid.
 */
function decodeHeader(value: string): string | undefined {
  const [, base64] = /^=\?base64\?(.*)\?=$/.exec(value) ?? [];
  if (base64 === undefined) return value;
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(base64)) return undefined;
  const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  const text = attempt(() => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  return text.ok ? text.value : undefined;
}

/** Returns a checked copy, so later changes do not affect the published data. */
export function copyAuthorization(authorization: McpAuthorization): McpAuthorization {
  const createError = (problem: string): McpEndpointDefinitionError =>
    new McpEndpointDefinitionError('authorization', `authorization ${withFullStop(problem)}`);
  const fault = literals?.fault(authorization, AUTHORIZATION);
  if (fault) throw createError(fault.problem);
  const { servers, scopes } = authorization;
  if (servers.length === 0) throw createError('has no servers. List the issuers of its tokens');
  for (const server of servers) {
    if (hasUser(server))
      throw createError('has a server with a user name or password in its URL. Use its issuer alone');
    if (!isIssuer(server))
      throw createError(
        `has the server ${describeValue(server)}. Use its issuer, such as 'https://login.example'`,
      );
  }
  for (const scope of scopes ?? []) {
    // The valid characters of a scope (RFC 6749, section 3.3).
    if (!/^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope))
      throw createError(`has ${describeValue(scope)} among its scopes, which is not a valid scope`);
  }
  return { servers: [...servers], scopes: scopes && [...scopes] };
}

const AUTHORIZATION = {
  of: 'authorization',
  keys: { servers: 'list', scopes: 'list' },
  required: ['servers'],
  foreign: {
    authorizationServers: 'servers',
    authorization_servers: 'servers',
    issuer: 'servers',
    scope: 'scopes',
  },
} satisfies LiteralShape<keyof McpAuthorization>;

/** Returns whether a URL contains credentials, which must not be published or quoted. */
function hasUser(server: unknown): boolean {
  const url = typeof server === 'string' ? URL.parse(server) : null;
  return url !== null && url.username + url.password !== '';
}

/** Returns whether clients can safely use a URL: it is encrypted, or on this machine for development. */
function isIssuer(server: unknown): boolean {
  if (typeof server !== 'string' || !URL.canParse(server)) return false;
  const { protocol, hostname, search, hash } = new URL(server);
  const isSafe =
    protocol === 'https:' || (protocol === 'http:' && /^(localhost|127\.0\.0\.1|\[::1\])$/.test(hostname));
  return isSafe && search === '' && hash === '';
}

/** The authorization servers of an endpoint's callers. The app's own `auth` checks their tokens. */
export interface McpAuthorization {
  /** The issuers of OAuth authorization servers, such as `https://login.example`. */
  readonly servers: readonly string[];
  /** The scopes that clients request. */
  readonly scopes?: readonly string[] | undefined;
}
