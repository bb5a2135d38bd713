import examples from '@octokit/webhooks-examples';
import { expect, it } from 'vitest';
import { githubWebhook } from '../../../../src/modules/webhooks/entry.ts';
import { ENV } from '../../../fixtures/arrive.ts';
import { scripted } from '../../../fixtures/scripted-agent.ts';
import { SECRET, signAsGithub } from '../../../fixtures/signed.ts';
import { createTestApp } from './app.ts';
import { readJson } from './client.ts';

/** GitHub's payloads, as collected by its community. */
const EXAMPLES = examples.flatMap(({ name, examples: payloads }) =>
  payloads.map((payload) => ({ event: name, body: JSON.stringify(payload) })),
);
type Example = (typeof EXAMPLES)[number];
/** Some payloads are identical and thus have the same signature. */
const DISTINCT_BODIES = new Set(EXAMPLES.map(({ body }) => body));

/** Callers can send these twice with the same content, so the delivery id distinguishes them too. */
const REPEATABLE_EVENTS = ['repository_dispatch', 'workflow_dispatch'];

/** The tests' Worker ignores this agent's turns: the tests only check that they exist. */
const IDLE_AGENT = { ...scripted, name: 'agent' };

it('all GitHub example payloads are accepted, and recognized if they are delivered again', async () => {
  const webhook = githubWebhook({
    agent: IDLE_AGENT.name,
    secret: 'SECRET',
    bots: 'take',
    // Most examples concern the first issue of one repository, and one session cannot queue so many messages.
    start: ({ usual, event }) => ({ session: `${usual.session}:${event}`, message: usual.message }),
  });
  const app = createTestApp({ agents: [IDLE_AGENT], use: [webhook] }, ENV);
  const deliver = async ({ event, body }: Example, id: string): Promise<Record<string, unknown>> => {
    const signed = await signAsGithub(event, { secret: SECRET, body }, id);
    const response = await app('/hooks/github', { method: 'POST', ...signed });
    return {
      code: response.status,
      location: response.headers.get('location'),
      ...(await readJson(response)),
    };
  };

  const counted = { delivered: 0, pings: 0, recognized: 0, replaysRecognized: 0 };
  const turns = new Set<unknown>();
  for (const [index, example] of EXAMPLES.entries()) {
    const first = await deliver(example, `d-${index}`);
    const again = await deliver(example, `d-${index}`);
    counted.delivered += 1;
    if (example.event === 'ping') {
      expect([first, again]).toEqual([PONG_ENTRY, PONG_ENTRY]);
      counted.pings += 1;
      continue;
    }
    expect(first).toMatchObject({ code: 202, hook: 'github', agent: IDLE_AGENT.name });
    expect(again).toMatchObject({ code: 202, turn: first.turn, location: first.location });
    turns.add(first.turn);
    counted.recognized += 1;
    if (REPEATABLE_EVENTS.includes(example.event)) continue;
    const replay = await deliver(example, `replay-${index}`);
    expect(replay).toMatchObject({ code: 202, turn: first.turn });
    counted.replaysRecognized += 1;
  }

  console.log('GitHub’s example deliveries, each sent again and replayed:', {
    ...counted,
    turns: turns.size,
  });
  expect(counted).toEqual({ delivered: 329, pings: 4, recognized: 325, replaysRecognized: 321 });
  expect(turns.size).toBe(DISTINCT_BODIES.size - counted.pings);
}, 60_000);

const PONG_ENTRY = { code: 200, location: null, hook: 'github', status: 'pong' };
