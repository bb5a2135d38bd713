import { describe, expect, it } from 'vitest';
import { type AnyTool, defineTool } from '../../../../src/index.ts';
import type { HistoryMessage } from '../../../../src/kinds/entry.ts';
import { definePlaybook, when } from '../../../../src/kinds/entry.ts';
import type { SummaryOptions } from '../../../../src/modules/compaction/entry.ts';
import { oneShotPerLoop } from '../../../../src/modules/decorators/entry.ts';
import { jsonSchema } from '../../../../src/modules/json-schema/entry.ts';
import { budget } from '../../../../src/modules/limits/entry.ts';
import { defineTransformer } from '../../../../src/modules/transformers/entry.ts';
import { createTestSession, type ScriptedReply } from '../../../../src/testing/entry.ts';
import {
  captureErrors,
  createAgentWith,
  createLongMessage,
  joinFirstWords,
  readCompactions,
  SHOWN_SUMMARY,
  startSession,
} from './compaction-scene.ts';

describe('state beside the conversation', () => {
  const skill: AnyTool = oneShotPerLoop(
    defineTool({
      name: 'skill',
      description: 'Teaches.',
      effect: 'read',
      run: () => createLongMessage('skill'),
    }),
    'Use it now.',
  );
  const use = { calls: [{ name: 'skill' }] };

  it('drops the memo of a one-shot tool if its result is no longer shown to the model', async () => {
    const replies = [use, 'A.', use, 'B.'];
    const collectResults = async (compaction: SummaryOptions | undefined) => {
      const session = startSession(replies, compaction, { tools: [skill] });
      await session.send('a', { loopId: 'same' });
      await session.send('b', { loopId: 'same' });
      return session.shown()?.flatMap(({ role, text }) => (role === 'tool' ? [text.slice(0, 14)] : []));
    };
    expect(await collectResults(undefined)).toEqual([
      createLongMessage('skill').slice(0, 14),
      'ALREADY LOADED',
    ]);
    expect(await collectResults({ overTokens: 50, keepTurns: 0, summarize: joinFirstWords })).toEqual([
      createLongMessage('skill').slice(0, 14),
    ]);
  });

  it('keeps a playbook unlocked even if the model no longer sees the calls that unlocked it', async () => {
    const createNamedTool = (name: string): AnyTool =>
      defineTool({ name, description: 'Acts.', effect: 'read', run: () => createLongMessage(name) });
    const book = definePlaybook({
      name: 'book',
      description: 'Researches.',
      input: jsonSchema({ type: 'object' }),
      tools: [createNamedTool('first')],
      locked: [
        { tool: createNamedTool('second'), unlockedBy: when(({ toolExecutions }) => toolExecutions > 0) },
      ],
    });
    const createCallReply = (name: string): ScriptedReply => ({ calls: [{ name }] });
    const replies = [
      createCallReply('book'),
      createCallReply('first'),
      'Found.',
      'A.',
      createCallReply('book'),
      createCallReply('second'),
      'Found.',
      'B.',
    ];
    const compaction = { overTokens: 50, keepTurns: 0, summarize: joinFirstWords };
    const session = startSession(replies, compaction, { tools: [book] });
    await session.send(createLongMessage('a'));
    expect(await session.send('b')).toMatchObject({ outcome: 'completed', text: 'B.' });
    expect(await readCompactions(session)).toHaveLength(1);
    const results = session.requests.flatMap(({ messages }) =>
      messages.filter(({ role }) => role === 'tool'),
    );
    expect(results.map(({ text }) => text)).toContain(createLongMessage('second'));
  });
});

describe('a summary', () => {
  it('appears in the history that tools read, and summarizes messages as transformers show them', async () => {
    const histories: (readonly HistoryMessage[])[] = [];
    const look = defineTool({
      name: 'look',
      description: 'Looks.',
      effect: 'read',
      run: (_, call) => {
        histories.push(call.history());
        return 'seen';
      },
    });
    const hide = defineTransformer({
      name: 'hide',
      messages: (messages) =>
        messages.map((one) => ({ ...one, text: one.text.replaceAll('secret', 'hidden') })),
    });
    const session = startSession(
      ['A.', { calls: [{ name: 'look' }] }, 'B.'],
      { overTokens: 150, keepTurns: 0, summarize: joinFirstWords },
      { tools: [look], use: [hide] },
    );
    await session.send(createLongMessage('secret'));
    await session.send(createLongMessage('b'));
    expect(histories[0]?.slice(0, 2)).toEqual([
      { role: 'user', by: 'summary', text: `${SHOWN_SUMMARY}Sum of 2: hidden A.` },
      { role: 'user', text: createLongMessage('b') },
    ]);
  });

  it('is unaffected if the function that writes it changes the messages that it receives', async () => {
    const summarize: SummaryOptions['summarize'] = (messages) => {
      for (const message of messages) Object.assign(message, { text: 'changed' });
      return '';
    };
    const session = startSession(['A.', 'B.'], { overTokens: 150, keepTurns: 0, summarize });
    await session.send(createLongMessage('a'));
    await session.send(createLongMessage('b'));
    expect(session.shown()?.map(({ text }) => text[0])).toEqual(['W', 'a', 'A', 'b']);
  });

  it('reserves and counts tokens under a limit like any other model call', async () => {
    const session = startSession(
      ['A.', 'Sum.', 'B.'],
      { overTokens: 150, keepTurns: 0 },
      { use: [budget({ tokens: 9_000 })] },
      true,
    );
    await session.send(createLongMessage('a'));
    expect(await session.send(createLongMessage('b'))).toMatchObject({
      outcome: 'completed',
      usage: { inputTokens: 20, outputTokens: 10 },
    });
    const types = (await session.events()).map(({ type }) => type);
    expect(types.slice(types.lastIndexOf('turn-started'))).toEqual([
      'turn-started',
      'module-event',
      'conversation-cut',
      'module-event',
      'model-replied',
      'turn-ended',
    ]);
    const { turn } = await session.state();
    expect(turn?.usage).toEqual({ inputTokens: 20, outputTokens: 10 });
  });

  it('is skipped if a limit leaves no room for it, and the turn continues', async () => {
    const log = captureErrors();
    const look = defineTool({
      name: 'look',
      description: 'Looks.',
      effect: 'read',
      run: () => 'x'.repeat(4_000),
    });
    const replies: ScriptedReply[] = [
      { calls: [{ name: 'look' }], usage: { inputTokens: 30, outputTokens: 5 } },
      { text: 'A.', usage: { inputTokens: 900, outputTokens: 5 } },
      'B.',
    ];
    const session = startSession(
      replies,
      { overTokens: 900, keepTurns: 0, instructions: createLongMessage('Write.').repeat(9) },
      { tools: [look], use: [budget({ tokens: 8_000 })] },
    );
    await session.send(createLongMessage('a'));
    expect(await session.send(createLongMessage('b'))).toMatchObject({ outcome: 'completed', text: 'B.' });
    expect(log()).toEqual([
      [
        "holdfast: a conversation was not compacted, and stays whole: the turn's limit leaves no room for its summary.",
      ],
    ]);
    expect((await session.events()).map(({ type }) => type)).not.toContain('model-refused');
  });

  it('never contains a secret of the tools', async () => {
    const agent = createAgentWith({
      overTokens: 150,
      keepTurns: 0,
      summarize: () => 'It is hunter2hunter2.',
    });
    const createSecrets = () => ({ PASSWORD: 'hunter2hunter2' });
    const session = createTestSession(agent, { replies: ['A.', 'B.'], secrets: createSecrets });
    await session.send(createLongMessage('a'));
    await session.send(createLongMessage('b'));
    expect((await readCompactions(session)).map(({ summary }) => summary)).toEqual([
      'It is [secret PASSWORD].',
    ]);
  });
});
