import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import type { SessionPort } from '../../../../src/testing/entry.ts';
import { createObjectSession } from '../../../doors/durable-objects.ts';
import { SessionUnavailableError } from '../../../doors/session.ts';
import {
  acquireLease,
  createBeginRequest,
  createEventRow,
} from '../../../fixtures/session-contract/harness.ts';
import { makeObjectHarness } from './object-harness.ts';

type Namespace = typeof env.SESSIONS;

/** Pauses that end immediately, and their intended lengths. */
function recordPauses(random = 0.5) {
  const ms: number[] = [];
  const runAfter = (pause: number, run: () => void) => {
    ms.push(pause);
    queueMicrotask(run);
    return () => {};
  };
  return { ms, pauses: { after: runAfter, random: () => random } };
}

/** The objects, behind stubs. The first `times` stubs fail, before a call is sent or after its response. */
function createFailingNamespace(
  failure: unknown,
  { times = 99, when = 'before' }: { times?: number; when?: string } = {},
) {
  const count = { stubs: 0, calls: 0 };
  const getByName: Namespace['getByName'] = (...args) => {
    count.stubs += 1;
    const isBroken = count.stubs <= times;
    const stub = env.SESSIONS.getByName(...args);
    const createStubMethod =
      (key: keyof typeof stub) =>
      async (...sent: unknown[]) => {
        count.calls += 1;
        const method: unknown = stub[key];
        if (typeof method !== 'function') throw new TypeError(`a stub has no method ${key}`);
        const send = () => Reflect.apply(method, stub, sent);
        if (!isBroken) return send();
        if (when === 'after') await send();
        throw failure;
      };
    return new Proxy(stub, { get: (_, key) => createStubMethod(key as keyof typeof stub) }); // the port reads no other member
  };
  const namespace: Namespace = new Proxy(env.SESSIONS, {
    get: (target, key) => (key === 'getByName' ? getByName : Reflect.get(target, key)),
  });
  return { namespace, count };
}

const BLOBS = [{ id: 'a', about: '{}', size: 3, bytes: new Uint8Array([1, 2, 3]) }];

const createConnectionError = () => new Error('Network connection lost.');

/** The platform's own errors, from its documentation, its source and its users' logs. */
const PLATFORM_ERRORS = [
  'Network connection lost.',
  'Durable Object is no longer active',
  "The Durable Object's code has been updated, this version can no longer access storage.",
  'Durable Object storage is no longer accessible.',
  'Durable Object reset because its code was updated.',
  'internal error; reference = abc123',
  'Internal error in Durable Object storage write caused object to be reset; reference = abc123',
  'Durable Object storage operation exceeded timeout which caused object to be reset.',
  "Durable Object's isolate exceeded its memory limit and was reset.",
  'Cannot resolve Durable Object due to transient issue on remote node.',
  'This script has been upgraded. Please send a new request to connect to the new version.',
  'disk I/O error: SQLITE_IOERR',
  'an unknown error message',
];
/**
 * Platform errors may have these flags. `remote` alone is unreliable, because errors of storage inside the
 * object lack it.
 */
const RETRY_FLAGS = [
  { remote: true },
  { remote: true, durableObjectReset: true },
  { retryable: true },
  { remote: true, retryable: false, overloaded: false },
];
const platformErrors = [
  ...PLATFORM_ERRORS.map((words): [string, Error] => [words, new Error(words)]),
  ...RETRY_FLAGS.map((flags): [string, Error] => [
    JSON.stringify(flags),
    Object.assign(new Error('internal error; reference = abc123'), flags),
  ]),
];

describe('a call to the session object', () => {
  it.each(platformErrors)('is sent again on a new stub after the error %s', async (_, error) => {
    const { name, raw } = makeObjectHarness();
    await raw.begin(createBeginRequest('t1', 'a'));
    const { namespace, count } = createFailingNamespace(error, { times: 4 });
    const { ms, pauses } = recordPauses();
    expect(await createObjectSession(namespace, name, { pauses }).read({ from: 1 })).toMatchObject({
      head: 2,
    });
    expect([count.stubs, ms]).toEqual([5, [0, 100, 500, 2_000]]);
  });

  it('is sent again after a thrown value that is not an Error', async () => {
    const { name, raw } = makeObjectHarness();
    await raw.begin(createBeginRequest('t1', 'a'));
    const { pauses } = recordPauses();
    const once = createObjectSession(createFailingNamespace('gone', { times: 1 }).namespace, name, {
      pauses,
    });
    expect(await once.read({ from: 1 })).toMatchObject({ head: 2 });
    const never = createObjectSession(createFailingNamespace('gone').namespace, name, { pauses });
    await expect(never.read({ from: 1 })).rejects.toThrow(new SessionUnavailableError(new Error('gone')));
  });

  /** Each call, and its result if its first stub breaks after the object has run it. */
  const calls: readonly [
    keyof SessionPort,
    (port: SessionPort, epoch: number) => Promise<unknown>,
    object | string | boolean | null,
  ][] = [
    [
      'accept',
      (port) => port.accept(createBeginRequest('t1', 'a').start),
      { status: 'accepted', turn: 't1' },
    ],
    ['begin', (port) => port.begin(createBeginRequest('t1', 'a')), { status: 'leased', cause: 'started' }],
    ['resume', (port) => port.resume({ ...createBeginRequest('t1', 'b'), turn: 't1' }), { status: 'leased' }],
    ['append', (port, epoch) => port.append(epoch, 3, { events: [createEventRow('t1', 'x')] }), { head: 3 }],
    ['renew', (port, epoch) => port.renew(epoch), { status: 'renewed' }],
    ['post', (port) => port.post({ kind: 'cancel', turn: 't1', body: '{}' }), 'posted'],
    [
      'post',
      (port) => port.post({ kind: 'answer', turn: 't1', body: '{}', answers: { wait: 'w', bodyHash: 'h' } }),
      'known', // the sender mistakes the answer for its own
    ],
    ['read', (port) => port.read({ from: 1 }), { head: 2 }],
    ['blob', (port) => port.blob({ id: 'a' }), null],
    [
      'accept',
      (port) => port.accept({ ...createBeginRequest('t1', 'a').start, blobs: BLOBS }),
      { status: 'accepted' },
    ],
    [
      'begin',
      (port) =>
        port.begin({
          ...createBeginRequest('t1', 'a'),
          start: { ...createBeginRequest('t1', 'a').start, blobs: BLOBS },
        }),
      { status: 'leased', blobs: { bytes: 3, gone: 0 } },
    ],
    [
      'append',
      (port, epoch) => port.append(epoch, 3, { events: [createEventRow('t1', 'x')], blobs: BLOBS }),
      { head: 3 },
    ],
    ['post', (port) => port.post({ kind: 'late', turn: 't1', body: '{}', blobs: BLOBS }), 'posted'],
    ['erase', (port) => port.erase(), true],
  ];
  it.each(calls)(
    'returns its normal result if the connection breaks after the call ran: %s',
    async (method, call, expected) => {
      const { name, raw } = makeObjectHarness();
      const { pauses } = recordPauses();
      let epoch = 0;
      if (method === 'resume') await raw.accept(createBeginRequest('t1', 'a').start);
      else if (method !== 'accept' && method !== 'begin')
        ({ epoch } = await acquireLease(raw, createBeginRequest('t1', 'a')));
      const { namespace, count } = createFailingNamespace(createConnectionError(), {
        times: 1,
        when: 'after',
      });
      const answer = await call(createObjectSession(namespace, name, { pauses }), epoch);
      expect(answer).toEqual(expected instanceof Object ? expect.objectContaining(expected) : expected);
      expect(count).toEqual({ stubs: 2, calls: 2 });
    },
  );

  it('shares one new stub with all calls that were in flight on the broken one', async () => {
    const { name, raw } = makeObjectHarness();
    await raw.begin(createBeginRequest('t1', 'a'));
    const { namespace, count } = createFailingNamespace(createConnectionError(), { times: 1 });
    const { pauses } = recordPauses();
    const { read } = createObjectSession(namespace, name, { pauses });
    const pages = await Promise.all([read({ from: 1 }), read({ from: 2 }), read({ from: 3 })]);
    expect(pages.map((page) => page?.rows.length)).toEqual([2, 1, 0]);
    expect(count).toEqual({ stubs: 2, calls: 6 });
  });

  it('reports an unknown session as erased', async () => {
    const { session } = makeObjectHarness();
    expect(await session.erase()).toBe(false);
  });

  it('opens a watcher on a new stub, even if the response had no WebSocket', async () => {
    const { name, raw } = makeObjectHarness();
    await raw.begin(createBeginRequest('t1', 'a'));
    const { pauses, ms } = recordPauses();
    const { namespace } = createFailingNamespace(createConnectionError(), { times: 1 });
    const told = Promise.withResolvers<number>();
    const line = await createObjectSession(namespace, name, { pauses }).watch({
      onNotice: ({ head }) => told.resolve(head),
      onClosed: () => told.reject(new Error('closed')),
    });
    expect(await told.promise).toBe(2);
    line.close();

    const busy = { fetch: async () => new Response('Try again.', { status: 503 }) };
    const plain: Namespace = new Proxy(env.SESSIONS, { get: () => () => busy });
    const watching = createObjectSession(plain, name, { pauses }).watch({
      onNotice: () => {},
      onClosed: () => {},
    });
    const why = new Error('the session object returned 503 and opened no WebSocket');
    await expect(watching).rejects.toThrow(new SessionUnavailableError(why));
    expect(ms).toEqual([0, 0, 100, 500, 2_000]);
  });

  it.each(['before', 'after'])('stores an append once if the line broke %s it was stored', async (when) => {
    const { name, session, raw } = makeObjectHarness();
    const { epoch } = await acquireLease(raw, createBeginRequest('t1', 'a'));
    const { namespace, count } = createFailingNamespace(createConnectionError(), { times: 2, when });
    const { pauses } = recordPauses();
    const port = createObjectSession(namespace, name, { pauses });
    const answer = await port.append(epoch, 3, { events: [createEventRow('t1', 'x')] });
    expect(answer).toMatchObject({ status: 'appended', head: 3 });
    expect(count.stubs).toBe(3);
    expect(await session.read({ from: 1 })).toMatchObject({ head: 3 });
  });

  it.each([
    [0, [0, 75, 375, 1_500]],
    [0.999, [0, 124, 624, 2_499]],
  ])('is repeated with a backoff of up to about two seconds and the jitter %d', async (random, expected) => {
    const { name } = makeObjectHarness();
    const { pauses, ms } = recordPauses(random);
    const { namespace, count } = createFailingNamespace(createConnectionError());
    const reading = createObjectSession(namespace, name, { pauses }).read({ from: 1 });
    await expect(reading).rejects.toThrow(new SessionUnavailableError(createConnectionError()));
    expect([count.calls, ms.map(Math.floor)]).toEqual([5, expected]);
  });
});

describe('a call that an older object does not support', () => {
  /** The objects, which lack two methods for the first `times` calls, like an older version. */
  function createOlderNamespace(times = 99) {
    let calls = 0;
    const getByName: Namespace['getByName'] = (...args) => {
      calls += 1;
      const isOlder = calls <= times;
      const stub = env.SESSIONS.getByName(...args);
      const isNew = (key: string | symbol) => key === 'blob' || key === 'accept';
      return new Proxy(stub, {
        get: (target, key) => Reflect.get(target, isOlder && isNew(key) ? 'unheardOf' : key),
      });
    };
    return new Proxy(env.SESSIONS, {
      get: (target, key) => (key === 'getByName' ? getByName : Reflect.get(target, key)),
    });
  }
  const withBlobs = { ...createBeginRequest('t1', 'a').start, blobs: BLOBS };
  const why =
    /^The session cannot be reached: The RPC receiver does not implement (the method )?"unheardOf"\.$/;

  it.each<[string, (port: SessionPort) => Promise<unknown>]>([
    ['accept', (port) => port.accept({ ...withBlobs, turn: 't2' })],
    ['blob', (port) => port.blob({ id: 'a' })],
  ])('rejects, and reports that it had no effect: %s', async (_, call) => {
    const { name, raw } = makeObjectHarness();
    const { epoch } = await acquireLease(raw, createBeginRequest('t1', 'a'));
    const { pauses, ms } = recordPauses();
    const failure: unknown = await call(createObjectSession(createOlderNamespace(), name, { pauses })).catch(
      (error) => error,
    );
    expect(failure).toBeInstanceOf(SessionUnavailableError);
    expect(failure).toMatchObject({ message: expect.stringMatching(why), isNotRun: true });
    expect(ms).toEqual([0, 100, 500, 2_000]);
    expect(await raw.read({ from: 1 })).toMatchObject({ head: 2, waiting: [] });
    expect(await raw.renew(epoch)).toEqual({ status: 'renewed', inbox: [] });
  });

  it('succeeds once the object runs the current version', async () => {
    const { name, raw } = makeObjectHarness();
    const { pauses } = recordPauses();
    const port = createObjectSession(createOlderNamespace(2), name, { pauses });
    expect(await port.accept(withBlobs)).toEqual({ status: 'accepted', turn: 't1' });
    expect((await raw.blob({ id: 'a' }))?.bytes).toEqual(BLOBS[0]?.bytes);
  });

  it('does not report that it had no effect if a lost object may have run it', async () => {
    const { name } = makeObjectHarness();
    const { pauses } = recordPauses();
    let calls = 0;
    const objects = createOlderNamespace();
    const getByName: Namespace['getByName'] = (...args) => {
      calls += 1;
      return calls === 1
        ? createFailingNamespace(createConnectionError()).namespace.getByName(...args)
        : objects.getByName(...args);
    };
    const namespace = new Proxy(env.SESSIONS, {
      get: (target, key) => (key === 'getByName' ? getByName : Reflect.get(target, key)),
    });
    const accepting = createObjectSession(namespace, name, { pauses }).accept(withBlobs);
    await expect(accepting).rejects.toMatchObject({ name: 'SessionUnavailableError', isNotRun: false });
  });
});

describe('a call is not retried', () => {
  it.each<[string, Error & { readonly overloaded?: boolean }]>([
    [
      'to an object that is overloaded',
      Object.assign(new Error('Durable Object is overloaded. Too many requests queued.'), {
        overloaded: true,
        retryable: true,
      }),
    ],
    [
      'to an object whose error says so only in its message',
      new Error('Durable Object is overloaded. Requests queued for too long.'),
    ],
    [
      'under an account that is rate-limited',
      new Error(
        'Your account is generating too much load on Durable Objects. Please back off and try again later.',
      ),
    ],
  ])('%s, but the next call uses a new stub', async (_, error) => {
    const { name, raw } = makeObjectHarness();
    await raw.begin(createBeginRequest('t1', 'a'));
    const { namespace, count } = createFailingNamespace(error, { times: 1 });
    const { pauses, ms } = recordPauses();
    const port = createObjectSession(namespace, name, { pauses });
    await expect(port.read({ from: 1 })).rejects.toThrow(new SessionUnavailableError(error));
    expect([count.calls, ms]).toEqual([1, []]);
    expect(await port.read({ from: 1 })).toMatchObject({ head: 2 });
  });

  it.each<[string, Error]>([
    ['a statement that is wrong', new Error('no such column: nope at offset 7: SQLITE_ERROR')],
    [
      'a row that breaks a rule',
      new Error(
        'NOT NULL constraint failed: events.epoch: SQLITE_CONSTRAINT (extended: SQLITE_CONSTRAINT_NOTNULL)',
      ),
    ],
    ['a body that is too big', new Error('string or blob too big: SQLITE_TOOBIG')],
    ['a database that is full', new Error('database or disk is full: SQLITE_FULL')],
    ['a mistake in the code', new TypeError("Cannot read properties of undefined (reading 'turn')")],
    ['an endless recursion', new RangeError('Maximum call stack size exceeded')],
    ['a value that cannot be cloned', new DOMException('Symbol(x) could not be cloned.', 'DataCloneError')],
    [
      'a message that is too long',
      new Error(
        'Serialized RPC arguments or return values are limited to 32MiB, but the size of this value was: 40000029 bytes.',
      ),
    ],
  ])('after an error of the session itself: %s', async (_, error) => {
    const { name } = makeObjectHarness();
    const { namespace, count } = createFailingNamespace(Object.assign(error, { remote: true }));
    const { pauses, ms } = recordPauses();
    await expect(createObjectSession(namespace, name, { pauses }).read({ from: 1 })).rejects.toBe(error);
    expect([count.calls, ms]).toEqual([1, []]);
  });

  it('if the real database refuses, and the error is reported unchanged', async () => {
    const { name, raw, stub } = makeObjectHarness();
    await raw.begin(createBeginRequest('t1', 'a'));
    await runInDurableObject(stub(), (_, { storage }) => {
      storage.sql.exec('DROP TABLE events');
    });
    const { pauses, ms } = recordPauses();
    const reading = createObjectSession(env.SESSIONS, name, { pauses }).read({ from: 1 });
    await expect(reading).rejects.toMatchObject({
      name: 'Error',
      message: 'no such table: events: SQLITE_ERROR',
    });
    expect(ms).toEqual([]);
  });
});

it('the session in an object returns plain data', async () => {
  const { session } = makeObjectHarness();
  const answer = await session.begin(createBeginRequest('t1', 'a'));
  expect(JSON.parse(JSON.stringify(answer))).toEqual(answer);
});
