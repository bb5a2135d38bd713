/**
 * The entry `holdfast/mcp`: both sides of MCP, for an app with both packages of the SDK. If you have only one
 * of them, import `holdfast/mcp/client` or `holdfast/mcp/server`, which export the same.
 */
export * from './server/entry.ts';
export * from './tools/entry.ts';
