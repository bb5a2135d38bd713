import { discoveryIn } from '../../loop/discovery.ts';
import { createSchemaCheck, type SchemaCheck } from '../../modules/json-schema/schema-check.ts';
import { ENCODER, memoize } from '../../tool/async.ts';
import type { Effect } from '../../tool/call.ts';
import { checkInput } from '../../tool/check-input.ts';
import type { InputSchema } from '../../tool/input-schema.ts';
import { getOwn, type JsonObject } from '../../tool/json.ts';
import type { AnyTool, LoopView } from '../../tool/tool.ts';
import { error } from '../../tool/tool-result.ts';
import { MAX_QUESTIONS } from '../client/calls-in-flight.ts';
import type { KnownProtocol } from '../client/discover.ts';
import type { McpClient } from '../client/mcp-client.ts';
import { countConnectSubrequests } from '../client/server-access.ts';
import { DEFAULT_ELICITATION_MS } from './answer-elicitation.ts';
import { callRemote } from './call-remote.ts';
import { findCurrentConnection } from './connections.ts';
import { findKnownListing, type ListedTool, type McpListing } from './listing.ts';

/** The parts for converting a listed tool to a tool of the loop. */
interface McpToolParts {
  readonly client: McpClient;
  readonly listed: ListedTool;
  /** The tool's name for models. */
  readonly name: string;
  /** The server's URL when it listed the tool. */
  readonly address: string;
  /** The server's protocol when it listed the tool. */
  readonly spoken?: KnownProtocol | undefined;
}

/** The requests of a call: its own, and one for resuming a stream. Others are counted when they are made. */
const CALL_SUBREQUESTS = 2;

/** The maximum time to keep a call open for people's answers, in milliseconds. */
const MAX_ASKING_MS = 15 * 60_000;

/**
 * Creates a tool from a server's definition. Its input is checked here, so the model sees all problems at
 * once. Its effect happens on the server.
 */
export function createMcpTool({ client, listed, name, address, spoken }: McpToolParts): AnyTool {
  const schema = toListedInput(listed);
  const effect = getEffect(listed, client);
  return {
    name,
    description: listed.description,
    inputSchema: schema.json,
    effect,
    returnDirect: false,
    metadata: {
      mcp: { server: client.name, tool: listed.name, ...(listed.title && { title: listed.title }) },
    },
    check: (input, as = name) => checkInput(schema, input, as),
    async call(input, live) {
      if (listed.refused) return error(formatChangedTool(client, listed));
      const checked = await checkInput(schema, input, live.tool);
      if (!checked.ok) return checked.answer;
      const discovery = discoveryIn(live);
      const isConnected = findCurrentConnection(client, discovery.view) !== undefined;
      const subrequests = CALL_SUBREQUESTS + (isConnected ? 0 : countConnectSubrequests(spoken));
      return live.execute({
        effect,
        timeout: computeTimeout(client, effect),
        subrequests,
        run: (call) =>
          callRemote({ client, tool: listed, address, effect, input, discovery, subrequests }, call),
      });
    },
  };
}

/**
 * Returns the timeout. A `once` call stays connected while people answer, so it also includes the time for
 * people's answers.
 */
function computeTimeout({ timeout, connectTimeout, elicitation }: McpClient, effect: Effect): number {
  const own = timeout + connectTimeout;
  if (effect !== 'once' || elicitation === 'refuse') return own;
  const { expires = DEFAULT_ELICITATION_MS } = elicitation;
  return own + Math.max(expires, Math.min(MAX_QUESTIONS * expires, MAX_ASKING_MS));
}

const formatChangedTool = (client: McpClient, { name }: ListedTool): string =>
  `MCP tool '${name}' has changed since this session first saw it, and server '${client.name}' may not change it so. ` +
  'Do not call it again; go on without it.';

/**
 * Returns the effect of repeating a call of a server's tool: the client's own `effects`, else the server's
 * hints (MCP specification, ToolAnnotations), else `once`, the safest. By the specification, clients must not
 * trust hints. A wrong hint can cause an unsafe repetition, which harms only that server's data. But approval
 * must not depend on an effect that another party declares: use `adapt` with names for that.
 *
 * `destructiveHint` describes the severity of an effect, not its repetition, so it is not used.
 */
export function getEffect(
  { name, hints }: Pick<ListedTool, 'name' | 'hints'>,
  { effects = {} }: McpClient,
): Effect {
  const declared = getOwn(effects, name);
  if (declared !== undefined) return declared;
  if (hints?.readOnlyHint === true) return 'read';
  return hints?.idempotentHint === true ? 'idempotent' : 'once';
}

/**
 * Returns the input schema of a listed tool, in the same form as for the app's own tools, with a check like
 * that of `createSchemaCheck`. The check takes limited time for any schema and any input. The check is
 * compiled for the first input, because most tools of a long list are never called, and every invocation
 * creates them all.
 */
export function toListedInput({ inputSchema }: Pick<ListedTool, 'inputSchema'>): InputSchema<JsonObject> {
  const { $schema: _, required, ...shown } = inputSchema;
  const names = Array.isArray(required) && required.length > 0 ? { required } : {};
  let check: SchemaCheck | undefined;
  return {
    json: { type: 'object', properties: {}, ...shown, ...names },
    async parse(input) {
      check ??= createSchemaCheck(inputSchema);
      const problems = check(input, 'all');
      return problems.length === 0 ? { ok: true, value: input } : { ok: false, problems };
    },
  };
}

/** A tool of a server with its original definition. */
export interface McpTool {
  readonly tool: AnyTool;
  readonly listed: ListedTool;
  readonly client: McpClient;
}

/** Returns whether a tool is selected. */
export type McpToolFilter = (tool: ListedTool, client: McpClient) => boolean;

/**
 * Returns the tools of a server that the session knows. The same list yields the same objects. Empty before
 * the first list.
 */
export function findKnownTools(client: McpClient, view: LoopView): readonly McpTool[] {
  const known = findKnownListing(client, view);
  return known ? getToolsByListing(client)(known.listing).at(known.address) : [];
}

const getToolsByListing = memoize((client: McpClient) =>
  memoize((listing: McpListing): ToolsByAddress => {
    const addresses = new Map<string, readonly McpTool[]>();
    return {
      at(address) {
        const made = addresses.get(address) ?? createTools(client, listing, address);
        addresses.set(address, made);
        return made;
      },
    };
  }),
);

/**
 * The tools of a list, by the server's URL. A session has one list for each URL, so there is rarely more than
 * one.
 */
interface ToolsByAddress {
  at(address: string): readonly McpTool[];
}

function createTools(client: McpClient, { tools, spoken }: McpListing, address: string): readonly McpTool[] {
  const names = nameTools(client, tools);
  return tools.map((listed) => {
    const name = names.get(listed.name) ?? listed.name;
    return { tool: createMcpTool({ client, listed, name, address, spoken }), listed, client };
  });
}

/** The tool names that every provider accepts. */
const PLAIN_NAME = /^[A-Za-z0-9_-]{1,64}$/;
const MAX_NAME = 64;

/**
 * Maps the server's name of each tool to the name that a model sees, which starts with the client's prefix.
 * If every provider accepts the name, it is kept. Otherwise `_` replaces invalid characters, and the name is
 * shortened and ends with a hash of the server's name. The result does not depend on the order of the tools.
 * If two names still collide, the second in code-unit order gets another hash.
 */
export function nameTools(client: McpClient, tools: readonly ListedTool[]): ReadonlyMap<string, string> {
  const { prefix = '' } = client;
  const served = [...new Set(tools.map(({ name }) => name))];
  const kept = served.filter((name) => isPlainName(prefix + name));
  const names = new Map(kept.map((name) => [name, prefix + name]));
  const taken = new Set(names.values());
  for (const name of served.filter((one) => !names.has(one)).sort()) {
    let made = toHashedName(prefix, name, name);
    for (let again = 2; taken.has(made); again += 1) made = toHashedName(prefix, name, `${name} ${again}`);
    taken.add(made);
    names.set(name, made);
  }
  return names;
}

/**
 * Returns whether a name needs no change. Rejects `__proto__`, because code can use names as keys of a plain
 * object.
 */
const isPlainName = (name: string): boolean => PLAIN_NAME.test(name) && name !== '__proto__';

function toHashedName(prefix: string, name: string, salted: string): string {
  const ending = `_${hashText(salted)}`;
  const words = name.replaceAll(/[^A-Za-z0-9_-]+/g, '_').replaceAll(/^_+|_+$/g, '') || 'tool';
  return (prefix.replaceAll(/[^A-Za-z0-9_-]/g, '_') + words).slice(0, MAX_NAME - ending.length) + ending;
}

/** Returns a 32-bit FNV-1a hash in base 36. Unlike a digest, it is synchronous. */
function hashText(text: string): string {
  let value = 0x811c9dc5;
  for (const byte of ENCODER.encode(text)) value = Math.imul(value ^ byte, 0x01000193) >>> 0;
  return value.toString(36).padStart(7, '0');
}
