import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, it, vi } from 'vitest';
import { files } from '../../../../src/modules/files/entry.ts';
import { SessionUnavailableError } from '../../../doors/session.ts';
import { marathon, scripted } from '../../../fixtures/scripted-agent.ts';
import { registerScript } from '../../../fixtures/scripts.ts';
import { createTestApp, wrapObjects } from './app.ts';
import {
  createSessionPath,
  getSessionName,
  post,
  readJournal,
  readJson,
  SSE_HEADERS,
  send,
} from './client.ts';
import { withoutPauses } from './pauses-passing.ts';

describe('a session with events of a newer deployment', () => {
  it('is not changed by an older deployment', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    const session = createSessionPath();
    await post(session, { message: registerScript('Done.').message() });
    const stub = env.SESSIONS.getByName(getSessionName(session));
    await runInDurableObject(stub, (_, { storage }) => {
      storage.sql.exec(`UPDATE events SET body = replace(body, '"v":1', '"v":9') WHERE seq = 4`);
    });
    for (const response of [await send(session), await send(`${session}/events`)]) {
      expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
      expect(await readJson(response)).toEqual({
        type: 'urn:holdfast:problem:newer-deployment',
        title: 'newer deployment',
        status: 503,
        detail:
          'Event 3 was written by a newer version of this Worker. Try again when the deployment is complete.',
      });
    }
    // The message is stored, and the newer deployment will answer it.
    const stored = await post(session, { message: 'Hello' });
    const { status, turn } = await readJson(stored);
    const location = `${session}/turns/${turn}`;
    expect([stored.status, stored.headers.get('location'), status]).toEqual([202, location, 'accepted']);
    log.mockRestore();
  });
});

/** The objects over a connection that throws this permanent error. */
const createFailingNamespace = (error: Error) => {
  const fail = () => Promise.reject(error);
  return {
    getByName: () => ({ read: fail, begin: fail, accept: fail, post: fail, erase: fail, fetch: fail }),
  };
};

const createUnavailableProblem = (detail: string) => ({
  type: 'urn:holdfast:problem:session-unavailable',
  title: 'session unavailable',
  status: 503,
  detail,
});

describe('a session whose object cannot be reached', () => {
  describe.each([
    ['overloaded', Object.assign(new Error('no'), { overloaded: true })],
    ['retryable', Object.assign(new Error('no'), { overloaded: false, retryable: true })],
    ['connection lost', new Error('Network connection lost.')],
    ['no longer active', new Error('Durable Object is no longer active')],
    ['internal error', Object.assign(new Error('internal error; reference = abc123'), { remote: true })],
  ])('with the error %s,', (_, error) => {
    const via = createTestApp({}, { SESSIONS: createFailingNamespace(error) });

    it.each<[string, (session: string) => Promise<Response>]>([
      ['its state', (session) => via(session)],
      ['its events', (session) => via(`${session}/events`)],
      ['a stream of its events', (session) => via(`${session}/events`, { headers: SSE_HEADERS })],
      ['one of its turns', (session) => via(`${session}/turns/t`)],
      ['a cancel', (session) => via(`${session}/cancel`, { method: 'POST' })],
      ['its erasure', (session) => via(session, { method: 'DELETE' })],
    ])('returns 503 and the time after which to retry %s', async (_what, ask) => {
      const log = vi.spyOn(console, 'error').mockImplementation(() => {});
      const response = await withoutPauses(() => ask(createSessionPath()));
      expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
      const detail = 'The session cannot be reached now. Send the request again.';
      expect(await readJson(response)).toEqual(createUnavailableProblem(detail));
      expect(log.mock.calls).toEqual([
        [
          expect.stringMatching(/^holdfast: request [0-9a-f]{16} failed$/),
          new SessionUnavailableError(error),
        ],
      ]);
      log.mockRestore();
    });

    it.each<[string, Record<string, string>]>([
      ['that is run at once', {}],
      ['for the background', { prefer: 'respond-async' }],
    ])('reports that a message %s may have been accepted, and how to check', async (_what, headers) => {
      const log = vi.spyOn(console, 'error').mockImplementation(() => {});
      const session = createSessionPath();
      const response = await withoutPauses(() => post(session, { message: 'Hello' }, { via, headers }));
      expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
      const { turn, ...said } = await readJson(response);
      expect(turn).toMatch(/^[0-9a-f]{16}$/);
      expect(said).toEqual(
        createUnavailableProblem(
          `The session did not answer, and may have stored the message as turn ${turn}. ` +
            `Send it again only if GET ${session}/turns/${turn} returns 404.`,
        ),
      );
      expect(log.mock.calls).toEqual([
        [`holdfast: turn ${turn} may have been accepted`, new SessionUnavailableError(error)],
      ]);
      log.mockRestore();
    });

    it('reports that a message with an Idempotency-Key can be sent again under that key', async () => {
      const log = vi.spyOn(console, 'error').mockImplementation(() => {});
      const session = createSessionPath();
      const headers = { 'idempotency-key': 'k' };
      const response = await withoutPauses(() => post(session, { message: 'Hello' }, { via, headers }));
      expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
      const { turn, ...said } = await readJson(response);
      expect(turn).toMatch(/^[0-9a-f]{16}$/);
      expect(said).toEqual(
        createUnavailableProblem(
          'The session did not answer, and may have stored the message. Send it again with the same Idempotency-Key.',
        ),
      );
      log.mockRestore();
    });
  });

  it('runs a message only once if the first response was lost and the client retries as instructed', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    const lost = createTestApp(
      {},
      {
        SESSIONS: wrapObjects((stub) => ({
          accept: async (start: Parameters<typeof stub.accept>[0]) => {
            await stub.accept(start);
            throw new Error('internal error; reference = abc123');
          },
        })),
      },
    );
    const session = createSessionPath();
    const { message, model } = registerScript('Done.');
    const body = { message: message() };
    const headers = { 'idempotency-key': 'k', prefer: 'respond-async' };
    const first = await withoutPauses(() => post(session, body, { headers, via: lost }));
    expect(first.status).toBe(503);
    const again = await post(session, body, { headers: { 'idempotency-key': 'k' } });
    expect(await readJson(again)).toMatchObject({ turn: (await readJson(first)).turn, text: 'Done.' });
    expect(model.requests).toHaveLength(1);
    log.mockRestore();
  });

  it('keeps an accepted message, and returns the address of its answer', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    const fail = () => Promise.reject(Object.assign(new Error('no'), { overloaded: true }));
    const via = createTestApp(
      {},
      { SESSIONS: wrapObjects(() => ({ append: fail, read: fail, renew: fail })) },
    );
    const session = createSessionPath();
    const response = await post(session, { message: registerScript('Done.').message() }, { via });
    const { turn } = await readJson(response);
    expect([response.status, response.headers.get('location')]).toEqual([202, `${session}/turns/${turn}`]);
    expect((await readJson(await send(session))).turn).toMatchObject({ turn });
    log.mockRestore();
  }, 20_000);

  it('is handed over if one of its files cannot be read, and the client still gets the answer', async () => {
    let refused = 0;
    const reader = { ...scripted, accepts: ['text/plain'] };
    const SESSIONS = wrapObjects((stub) => ({
      blob: async (...query: Parameters<typeof stub.blob>) => {
        refused += 1;
        if (refused === 1) throw Object.assign(new Error('no'), { overloaded: true });
        return stub.blob(...query);
      },
    }));
    const session = createSessionPath();
    const { message } = registerScript('Read.');
    const file = { type: 'file', mediaType: 'text/plain', data: btoa('some bytes') };
    const body = { message: [{ type: 'text', text: message() }, file] };
    const response = await post(session, body, {
      via: createTestApp({ agents: [reader], use: [files()] }, { SESSIONS }),
    });
    expect(await readJson(response)).toMatchObject({ outcome: 'completed', text: 'Read.' });
    expect((await readJournal(session)).flatMap(({ reason }) => reason ?? [])).toEqual([
      'its session could not be reached',
    ]);
    expect(refused).toBe(1);
  });

  it('is called no more often than an invocation is allowed to, including all retries', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    let tries = 0;
    const SESSIONS = wrapObjects((stub) => ({
      append: async (...append: Parameters<typeof stub.append>) => {
        tries += 1;
        if (tries % 4 > 0) throw new Error('Network connection lost.');
        return stub.append(...append);
      },
    }));
    const session = createSessionPath('marathon');
    const createRecordReply = (note: number) => ({ calls: [{ name: 'record', input: { note: `${note}` } }] });
    const { message } = registerScript(
      ...Array.from({ length: 9 }, (_, note) => createRecordReply(note)),
      'Done.',
    );
    const via = createTestApp({ agents: [marathon], limits: { internalSubrequests: 20 } }, { SESSIONS });
    const response = await withoutPauses(() => post(session, { message: message() }, { via }));
    expect(await readJson(response)).toMatchObject({ outcome: 'completed', text: 'Done.' });
    const events = await readJournal(session);
    expect(events.find(({ type }) => type === 'turn-yielded')).toMatchObject({
      reason: 'its invocation is near its limit of 20 subrequests to the platform itself',
    });
    // One request begins the turn, and the remaining ones are reserved for its end.
    expect(tries).toBeLessThanOrEqual(16);
    log.mockRestore();
  });

  it('causes a 500 without internals if it fails in an unknown way', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    const objects = {
      getByName: () => ({
        read: () => Promise.reject(new Error('no such column: nope at offset 7: SQLITE_ERROR')),
      }),
    };
    const response = await createTestApp({}, { SESSIONS: objects })(createSessionPath());
    expect(response.status).toBe(500);
    expect(await readJson(response)).toMatchObject({ type: 'urn:holdfast:problem:internal-error' });
    log.mockRestore();
  });

  it('causes a 500 and one log line if the Worker has no binding for it', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    const via = createTestApp({}, { SESSIONS: undefined });
    const details: unknown[] = [];
    for (const response of [await via(createSessionPath()), await via(createSessionPath())]) {
      expect(response.status).toBe(500);
      const { detail, ...problem } = await readJson(response);
      expect(problem).toEqual({
        type: 'urn:holdfast:problem:misconfigured',
        title: 'misconfigured',
        status: 500,
      });
      details.push(detail);
    }
    expect(details[0]).toMatch(/^This Worker has no Durable Object binding SESSIONS\. /);
    expect(log.mock.calls).toEqual([[`holdfast: ${details[1]}`]]);
    log.mockRestore();
  });
});
