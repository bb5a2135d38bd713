import type { Owner, Simulation } from './simulation.ts';
import type { RequestResponsePair, SocketEnd } from './sockets.ts';
import { Database } from './sql.ts';

/** An object in memory, from its creation until it is evicted or crashes. */
export interface LiveObject {
  alarm(): void;
  fetch(request: Request): Response;
  webSocketMessage(socket: SocketEnd, message: string): void;
  webSocketClose(socket: SocketEnd): void;
  readonly [method: string]: unknown;
}

/** The class of the objects. */
export type ObjectClass = new (ctx: object, env: object, now: () => number) => LiveObject;

/** The parts of the platform that a host uses. */
export interface Platform {
  readonly simulation: Simulation;
  readonly ObjectClass: ObjectClass;
  /** The vars and bindings of the object. */
  readonly env: object;
  /** Returns the `ctx.exports` of an object. */
  exportsFor(host: ObjectHost, life: Owner): object;
  /** Returns the delay of the next alarm, in ms. */
  alarmDelay(): number;
}

/** The result of a call to an object. */
export type Answer =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: Error };

/** Writes that are committed together, and the outputs that wait for the commit. */
interface Group {
  readonly outputs: (() => void)[];
  /** Called with the reason if the writes are lost. */
  readonly losses: ((error: Error) => void)[];
  readonly cancel: () => void;
  readonly alarmBefore: number | null;
  /** The sequence number of the last event before these writes. */
  readonly headBefore: number;
}

/** The maximum duration of a commit, in ms. */
const COMMIT_MS = 12;
/** The delay before an interrupted alarm is retried, in ms. */
const ALARM_RETRY_MS = 2_000;

/**
 * The platform around one object: its database, alarm, sockets and output gate. Outputs of the object wait
 * until its earlier writes are committed. A crash before the commit discards both.
 */
export class ObjectHost {
  readonly name: string;
  readonly database = new Database(() => this.#mustBeInGroup());
  /** How far the object's clock is ahead of the simulation, in ms. */
  clockAhead = 0;
  readonly #platform: Platform;
  readonly #sockets = new Map<SocketEnd, readonly string[]>();
  /**
   * The platform's automatic WebSocket response, and the time of the last one on each socket, by the clock of
   * the object's machine.
   */
  #pair: RequestResponsePair | undefined;
  readonly #answeredAt = new Map<SocketEnd, number>();
  #object: LiveObject | undefined;
  #life: Owner | undefined;
  #lives = 0;
  #group: Group | undefined;
  #alarm: number | null = null;
  /** The time of the platform's alarm, or `null` if there is none. */
  #armed: number | null = null;
  #cancelAlarm: () => void = () => {};

  constructor(name: string, platform: Platform) {
    this.name = name;
    this.#platform = platform;
  }

  get alarm(): number | null {
    return this.#alarm;
  }

  /** Returns the last event that is committed. */
  get durableHead(): number {
    return this.#group ? this.#group.headBefore : this.database.head();
  }

  /**
   * Delivers a call. `reply` is called once, when the output gate opens. Returns the immediate result of the
   * object.
   */
  call(run: (object: LiveObject) => unknown, reply: (answer: Answer) => void): Answer {
    const { simulation } = this.#platform;
    const life = this.#wake();
    const answer = simulation.enter(life, (): Answer => {
      try {
        return { ok: true, value: run(this.#object as LiveObject) }; // `#wake` has created the object
      } catch (thrown) {
        return { ok: false, error: thrown instanceof Error ? thrown : new Error(String(thrown)) };
      }
    });
    const group = this.#group;
    if (!group) {
      reply(answer);
      return answer;
    }
    let isReplied = false;
    const replyOnce = (told: Answer): void => {
      if (!isReplied) reply(told);
      isReplied = true;
    };
    group.outputs.push(() => replyOnce(answer));
    group.losses.push((error) => replyOnce({ ok: false, error }));
    return answer;
  }

  /** Runs a read on the object that is not part of the play. */
  look<T>(run: (object: LiveObject) => T): T {
    return this.#platform.simulation.enter(this.#wake(), () => run(this.#object as LiveObject)); // `#wake` has created the object
  }

  /** Sends an output after earlier writes are committed. */
  output(send: () => void): void {
    if (this.#group) this.#group.outputs.push(send);
    else send();
  }

  /** Receives a message on a hibernatable socket of the object. */
  receive(end: SocketEnd, message: string): void {
    if (message === this.#pair?.request) {
      this.#answeredAt.set(end, this.#platform.simulation.now + this.clockAhead);
      end.answer(this.#pair.response);
      return;
    }
    this.call(
      (object) => object.webSocketMessage(end, message),
      () => {},
    );
  }

  /** Handles the close of a hibernatable socket. */
  closed(end: SocketEnd): void {
    this.call(
      (object) => object.webSocketClose(end),
      () => {},
    );
  }

  /** Discards the object's memory and uncommitted writes. Its sockets break. */
  crash(error: Error): void {
    const group = this.#group;
    if (group) {
      group.cancel();
      this.#group = undefined;
      this.database.rollback();
      this.#alarm = group.alarmBefore;
      this.#schedule();
      for (const lose of group.losses) lose(error);
    }
    this.#end();
    for (const socket of this.#sockets.keys()) socket.drop();
    this.#sockets.clear();
    this.#pair = undefined;
  }

  /**
   * Discards the memory of an idle object, whose sockets stay open. Returns `false` if the object is not idle.
   */
  hibernate(): boolean {
    if (this.#group || !this.#object) return false;
    this.#end();
    return true;
  }

  #end(): void {
    if (this.#life) this.#life.isDead = true;
    this.#life = undefined;
    this.#object = undefined;
  }

  /** Creates the object if it is not in memory. */
  #wake(): Owner {
    if (this.#life) return this.#life;
    const { simulation, ObjectClass, env } = this.#platform;
    const life: Owner = { name: `${this.name}#${++this.#lives}`, isDead: false, frozenUntil: 0 };
    const readClock = (): number => simulation.now + this.clockAhead;
    this.#life = life;
    this.#object = simulation.enter(life, () => new ObjectClass(this.#state(life), env, readClock));
    return life;
  }

  #state(life: Owner): object {
    return {
      id: { name: this.name },
      storage: this.#storage(life),
      exports: this.#platform.exportsFor(this, life),
      acceptWebSocket: (socket: SocketEnd, tags: readonly string[]) => {
        socket.host = this;
        this.#sockets.set(socket, tags);
      },
      getWebSockets: (tag?: string) =>
        [...this.#sockets]
          .filter(([{ readyState }, tags]) => readyState === 1 && (tag === undefined || tags.includes(tag)))
          .map(([socket]) => socket),
      setWebSocketAutoResponse: (pair?: RequestResponsePair) => {
        this.#pair = pair;
      },
      getWebSocketAutoResponseTimestamp: (socket: SocketEnd) => {
        const at = this.#answeredAt.get(socket);
        return at === undefined ? null : new Date(at);
      },
      getTags: (socket: SocketEnd) => this.#sockets.get(socket) ?? [],
      waitUntil: () => {},
    };
  }

  #storage(life: Owner): object {
    const { database } = this;
    const assertAlive = (): void => {
      if (life.isDead) throw new Error('This object was evicted or has crashed.');
    };
    const host = this;
    return {
      sql: {
        exec(query: string, ...bindings: readonly unknown[]) {
          assertAlive();
          return database.exec(query, bindings);
        },
        get databaseSize() {
          return database.size;
        },
      },
      kv: {
        get: (key: string) => database.get(key),
        put(key: string, value: unknown) {
          assertAlive();
          database.put(key, value);
        },
      },
      transactionSync<T>(change: () => T): T {
        assertAlive();
        return database.transaction(change);
      },
      async setAlarm(at: number) {
        assertAlive();
        host.#setAlarm(at);
      },
      async deleteAlarm() {
        assertAlive();
        host.#setAlarm(null);
      },
      async deleteAll() {
        assertAlive();
        database.clear();
        host.#setAlarm(null);
      },
    };
  }

  #setAlarm(at: number | null): void {
    this.#mustBeInGroup();
    this.#alarm = at;
  }

  #mustBeInGroup(): void {
    if (this.#group) return;
    const { simulation } = this.#platform;
    const headBefore = this.database.head();
    this.database.begin();
    const cancel = simulation.after(simulation.draw.between(1, COMMIT_MS), () => this.#commit(), null);
    this.#group = { outputs: [], losses: [], cancel, alarmBefore: this.#alarm, headBefore };
  }

  #commit(): void {
    const group = this.#group;
    if (!group) return;
    this.#group = undefined;
    this.database.commit();
    if (this.#alarm !== this.#armed) this.#schedule();
    for (const send of group.outputs) send();
  }

  /** Schedules the alarm by the clock of the object's machine. */
  #schedule(delay = this.#platform.alarmDelay()): void {
    this.#cancelAlarm();
    const { simulation } = this.#platform;
    const at = this.#alarm;
    this.#armed = at;
    if (at === null) return;
    const wait = at - this.clockAhead - simulation.now + delay;
    this.#cancelAlarm = simulation.after(wait, () => this.#goOff(at), null);
  }

  #goOff(at: number): void {
    if (this.#group) {
      this.#cancelAlarm = this.#platform.simulation.after(COMMIT_MS, () => this.#goOff(at), null);
      return;
    }
    this.#platform.simulation.trace(() => `${this.name}: alarm`);
    this.#armed = null;
    this.call(
      (object) => {
        this.#setAlarm(null);
        object.alarm();
      },
      ({ ok }) => {
        if (!ok) this.#schedule(ALARM_RETRY_MS);
      },
    );
  }
}
