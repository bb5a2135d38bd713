import { type JSONRPCRequest, PROTOCOL_VERSION_META_KEY } from '@modelcontextprotocol/client';
import { ENCODER } from '../../../tool/async.ts';
import { toBase64 } from '../../../tool/content.ts';
import type { JsonObject } from '../../../tool/json.ts';
import { findHeaderParameters, findValue } from '../../content/rpc.ts';

/**
 * The parameter that supplies the header `mcp-name`, by method (MCP specification, Standard Request Headers).
 */
const NAME_PARAMS: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
};

/**
 * Returns the headers that repeat parts of a request in the revision without sessions. Empty for an older
 * revision.
 */
export function createStandardHeaders({ method, params }: JSONRPCRequest): Record<string, string> {
  const version = params?._meta?.[PROTOCOL_VERSION_META_KEY];
  if (typeof version !== 'string') return {};
  const name: unknown = params?.[NAME_PARAMS[method] ?? ''];
  return {
    'mcp-protocol-version': version,
    'mcp-method': method,
    ...(typeof name === 'string' && { 'mcp-name': encodeHeader(name) }),
  };
}

/**
 * Returns the headers that repeat parts of a tool's input, as declared in its schema. A value that is absent,
 * `null` or not a scalar has no header. An invalid header name is skipped, because the schema may come from
 * an older revision.
 */
export function createParamHeaders(schema: JsonObject, input: JsonObject): Record<string, string> {
  const headers = findHeaderParameters(schema).flatMap(({ path, header }) => {
    const value = findValue(input, path);
    const isSent = ['string', 'boolean'].includes(typeof value) || Number.isSafeInteger(value);
    return isSent ? [[`mcp-param-${header}`, encodeHeader(String(value))] as const] : [];
  });
  return Object.fromEntries(headers);
}

/**
 * Encodes a value for a header: unchanged, or in base64 between markers (MCP specification, Value Encoding).
 */
function encodeHeader(value: string): string {
  const isPlain =
    /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !/^=\?base64\?.*\?=$/.test(value);
  return isPlain ? value : `=?base64?${toBase64(ENCODER.encode(value))}?=`;
}
