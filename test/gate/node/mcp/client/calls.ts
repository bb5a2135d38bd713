import { McpLostError, McpServerError } from '../../../../doors/mcp.ts';
import {
  createFakeServer,
  type FakeTool,
  type Misbehavior,
  misbehaveFor,
  type RecordedRequest,
} from '../../../../fixtures/mcp/fake-server.ts';
import { callOptions, createRemoteCall, getRejection, open } from './open.ts';

export const doneTool: FakeTool = {
  name: 'write',
  run: () => ({ content: [{ type: 'text', text: 'done' }] }),
};

/**
 * A tool that never returns. `began` resolves with the signal that the server aborts when the call is
 * cancelled.
 */
export function createEndlessTool() {
  const { promise: began, resolve } = Promise.withResolvers<AbortSignal>();
  const tool: FakeTool = {
    name: 'write',
    run: (_, { signal }) => {
      resolve(signal);
      return new Promise(() => undefined);
    },
  };
  return { tool, began };
}

/** Resolves once the signal has aborted. */
export async function waitForAbort(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  signal.addEventListener('abort', () => resolve());
  if (!signal.aborted) await promise;
}

export const isCall = ({ rpc }: RecordedRequest) => rpc === 'tools/call';
export const isCancel = ({ rpc }: RecordedRequest) => rpc === 'notifications/cancelled';

export const createEventResponse = (body: ReadableStream<Uint8Array>) =>
  new Response(body, { headers: { 'content-type': 'text/event-stream' } });

export const createNotRunError = (message: string) =>
  new McpServerError({ server: 'files', during: 'call', message });
export const createLostError = (why: string) =>
  new McpLostError(`MCP server 'files' was asked to run 'write', and ${why}: it is unknown whether it ran.`);

/** The error of a call to which the server responds in this way. */
export async function catchCallError(
  misbehave: Misbehavior,
  kind: 'sessions' | 'stateless' | 'sse' = 'sessions',
) {
  const server = createFakeServer({ kind, tools: [doneTool], misbehave: misbehaveFor(isCall, misbehave) });
  const connection = await open(server, { maxResponseBytes: 4_096 });
  const error = await getRejection(connection.callTool(createRemoteCall('write'), callOptions()));
  return { error, server };
}
