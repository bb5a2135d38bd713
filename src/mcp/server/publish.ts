import type { Agent } from '../../agent/define-agent.ts';
import { attempt } from '../../tool/async.ts';
import { isTool } from '../../tool/check-definition.ts';
import type { LiteralShape } from '../../tool/check-literal.ts';
import { type JsonObject, shorten } from '../../tool/json.ts';
import { literals } from '../../tool/literals.ts';
import { ended, shown } from '../../tool/shown.ts';
import type { AnyTool } from '../../tool/tool.ts';
import { type HeaderFault, headerFault, repeatedIn, valueAt } from '../content/rpc.ts';

/** One thing that clients may call, under the name by which they know it. */
export type Publication =
  | { readonly kind: 'tool'; readonly name: string; readonly tool: AnyTool }
  | {
      readonly kind: 'agent';
      readonly name: string;
      /** The agent's name in the app. */
      readonly agent: string;
      /** It stands in place of the agent's own description. */
      readonly description?: string | undefined;
    };

/** An agent as an endpoint names it: by its name, itself, or with what clients are told in place of that. */
export type PublishedAgent =
  | string
  | Agent
  | {
      readonly agent: string | Agent;
      /** What clients call it; the agent's name unless given. */
      readonly as?: string | undefined;
      /** What it is for, as a tool; the agent's description unless given. */
      readonly description?: string | undefined;
    };

/** An MCP endpoint was declared in a way that cannot work. It is thrown where the endpoint, or its prompt, is defined, never in a request. */
export class McpEndpointDefinitionError extends Error {
  override readonly name = 'McpEndpointDefinitionError';
  /** The property of the definition that is wrong, such as `tools[2]`. */
  readonly field: string;

  /** `problem` is a sentence that goes on after "MCP endpoint: ". */
  constructor(field: string, problem: string) {
    super(`MCP endpoint: ${problem}`);
    this.field = field;
  }
}

/**
 * Names what an endpoint publishes.
 *
 * @throws McpEndpointDefinitionError when something cannot be published, or two have one name.
 */
export function publish(
  tools: readonly AnyTool[],
  agents: readonly PublishedAgent[],
): ReadonlyMap<string, Publication> {
  const published = new Map<string, Publication>();
  const add = (field: string, publication: Publication): void => {
    const { name } = publication;
    if (!/^[A-Za-z0-9_-]{1,64}$/.test(name)) {
      throw new McpEndpointDefinitionError(
        field,
        `'${shorten(name, 80)}' is no name for a tool: use 1 to 64 of the characters A-Z a-z 0-9 _ and -.`,
      );
    }
    if (published.has(name)) {
      throw new McpEndpointDefinitionError(field, `two of what it publishes are called '${name}'.`);
    }
    published.set(name, publication);
  };
  for (const [index, tool] of tools.entries()) add(`tools[${index}]`, ofTool(`tools[${index}]`, tool));
  for (const [index, agent] of agents.entries()) add(`agents[${index}]`, ofAgent(`agents[${index}]`, agent));
  return published;
}

function ofTool(field: string, tool: AnyTool): Publication {
  // Callers without types may publish anything.
  if (!isTool(tool)) throw new McpEndpointDefinitionError(field, `${field} is no tool.`);
  if (tool.effect === 'none') {
    throw new McpEndpointDefinitionError(
      field,
      `the tool '${tool.name}' needs a session: it opens a loop of its own, unfolds, or waits for somebody. ` +
        'Publish an agent that has it instead.',
    );
  }
  const fault = headersFault(tool.inputSchema);
  if (fault !== undefined) throw new McpEndpointDefinitionError(field, `the tool '${tool.name}' ${fault}`);
  return { kind: 'tool', name: tool.name, tool };
}

function ofAgent(field: string, declared: PublishedAgent): Publication {
  const { agent, as, description } = publishedAs(field, declared);
  const name = typeof agent === 'string' ? agent : agent.name;
  return { kind: 'agent', name: as ?? name, agent: name, description };
}

/** An agent by its name, by itself, or with what clients are told; callers without types may give anything. */
function publishedAs(field: string, declared: PublishedAgent): PublishedAsTool {
  const isRenamed = typeof declared === 'object' && declared !== null && 'agent' in declared;
  const fault = isRenamed ? literals?.fault(declared, AS_TOOL) : undefined;
  if (fault) throw new McpEndpointDefinitionError(field, `${field} ${ended(fault.problem)}`);
  const published = isRenamed ? declared : { agent: declared };
  if (typeof Object(published.agent).name === 'string' || typeof published.agent === 'string')
    return published;
  const problem = `${field} is ${shown(published.agent)}: use an agent, its name, or { agent, as, description }.`;
  throw new McpEndpointDefinitionError(field, problem);
}

type PublishedAsTool = Exclude<PublishedAgent, string | Agent>;

const AS_TOOL = {
  of: 'a published agent',
  keys: { agent: 'any', as: 'text', description: 'text' },
  required: ['agent'],
  foreign: { name: 'as' },
} satisfies LiteralShape<keyof PublishedAsTool>;

/** Says, as a sentence goes on after the name of a tool, what is wrong with the headers that its schema declares. */
export function headersFault(schema: unknown): string | undefined {
  const fault = headerFault(schema);
  if (!fault) return undefined;
  const { path, header, kind } = fault;
  return `has the \`x-mcp-header\` ${JSON.stringify(header)} at '${path.join('.')}'${MENDS[kind]}`;
}

const MENDS: Readonly<Record<HeaderFault['kind'], string>> = {
  place: ': only a property of its input, or of an object in it, goes into a header.',
  name: ": use what may be part of a header's name.",
  type: ': only a string, an integer or a boolean goes into a header.',
  twice: ', as another parameter has.',
};

/** Says in what the headers of a call disagree with its arguments; `undefined` when they do not. */
export function headersMismatch(
  schema: unknown,
  input: JsonObject,
  headers: Headers,
): { readonly header: string; readonly body: string } | undefined {
  for (const { path, header, type } of repeatedIn(schema)) {
    const value = valueAt(input, path);
    // A value of another kind has no header; the schema refuses it.
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') continue;
    const name = `Mcp-Param-${header}`;
    const sent = headers.get(name);
    const told = `the body carries ${path.join('.')}=${JSON.stringify(value)}`;
    if (sent === null) return { header: name, body: `${told} but the ${name} header is absent` };
    const read = decoded(sent);
    if (read === undefined)
      return { header: name, body: `the ${name} header says that it is Base64, and is not` };
    const isSame =
      type === 'integer' && /^-?\d+(\.\d+)?$/.test(read) ? Number(read) === value : read === String(value);
    if (!isSame) return { header: name, body: `${told} but the ${name} header says ${JSON.stringify(read)}` };
  }
  return undefined;
}

/** The value of a header, which is in Base64 when it says so; `undefined` when it says so and is not. */
function decoded(value: string): string | undefined {
  const [, base64] = /^=\?base64\?(.*)\?=$/.exec(value) ?? [];
  if (base64 === undefined) return value;
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(base64)) return undefined;
  const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  const text = attempt(() => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  return text.ok ? text.value : undefined;
}

/** The same, as copies: what clients are told cannot change. */
export function checkedAuthorization(authorization: McpAuthorization): McpAuthorization {
  const refuse = (problem: string): McpEndpointDefinitionError =>
    new McpEndpointDefinitionError('authorization', `authorization ${ended(problem)}`);
  const fault = literals?.fault(authorization, AUTHORIZATION);
  if (fault) throw refuse(fault.problem);
  const { servers, scopes } = authorization;
  if (servers.length === 0) throw refuse('names no servers');
  for (const server of servers) {
    if (hasUser(server))
      throw refuse('has a server with a user or password in its address: use its issuer alone');
    if (!isIssuer(server))
      throw refuse(`has the server ${shown(server)}: use its issuer, such as 'https://login.example'`);
  }
  for (const scope of scopes ?? []) {
    // What a scope may be (RFC 6749, section 3.3).
    if (!/^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope))
      throw refuse(`has ${shown(scope)} among its scopes, which is none`);
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

/** Says whether an address holds credentials, which must be neither published nor repeated. */
function hasUser(server: unknown): boolean {
  const url = typeof server === 'string' ? URL.parse(server) : null;
  return url !== null && url.username + url.password !== '';
}

/** Tells whether it is an address that clients may ask: encrypted, or of this machine, for development. */
function isIssuer(server: unknown): boolean {
  if (typeof server !== 'string' || !URL.canParse(server)) return false;
  const { protocol, hostname, search, hash } = new URL(server);
  const isSafe =
    protocol === 'https:' || (protocol === 'http:' && /^(localhost|127\.0\.0\.1|\[::1\])$/.test(hostname));
  return isSafe && search === '' && hash === '';
}

/** Who signs in the callers of an endpoint. Their tokens are checked by the app's own `auth`. */
export interface McpAuthorization {
  /** The issuers of OAuth authorization servers: `https://login.example`. */
  readonly servers: readonly string[];
  /** What clients ask them for. */
  readonly scopes?: readonly string[] | undefined;
}
