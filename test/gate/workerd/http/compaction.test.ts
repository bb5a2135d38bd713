import { evictDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import { defineAgent, defineTool } from '../../../../src/index.ts';
import { summarize } from '../../../../src/modules/compaction/entry.ts';
import { modelBySession, registerScript } from '../../../fixtures/scripts.ts';
import { createSmallWindow } from '../../../fixtures/small-window.ts';
import { createTestApp } from './app.ts';
import { createSessionPath, getSessionName, post, readAllEvents, readJson, SSE_HEADERS } from './client.ts';

const talker = defineAgent({
  name: 'talker',
  description: 'Talks.',
  instructions: '',
  model: modelBySession,
  // The summary contains the script's key, which selects the model.
  use: [
    summarize({
      overTokens: 40,
      keepTurns: 1,
      summarize: ([first]) => `They met. ${first?.text.slice(-37)}`,
    }),
  ],
});
const via = createTestApp({ agents: [talker], auth: () => ({ id: 'owner' }) });

it('a compacted session shows its summary and its whole journal, and continues after an eviction', async () => {
  const session = createSessionPath('talker');
  const { message, model } = registerScript(
    ...['A.', 'B.', 'C.', 'D.'].map((letter) => letter.padEnd(200, '.')),
  );
  for (const word of ['one', 'two']) await (await post(session, { message: message(word) }, { via })).text();
  const streamed = await readAllEvents(
    await post(session, { message: message('three') }, { via, headers: SSE_HEADERS }),
  );
  expect(streamed.map(({ event }) => event)).toContain('conversation-cut');
  const key = message('').trim();
  const summary = `Summary of the conversation so far, whose messages are not shown any more:\n\nThey met. ${key}`;
  const state = await readJson(await via(session));
  const messages = state.messages as { role: string; text: string; by?: string }[];
  expect(messages[0]).toEqual({ role: 'user', by: 'summary', text: summary });
  expect(messages.slice(1).map(({ text }) => text.split(/[ .]/)[0])).toEqual(['two', 'B', 'three', 'C']);
  const { events } = await readJson(await via(`${session}/events`));
  const started = (events as { type: string; message?: string }[]).filter(
    ({ type }) => type === 'turn-started',
  );
  expect(started.map((one) => one.message)).toEqual([message('one'), message('two'), message('three')]);

  const name = getSessionName(session, 'owner');
  await evictDurableObject(env.SESSIONS.getByName(name));
  await (await post(session, { message: message('four') }, { via })).text();
  expect(model.requests.at(-1)?.messages.map(({ text }) => text.split(/[ .]/)[0])).toEqual([
    'Summary',
    'three',
    'C',
    'four',
  ]);
});

it('a result that was shortened for the model is shown in full to readers, even after an eviction', async () => {
  const report = 'Kelp is sold by the crate. '.repeat(1_500).slice(0, 40_000);
  const small = createSmallWindow(8_000, ['Hello, Ann.', ['read'], 'By the crate.', 'Ann.']);
  const reader = defineAgent({
    name: 'reader',
    description: 'Reads.',
    instructions: 'You read.',
    model: small.model,
    tools: [defineTool({ name: 'read', description: 'Reads.', effect: 'read', run: () => report })],
  });
  const own = createTestApp({ agents: [reader], auth: () => ({ id: 'owner' }) });
  const session = createSessionPath('reader');
  await (await post(session, { message: 'I am Ann, and I keep the books of Kelp.' }, { via: own })).text();
  const streamed = await readAllEvents(
    await post(session, { message: 'How is kelp sold?' }, { via: own, headers: SSE_HEADERS }),
  );
  const names = streamed.map(({ event }) => event);
  expect(names.slice(names.indexOf('conversation-cut'))).toEqual([
    'conversation-cut',
    'reply-restarted',
    'text-delta',
    'model-replied',
    'turn-ended',
    'answer',
  ]);
  await evictDurableObject(env.SESSIONS.getByName(getSessionName(session, 'owner')));
  const answer = await readJson(await post(session, { message: 'Who am I?' }, { via: own }));
  expect(answer).toMatchObject({ outcome: 'completed', text: 'Ann.' });
  expect(small.refused).toHaveLength(1);
  const left = 'Earlier messages are not shown any more, since the conversation had become too long.';
  expect(small.answered.at(-1)?.map(({ content }) => content?.slice(0, 90))).toEqual([
    'You read.',
    left,
    'How is kelp sold?',
    undefined,
    report.slice(0, 90),
    'By the crate.',
    'Who am I?',
  ]);
  const { messages } = await readJson(await own(session));
  expect(messages).toMatchObject([
    { role: 'user', by: 'summary', text: left },
    { role: 'user', text: 'How is kelp sold?' },
    { role: 'assistant', toolCalls: [{ name: 'read', result: report }] },
    { role: 'assistant', text: 'By the crate.' },
    { role: 'user', text: 'Who am I?' },
    { role: 'assistant', text: 'Ann.' },
  ]);
});
