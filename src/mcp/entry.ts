/**
 * The entry `holdfast/mcp`: the MCP client and server, for an app with both packages of the SDK. If you have
 * only one of them, import `holdfast/mcp/client` or `holdfast/mcp/server`, which export the same names.
 */
export * from './server/entry.ts';
export * from './tools/entry.ts';
