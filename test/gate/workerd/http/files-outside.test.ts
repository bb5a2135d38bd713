/** `createHoldfast({ files })`: a store outside for the bytes of files, and what becomes of it. */
import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ConfigurationError, createHoldfast, type FileStore } from '../../../../src/create-holdfast.ts';
import { scripted } from '../../../fixtures/scripted-agent.ts';
import { script } from '../../../fixtures/scripts.ts';
import { appWith, objectsWith } from './app.ts';
import { json, newSession, ORIGIN, post, send, sessionName } from './client.ts';
import { pausesPassing } from './pauses-passing.ts';
import { problem } from './waiting.ts';

const log = vi.spyOn(console, 'error').mockImplementation(() => {});
afterEach(() => log.mockClear());

/** A store that only says what it is asked. */
function storeOf(onDelete: (session: string) => Promise<void> = async () => {}) {
  const deleted: string[] = [];
  const store: FileStore = {
    put: async () => {},
    get: async () => null,
    delete: async (session) => {
      deleted.push(session);
      await onDelete(session);
    },
  };
  return { deleted, files: () => store };
}

const USE = 'use (env) => store, where the store has the methods `put`, `get` and `delete`.';

describe('a store that is none', () => {
  it.each([
    [{ put: () => {} }, 'of type object'],
    ['FILES', 'of type string'],
    [null, 'null'],
  ])('is refused when the app is made: %j', (files, said) => {
    const make = () => createHoldfast({ agents: [scripted], files: files as never });
    expect(make).toThrow(new ConfigurationError(`\`files\` is ${said}: ${USE}`));
  });

  it.each<[string, () => unknown]>([
    ['undefined', () => undefined],
    ['null', () => null],
    ['a promise', async () => storeOf().files()],
    ['of type object', () => ({ put: () => {}, get: () => {} })],
  ])('is told by the first request for a session: %s', async (said, files) => {
    const via = appWith({ files: files as never });
    const detail = `\`files\` answered ${said}: ${USE}`;
    for (let i = 0; i < 2; i += 1) {
      const response = await post(newSession(), { message: 'Hello' }, { via });
      expect(await json(response)).toEqual(problem('misconfigured', 500, detail));
    }
    expect(log.mock.calls).toEqual([[`holdfast: ${detail}`]]);
    expect((await via('/agents')).status).toBe(200);
  });

  it('fails as the app says when its function throws', async () => {
    const via = appWith({
      files: () => {
        throw new ConfigurationError('There is no bucket.');
      },
    });
    const response = await via(newSession());
    expect(await json(response)).toEqual(problem('misconfigured', 500, 'There is no bucket.'));
  });
});

describe('the store of an app', () => {
  it('is made once for an environment', async () => {
    const { files } = storeOf();
    const environments: object[] = [];
    const make = (of: object) => {
      environments.push(of);
      return files();
    };
    const { worker } = createHoldfast({ agents: [scripted], files: make });
    const vars = { ...env };
    for (let i = 0; i < 3; i += 1) {
      const request = new Request(`${ORIGIN}${newSession()}`);
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
  ])('has the files of a session %s deleted before it is erased', async (_, agent) => {
    const session = newSession();
    await (await post(session, { message: script('Hello.').message() })).text();
    const { deleted, files } = storeOf(async () => {
      expect((await send(session)).status).toBe(200);
    });
    const via = appWith({ agents: [{ ...scripted, name: agent }], files });
    expect((await via(session, { method: 'DELETE' })).status).toBe(204);
    expect(deleted).toEqual([sessionName(session)]);
    expect((await send(session)).status).toBe(404);
  });

  it('keeps a session whose files it cannot delete, until it can', async () => {
    const session = newSession();
    await (await post(session, { message: script('Hello.').message() })).text();
    let isDown = true;
    const failure = new Error('the bucket is down');
    const { files } = storeOf(async () => {
      if (isDown) throw failure;
    });
    const via = appWith({ files });
    const refused = await via(session, { method: 'DELETE' });
    expect(refused.headers.get('retry-after')).toBe('5');
    expect(await json(refused)).toEqual(
      problem(
        'session-unavailable',
        503,
        'The files of the session could not be deleted now, and it is kept. Send the request again.',
      ),
    );
    const id = refused.headers.get('x-request-id');
    expect(log.mock.calls).toEqual([
      [`holdfast: request ${id} could not delete the files of a session, which is kept`, failure],
    ]);
    expect((await send(session)).status).toBe(200);
    isDown = false;
    expect((await via(session, { method: 'DELETE' })).status).toBe(204);
    expect((await send(session)).status).toBe(404);
  });

  it('is asked for nothing of a session that cannot be', async () => {
    const { deleted, files } = storeOf();
    const refused = await appWith({ files })('/agents/scripted/sessions/%20', { method: 'DELETE' });
    expect([refused.status, deleted]).toEqual([400, []]);
  });

  it('is asked by the runner to delete the files of a session, which fails without a store', async () => {
    const { deleted, files } = storeOf();
    const runner = (config: { files?: () => FileStore }) => {
      const { TurnRunner } = createHoldfast({ agents: [scripted], ...config });
      return new TurnRunner(createExecutionContext(), { ...env });
    };
    const name = sessionName(newSession());
    await runner({ files }).deleteFiles(name);
    expect(deleted).toEqual([name]);
    await expect(runner({}).deleteFiles(name)).rejects.toThrow(
      new ConfigurationError(
        'Files of this session are in a store outside, and createHoldfast has none: give it `files` again, as when they were stored.',
      ),
    );
  });
});

describe('a message that an object of an older version does not know how to take', () => {
  it.each<[string, Record<string, string>]>([
    ['begin', {}],
    ['accept', { prefer: 'respond-async' }],
  ])('is answered 503, and may be sent again as it is: %s', async (method, headers) => {
    const SESSIONS = objectsWith((stub) => ({
      [method]: (...args: unknown[]) => Reflect.get(stub, 'unheardOf')(...args),
    }));
    const session = newSession();
    const via = appWith({}, { SESSIONS });
    const { message } = script('Done.');
    const said = message();
    const response = await pausesPassing(() => post(session, { message: said }, { headers, via }));
    expect(response.headers.get('retry-after')).toBe('1');
    const detail = 'The session cannot be reached now. Send the request again.';
    expect(await json(response)).toEqual(problem('session-unavailable', 503, detail));
    expect(log.mock.calls).toEqual([
      [
        expect.stringMatching(/^holdfast: request [0-9a-f]{16} failed$/),
        expect.objectContaining({ tookNothing: true }),
      ],
    ]);
    expect((await send(session)).status).toBe(404);
    expect(await json(await post(session, { message: said }))).toMatchObject({ text: 'Done.' });
  });
});
