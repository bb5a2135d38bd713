/** Requests of the revision 2026-07-28 from a client that supports tasks. */
import { expect } from 'vitest';
import type { Send } from '../../http/client.ts';
import { createRpcRequest, postMcp, readMessages } from './talk.ts';

export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

interface TaskOptions {
  /** The capabilities of the client. Defaults to support for tasks. */
  readonly capabilities?: Readonly<Record<string, unknown>>;
  readonly meta?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The response to one request. */
export function sendRequest(
  via: Send,
  method: string,
  params: Readonly<Record<string, unknown>>,
  { capabilities = { extensions: { [TASKS_EXTENSION]: {} } }, meta, headers }: TaskOptions = {},
): Promise<Response> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': capabilities,
    ...meta,
  };
  const name = params.taskId ?? params.name;
  return postMcp(via, createRpcRequest(method, { ...params, _meta }), {
    headers: {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      // A header can only contain text.
      ...(typeof name === 'string' && { 'mcp-name': name }),
      ...headers,
    },
  });
}

/** Returns the result of one request without the server's metadata, or its error. */
export async function requestResult(
  via: Send,
  method: string,
  params: Readonly<Record<string, unknown>>,
  options?: TaskOptions,
): Promise<Record<string, unknown>> {
  const response = await sendRequest(via, method, params, options);
  const isStream = response.headers.get('content-type') === 'text/event-stream';
  const message = isStream ? (await readMessages(response)).at(-1) : await response.json();
  const { result, error } = Object(message);
  if (error !== undefined) return { error };
  const { _meta, ...told } = result;
  expect(_meta).toEqual({ 'io.modelcontextprotocol/serverInfo': { name: 'holdfast', version: '1' } });
  return told;
}

/** Calls an agent, and returns its task. */
export async function startTask(
  via: Send,
  name: string,
  input: unknown,
  options?: TaskOptions,
): Promise<Record<string, string>> {
  const task = await requestResult(via, 'tools/call', { name, arguments: input }, options);
  expect(task.resultType).toBe('task');
  return task as Record<string, string>; // the tests read only text fields
}

/** Polls a task until it has this status. */
export async function pollUntil(
  via: Send,
  taskId: unknown,
  status: string,
  options?: TaskOptions,
): Promise<Record<string, unknown>> {
  let task: Record<string, unknown> = {};
  const pollStatus = async () => {
    task = await requestResult(via, 'tasks/get', { taskId }, options);
    return task.status ?? task;
  };
  await expect.poll(pollStatus, { timeout: 20_000 }).toBe(status);
  return task;
}
