import type { Answer, LiveObject, ObjectHost } from './object-host.ts';
import type { Owner, Simulation } from './simulation.ts';

/** The probability of each fault of a call to an object. */
export interface Weather {
  /** The call is lost in transit. */
  readonly lost: number;
  /** The call runs, and its response is lost. */
  readonly unanswered: number;
  /** The object is overloaded. */
  readonly overloaded: number;
  /** The call or its response is delayed by seconds. */
  readonly slow: number;
  /** The object crashes during the call, before its writes are committed. */
  readonly crash: number;
}

export const CALM: Weather = { lost: 0, unanswered: 0, overloaded: 0, slow: 0, crash: 0 };

/** A fault that happens to one given call. */
export interface Strike {
  /** The index of the call among all calls to objects, from 0. */
  readonly at: number;
  /**
   * The kind of fault. `killed-before` and `killed-after` kill the caller before or after the call is sent.
   */
  readonly way: 'killed-before' | 'killed-after' | 'lost' | 'unanswered' | 'crash';
}

/** The range of a delay, in ms. */
const SLOW_RANGE_MS = [500, 25_000] as const;

/** Observes the calls between Workers and objects. */
export interface Observer {
  /** Called before the object runs a call. */
  calling(host: ObjectHost, method: string): void;
  /** Called after the object has run a call. Its writes can still be lost. */
  called(
    host: ObjectHost,
    call: { readonly method: string; readonly args: readonly unknown[]; readonly answer: Answer },
  ): void;
}

/** Delivers calls from Workers to objects, and their responses. */
export class Network {
  weather: Weather = CALM;
  strike: Strike | undefined;
  /** The number of sent calls. */
  sent = 0;
  /** Kills a caller. */
  onKill: (owner: Owner) => void = () => {};
  readonly #simulation: Simulation;
  readonly #hostOf: (name: string) => ObjectHost;
  readonly #observer: Observer;

  constructor(simulation: Simulation, hostOf: (name: string) => ObjectHost, observer: Observer) {
    this.#simulation = simulation;
    this.#hostOf = hostOf;
    this.#observer = observer;
  }

  /** Returns the binding `env.SESSIONS` of a Worker. */
  namespace(): object {
    return { getByName: (name: string) => this.#stub(name) };
  }

  /** Creates a stub. Its calls arrive in order, and it cannot be used after a failure. */
  #stub(name: string): object {
    const link: Link = { arrival: 0, broken: undefined };
    const fetch = (url: string, init: RequestInit): Promise<unknown> =>
      this.#send(name, link, {
        method: 'fetch',
        args: [],
        run: (object) => object.fetch(createRequest(url, init)),
      });
    return new Proxy(
      {},
      {
        get: (_, method) => {
          if (typeof method !== 'string' || method === 'then') return undefined;
          if (method === 'fetch') return fetch;
          return (...given: readonly unknown[]) => {
            const args = structuredClone(given);
            return this.#send(name, link, { method, args, run: (object) => invoke(object, method, args) });
          };
        },
      },
    );
  }

  #send(name: string, link: Link, { method, args, run }: Call): Promise<unknown> {
    const simulation = this.#simulation;
    const { draw, owner } = simulation;
    const from = owner?.name ?? 'nobody';
    return new Promise((resolve, reject) => {
      if (link.broken) return reject(link.broken);
      const strike = this.#struck(owner);
      if (strike === 'killed-before') return;
      const fate = strike ?? this.#fate();
      const sendBack = (answer: Answer, ms: number): void => {
        if (!answer.ok) link.broken = answer.error;
        const settle = (): void => (answer.ok ? resolve(answer.value) : reject(answer.error));
        simulation.trace(() => `${from} <- ${name}.${method}: ${formatAnswer(answer)}`);
        simulation.after(ms, settle, owner ?? null);
      };
      if (fate === 'overloaded') {
        sendBack(
          createFailedAnswer('Durable Object is overloaded. Too many requests queued.', { overloaded: true }),
          5,
        );
        return;
      }
      link.arrival = Math.max(link.arrival, simulation.now + this.#latency(fate === 'slow'));
      const arrive = (): void => {
        simulation.trace(
          () =>
            `${from} -> ${name}.${method}(${formatShortJson(args)})${fate === 'fine' ? '' : ` [${fate}]`}`,
        );
        if (fate === 'lost') {
          sendBack(
            createFailedAnswer('Network connection lost.', { retryable: true }),
            draw.between(1, 3_000),
          );
          return;
        }
        const host = this.#hostOf(name);
        this.#observer.calling(host, method);
        const answer = host.call(run, (told) => {
          const isLost = fate === 'unanswered';
          const reply = isLost ? createFailedAnswer('Network connection lost.') : told;
          sendBack(
            reply.ok && method !== 'fetch' ? cloneAnswer(reply) : reply,
            this.#latency(fate === 'slow-answer'),
          );
        });
        this.#observer.called(host, { method, args, answer });
        if (fate === 'crash')
          host.crash(new Error('Internal error in Durable Object storage caused object to be reset.'));
      };
      simulation.after(link.arrival - simulation.now, arrive, null);
    });
  }

  /** Returns the fault of this call. If its sender dies after sending, the call is delivered normally. */
  #struck(owner: Owner | undefined): Exclude<Strike['way'], 'killed-after'> | undefined {
    const { strike } = this;
    this.sent += 1;
    if (this.sent - 1 !== strike?.at) return undefined;
    const { way } = strike;
    this.#simulation.trace(() => `strike: ${way}`);
    if (way !== 'killed-before' && way !== 'killed-after') return way;
    if (owner) this.onKill(owner);
    return way === 'killed-before' ? way : undefined;
  }

  #latency(isSlow: boolean): number {
    const { draw } = this.#simulation;
    return isSlow ? draw.between(...SLOW_RANGE_MS) : draw.between(1, 25);
  }

  #fate(): 'fine' | 'lost' | 'unanswered' | 'overloaded' | 'slow' | 'slow-answer' | 'crash' {
    const { lost, unanswered, overloaded, slow, crash } = this.weather;
    const { draw } = this.#simulation;
    let rest = draw.fraction();
    const is = (probability: number): boolean => {
      rest -= probability;
      return rest < 0;
    };
    if (is(lost)) return 'lost';
    if (is(unanswered)) return 'unanswered';
    if (is(overloaded)) return 'overloaded';
    if (is(slow / 2)) return 'slow';
    if (is(slow / 2)) return 'slow-answer';
    return is(crash) ? 'crash' : 'fine';
  }
}

interface Link {
  /** The arrival time of its last call. */
  arrival: number;
  broken: Error | undefined;
}

interface Call {
  readonly method: string;
  readonly args: readonly unknown[];
  readonly run: (object: LiveObject) => unknown;
}

function invoke(object: LiveObject, method: string, args: readonly unknown[]): unknown {
  const member = object[method];
  if (typeof member !== 'function')
    throw new TypeError(`The RPC receiver does not implement the method "${method}".`);
  return member.apply(object, args);
}

const createRequest = (url: string, init: RequestInit): Request => new Request(url, init);

const createFailedAnswer = (message: string, flags: object = {}): Answer => ({
  ok: false,
  error: Object.assign(new Error(message), { remote: false, ...flags }),
});

/** Copies a value that crosses the network. */
const cloneAnswer = (answer: Answer & { readonly ok: true }): Answer => ({
  ok: true,
  value: structuredClone(answer.value),
});

const MAX_SHOWN = 300;

const formatShortJson = (value: unknown): string =>
  (JSON.stringify(value) ?? '').slice(1, -1).slice(0, MAX_SHOWN);

const formatAnswer = (answer: Answer): string =>
  answer.ok ? (JSON.stringify(answer.value) ?? '').slice(0, MAX_SHOWN) : answer.error.message;

export type { Owner };
