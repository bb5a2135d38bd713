/**
 * Counts the platform usage of a measured Worker. The library looks up platform functions at call time, so it
 * calls the counting versions. A build without the constants below does not change the platform.
 */
import type { Counts, ObjectCounts } from './counts.ts';

/** Defined by the build if the platform usage is counted. */
declare const COUNTED: string;
/** Defined by the build: the speed of the clock of the Worker and its objects, as a multiple of real time. */
declare const SPEED: string;

const isCounted = typeof COUNTED !== 'undefined';
const speed = typeof SPEED === 'undefined' ? 1 : Number(SPEED);

const objects = new Map<string, ObjectCounts>();
/** The cursors that an object has opened since its last call ended. Only the object may read them. */
const cursors = new Map<string, SqlStorageCursor<never>[]>();
const objectCounts = new Map<string, number>();

const getCounts = (name: string): ObjectCounts => {
  const known = objects.get(name) ?? {
    rowsWritten: 0,
    rowsRead: 0,
    alarmsSet: 0,
    appends: 0,
    requests: 0,
    messages: 0,
    awakeMs: 0,
  };
  objects.set(name, known);
  return known;
};

/** Returns the counts since the previous call, and resets them. */
export function takeCounts(): Counts {
  const taken = { objects: Object.fromEntries(objects), made: Object.fromEntries(objectCounts) };
  objects.clear();
  objectCounts.clear();
  return taken;
}

type ObjectClass = new (...args: [ctx: DurableObjectState, env: Env]) => DurableObject;

/** Returns a class whose objects are counted, or the class itself in a build without counts. */
export function withMeters<Class extends ObjectClass>(Base: Class): Class {
  if (!isCounted) return Base;
  // A mixin's constructor must accept any arguments.
  const Metered = class extends (Base as ObjectClass) {
    constructor(ctx: DurableObjectState, env: Env) {
      watchPlatform(ctx);
      super(ctx, env);
    }
  };
  for (const name of Object.getOwnPropertyNames(Base.prototype)) {
    const method: unknown = Base.prototype[name];
    if (name === 'constructor' || typeof method !== 'function') continue;
    Object.defineProperty(Metered.prototype, name, {
      value(this: { readonly ctx: DurableObjectState }, ...args: unknown[]): unknown {
        const counts = getCounts(this.ctx.id.name ?? '');
        if (name === 'webSocketMessage') counts.messages += 1;
        else counts.requests += 1;
        if (name === 'append') counts.appends += 1;
        try {
          return Reflect.apply(method, this, args);
        } finally {
          countRows(this.ctx.id.name ?? '');
        }
      },
    });
  }
  return Metered as unknown as Class; // the class has the same methods
}

/** Counts the rows of an object's cursors. All of them have been read at the end of a call. */
function countRows(name: string): void {
  const counts = getCounts(name);
  for (const { rowsRead, rowsWritten } of cursors.get(name) ?? []) {
    counts.rowsRead += rowsRead;
    counts.rowsWritten += rowsWritten;
  }
  cursors.delete(name);
}

function watchPlatform(ctx: DurableObjectState): void {
  const { storage } = ctx;
  const pingedAt = ctx.getWebSocketAutoResponseTimestamp.bind(ctx);
  ctx.getWebSocketAutoResponseTimestamp = (socket) => {
    const at = pingedAt(socket);
    return at && new Date(toFast(at.getTime()));
  };
  const name = ctx.id.name ?? '';
  const { sql } = storage;
  const exec = sql.exec.bind(sql);
  sql.exec = ((query: string, ...bindings: unknown[]) => {
    const cursor = exec<never>(query, ...bindings);
    cursors.set(name, [...(cursors.get(name) ?? []), cursor]);
    return cursor;
  }) as typeof sql.exec; // only the type of the rows differs
  const setAlarm = storage.setAlarm.bind(storage);
  storage.setAlarm = (at, ...more) => {
    getCounts(name).alarmsSet += 1;
    return setAlarm(toReal(Number(at)), ...more);
  };
  const getAlarm = storage.getAlarm.bind(storage);
  storage.getAlarm = async (...more) => {
    const at = await getAlarm(...more);
    return at === null ? null : toFast(at);
  };
}

/** The number of calls to each object that are in progress, and the time of the first one. */
const calls = new Map<string, { open: number; since: number }>();

async function runAwake<Result>(name: string, call: () => Promise<Result>): Promise<Result> {
  const at = calls.get(name) ?? { open: 0, since: 0 };
  calls.set(name, at);
  if (at.open === 0) at.since = performance.now();
  at.open += 1;
  try {
    return await call();
  } finally {
    at.open -= 1;
    if (at.open === 0) getCounts(name).awakeMs += performance.now() - at.since;
  }
}

type Env = Readonly<Record<string, unknown>>;

/**
 * Returns bindings that measure the time of calls to objects. Returns `env` itself in a build without counts.
 */
export function createMeteredEnv(env: Env): Env {
  if (!isCounted) return env;
  const namespace = env.SESSIONS as DurableObjectNamespace; // the Worker's own binding
  const getByName: DurableObjectNamespace['getByName'] = (name, ...more) =>
    new Proxy(namespace.getByName(name, ...more), {
      get:
        (stub, key) =>
        (...args: never[]) => {
          const call = Reflect.get(stub, key) as (...args: never[]) => Promise<unknown>; // every key of a stub is a method
          return runAwake(name, () => (key === 'fetch' ? Reflect.apply(call, stub, args) : call(...args)));
        },
    });
  const SESSIONS = new Proxy(namespace, {
    get(target, key) {
      if (key === 'getByName') return getByName;
      const value: unknown = Reflect.get(target, key);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return { ...env, SESSIONS };
}

const { now: realNow } = Date;
const began = realNow();
const toFast = (at: number): number => began + (at - began) * speed;
const toReal = (at: number): number => began + (at - began) / speed;

/** Counts the calls of a platform function, or the instances of a class. */
function countCalls(owner: object, key: string, name = key): void {
  const original: unknown = Reflect.get(owner, key);
  if (typeof original !== 'function') return;
  const add = (): void => void objectCounts.set(name, (objectCounts.get(name) ?? 0) + 1);
  const counted = new Proxy(original, {
    apply(target, self, args) {
      add();
      return Reflect.apply(target, self, args);
    },
    construct(target, args, newTarget) {
      add();
      return Reflect.construct(target, args, newTarget);
    },
  });
  Object.defineProperty(owner, key, { value: counted, configurable: true, writable: true });
}

if (speed !== 1) {
  const { setTimeout } = globalThis;
  Date.now = () => toFast(realNow());
  globalThis.setTimeout = ((run: () => void, ms = 0) => setTimeout(run, ms / speed)) as typeof setTimeout; // callers pass no further arguments
}
if (isCounted) {
  for (const key of ['AbortController', 'DOMException', 'TextEncoder', 'TextDecoder', 'URL', 'setTimeout'])
    countCalls(globalThis, key);
  countCalls(globalThis, 'structuredClone');
  countCalls(AbortSignal, 'any', 'AbortSignal.any');
  countCalls(AbortSignal, 'timeout', 'AbortSignal.timeout');
  countCalls(Promise, 'withResolvers', 'Promise.withResolvers');
  countCalls(crypto.subtle, 'digest', 'digest');
}
