import { expect, it } from 'vitest';
import { type ChatModel, defineAgent, type ModelTimeout } from '../../../../src/index.ts';
import { liveText } from '../../../../src/modules/live-text/entry.ts';
import { advanceTime, countSystemTimers } from '../../../fixtures/held-time.ts';
import { createTestApp } from './app.ts';
import { post, readAllEvents, readJson, SSE_HEADERS } from './client.ts';
import { createManualSession } from './time.ts';

/** The tests' Worker ignores turns of an agent with this name. */
const createTestAgent = (ask: ChatModel['ask'], modelTimeout?: ModelTimeout) =>
  defineAgent({
    name: 'agent',
    description: 'Waits.',
    instructions: '',
    model: { name: 'slow', ask },
    settings: { timeout: modelTimeout },
  });

it('a model that never settles causes a 502 after its timeout', async () => {
  const asked = Promise.withResolvers<void>();
  const hangForever: ChatModel['ask'] = () => {
    asked.resolve();
    return new Promise(() => {});
  };
  const via = createTestApp({ agents: [createTestAgent(hangForever, { total: 9_000 })] });
  const answer = post(createManualSession('agent'), { message: 'Hi.' }, { via });
  await asked.promise;
  advanceTime(9_000);
  const response = await answer;
  expect(response.status).toBe(502);
  expect(await readJson(response)).toMatchObject({
    error: { type: 'model-failure', message: "The model 'slow' did not answer within 9000 ms." },
  });
});

it('a model that has responded leaves no running timer', async () => {
  let during = 0;
  const answerPromptly: ChatModel['ask'] = async (_, { onText }) => {
    onText?.('Hello.');
    during = countSystemTimers(51);
    return { text: 'Hello.', toolCalls: [], finish: 'stop' };
  };
  // The model streams, in case a reader joins.
  const via = createTestApp({ agents: [createTestAgent(answerPromptly, { total: 51 })], use: [liveText()] });
  const response = await post(createManualSession('agent'), { message: 'Hi.' }, { via });
  expect(response.status).toBe(200);
  // The invocation's only timer limits both silence and total time, because no other limit is due sooner.
  expect([during, countSystemTimers(51)]).toEqual([1, 0]);
});

it('a model that stops responding in a stream is called once more, and then the turn fails', async () => {
  let asked = 0;
  const answerSilently: ChatModel['ask'] = (_, { onText }) => {
    asked += 1;
    onText?.('Hel');
    setTimeout(() => advanceTime(5_000), 0);
    return new Promise(() => {});
  };
  const via = createTestApp({ agents: [createTestAgent(answerSilently, { silence: 5_000 })] });
  const response = await post(
    createManualSession('agent'),
    { message: 'Hi.' },
    { headers: SSE_HEADERS, via },
  );
  const events = await readAllEvents(response);
  expect(
    events.map(({ event }) => event).filter((event) => event?.startsWith('reply') || event === 'text-delta'),
  ).toEqual(['text-delta', 'reply-restarted', 'text-delta']);
  expect(JSON.stringify(events.at(-1))).toContain("The model 'slow' was silent for 5000 ms.");
  expect(asked).toBe(2);
});

it('secrets that are not issued within half a minute fail the turn with an error that explains this', async () => {
  const minting = Promise.withResolvers<void>();
  const createSecrets = (): Promise<never> => {
    minting.resolve();
    return new Promise(() => {});
  };
  const via = createTestApp({
    agents: [createTestAgent(() => new Promise(() => {}))],
    secrets: createSecrets,
  });
  const answer = post(createManualSession('agent'), { message: 'Hi.' }, { via });
  await minting.promise;
  advanceTime(30_000);
  const response = await answer;
  expect(response.status).toBe(500);
  expect(await readJson(response)).toMatchObject({
    error: { type: 'misconfigured', message: '`secrets` did not return within 30000 ms.' },
  });
});
