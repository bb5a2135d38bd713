/** A door for tests. The client of MCP servers, what is listed, and the endpoint. */

export { connect } from '../../src/mcp/client/connect.ts';
export type { Spoken } from '../../src/mcp/client/discover.ts';
export { keptSession, type SessionKeeper } from '../../src/mcp/client/kept-session.ts';
export {
  type McpConnection,
  McpLostError,
  McpServerError,
  type RemoteCall,
  type RemoteCallOptions,
} from '../../src/mcp/client/mcp-connection.ts';
export { readable } from '../../src/mcp/client/readable.ts';
export { createRedactor, hideHeaders } from '../../src/mcp/client/redactor.ts';
export { addressOf, createCredit } from '../../src/mcp/client/server-access.ts';
export { type FetchRules, guardedFetch } from '../../src/mcp/client/wire/guarded-fetch.ts';
export { paramHeaders } from '../../src/mcp/client/wire/mcp-headers.ts';
export { type EventOrRetry, readEvents } from '../../src/mcp/client/wire/read-events.ts';
export { beginsAnswer, readJson } from '../../src/mcp/client/wire/read-json.ts';
export { ResponseTooLargeError, WireError } from '../../src/mcp/client/wire/wire-error.ts';
export { blockFiles } from '../../src/mcp/content/block-files.ts';
export { IDEMPOTENCY_KEY } from '../../src/mcp/content/rpc.ts';
export { contentWords, oneLine } from '../../src/mcp/content/words.ts';
export { readCallParams } from '../../src/mcp/server/answer-request.ts';
export { headersFault, headersMismatch } from '../../src/mcp/server/param-headers.ts';
export { fromRequestState, toRequestState } from '../../src/mcp/server/request-state.ts';
export { readEventId, type Seen, StreamPosition } from '../../src/mcp/server/stream-position.ts';
export { merged } from '../../src/mcp/server/task-notifications.ts';
export { readTaskId, type Task, toTaskId } from '../../src/mcp/server/task-state.ts';
export { listedPending } from '../../src/mcp/server/to-agent-result.ts';
export { expand, toTemplate, uriProblem, valuesIn } from '../../src/mcp/server/uri-template.ts';
export { answerElicitation } from '../../src/mcp/tools/answer-elicitation.ts';
export { createThrottle } from '../../src/mcp/tools/call-remote.ts';
export { findTools } from '../../src/mcp/tools/find-tools.ts';
export { toolNames } from '../../src/mcp/tools/known-mcp-tools.ts';
export { type McpListing, parseListing } from '../../src/mcp/tools/listing.ts';
export { effectOf, listedInput, mcpTool } from '../../src/mcp/tools/mcp-tool.ts';
export { schemaCheck } from '../../src/mcp/tools/schema-check.ts';
export { toListing } from '../../src/mcp/tools/to-listing.ts';
export { toResult } from '../../src/mcp/tools/to-result.ts';
export { usableSchema } from '../../src/mcp/tools/usable-schema.ts';
