/** What the isolate of a Worker holds, asked from outside. */

/** What answers how many bytes an isolate holds: objects, strings, and what buffers have outside of the heap; garbage with it. */
export interface HeapReader {
  read(): Promise<number>;
  close(): void;
}

interface Answer {
  readonly id?: number;
  readonly result?: { readonly usedSize: number; readonly backingStorageSize: number };
  readonly error?: { readonly message: string };
}

/** Asks the inspector of a Worker's process. @throws Error when it does not know the Worker. */
export async function readHeapOf(worker: string, inspector: URL): Promise<HeapReader> {
  const response = await fetch(`http://${inspector.host}/json`);
  const targets = (await response.json()) as { id: string; webSocketDebuggerUrl: string }[];
  const target = targets.find(({ id }) => id === `core:user:${worker}`);
  if (!target) throw new Error(`The inspector knows no Worker '${worker}'.`);
  const socket = new WebSocket(target.webSocketDebuggerUrl);
  const waiting = new Map<number, (answer: Answer) => void>();
  socket.addEventListener('message', ({ data }) => {
    const answer = JSON.parse(String(data)) as Answer;
    if (answer.id !== undefined) waiting.get(answer.id)?.(answer);
  });
  const opened = Promise.withResolvers<void>();
  socket.addEventListener('open', () => opened.resolve());
  socket.addEventListener('error', () => opened.reject(new Error('The inspector cannot be reached.')));
  await opened.promise;
  let calls = 0;
  const read = async (): Promise<number> => {
    const id = ++calls;
    const answered = Promise.withResolvers<Answer>();
    waiting.set(id, answered.resolve);
    socket.send(JSON.stringify({ id, method: 'Runtime.getHeapUsage' }));
    const { result, error } = await answered.promise;
    waiting.delete(id);
    if (!result) throw new Error(`The inspector does not tell: ${error?.message}`);
    return result.usedSize + result.backingStorageSize;
  };
  return { read, close: () => socket.close() };
}
