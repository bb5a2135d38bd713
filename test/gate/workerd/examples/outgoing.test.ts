/** The Workers of the page on outgoing webhooks: one sends, and the other receives. */
import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, it, onTestFinished, vi } from 'vitest';
import desk from '../../../../src/examples/outgoing/desk-worker.ts';
import worker, { TurnRunner } from '../../../../src/examples/outgoing/worker.ts';
import { STANDARD_SECRET } from '../../../fixtures/signed.ts';
import {
  createSessionPath,
  getSessionName,
  ORIGIN,
  post,
  readJournal,
  readJson,
  type Send,
} from '../http/client.ts';
import { answer } from '../http/waiting.ts';

const vars = { ...env, MODEL: 'offline', TURNS_WEBHOOK_SECRET: STANDARD_SECRET, SUBREQUESTS: '10000' };

const sendTo =
  (to: typeof worker): Send =>
  async (path, init) => {
    const request = new Request(ORIGIN + path, init) as Request<unknown, IncomingRequestCfProperties>; // the Worker does not read `cf`
    return to.fetch(request, vars, createExecutionContext());
  };

it('a waiting turn notifies the desk once, and the desk answers it', async () => {
  const via = sendTo(worker);
  const session = createSessionPath('clerk');
  const said: Record<string, unknown>[] = [];
  const taken: Response[] = [];
  const fetching = vi.spyOn(globalThis, 'fetch').mockImplementation(async (url, init) => {
    expect(url).toBe('https://desk.example.com/hooks/turns');
    said.push(JSON.parse(String(init?.body)));
    const response = await sendTo(desk)('/hooks/turns', init);
    taken.push(response.clone());
    return response;
  });
  onTestFinished(() => fetching.mockRestore());

  const waits = await post(session, { message: 'Please refund order A7.' }, { via });
  expect(waits.status).toBe(202);
  const { turn } = await readJson(waits);
  const seq = (await readJournal(session)).length;
  const row = { module: 'outgoing-webhooks', key: 'outgoing', ref: JSON.stringify([turn, seq]) };
  const runDue = (attempt: number) =>
    new TurnRunner(createExecutionContext(), vars).due({
      ...{ name: getSessionName(session), ...row, attempt },
    });
  expect([await runDue(1), await runDue(2)]).toEqual(['done', 'done']);
  const turns = await Promise.all(taken.map(async (response) => (await readJson(response)).turn));
  expect([turns.length, new Set(turns).size]).toEqual([2, 1]);

  const { data, type } = Object(said[0]);
  expect([type, data.pending[0].message]).toEqual(['turn.suspended', 'Refund order A7?']);
  const decided = await answer(data.pending[0].links.approvals, { decision: 'approve' }, { via });
  expect(await readJson(decided)).toMatchObject({ outcome: 'completed' });
});
