import { type Deployment, Invocation } from './invocations.ts';
import { type Network, type Observer, Network as SimulatedNetwork } from './network.ts';
import { type ObjectClass, ObjectHost } from './object-host.ts';
import type { Owner, Simulation } from './simulation.ts';

/** A request of a client. */
export interface ClientRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The time after which the client disconnects, in ms. */
  readonly hangUpAfter?: number | undefined;
  /** Receives the body in pieces. */
  readonly onText?: ((text: string) => void) | undefined;
}

/** The received response. `undefined` if the connection was lost. */
export interface ClientAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** The probability of each fault of a queue message. */
export interface QueueWeather {
  readonly lost: number;
  readonly doubled: number;
}

interface PlatformOptions {
  readonly simulation: Simulation;
  readonly ObjectClass: ObjectClass;
  readonly observer: Observer;
  readonly leaseMs: number;
  readonly hasQueue: boolean;
  /** Returns the version that serves the next invocation. */
  readonly deployed: () => Deployment;
  readonly alarmDelay: () => number;
}

/** The Workers and objects of one account. */
export class SimulatedPlatform {
  readonly network: Network;
  readonly hosts = new Map<string, ObjectHost>();
  readonly invocations = new Set<Invocation>();
  queueWeather: QueueWeather = { lost: 0, doubled: 0 };
  /** The number of invocations that died during their work. */
  deaths = 0;
  readonly #options: PlatformOptions;
  #invoked = 0;

  constructor(options: PlatformOptions) {
    this.#options = options;
    this.network = new SimulatedNetwork(options.simulation, (name) => this.hostOf(name), options.observer);
    this.network.onKill = (owner) => {
      for (const one of this.invocations) if (one === owner) one.kill('it is struck');
    };
  }

  hostOf(name: string): ObjectHost {
    const known = this.hosts.get(name);
    if (known) return known;
    const { simulation, ObjectClass, alarmDelay } = this.#options;
    const host = new ObjectHost(name, {
      simulation,
      ObjectClass,
      alarmDelay,
      env: this.#env,
      exportsFor: (of, life) => ({ TurnRunner: this.#loopback(of, life) }),
    });
    this.hosts.set(name, host);
    return host;
  }

  get #env(): object {
    const { leaseMs, hasQueue } = this.#options;
    return {
      LEASE_MS: String(leaseMs),
      ...(hasQueue && { TURNS: { send: (body: unknown) => this.#enqueue(body) } }),
    };
  }

  get #workerEnv(): object {
    return { ...this.#env, SESSIONS: this.network.namespace(), PLAN: 'paid' };
  }

  #invoke(kind: string): Invocation {
    const { simulation, deployed } = this.#options;
    const version = deployed();
    const invocation = new Invocation(simulation, `${kind}${++this.#invoked}@${version.version}`, version);
    this.invocations.add(invocation);
    invocation.whenDead(() => {
      if (this.invocations.delete(invocation)) this.deaths += 1;
    });
    invocation.whenOver(() => this.invocations.delete(invocation));
    return invocation;
  }

  /**
   * Sends a request to the Worker. Resolves with the response that the client receives. Never resolves if the
   * client disconnects.
   */
  request(asked: ClientRequest): Promise<ClientAnswer | undefined> {
    const { simulation } = this.#options;
    return new Promise((resolve) => {
      let isOver = false;
      const end = (answer: ClientAnswer | undefined): void => {
        if (!isOver) resolve(answer);
        isOver = true;
      };
      const start = (): void => {
        const invocation = this.#invoke('request');
        simulation.trace(
          () => `${invocation.name}: ${asked.method} ${asked.path} ${asked.body?.slice(0, 600) ?? ''}`,
        );
        const gone = new AbortController();
        invocation.whenDead(() => void simulation.after(5, () => end(undefined), null));
        if (asked.hangUpAfter !== undefined) {
          simulation.after(
            asked.hangUpAfter,
            () => {
              if (isOver) return;
              end(undefined);
              invocation.leave();
              simulation.after(5, () => gone.abort(), invocation);
            },
            null,
          );
        }
        simulation.enter(
          invocation,
          () =>
            void this.#serve(invocation, { asked, gone }).then((answer) => {
              simulation.after(simulation.draw.between(1, 10), () => end(answer), null);
            }),
        );
      };
      simulation.after(simulation.draw.between(1, 20), start, null);
    });
  }

  async #serve(
    invocation: Invocation,
    { asked, gone }: { readonly asked: ClientRequest; readonly gone: AbortController },
  ): Promise<ClientAnswer | undefined> {
    const { method, path, headers = {}, body, onText } = asked;
    const request = new Request(`https://plays.example${path}`, {
      method,
      headers,
      ...(body !== undefined && { body }),
    });
    // Node references its own signal only weakly.
    Object.defineProperty(request, 'signal', { value: gone.signal });
    const responding = Promise.resolve(
      invocation.deployed.worker.fetch(request, this.#workerEnv, invocation.context),
    );
    const reading = responding.then((response) => readBody(response, { gone: gone.signal, onText }));
    invocation.hold(reading);
    const [response, text] = await Promise.all([responding, reading]);
    return { status: response.status, headers: response.headers, text };
  }

  /** Returns the runner of turns for an object. */
  #loopback(host: ObjectHost, life: Owner): object {
    const { simulation } = this.#options;
    return {
      run: (handOver: unknown) =>
        new Promise<void>((resolve, reject) => {
          host.output(() => {
            simulation.after(
              simulation.draw.between(1, 20),
              () => this.#run(structuredClone(handOver), { life, resolve, reject }),
              null,
            );
          });
        }),
    };
  }

  #run(
    handOver: unknown,
    { life, resolve, reject }: { readonly life: Owner; resolve(): void; reject(error: unknown): void },
  ): void {
    const { simulation } = this.#options;
    const invocation = this.#invoke('runner');
    const deliverReply = (settle: () => void): void =>
      void simulation.after(simulation.draw.between(1, 20), settle, life);
    invocation.whenDead(() => deliverReply(() => reject(new Error('Network connection lost.'))));
    // A remote call ends with its caller.
    const checkLife = (): void => {
      if (life.isDead) invocation.leave();
      else if (!invocation.isDead && this.invocations.has(invocation))
        simulation.after(5_000, checkLife, null);
    };
    simulation.after(5_000, checkLife, null);
    simulation.enter(invocation, () => {
      const runner = new invocation.deployed.TurnRunner(invocation.context, this.#workerEnv);
      const work = runner.run(handOver);
      invocation.hold(work.catch(() => {}));
      work.then(
        () => deliverReply(resolve),
        (error: unknown) => deliverReply(() => reject(error)),
      );
    });
  }

  async #enqueue(body: unknown): Promise<void> {
    const { simulation } = this.#options;
    const { draw } = simulation;
    const { lost, doubled } = this.queueWeather;
    const copies = draw.happens(lost) ? 0 : draw.happens(doubled) ? 2 : 1;
    const message = structuredClone(body);
    for (let copy = 0; copy < copies; copy += 1) {
      const ms = draw.between(5, copy === 0 ? 200 : 40_000);
      simulation.after(ms, () => this.#deliver(message, 0), null);
    }
    await simulation.pause(draw.between(1, 30));
  }

  #deliver(body: unknown, tries: number): void {
    const { simulation } = this.#options;
    const invocation = this.#invoke('queue');
    const scheduleRetry = (seconds = 1): void => {
      if (tries < 5) simulation.after(seconds * 1000, () => this.#deliver(body, tries + 1), null);
    };
    let isAcknowledged = false;
    const message = {
      id: String(tries),
      body: structuredClone(body),
      ack: () => {
        isAcknowledged = true;
      },
      retry: ({ delaySeconds }: { readonly delaySeconds?: number } = {}) => {
        isAcknowledged = true;
        scheduleRetry(delaySeconds);
      },
    };
    invocation.whenDead(() => {
      if (!isAcknowledged) scheduleRetry();
    });
    simulation.enter(invocation, () => {
      invocation.hold(
        invocation.deployed.worker.queue({ messages: [message] }, this.#workerEnv, invocation.context),
      );
    });
  }
}

/** Reads a body to its end, or until its client disconnects. */
async function readBody(
  response: Response,
  { gone, onText }: { readonly gone: AbortSignal; readonly onText: ClientRequest['onText'] },
): Promise<string> {
  if (!response.body) return '';
  const reader = response.body.getReader();
  gone.addEventListener('abort', () => void reader.cancel().catch(() => {}));
  const decoder = new TextDecoder();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text;
    const piece = decoder.decode(value, { stream: true });
    text += piece;
    onText?.(piece);
  }
}
