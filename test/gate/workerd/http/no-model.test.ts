/** Responses of a Worker whose settings select no model. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ConfigurationError, createHoldfast, type HoldfastConfig } from '../../../../src/create-holdfast.ts';
import { openaiCompatible } from '../../../../src/model/openai-compatible/entry.ts';
import { githubWebhook } from '../../../../src/modules/webhooks/entry.ts';
import { offlineModel, orOffline } from '../../../../src/offline-model/entry.ts';
import { ENV } from '../../../fixtures/arrive.ts';
import { scripted } from '../../../fixtures/scripted-agent.ts';
import { registerScript } from '../../../fixtures/scripts.ts';
import { createTestApp } from './app.ts';
import { createSessionPath, post, readJson, type Send } from './client.ts';
import { config, createHookProblem, deliver, expectProblem, signIssue } from './hook-deliveries.ts';

const SET_ADVICE = 'Set OPENAI_API_KEY or OPENAI_BASE_URL, and MODEL to the name of the model there.';

const NO_SERVER_TEXT = `neither OPENAI_API_KEY nor OPENAI_BASE_URL is set. ${SET_ADVICE} To develop without a language model, set MODEL = "offline", and use orOffline(openaiCompatible()) from 'holdfast/models/offline'.`;

const NO_MODEL_PROBLEM = createHookProblem(
  500,
  'misconfigured',
  `This Worker has no model: ${NO_SERVER_TEXT}`,
);

const NO_PLANNER_PROBLEM = createHookProblem(
  500,
  'misconfigured',
  "MODEL is 'offline', which runs in development only, as orOffline(openaiCompatible()) from 'holdfast/models/offline'." +
    ` ${SET_ADVICE}`,
);

const bare = { ...scripted, name: 'bare', model: undefined };

const ownModel = { agents: [{ ...bare, modelOf: openaiCompatible() }], model: undefined };

/** An app with two agents, only one of which has a model. */
const createModelApp = (MODEL: string, more: Partial<HoldfastConfig> = {}): Send =>
  createTestApp(
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
    ['nothing is set', '', {}, NO_MODEL_PROBLEM],
    [
      'no var is set, although the planner exists',
      '',
      { model: orOffline(openaiCompatible()) },
      NO_MODEL_PROBLEM,
    ],
    ['MODEL is offline, but the Worker has no planner', 'offline', {}, NO_PLANNER_PROBLEM],
    ['the agent’s own model reads its settings', '', ownModel, NO_MODEL_PROBLEM],
  ])(
    'refuses messages for an agent that needs one, with a suggested fix: %s',
    async (_, model, more, expected) => {
      const said = log();
      const via = createModelApp(model, more);
      const session = createSessionPath('bare');
      await expectProblem(await post(session, { message: 'Hello' }, { via }), expected);
      const headers = { prefer: 'respond-async' };
      await expectProblem(await post(session, { message: 'Hello' }, { headers, via }), expected);
      await expectProblem(await deliver(via, await signIssue()), expected);
      await expectProblem(await via('/health'), expected);
      expect((await via(session)).status).toBe(404);
      expect(said.mock.calls).toEqual([[`holdfast: ${expected.detail}`]]);
    },
  );

  it('runs agents that have a model, and is healthy if all have one', async () => {
    const { message } = registerScript('Done.');
    const response = await post(createSessionPath(), { message: message() }, { via: createModelApp('') });
    expect(await readJson(response)).toMatchObject({ outcome: 'completed', text: 'Done.' });
    const health = await createModelApp('', { agents: [scripted], model: undefined, use: [] })('/health');
    expect([health.status, await readJson(health)]).toEqual([200, { status: 'ok' }]);
  });
});

it('a Worker runs its planner if MODEL is offline', async () => {
  const via = createModelApp('offline', { model: orOffline(openaiCompatible()) });
  const response = await post(createSessionPath('bare'), { message: 'Hello' }, { via });
  expect(await readJson(response)).toMatchObject({ outcome: 'completed', model: 'offline' });
  expect((await via('/health')).status).toBe(200);
});

it('a Worker uses the model of its app with any settings', async () => {
  const via = createModelApp('', { model: offlineModel() });
  const response = await post(createSessionPath('bare'), { message: 'Hello' }, { via });
  expect(await readJson(response)).toMatchObject({ outcome: 'completed', model: 'offline' });
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
