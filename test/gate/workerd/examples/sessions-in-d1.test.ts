/** The example of an index in D1, and its query. */
import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import worker, { listCostliestOwners, TurnRunner } from '../../../../src/examples/sessions/d1-worker.ts';
import { migrate } from '../../../fixtures/index-db.ts';
import { createSessionPath, getSessionId, getSessionName, ORIGIN, post, type Send } from '../http/client.ts';

const vars = { ...env, MODEL: 'offline', HOLDFAST_TOKEN: 'of-users' };

const sendAsUser: Send = async (path, init) => {
  const headers = { ...Object(init?.headers), authorization: 'Bearer of-users' };
  const request = new Request(ORIGIN + path, { ...init, headers });
  return worker.fetch(
    request as Request<unknown, IncomingRequestCfProperties>, // the Worker does not read `cf`
    vars,
    createExecutionContext(),
  );
};

it('the database contains a session after its turn', async () => {
  await migrate(env.INDEX_DB);
  const path = createSessionPath('clerk');
  await (await post(path, { message: 'Where is my order?' }, { via: sendAsUser })).text();
  const runner = new TurnRunner(createExecutionContext(), vars);
  const row = { name: getSessionName(path, 'token'), module: 'index', key: '', ref: 'any', attempt: 1 };
  expect(await runner.due(row)).toBe('done');
  const query = env.INDEX_DB.prepare('SELECT owner, title, turns FROM holdfast_sessions WHERE session = ?');
  await expect
    .poll(async () => query.bind(getSessionId(path)).first(), { timeout: 20_000 })
    .toEqual({ owner: 'id:token', title: 'Where is my order?', turns: 1 });
});

it('the documented query finds the ten owners with the highest cost in a month', async () => {
  await migrate(env.INDEX_DB);
  const insert = env.INDEX_DB.prepare(
    `INSERT INTO holdfast_usage (owner, day, agent, model, turns, input_tokens, output_tokens, cost, revision)
    VALUES (?, ?, ?, 'm', 1, 10, 5, ?, 1)`,
  );
  const owners = Array.from({ length: 12 }, (_, at) => `id:${at}`);
  await env.INDEX_DB.batch(
    owners.flatMap((owner, at) => [
      insert.bind(owner, '2031-01-31', 'a', 1),
      insert.bind(owner, '2031-02-01', 'a', at),
      insert.bind(owner, '2031-02-28', 'b', at),
    ]),
  );
  expect(await listCostliestOwners(env.INDEX_DB, '2031-02')).toEqual(
    [11, 10, 9, 8, 7, 6, 5, 4, 3, 2].map((at) => ({ owner: `id:${at}`, cost: 2 * at, turns: 2 })),
  );
});
