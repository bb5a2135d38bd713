import { discoveryIn } from '../../loop/discovery.ts';
import { type SchemaCheck, schemaCheck } from '../../modules/json-schema/schema-check.ts';
import { ENCODER, memoized } from '../../tool/async.ts';
import type { Effect } from '../../tool/call.ts';
import { checkInput } from '../../tool/check-input.ts';
import type { InputSchema } from '../../tool/input-schema.ts';
import { type JsonObject, own } from '../../tool/json.ts';
import type { AnyTool, LoopView } from '../../tool/tool.ts';
import { error } from '../../tool/tool-result.ts';
import { MAX_QUESTIONS } from '../client/calls-in-flight.ts';
import type { Spoken } from '../client/discover.ts';
import type { McpClient } from '../client/mcp-client.ts';
import { connectingSubrequests } from '../client/server-access.ts';
import { DEFAULT_ELICITATION } from './answer-elicitation.ts';
import { callRemote } from './call-remote.ts';
import { currentConnection } from './connections.ts';
import { knownListing, type ListedTool, type McpListing } from './listing.ts';

/** The parts of which a listed tool is made a tool for the loop. */
interface McpToolParts {
  readonly client: McpClient;
  readonly listed: ListedTool;
  /** The name by which models know it. */
  readonly name: string;
  /** Where the server was that listed it. */
  readonly address: string;
  /** What the server spoke that listed it. */
  readonly spoken?: Spoken | undefined;
}

/** Requests of a call: its own, and one for a stream that is taken up again. Others are counted when they are made. */
const CALL_SUBREQUESTS = 2;

/** Milliseconds for which a call may be kept for people who are asked more than once. */
const MAX_ASKING = 15 * 60_000;

/**
 * Makes a tool of what a server listed: its input is checked here, so that all that is wrong with it is answered at once, and
 * its effect happens there.
 */
export function mcpTool({ client, listed, name, address, spoken }: McpToolParts): AnyTool {
  const schema = listedInput(listed);
  const effect = effectOf(listed, client);
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
      if (listed.refused) return error(refusal(client, listed));
      const checked = await checkInput(schema, input, live.tool);
      if (!checked.ok) return checked.answer;
      const discovery = discoveryIn(live);
      const isConnected = currentConnection(client, discovery.view) !== undefined;
      const subrequests = CALL_SUBREQUESTS + (isConnected ? 0 : connectingSubrequests(spoken));
      return live.execute({
        effect,
        timeout: timeoutOf(client, effect),
        subrequests,
        run: (call) =>
          callRemote({ client, tool: listed, address, effect, input, discovery, subrequests }, call),
      });
    },
  };
}

/** A `once` call stays connected while people answer, so their time is added: that of one question, and of more in reason. */
function timeoutOf({ timeout, connectTimeout, elicitation }: McpClient, effect: Effect): number {
  const own = timeout + connectTimeout;
  if (effect !== 'once' || elicitation === 'refuse') return own;
  const { expires = DEFAULT_ELICITATION } = elicitation;
  return own + Math.max(expires, Math.min(MAX_QUESTIONS * expires, MAX_ASKING));
}

const refusal = (client: McpClient, { name }: ListedTool): string =>
  `MCP tool '${name}' has changed since this session first saw it, and server '${client.name}' may not change it so. ` +
  'Do not call it again; go on without it.';

/**
 * Answers what may happen if a call of a server's tool is made twice: what the client's own `effects` say; else what the
 * server hints (MCP specification, ToolAnnotations); else `once`, the careful one. The specification has clients distrust
 * hints: a wrong one has a call repeated that should not be, which harms what that server keeps and nothing else. Whether a
 * person is asked before a call must not go by this, where the server is not the app's own: `adapt` goes by names for that.
 *
 * `destructiveHint` says how bad an effect is, not what becomes of it when it is repeated, so it does not count here.
 */
export function effectOf(
  { name, hints }: Pick<ListedTool, 'name' | 'hints'>,
  { effects = {} }: McpClient,
): Effect {
  const declared = own(effects, name);
  if (declared !== undefined) return declared;
  if (hints?.readOnlyHint === true) return 'read';
  return hints?.idempotentHint === true ? 'idempotent' : 'once';
}

/**
 * The input of a listed tool, shown as the app's own tools show theirs, and checked as `schemaCheck` does: a schema that comes
 * from a server cannot have a check of what a model sends take for ever. The check is made for the first input: most tools
 * of a long list are never called, and an invocation makes them all.
 */
export function listedInput({ inputSchema }: Pick<ListedTool, 'inputSchema'>): InputSchema<JsonObject> {
  const { $schema: _, required, ...shown } = inputSchema;
  const names = Array.isArray(required) && required.length > 0 ? { required } : {};
  let check: SchemaCheck | undefined;
  return {
    json: { type: 'object', properties: {}, ...shown, ...names },
    async parse(input) {
      check ??= schemaCheck(inputSchema);
      const problems = check(input, 'all');
      return problems.length === 0 ? { ok: true, value: input } : { ok: false, problems };
    },
  };
}

/** A tool of a server, as its server listed it. */
export interface McpTool {
  readonly tool: AnyTool;
  readonly listed: ListedTool;
  readonly client: McpClient;
}

/** Tells which tools of a server are wanted. */
export type McpToolFilter = (tool: ListedTool, client: McpClient) => boolean;

/** Answers the tools of a server as far as the session knows them: the same ones for the same list, none before it was asked. */
export function knownMcpTools(client: McpClient, view: LoopView): readonly McpTool[] {
  const known = knownListing(client, view);
  return known ? madeFor(client)(known.listing).at(known.address) : [];
}

const madeFor = memoized((client: McpClient) =>
  memoized((listing: McpListing): MadeAt => {
    const addresses = new Map<string, readonly McpTool[]>();
    return {
      at(address) {
        const made = addresses.get(address) ?? madeOf(client, listing, address);
        addresses.set(address, made);
        return made;
      },
    };
  }),
);

/** The tools of a list, by the address that the server had: a session keeps a list for one, so there is hardly another. */
interface MadeAt {
  at(address: string): readonly McpTool[];
}

function madeOf(client: McpClient, { tools, spoken }: McpListing, address: string): readonly McpTool[] {
  const names = toolNames(client, tools);
  return tools.map((listed) => {
    const name = names.get(listed.name) ?? listed.name;
    return { tool: mcpTool({ client, listed, name, address, spoken }), listed, client };
  });
}

/** What every provider takes as a tool's name. */
const PLAIN_NAME = /^[A-Za-z0-9_-]{1,64}$/;
const MAX_NAME = 64;

/**
 * Names the tools of a server for models: the server's names as keys, with the client's prefix in front. A name that every
 * provider takes stays as it is; another one is written with `_` for what is not allowed, cut, and ends in a hash of the
 * server's name. So a tool's name depends on nothing but its own, and not on the order; the exception are two whose names
 * would meet, of which the second in the order of code units gets another hash.
 */
export function toolNames(client: McpClient, tools: readonly ListedTool[]): ReadonlyMap<string, string> {
  const { prefix = '' } = client;
  const served = [...new Set(tools.map(({ name }) => name))];
  const kept = served.filter((name) => isPlain(prefix + name));
  const names = new Map(kept.map((name) => [name, prefix + name]));
  const taken = new Set(names.values());
  for (const name of served.filter((one) => !names.has(one)).sort()) {
    let made = hashed(prefix, name, name);
    for (let again = 2; taken.has(made); again += 1) made = hashed(prefix, name, `${name} ${again}`);
    taken.add(made);
    names.set(name, made);
  }
  return names;
}

/** `__proto__` is no plain name, since somebody's code may use names as keys of a plain object. */
const isPlain = (name: string): boolean => PLAIN_NAME.test(name) && name !== '__proto__';

function hashed(prefix: string, name: string, salted: string): string {
  const ending = `_${hash(salted)}`;
  const words = name.replaceAll(/[^A-Za-z0-9_-]+/g, '_').replaceAll(/^_+|_+$/g, '') || 'tool';
  return (prefix.replaceAll(/[^A-Za-z0-9_-]/g, '_') + words).slice(0, MAX_NAME - ending.length) + ending;
}

/** Hashes by FNV-1a with 32 bits, in base 36: synchronous, unlike a digest, and the same everywhere. */
function hash(text: string): string {
  let value = 0x811c9dc5;
  for (const byte of ENCODER.encode(text)) value = Math.imul(value ^ byte, 0x01000193) >>> 0;
  return value.toString(36).padStart(7, '0');
}
