/** The Worker of the page on the index of sessions. */
import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import { stopSession } from '../../../../src/examples/sessions/operate.ts';
import { report } from '../../../../src/examples/sessions/report.ts';
import worker, { TurnRunner } from '../../../../src/examples/sessions/worker.ts';
import {
  createSessionPath,
  getSessionId,
  getSessionName,
  ORIGIN,
  post,
  readJson,
  type Send,
} from '../http/client.ts';

const vars = { ...env, MODEL: 'offline', HOLDFAST_TOKEN: 'of-users', TEAM_TOKEN: 'of-the-team' };

const sendAs =
  (token: string): Send =>
  async (path, init) => {
    const headers = { ...Object(init?.headers), authorization: `Bearer ${token}` };
    const request = new Request(ORIGIN + path, { ...init, headers });
    return worker.fetch(
      request as Request<unknown, IncomingRequestCfProperties>,
      vars,
      createExecutionContext(),
    ); // the Worker does not read `cf`
  };

it('the documented Worker lists sessions for users and owners for the team, over HTTP and from code', async () => {
  const [users, team] = [sendAs('of-users'), sendAs('of-the-team')];
  const path = createSessionPath('clerk');
  await (await post(path, { message: 'Where is my order?' }, { via: users })).text();
  const session = getSessionId(path);
  const runner = new TurnRunner(createExecutionContext(), vars);
  const row = { name: getSessionName(path, 'token'), module: 'index', key: '', ref: 'any', attempt: 1 };
  expect(await runner.due(row)).toBe('done');
  const { sessions } = await readJson(await users('/agents/clerk/sessions'));
  expect(sessions).toEqual([
    expect.objectContaining({ session, title: 'Where is my order?', status: 'idle' }),
  ]);
  expect((await users('/owners')).status).toBe(403);
  expect(await readJson(await team('/owners/id:token'))).toEqual({ owner: 'id:token', sessions: 1 });
  const fetch: Send = (url, init) => team(url.slice(ORIGIN.length), init);
  const accesses = await stopSession({ url: ORIGIN, fetch }, 'id:token', session);
  expect(accesses).toMatchObject(['read', 'read'].map((action) => ({ by: { id: 'team' }, action })));
  expect(await report(vars)).toMatchObject({ sessions: 1, turns: 1 });
});
