import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, it, vi } from 'vitest';
import { script } from '../fixtures/scripts.ts';
import { appWith, objectsWith } from './app.ts';
import { json, newSession, post, SSE, send, sessionName } from './client.ts';

describe('a session that a newer deployment wrote to', () => {
  it('is left alone', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    const session = newSession();
    await post(session, { message: script('Done.').message() });
    const stub = env.SESSIONS.getByName(sessionName(session));
    await runInDurableObject(stub, (_, { storage }) => {
      storage.sql.exec(`UPDATE events SET body = replace(body, '"v":1', '"v":2') WHERE seq = 3`);
    });
    for (const response of [await send(session), await send(`${session}/events`)]) {
      expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
      expect(await json(response)).toEqual({
        type: 'urn:holdfast:problem:newer-deployment',
        title: 'newer deployment',
        status: 503,
        detail:
          'Event 3 was written by a newer version of this Worker. Try again when the deployment is complete.',
      });
    }
    // It is stored, and the newer deployment will answer it.
    const stored = await post(session, { message: 'Hello' });
    const { status, turn } = await json(stored);
    const location = `${session}/turns/${turn}`;
    expect([stored.status, stored.headers.get('location'), status]).toEqual([202, location, 'accepted']);
    log.mockRestore();
  });
});

describe('a session whose object cannot be reached', () => {
  it.each([
    ['overloaded', Object.assign(new Error('no'), { overloaded: true })],
    ['retryable', Object.assign(new Error('no'), { overloaded: false, retryable: true })],
    ['a lost line', new Error('Network connection lost.')],
  ])(
    'says when to try again: %s',
    async (_, error) => {
      const log = vi.spyOn(console, 'error').mockImplementation(() => {});
      const fail = () => Promise.reject(error);
      const objects = { getByName: () => ({ read: fail, begin: fail, accept: fail, post: fail }) };
      const via = appWith({}, { SESSIONS: objects });
      const session = newSession();
      const responses = await Promise.all([
        via(session),
        via(`${session}/events`, { headers: SSE }),
        post(session, { message: 'Hello' }, { via }),
        post(session, { message: 'Hello' }, { via, headers: { prefer: 'respond-async' } }),
      ]);
      const problem = {
        type: 'urn:holdfast:problem:session-unavailable',
        title: 'session unavailable',
        status: 503,
      };
      const [state, events, ...messages] = responses;
      for (const response of responses) {
        expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
      }
      for (const response of [state, events]) {
        const detail = 'The session cannot be reached now. Send the request again.';
        expect(response && (await json(response))).toEqual({ ...problem, detail });
      }
      for (const response of messages) {
        const { turn, ...said } = await json(response);
        const detail =
          `The session did not answer, and may have taken the message all the same, as turn ${turn}: GET ${session} ` +
          'shows it. Send it again only with the Idempotency-Key that it had.';
        expect(said).toEqual({ ...problem, detail });
      }
      log.mockRestore();
    },
    20_000,
  );

  it('keeps a message that it took, and says where its answer will be', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    const fail = () => Promise.reject(Object.assign(new Error('no'), { overloaded: true }));
    const via = appWith({}, { SESSIONS: objectsWith(() => ({ append: fail, read: fail, renew: fail })) });
    const session = newSession();
    const response = await post(session, { message: script('Done.').message() }, { via });
    const { turn } = await json(response);
    expect([response.status, response.headers.get('location')]).toEqual([202, `${session}/turns/${turn}`]);
    expect((await json(await send(session))).turn).toMatchObject({ turn });
    log.mockRestore();
  }, 20_000);

  it('fails in a way of its own as a 500 that tells nothing of the inside', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    const objects = { getByName: () => ({ read: () => Promise.reject(new Error('no such column')) }) };
    const response = await appWith({}, { SESSIONS: objects })(newSession());
    expect(response.status).toBe(500);
    expect(await json(response)).toMatchObject({ type: 'urn:holdfast:problem:internal-error' });
    log.mockRestore();
  });

  it('is a 500 when the Worker has no binding for it, and one line in the log', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    const via = appWith({}, { SESSIONS: undefined });
    const details: unknown[] = [];
    for (const response of [await via(newSession()), await via(newSession())]) {
      expect(response.status).toBe(500);
      const { detail, ...problem } = await json(response);
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
