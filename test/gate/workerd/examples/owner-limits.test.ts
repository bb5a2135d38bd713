/** The Worker of the page on owner limits. */
import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import { getRemainingToday } from '../../../../src/examples/owner-limits/left-today.ts';
import worker from '../../../../src/examples/owner-limits/worker.ts';
import { createSessionPath, ORIGIN, post, readJson, type Send } from '../http/client.ts';

const vars = { ...env, MODEL: 'offline', HOLDFAST_TOKEN: 'of-users', ACME_TOKEN: 'of-acme' };

const sendAs =
  (token: string): Send =>
  async (path, init) => {
    const headers = { ...Object(init?.headers), authorization: `Bearer ${token}` };
    const request = new Request(ORIGIN + path, { ...init, headers });
    return worker.fetch(
      request as Request<unknown, IncomingRequestCfProperties>, // the Worker does not read `cf`
      vars,
      createExecutionContext(),
    );
  };

it('the documented plans refuse the third turn of a day on the free plan, and report the remaining limits', async () => {
  const [users, acme] = [sendAs('of-users'), sendAs('of-acme')];
  const collectStatuses = async (via: Send) => {
    const found: number[] = [];
    for (let turn = 0; turn < 3; turn += 1)
      found.push((await post(createSessionPath('clerk'), { message: 'Where is my order?' }, { via })).status);
    return found;
  };
  expect(await collectStatuses(users)).toEqual([200, 200, 429]);
  expect(await collectStatuses(acme)).toEqual([200, 200, 200]);
  const { owner, limits } = await readJson(await acme('/limits'));
  expect([owner, Object(limits)[0]]).toMatchObject(['tenant:acme', { limit: 'turns', most: 2_000, used: 3 }]);
  expect(await getRemainingToday(vars, 'token')).toBe(38);
});
