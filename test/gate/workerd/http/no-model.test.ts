/** Responses of a Worker whose settings choose no model. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ConfigurationError, createHoldfast, type HoldfastConfig } from '../../../../src/create-holdfast.ts';
import { openaiCompatible } from '../../../../src/model/openai-compatible/entry.ts';
import { githubWebhook } from '../../../../src/modules/webhooks/entry.ts';
import { offlineModel, orOffline } from '../../../../src/offline-model/entry.ts';
import { ENV } from '../../../fixtures/arrive.ts';
import { scripted } from '../../../fixtures/scripted-agent.ts';
import { script } from '../../../fixtures/scripts.ts';
import { appWith } from './app.ts';
import { json, newSession, post, type Send } from './client.ts';
import { config, deliver, expectProblem, problem, signedIssue } from './hook-deliveries.ts';

const SET = 'Set OPENAI_API_KEY or OPENAI_BASE_URL, and MODEL to the name of the model there.';

const NO_SERVER = `neither OPENAI_API_KEY nor OPENAI_BASE_URL is set. ${SET} To develop without a language model, set MODEL = "offline", and use orOffline(openaiCompatible()) from 'holdfast/models/offline'.`;

const NO_MODEL = problem(500, 'misconfigured', `This Worker has no model: ${NO_SERVER}`);

const NO_PLANNER = problem(
  500,
  'misconfigured',
  "MODEL is 'offline', which runs in development only, as orOffline(openaiCompatible()) from 'holdfast/models/offline'." +
    ` ${SET}`,
);

const bare = { ...scripted, name: 'bare', model: undefined };

const ownModel = { agents: [{ ...bare, modelOf: openaiCompatible() }], model: undefined };

/** An app with an agent that has a model, and with one that has none. */
const app = (MODEL: string, more: Partial<HoldfastConfig> = {}): Send =>
  appWith(
    {
      agents: [scripted, bare],
      model: openaiCompatible(),
      use: [githubWebhook({ ...config, agent: 'bare' })],
      ...more,
    },
    {
      ...ENV,
      MODEL,
    },
  );

const log = () => vi.spyOn(console, 'error').mockImplementation(() => {});

afterEach(() => {
  vi.restoreAllMocks();
});

describe('a Worker whose settings choose no model', () => {
  it.each([
    ['nothing is set', '', {}, NO_MODEL],
    ['no var is set, although the planner exists', '', { model: orOffline(openaiCompatible()) }, NO_MODEL],
    ['MODEL is offline, but the Worker has no planner', 'offline', {}, NO_PLANNER],
    ['the agent’s own model reads its settings', '', ownModel, NO_MODEL],
  ])(
    'refuses messages for an agent that needs one, with a suggested fix: %s',
    async (_, model, more, expected) => {
      const said = log();
      const via = app(model, more);
      const session = newSession('bare');
      await expectProblem(await post(session, { message: 'Hello' }, { via }), expected);
      const headers = { prefer: 'respond-async' };
      await expectProblem(await post(session, { message: 'Hello' }, { headers, via }), expected);
      await expectProblem(await deliver(via, await signedIssue()), expected);
      await expectProblem(await via('/health'), expected);
      expect((await via(session)).status).toBe(404);
      expect(said.mock.calls).toEqual([[`holdfast: ${expected.detail}`]]);
    },
  );

  it('runs agents that have a model, and is healthy if all have one', async () => {
    const { message } = script('Done.');
    const response = await post(newSession(), { message: message() }, { via: app('') });
    expect(await json(response)).toMatchObject({ outcome: 'completed', text: 'Done.' });
    const health = await app('', { agents: [scripted], model: undefined, use: [] })('/health');
    expect([health.status, await json(health)]).toEqual([200, { status: 'ok' }]);
  });
});

it('a Worker runs its planner if MODEL is offline', async () => {
  const via = app('offline', { model: orOffline(openaiCompatible()) });
  const response = await post(newSession('bare'), { message: 'Hello' }, { via });
  expect(await json(response)).toMatchObject({ outcome: 'completed', model: 'offline' });
  expect((await via('/health')).status).toBe(200);
});

it('a Worker uses the model of its app with any settings', async () => {
  const via = app('', { model: offlineModel() });
  const response = await post(newSession('bare'), { message: 'Hello' }, { via });
  expect(await json(response)).toMatchObject({ outcome: 'completed', model: 'offline' });
  expect((await via('/health')).status).toBe(200);
});

describe('an app without a model', () => {
  const GIVE =
    "Give createHoldfast one, such as openaiCompatible() from 'holdfast/models/openai-compatible'.";

  it.each([
    [[bare], "Agent 'bare' has no model, and neither has the app."],
    [
      [scripted, bare, { ...bare, name: 'clerk' }],
      "Agents 'bare', 'clerk' have no model, and neither has the app.",
    ],
  ])('is refused if agents need one', (agents, problem) => {
    expect(() => createHoldfast({ agents })).toThrow(new ConfigurationError(`${problem} ${GIVE}`));
  });

  it('is created if every agent has a model', () => {
    expect(() =>
      createHoldfast({ agents: [scripted, { ...bare, modelOf: openaiCompatible() }] }),
    ).not.toThrow();
  });
});
