/** `files({ store })`: an external store for file bytes. */
import { createExecutionContext, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ConfigurationError, createHoldfast } from '../../../../src/create-holdfast.ts';
import type { ModuleUse } from '../../../../src/index.ts';
import { ToolCallContext } from '../../../../src/index.ts';
import {
  type FileKey,
  type FileStore,
  files,
  type SessionFilesKey,
} from '../../../../src/modules/files/entry.ts';
import { createObjectSession } from '../../../doors/durable-objects.ts';
import { toTurnStart } from '../../../doors/session.ts';
import { scripted } from '../../../fixtures/scripted-agent.ts';
import { registerScript } from '../../../fixtures/scripts.ts';
import { createTestApp, wrapObjects } from './app.ts';
import { createSessionPath, getSessionName, ORIGIN, post, readJson, send } from './client.ts';
import { computeFileId, createFileApp, postAndRead } from './file-app.ts';
import { withoutPauses } from './pauses-passing.ts';
import { createProblem } from './waiting.ts';

const log = vi.spyOn(console, 'error').mockImplementation(() => {});
afterEach(() => log.mockClear());

/** A store that records its requests. It calls `onPut` before it stores each file. */
function createStore(onPut: (key: FileKey) => Promise<void> = async () => {}) {
  const asked: string[] = [];
  const formatKey = ({ session, incarnation }: SessionFilesKey, id = '') =>
    `${JSON.parse(session)[2].slice(0, 4)} ${incarnation} ${id.slice(0, 4)}`.trim();
  const store: FileStore = {
    async put(key) {
      await onPut(key);
      asked.push(`put ${formatKey(key, key.id)}`);
    },
    get: async () => null,
    delete: async (key) => void asked.push(`delete ${formatKey(key, key.id)}`),
    deleteAll: async (key) => void asked.push(`delete all ${formatKey(key)}`),
  };
  return { asked, store: () => store };
}

const USAGE_TEXT =
  'Use (env) => store, where the store has the methods `put`, `get`, `delete` and `deleteAll`.';

describe('an invalid store', () => {
  it.each([
    [{ put: () => {} }, 'a value of the type object'],
    ['FILES', 'a value of the type string'],
    [null, 'null'],
  ])('is refused when the app is created: %j', (store, said) => {
    const make = () => files({ store: store as never });
    expect(make).toThrow(new ConfigurationError(`The \`store\` of files() is ${said}. ${USAGE_TEXT}`));
  });

  it.each<[string, () => unknown]>([
    ['undefined', () => undefined],
    ['null', () => null],
    ['a promise', async () => createStore().store()],
    ['a value of the type object', () => ({ put: () => {}, get: () => {} })],
  ])('is reported by the first request for a session: %s', async (said, store) => {
    const via = createTestApp({ use: [files({ store: store as never })] });
    const detail = `The \`store\` of files() returned ${said}. ${USAGE_TEXT}`;
    for (let i = 0; i < 2; i += 1) {
      const response = await post(createSessionPath(), { message: 'Hello' }, { via });
      expect(await readJson(response)).toEqual(createProblem('misconfigured', 500, detail));
    }
    expect(log.mock.calls).toEqual([[`holdfast: ${detail}`]]);
    expect((await via('/agents')).status).toBe(200);
  });

  it('is reported with the error of its function if the function throws', async () => {
    const store = () => {
      throw new ConfigurationError('There is no bucket.');
    };
    const via = createTestApp({ use: [files({ store })] });
    const response = await via(createSessionPath());
    expect(await readJson(response)).toEqual(createProblem('misconfigured', 500, 'There is no bucket.'));
  });
});

describe('the store of an app', () => {
  it('is created once per environment', async () => {
    const { store } = createStore();
    const environments: object[] = [];
    const make = (of: object) => {
      environments.push(of);
      return store();
    };
    const { worker } = createHoldfast({ agents: [scripted], use: [files({ store: make })] });
    const vars = { ...env };
    for (let i = 0; i < 3; i += 1) {
      const request = new Request(`${ORIGIN}${createSessionPath()}`);
      await worker.fetch(
        request as Request<unknown, IncomingRequestCfProperties>,
        vars,
        createExecutionContext(),
      );
    }
    expect(environments.map((one) => one === vars)).toEqual([true]);
  });

  it.each([
    ['of an agent', 'scripted'],
    ['of an agent that is not deployed any more', 'other'],
  ])('is not needed to erase a session %s, and the session object uses it later', async (_, agent) => {
    const session = createSessionPath();
    const { asked, store } = createStore();
    const first = createTestApp({ use: [files({ store })] });
    await (await post(session, { message: registerScript('Hello.').message() }, { via: first })).text();
    const object = env.SESSIONS.getByName(getSessionName(session));
    const incarnation = (await object.read({ from: 1 }))?.incarnation;
    const via = createTestApp({ agents: [{ ...scripted, name: agent }], use: [files({ store })] });
    expect((await via(session, { method: 'DELETE' })).status).toBe(204);
    expect((await send(session)).status).toBe(404);
    expect(asked).toEqual([]);
    const agenda = await runInDurableObject(object, (_object, { storage }) =>
      storage.sql.exec('SELECT kind, ref FROM agenda').toArray(),
    );
    expect(agenda).toEqual([{ kind: 'due', ref: expect.stringContaining(`"outside":"${incarnation}"`) }]);
  });

  it('is not used later for a session of an app without a store', async () => {
    const session = createSessionPath();
    await (await post(session, { message: registerScript('Hello.').message() })).text();
    await send(session, { method: 'DELETE' });
    const object = env.SESSIONS.getByName(getSessionName(session));
    const alarm = await runInDurableObject(object, (_object, { storage }) => storage.getAlarm());
    expect(alarm).toBeNull();
  });

  it('deletes stale files, and fails without a store', async () => {
    const { asked, store } = createStore();
    const createRunner = (...use: readonly ModuleUse[]) => {
      const { TurnRunner } = createHoldfast({ agents: [scripted], use });
      return new TurnRunner(createExecutionContext(), { ...env });
    };
    const name = JSON.stringify(['local', 'scripted', 's-1-x']);
    const row = { name, module: 'files', key: '', ref: 'i1', attempt: 1, stale: { incarnation: 'i1' } };
    const copies = { incarnation: 'i1', copies: ['a', 'b'].map((id) => ({ id, version: 0 })) };
    expect(await createRunner(files({ store })).due({ ...row, stale: copies })).toBe('done');
    expect(await createRunner(files({ store })).due(row)).toBe('done');
    expect(asked).toEqual(['delete s-1- i1 a', 'delete s-1- i1 b', 'delete all s-1- i1']);
    const problem = 'Files of this session are in an external store, but the app has none. ';
    await expect(createRunner(files()).due(row)).rejects.toThrow(
      new ConfigurationError(`${problem}Pass the store that was used to \`files({ store })\`.`),
    );
    expect(await createRunner().due(row)).toBe('unknown');
  });
});

describe('a message with a file whose session changes while the store saves the file', () => {
  const parts = [{ type: 'file', mediaType: 'image/png', data: btoa('some bytes') }];
  const LATER = { agent: 'seer', message: 'Later', context: ToolCallContext.of({}), from: { id: 'local' } };
  const createPort = (session: string) => createObjectSession(env.SESSIONS, getSessionName(session));
  const begin = (session: string, incarnation: string) =>
    createPort(session).accept({ ...toTurnStart(LATER, () => incarnation), delayMs: 3_600_000 });
  const SHORT = /(?<=put s-\S\S |delete s-\S\S )[0-9a-f]{16}/g;
  const normalizeCalls = (asked: readonly string[]) =>
    asked.map((one) => one.replace(SHORT, 'new').replace(/s-\S\S/, 's'));

  it('stores the file again if the session was erased, and leaves no copy of the first', async () => {
    const session = createSessionPath('seer');
    await begin(session, 'one');
    let puts = 0;
    const { asked, store } = createStore(async () => {
      puts += 1;
      if (puts === 1) await createPort(session).erase();
    });
    const { via } = createFileApp({ store });
    expect((await postAndRead(via, { message: parts }, session)).status).toBe(200);
    const id = (await computeFileId('some bytes')).slice(0, 4);
    expect(normalizeCalls(asked)).toEqual([`put s one ${id}`, `delete s one ${id}`, `put s new ${id}`]);
    const page = await createPort(session).blob({ id: await computeFileId('some bytes') });
    expect(page?.at?.incarnation).toMatch(/^[0-9a-f]{16}$/);
  });

  it('is added to the session that another message has begun', async () => {
    const session = createSessionPath('seer');
    let puts = 0;
    const { asked, store } = createStore(async () => {
      puts += 1;
      if (puts === 1) await begin(session, 'two');
    });
    const { via } = createFileApp({ store });
    expect((await postAndRead(via, { message: parts }, session)).status).toBe(200);
    const id = (await computeFileId('some bytes')).slice(0, 4);
    expect(normalizeCalls(asked)).toEqual([`put s new ${id}`, `delete s new ${id}`, `put s two ${id}`]);
  });

  it('is refused if that happens repeatedly, and can be sent again', async () => {
    const session = createSessionPath('seer');
    let puts = 0;
    const { asked, store } = createStore(async () => {
      puts += 1;
      await createPort(session).erase();
      if (puts % 2 === 1) await begin(session, `i${puts}`);
    });
    const { via } = createFileApp({ store });
    const { status, answer } = await postAndRead(via, { message: parts }, session);
    expect([status, answer]).toEqual([
      503,
      createProblem(
        'files-unavailable',
        503,
        'The session was erased, or its files were deleted, while the files of the message were stored. Send it again.',
      ),
    ]);
    expect(normalizeCalls(asked).map((one) => one.split(' ').slice(0, 3).join(' '))).toEqual([
      'put s new',
      'delete s new',
      'put s i1',
      'delete s i1',
      'put s new',
      'delete s new',
    ]);
  });
});

describe('a message that an older object cannot accept', () => {
  it.each<[string, Record<string, string>]>([
    ['begin', {}],
    ['accept', { prefer: 'respond-async' }],
  ])('returns 503, and can be sent again unchanged: %s', async (method, headers) => {
    const SESSIONS = wrapObjects((stub) => ({
      [method]: (...args: unknown[]) => Reflect.get(stub, 'unheardOf')(...args),
    }));
    const session = createSessionPath();
    const via = createTestApp({}, { SESSIONS });
    const { message } = registerScript('Done.');
    const said = message();
    const response = await withoutPauses(() => post(session, { message: said }, { headers, via }));
    expect(response.headers.get('retry-after')).toBe('1');
    const detail = 'The session cannot be reached now. Send the request again.';
    expect(await readJson(response)).toEqual(createProblem('session-unavailable', 503, detail));
    expect(log.mock.calls).toEqual([
      [
        expect.stringMatching(/^holdfast: request [0-9a-f]{16} failed$/),
        expect.objectContaining({ isNotRun: true }),
      ],
    ]);
    expect((await send(session)).status).toBe(404);
    expect(await readJson(await post(session, { message: said }))).toMatchObject({ text: 'Done.' });
  });
});
