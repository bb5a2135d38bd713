import { checkInput } from '../../tools/check-input.ts';
import { error } from '../../tools/results.ts';
import type { AnyTool, Effect } from '../../tools/tool.ts';
import { MAX_QUESTIONS } from '../client/calls-in-flight.ts';
import type { McpClient } from '../client/mcp-client.ts';
import { DEFAULT_ELICITATION } from './answer-elicitation.ts';
import { callRemote } from './call-remote.ts';
import { currentConnection } from './connections.ts';
import { effectOf } from './effect-of.ts';
import { listedInput } from './listed-input.ts';
import type { ListedTool } from './listing.ts';

/** What a listed tool is made a tool of. */
export interface McpToolParts {
  readonly client: McpClient;
  readonly listed: ListedTool;
  /** As models know it. */
  readonly name: string;
  /** Where the server was that listed it. */
  readonly address: string;
}

/** Requests of a call: its own, and a stream that is taken up again; and those to connect, and to end that. Others are counted. */
const OF_CALL = 2;
const OF_CONNECTING = 4;

/** Milliseconds for which a call may be kept for people who are asked more than once. */
const MAX_ASKING = 15 * 60_000;

/**
 * Makes a tool of what a server listed: its input is checked here, so that all that is wrong with it is answered at once, and
 * its effect happens there.
 */
export function mcpTool({ client, listed, name, address }: McpToolParts): AnyTool {
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
    async call(input, invocation) {
      if (listed.refused) return error(refusal(client, listed));
      const checked = await checkInput(schema, input, invocation.tool);
      if (!checked.ok) return checked.answer;
      const { discovery } = invocation;
      const isConnected = currentConnection(client, discovery.view) !== undefined;
      const subrequests = isConnected ? OF_CALL : OF_CALL + OF_CONNECTING;
      return invocation.execute({
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
  `MCP tool '${name}' has changed since this session first saw it, and changed tools of server '${client.name}' are refused. ` +
  'Do not call it again; go on without it.';
