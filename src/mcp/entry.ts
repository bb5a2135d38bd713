/**
 * The entry `holdfast/mcp`: both ends of MCP at once, for an app that has both packages of the SDK. Who has one of them imports
 * `holdfast/mcp/client` or `holdfast/mcp/server`, which export the same.
 */
export * from './server/entry.ts';
export * from './tools/entry.ts';
