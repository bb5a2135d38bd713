/** Internals for tests: the client of MCP servers, their listed tools, and the endpoint. */

export { connect } from '../../src/mcp/client/connect.ts';
export {
  type KnownProtocol,
  toReadableMessage,
} from '../../src/mcp/client/discover.ts';
export {
  createSessionKeeper,
  type McpConnection,
  McpLostError,
  McpServerError,
  type RemoteCall,
  type RemoteCallOptions,
  type SessionKeeper,
} from '../../src/mcp/client/mcp-connection.ts';
export {
  createCredit,
  createRedactor,
  hideHeaders,
  resolveServerUrl,
} from '../../src/mcp/client/server-access.ts';
export {
  createGuardedFetch,
  type FetchRules,
} from '../../src/mcp/client/wire/guarded-fetch.ts';
export { createParamHeaders } from '../../src/mcp/client/wire/mcp-headers.ts';
export {
  type EventOrRetry,
  isAnswerStart,
  readEvents,
  readJson,
} from '../../src/mcp/client/wire/read-events.ts';
export { ResponseTooLargeError, WireError } from '../../src/mcp/client/wire/wire-error.ts';
export { toBlockFiles } from '../../src/mcp/content/mcp-content.ts';
export { IDEMPOTENCY_KEY } from '../../src/mcp/content/rpc.ts';
export { toContentWords, toOneLine } from '../../src/mcp/content/words.ts';
export { readCallParams } from '../../src/mcp/server/answer-request.ts';
export { parseRequestState, toRequestState } from '../../src/mcp/server/caller.ts';
export {
  findHeadersMismatch,
  findHeadersProblem,
} from '../../src/mcp/server/publish.ts';
export {
  readEventId,
  type SeenStream,
  StreamPosition,
} from '../../src/mcp/server/stream-position.ts';
export { mergeGenerators } from '../../src/mcp/server/task-notifications.ts';
export { readTaskId, type Task, toTaskId } from '../../src/mcp/server/task-state.ts';
export { listPending } from '../../src/mcp/server/to-call-result.ts';
export { expand, findUriProblem, matchUri, toTemplate } from '../../src/mcp/server/uri-template.ts';
export { answerElicitation } from '../../src/mcp/tools/answer-elicitation.ts';
export { createThrottle } from '../../src/mcp/tools/call-remote.ts';
export { findTools } from '../../src/mcp/tools/find-tools.ts';
export { type McpListing, parseListing } from '../../src/mcp/tools/listing.ts';
export {
  createMcpTool,
  getEffect,
  nameTools,
  toListedInput,
} from '../../src/mcp/tools/mcp-tool.ts';
export { toListing } from '../../src/mcp/tools/to-listing.ts';
export { toResult } from '../../src/mcp/tools/to-result.ts';
export { createSchemaCheck, toUsableSchema } from '../../src/modules/json-schema/schema-check.ts';
