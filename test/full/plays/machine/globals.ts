/**
 * Replaces globals that the library uses by simulated time, random values and sockets. Must be imported
 * before the library, which captures some of these globals. Without a running simulation, the globals behave
 * as usual.
 */
import '../../../gate/hashes-at-once.ts';
import { createDraw, type Draw, type Simulation } from './simulation.ts';
import { RequestResponsePair, type SocketEnd, SocketPair } from './sockets.ts';

const real = {
  now: Date.now,
  random: Math.random,
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  setInterval: globalThis.setInterval,
  clearInterval: globalThis.clearInterval,
  randomUUID: crypto.randomUUID.bind(crypto),
  performance: performance.now.bind(performance),
};

/** The real clock, in ms. */
export const realTime = real.performance;

interface SimulationGlobals {
  readonly simulation: Simulation;
  /**
   * The source of random values for the library. It is separate, so that the library does not change the draws
   * of the play.
   */
  readonly draw: Draw;
}

let current: SimulationGlobals | undefined;

/** Redirects the globals to this simulation until the returned function is called. */
export function simulate(simulation: Simulation, seed: number): () => void {
  current = { simulation, draw: createDraw(seed) };
  timers.clear();
  return () => {
    current = undefined;
  };
}

/** Returns the running simulation. @throws Error if there is none. */
export function getRunningSimulation(): Simulation {
  if (!current) throw new Error('No simulation is running.');
  return current.simulation;
}

const timers = new Map<number, () => void>();
let lastTimer = 0;

type Callback = (...args: readonly unknown[]) => void;

function startTimer(run: Callback, ms: number, args: readonly unknown[]): number {
  const id = ++lastTimer;
  const cancel = getRunningSimulation().after(ms, () => {
    timers.delete(id);
    run(...args);
  });
  timers.set(id, cancel);
  return id;
}

function startInterval(run: Callback, ms: number, args: readonly unknown[]): number {
  const id = ++lastTimer;
  const scheduleNext = (): void => {
    const cancel = getRunningSimulation().after(Math.max(1, ms), () => {
      scheduleNext();
      run(...args);
    });
    timers.set(id, cancel);
  };
  scheduleNext();
  return id;
}

function stopTimer(id: number): void {
  timers.get(id)?.();
  timers.delete(id);
}

/** A response that can have a WebSocket and the status 101, which Node's `Response` refuses. */
class SocketResponse extends Response {
  constructor(
    body?: ConstructorParameters<typeof Response>[0],
    init: ResponseInit & { readonly webSocket?: SocketEnd } = {},
  ) {
    // `init` can be another response, whose properties are getters and cannot be spread.
    const { webSocket = null, status = 200, statusText = '', headers = {} } = init;
    super(body, { status: status === 101 ? 200 : status, statusText, headers });
    Object.defineProperty(this, 'webSocket', { value: webSocket });
    if (status === 101) Object.defineProperty(this, 'status', { value: 101 });
  }
}

function defineValues(target: object, values: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(values)) {
    Object.defineProperty(target, name, { configurable: true, writable: true, value });
  }
}

defineValues(globalThis, {
  setTimeout: (run: Callback, ms = 0, ...args: unknown[]) =>
    current ? startTimer(run, ms, args) : real.setTimeout(run, ms, ...args),
  clearTimeout: (timer: unknown) =>
    typeof timer === 'number' ? stopTimer(timer) : real.clearTimeout(timer as NodeJS.Timeout | undefined),
  setInterval: (run: Callback, ms = 0, ...args: unknown[]) =>
    current ? startInterval(run, ms, args) : real.setInterval(run, ms, ...args),
  clearInterval: (timer: unknown) =>
    typeof timer === 'number' ? stopTimer(timer) : real.clearInterval(timer as NodeJS.Timeout | undefined),
  Response: SocketResponse,
  WebSocketPair: SocketPair,
  WebSocketRequestResponsePair: RequestResponsePair,
  Cloudflare: {
    compatibilityFlags: {
      enable_ctx_exports: true,
      durable_object_io_tasks_prevent_eviction: true,
      enable_request_signal: true,
      global_fetch_strictly_public: true,
    },
  },
});
defineValues(Date, { now: () => (current ? current.simulation.now : real.now()) });
defineValues(Math, { random: () => (current ? current.draw.fraction() : real.random()) });
defineValues(performance, { now: () => (current ? current.simulation.elapsed : real.performance()) });
defineValues(crypto, { randomUUID: () => (current ? drawId(current.draw) : real.randomUUID()) });
defineValues(AbortSignal, { timeout: (ms: number) => createTimeoutError(ms) });

/** Returns an id in the form of a UUID. */
function drawId({ between }: Draw): string {
  const createHex = (digits: number): string =>
    Array.from({ length: digits }, () => between(0, 15).toString(16)).join('');
  return `${createHex(8)}-${createHex(4)}-4${createHex(3)}-8${createHex(3)}-${createHex(12)}`;
}

function createTimeoutError(ms: number): AbortSignal {
  const late = new AbortController();
  setTimeout(
    () => late.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError')),
    ms,
  );
  return late.signal;
}
