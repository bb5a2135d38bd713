/** Internals for tests: requests and streamed responses. */
export { createMcpRoutes } from '../../src/mcp/server/define-mcp-endpoint.ts';
export { createApp } from '../../src/worker/app.ts';
export { readBytes } from '../../src/worker/body.ts';
export { defineRoute, type HttpHost, type Route, type SessionRequest } from '../../src/worker/route.ts';
export { createEventStream, formatFrame, streamEventFrames } from '../../src/worker/sse.ts';
export type { TurnItem } from '../../src/worker/turn-feed.ts';
