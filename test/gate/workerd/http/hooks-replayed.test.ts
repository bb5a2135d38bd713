import { expect, it } from 'vitest';
import { githubWebhook, standardWebhook } from '../../../../src/modules/webhooks/entry.ts';
import { ENV } from '../../../fixtures/arrive.ts';
import { scripted } from '../../../fixtures/scripted-agent.ts';
import { STANDARD_SECRET, signAsStandard } from '../../../fixtures/signed.ts';
import { createTestApp } from './app.ts';
import { readJson, type Send } from './client.ts';
import { createIssueBody, deliver, signIssue } from './hook-deliveries.ts';

const [first, second] = ['first', 'second'].map((name) => ({ ...scripted, name }));
const agents = [first ?? expect.fail(), second ?? expect.fail()];
const secret = 'SECRET';

const deliverForTurn = async (app: Send, path: string, body: string, delivery?: string): Promise<unknown> =>
  (await readJson(await deliver(app, await signIssue(body, delivery), path))).turn;

it('a GitHub delivery that is replayed at another webhook returns the same turn', async () => {
  const use = ['github', 'other'].map((name) => githubWebhook({ name, agent: 'first', secret }));
  const app = createTestApp({ agents, use }, ENV);
  const body = createIssueBody();
  const turn = await deliverForTurn(app, '/hooks/github', body);
  expect(turn).toMatch(/^[0-9a-f]{16}$/);
  expect(await deliverForTurn(app, '/hooks/other', body)).toBe(turn);
});

it('two agents that receive the same event have a turn each', async () => {
  const use = ['first', 'second'].map((agent) => githubWebhook({ name: agent, agent, secret }));
  const app = createTestApp({ agents, use }, ENV);
  const body = createIssueBody();
  const turns = [
    await deliverForTurn(app, '/hooks/first', body),
    await deliverForTurn(app, '/hooks/second', body),
  ];
  expect(new Set(turns).size).toBe(2);
});

it('webhooks of one kind are separated by their names, so that equal delivery ids do not collide', async () => {
  const use = ['one', 'other'].map((name) =>
    standardWebhook({ name, agent: 'first', secret: 'STANDARD_SECRET' }),
  );
  const app = createTestApp({ agents, use }, ENV);
  const signed = signAsStandard(crypto.randomUUID(), { secret: STANDARD_SECRET, body: '{"type":"x"}' });
  const turns = await Promise.all(
    ['one', 'other'].map(async (name) => (await readJson(await deliver(app, signed, `/hooks/${name}`))).turn),
  );
  expect(new Set(turns).size).toBe(2);
});

it.each([
  ['repeat', undefined, 2],
  ['repeat', 'repeat', 2],
  ['once', 'once', 1],
] as const)(
  'dispatches with the same content under two ids start the configured number of turns: %s, %s, %i',
  async (_, dispatches, turns) => {
    const webhook = githubWebhook({ agent: 'first', secret, dispatches });
    const app = createTestApp({ agents, use: [webhook] }, ENV);
    const body = createIssueBody({ client_payload: {} });
    const started = [
      await deliverForTurn(app, '/hooks/github', body, 'd-1'),
      await deliverForTurn(app, '/hooks/github', body, 'd-2'),
    ];
    expect(new Set(started).size).toBe(turns);
  },
);
