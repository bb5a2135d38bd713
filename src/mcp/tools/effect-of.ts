import { own } from '../../tools/own.ts';
import type { Effect } from '../../tools/tool.ts';
import type { McpClient } from '../client/mcp-client.ts';
import type { ListedTool } from './listing.ts';

/**
 * What may happen if a call of a server's tool is made twice: what the client's own `effects` say; else what the server hints
 * (MCP specification, ToolAnnotations); else `once`, the careful one. The specification has clients distrust hints: a wrong
 * one has a call repeated that should not be, which harms what that server keeps and nothing else.
 *
 * `destructiveHint` says how bad an effect is, not what becomes of it when it is repeated, so it does not count here.
 */
export function effectOf({ name, hints }: ListedTool, { effects = {} }: McpClient): Effect {
  const declared = own(effects, name);
  if (declared !== undefined) return declared;
  if (hints?.readOnlyHint === true) return 'read';
  return hints?.idempotentHint === true ? 'idempotent' : 'once';
}
