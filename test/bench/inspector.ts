/** The inspector of a Worker's process. */

export interface Inspector {
  /**
   * Sends a command of the inspector protocol, and resolves with its result.
   * @throws Error if it is refused.
   */
  ask(method: string, params?: object): Promise<unknown>;
  close(): void;
}

interface Answer {
  readonly id?: number;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

/** Opens the inspector of a Worker. @throws Error if the inspector does not list the Worker. */
export async function openInspector(worker: string, url: URL): Promise<Inspector> {
  const response = await fetch(`http://${url.host}/json`);
  const targets = (await response.json()) as { id: string; webSocketDebuggerUrl: string }[]; // the format of the inspector protocol
  const target = targets.find(({ id }) => id === `core:user:${worker}`);
  if (!target) throw new Error(`The inspector does not list the Worker '${worker}'.`);
  const socket = new WebSocket(target.webSocketDebuggerUrl);
  const waiting = new Map<number, (answer: Answer) => void>();
  socket.addEventListener('message', ({ data }) => {
    const answer = JSON.parse(String(data)) as Answer;
    if (answer.id !== undefined) waiting.get(answer.id)?.(answer);
  });
  const opened = Promise.withResolvers<void>();
  socket.addEventListener('open', () => opened.resolve());
  socket.addEventListener('error', () =>
    opened.reject(new Error('The inspector refused the WebSocket connection.')),
  );
  await opened.promise;
  let calls = 0;
  return {
    async ask(method, params = {}) {
      const id = ++calls;
      const answered = Promise.withResolvers<Answer>();
      waiting.set(id, answered.resolve);
      socket.send(JSON.stringify({ id, method, params }));
      const { result, error } = await answered.promise;
      waiting.delete(id);
      if (error) throw new Error(`The inspector returned an error for ${method}: ${error.message}`);
      return result;
    },
    close: () => socket.close(),
  };
}
