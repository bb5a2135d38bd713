/**
 * The owner of a session: a caller, by id, or a tenant. The two are distinct even if their names are equal.
 */
import { describe, expect, it } from 'vitest';
import type { Caller } from '../../../../src/create-holdfast.ts';
import { toSessionName } from '../../../doors/session.ts';
import { registerScript } from '../../../fixtures/scripts.ts';
import { createTestApp } from './app.ts';
import { createSessionPath, post, type Send } from './client.ts';

/** An app that trusts a header to identify the caller. */
const app = createTestApp({ auth: (request) => JSON.parse(request.headers.get('x-caller') ?? '') });

const sendAs =
  (caller: Caller): Send =>
  (path, init) =>
    app(path, { ...init, headers: { ...Object(init?.headers), 'x-caller': JSON.stringify(caller) } });

const acme = { id: 'ann', tenant: 'acme' };

/** Runs a turn in the session with this reply. */
const say = (session: string, via: Send, text: string): Promise<Response> =>
  post(session, { message: registerScript(text).message() }, { via });

describe('a session of a tenant', () => {
  it('is not visible to a caller whose id is the tenant’s name, and vice versa', async () => {
    const session = createSessionPath();
    await say(session, sendAs(acme), 'Of the tenant.');
    expect((await sendAs({ id: 'acme' })(session)).status).toBe(404);
    const others = createSessionPath();
    await say(others, sendAs({ id: 'acme' }), 'Of the id.');
    expect((await sendAs(acme)(others)).status).toBe(404);
  });

  it.each(['{"tenant":"acme"}', '[object Object]', '"acme"'])(
    'is not visible to a caller whose id is written like its name: %s',
    async (id) => {
      const session = createSessionPath();
      await say(session, sendAs(acme), 'Of the tenant.');
      expect((await sendAs({ id })(session)).status).toBe(404);
    },
  );

  it('has another object name than a session of a caller with the same id', () => {
    const place = { agent: 'scripted', session: 's1' };
    expect(toSessionName({ ...place, owner: { tenant: 'acme' } })).toBe(
      '[{"tenant":"acme"},"scripted","s1"]',
    );
    expect(toSessionName({ ...place, owner: { id: 'acme' } })).toBe('["acme","scripted","s1"]');
  });
});
