/** How long the code of a function of a Worker ran, as the profiler of its engine samples it. */

interface Profile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string };
    readonly children?: readonly number[];
  }[];
  readonly samples: readonly number[];
  /** Before each sample, in microseconds. */
  readonly timeDeltas: readonly number[];
}

interface Answer {
  readonly id?: number;
  readonly result?: { readonly profile?: Profile };
}

export interface Profiler {
  start(): Promise<void>;
  /** Answers how long the function of this name, and what it called, ran since the start, in ms. */
  stop(name: string): Promise<number>;
  close(): void;
}

/** How often it looks, in microseconds. */
const INTERVAL = 200;

/** @throws Error when the inspector does not know the Worker. */
export async function profilerOf(worker: string, inspector: URL): Promise<Profiler> {
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
  const ask = async (method: string, params = {}): Promise<Answer> => {
    const id = ++calls;
    const answered = Promise.withResolvers<Answer>();
    waiting.set(id, answered.resolve);
    socket.send(JSON.stringify({ id, method, params }));
    return answered.promise;
  };
  return {
    async start() {
      await ask('Profiler.enable');
      await ask('Profiler.setSamplingInterval', { interval: INTERVAL });
      await ask('Profiler.start');
    },
    async stop(name) {
      const { result } = await ask('Profiler.stop');
      if (!result?.profile) throw new Error('The inspector does not tell.');
      return timeIn(result.profile, name);
    },
    close: () => socket.close(),
  };
}

function timeIn({ nodes, samples, timeDeltas }: Profile, name: string): number {
  const inside = new Set<number>();
  // Whoever called stands before what was called.
  for (const { id, callFrame, children = [] } of nodes) {
    if (callFrame.functionName === name) inside.add(id);
    if (inside.has(id)) for (const child of children) inside.add(child);
  }
  // Nobody looks while nothing runs: a long pause before a sample was idle.
  const ranFor = (i: number): number => Math.min(timeDeltas[i] ?? 0, 2 * INTERVAL);
  const micros = samples.reduce((sum, id, i) => sum + (inside.has(id) ? ranFor(i) : 0), 0);
  return micros / 1_000;
}
