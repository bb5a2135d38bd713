import { describe, expect, it } from 'vitest';
import { defineAgent, defineTool } from '../../../../src/index.ts';
import { communicateTool, defineUnfolding } from '../../../../src/kinds/entry.ts';
import { scripted } from '../../../fixtures/scripted-agent.ts';
import { registerScript } from '../../../fixtures/scripts.ts';
import { createTestApp } from './app.ts';
import { createSessionPath, post, readAllEvents, readJson, SSE_HEADERS } from './client.ts';

const search = defineTool({
  name: 'search',
  description: 'Searches the archive.',
  effect: 'read',
  run(_, call) {
    call.say('This takes a moment.');
    return 'Found.';
  },
});

const clerk = defineAgent({
  name: 'clerk',
  description: 'Searches.',
  instructions: 'Follow the script.',
  tools: [search, communicateTool()],
  model: scripted.model,
});

const via = createTestApp({ agents: [clerk] });

const REPLIES = [
  { calls: [{ name: 'search' }, { name: 'communicate', input: { message: 'Half way.' } }] },
  'Done.',
  'You are welcome.',
] as const;

const createSaidTexts = (turn: unknown) => [
  { call: `${turn}.3.0`, tool: 'search', text: 'This takes a moment.' },
  { call: `${turn}.3.1`, tool: 'communicate', text: 'Half way.' },
];

describe('an answer', () => {
  it('lists the calls that ended the turn and the tools that were added late, in the response and at its address', async () => {
    const shelf = defineUnfolding({
      name: 'shelf',
      description: 'Opens the shelf.',
      tools: [{ ...search, name: 'take', returnDirect: true }],
    });
    const librarian = { ...clerk, name: 'librarian', tools: [shelf] };
    const library = createTestApp({ agents: [librarian] });
    const session = createSessionPath('librarian');
    const { message } = registerScript({ calls: [{ name: 'shelf' }] }, { calls: [{ name: 'take' }] });
    const answer = await readJson(await post(session, { message: message('Take it.') }, { via: library }));
    const { turn } = answer;
    expect(answer).toMatchObject({
      outcome: 'returned-direct',
      text: 'Found.',
      tools: { late: ['take'], gone: [], sourcesAsked: 0 },
      stoppedBy: [{ call: expect.stringContaining(`${turn}.`), tool: 'take' }],
    });
    expect(await readJson(await library(`${session}/turns/${turn}`))).toEqual(answer);
    expect(await readJson(await library(session))).toMatchObject({ turn: answer });
  });
});

describe('the messages of calls to the user', () => {
  it('are in the answer, in the answer at its address, and in a message of the session (S0-122)', async () => {
    const session = createSessionPath('clerk');
    const { message } = registerScript(...REPLIES);
    const answer = await readJson(await post(session, { message: message('Search.') }, { via }));
    const { turn } = answer;
    expect(answer).toMatchObject({ outcome: 'completed', text: 'Done.', said: createSaidTexts(turn) });
    expect(await readJson(await via(`${session}/turns/${turn}`))).toEqual(answer);
    const state = await readJson(await via(session));
    expect(state).toMatchObject({ turn: { said: createSaidTexts(turn) } });
    expect(state.messages).toMatchObject([
      { role: 'user' },
      { role: 'assistant', text: '', toolCalls: [{ name: 'search' }, { name: 'communicate' }] },
      ...createSaidTexts(turn).map((said) => ({ role: 'assistant', ...said })),
      { role: 'assistant', text: 'Done.' },
    ]);
  });

  it('are in the answer at the end of a stream', async () => {
    const { message } = registerScript(...REPLIES);
    const response = await post(
      createSessionPath('clerk'),
      { message: message('Search.') },
      { via, headers: SSE_HEADERS },
    );
    const last = (await readAllEvents(response)).at(-1);
    expect(last).toMatchObject({ event: 'answer', data: { said: createSaidTexts(last?.data.turn) } });
  });

  it('appear at the same position in every later request', async () => {
    const session = createSessionPath('clerk');
    const { message, model } = registerScript(...REPLIES);
    await post(session, { message: message('Search.') }, { via });
    await post(session, { message: 'Thanks.' }, { via });
    const [, second, third] = model.requests.map(({ messages }) => messages);
    expect(second?.slice(-2)).toMatchObject([
      { role: 'tool', text: 'Found.\n\n[Said to the user: This takes a moment.]' },
      { role: 'tool', text: 'Message sent to user.' },
    ]);
    expect(third?.slice(0, second?.length)).toEqual(second);
  });
});
