import { discoveryIn } from '../../loop/discovery.ts';
import type { Effect } from '../../tool/call.ts';
import { checkInput } from '../../tool/check-input.ts';
import type { InputSchema } from '../../tool/input-schema.ts';
import { type JsonObject, own } from '../../tool/json.ts';
import type { AnyTool } from '../../tool/tool.ts';
import { error } from '../../tool/tool-result.ts';
import { MAX_QUESTIONS } from '../client/calls-in-flight.ts';
import type { Spoken } from '../client/discover.ts';
import type { McpClient } from '../client/mcp-client.ts';
import { connectingSubrequests } from '../client/server-access.ts';
import { DEFAULT_ELICITATION } from './answer-elicitation.ts';
import { callRemote } from './call-remote.ts';
import { currentConnection } from './connections.ts';
import type { ListedTool } from './listing.ts';
import { type SchemaCheck, schemaCheck } from './schema-check.ts';

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
