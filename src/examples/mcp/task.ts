/** The address of an endpoint, with a `fetch` that adds the caller's credentials. */
interface Endpoint {
  readonly url: string;
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
}

/** The status of a task. If it is `input_required`, answer its `inputRequests` with `tasks/update`. */
interface Task {
  readonly taskId: string;
  readonly status: 'working' | 'input_required' | 'completed' | 'cancelled';
  readonly pollIntervalMs?: number;
  /** The result of the call, if the task is completed. */
  readonly result?: {
    readonly content: readonly { readonly text?: string }[];
    readonly isError?: boolean;
  };
}

/** The client's metadata in each request: its protocol revision, its name, and its support for tasks. */
const _meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'overnight', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } },
};

async function ask(
  endpoint: Endpoint,
  method: string,
  params: { name?: string; taskId?: string },
): Promise<Task> {
  const response = await endpoint.fetch(endpoint.url, {
    method: 'POST',
    headers: {
      accept: 'application/json',
      'content-type': 'application/json',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      'mcp-name': params.name ?? params.taskId ?? '',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
  });
  const { result, error } = (await response.json()) as { result?: Task; error?: { message: string } };
  if (!result) throw new Error(error?.message ?? `The endpoint returned ${response.status}.`);
  return result;
}

/**
 * Sends a message to an agent in the background. Returns the task id, with which any client can get the
 * answer later.
 */
export async function begin(endpoint: Endpoint, agent: string, message: string): Promise<string> {
  const params = { name: agent, arguments: { message } };
  const { taskId } = await ask(endpoint, 'tools/call', params);
  return taskId;
}

/** Polls until the task has ended or needs input from a person. */
export async function wait(endpoint: Endpoint, taskId: string): Promise<Task> {
  for (;;) {
    const task = await ask(endpoint, 'tasks/get', { taskId });
    if (task.status !== 'working') return task;
    await new Promise((resolve) => setTimeout(resolve, task.pollIntervalMs ?? 1_000));
  }
}

/** Stops the turn. An answer that it already has remains. */
export async function cancel(endpoint: Endpoint, taskId: string): Promise<void> {
  await ask(endpoint, 'tasks/cancel', { taskId });
}
