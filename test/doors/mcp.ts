/** A door for tests. The client of MCP servers, the listed tools, and the endpoint. */

export { connect } from '../../src/mcp/client/connect.ts';
export { readable, type Spoken } from '../../src/mcp/client/discover.ts';
export {
  keptSession,
  type McpConnection,
  McpLostError,
  McpServerError,
  type RemoteCall,
  type RemoteCallOptions,
  type SessionKeeper,
} from '../../src/mcp/client/mcp-connection.ts';
export { addressOf, createCredit, createRedactor, hideHeaders } from '../../src/mcp/client/server-access.ts';
export { type FetchRules, guardedFetch } from '../../src/mcp/client/wire/guarded-fetch.ts';
export { paramHeaders } from '../../src/mcp/client/wire/mcp-headers.ts';
export {
  beginsAnswer,
  type EventOrRetry,
  readEvents,
  readJson,
} from '../../src/mcp/client/wire/read-events.ts';
export { ResponseTooLargeError, WireError } from '../../src/mcp/client/wire/wire-error.ts';
export { blockFiles } from '../../src/mcp/content/mcp-content.ts';
export { IDEMPOTENCY_KEY } from '../../src/mcp/content/rpc.ts';
export { contentWords, oneLine } from '../../src/mcp/content/words.ts';
export { readCallParams } from '../../src/mcp/server/answer-request.ts';
export { fromRequestState, toRequestState } from '../../src/mcp/server/caller.ts';
export { headersFault, headersMismatch } from '../../src/mcp/server/publish.ts';
export { readEventId, type Seen, StreamPosition } from '../../src/mcp/server/stream-position.ts';
export { merged } from '../../src/mcp/server/task-notifications.ts';
export { readTaskId, type Task, toTaskId } from '../../src/mcp/server/task-state.ts';
export { listedPending } from '../../src/mcp/server/to-call-result.ts';
export { expand, toTemplate, uriProblem, valuesIn } from '../../src/mcp/server/uri-template.ts';
export { answerElicitation } from '../../src/mcp/tools/answer-elicitation.ts';
export { createThrottle } from '../../src/mcp/tools/call-remote.ts';
export { findTools } from '../../src/mcp/tools/find-tools.ts';
export { type McpListing, parseListing } from '../../src/mcp/tools/listing.ts';
export { effectOf, listedInput, mcpTool, toolNames } from '../../src/mcp/tools/mcp-tool.ts';
export { toListing } from '../../src/mcp/tools/to-listing.ts';
export { toResult } from '../../src/mcp/tools/to-result.ts';
export { schemaCheck, usableSchema } from '../../src/modules/json-schema/schema-check.ts';
