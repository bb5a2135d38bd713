/** Tests how much of a result is shown to the model. */
import { describe, expect, it, vi } from 'vitest';
import { type AnyTool, content, defineAgent, error, file, type Policies } from '../../../../src/index.ts';
import { defineAgenticTool } from '../../../../src/kinds/entry.ts';
import { summarize } from '../../../../src/modules/compaction/entry.ts';
import { oneShotPerLoop } from '../../../../src/modules/decorators/entry.ts';
import { files } from '../../../../src/modules/files/entry.ts';
import { defineTransformer } from '../../../../src/modules/transformers/entry.ts';
import { createTestSession, type ScriptedReply } from '../../../../src/testing/entry.ts';
import { foldMessage, type Message } from '../../../doors/journal.ts';
import type { ModuleUse } from '../../../doors/tools.ts';
import { callTools, createReadingTool, getShownResults } from './scenes.ts';

interface Scene {
  readonly policies?: Policies;
  readonly use?: readonly ModuleUse[];
  readonly replies?: readonly ScriptedReply[];
}

const startSession = (
  tools: readonly AnyTool[],
  { replies = [callTools('look'), 'Done.'], ...more }: Scene = {},
) =>
  createTestSession(
    defineAgent({ name: 'clerk', description: 'Works.', instructions: 'Work.', tools, ...more }),
    { use: [files()], replies },
  );

/** Returns what the model sees of the value that a tool returns. */
async function getShownResult(answer: () => unknown, scene: Scene = {}): Promise<string | undefined> {
  const session = startSession([createReadingTool('look', answer)], scene);
  await session.send('Go.');
  return getShownResults(session.requests.at(-1)).at(-1);
}

describe('a result', () => {
  it('is shown completely up to 65,536 characters', async () => {
    expect(await getShownResult(() => 'x'.repeat(65_536))).toBe('x'.repeat(65_536));
  });

  it('is shown only at its beginning if it is longer, with a note on the shown part', async () => {
    expect(await getShownResult(() => 'x'.repeat(1_000_000))).toBe(
      `${'x'.repeat(65_536)}\n... [shortened: 65536 of 1000000 characters are shown]`,
    );
  });

  it.each<[string, () => unknown, string]>([
    ['an artifact', () => ({ word: 'kelp' }), '{"word"\n... [shortened: 7 of 15 characters are shown]'],
    ['an error', () => error('No kelp.'), 'Error: \n... [shortened: 7 of 15 characters are shown]'],
    [
      'a surrogate pair at the limit',
      () => 'kelps 😀',
      'kelps \n... [shortened: 6 of 8 characters are shown]',
    ],
    ['a surrogate pair that just fits', () => 'kelp 😀', 'kelp 😀'],
  ])('is limited to the characters that the agent allows: %s', async (_, answer, text) => {
    expect(await getShownResult(answer, { policies: { resultCharacters: 7 } })).toBe(text);
  });

  it('shares its limit with its text files, each of which has a note on the shown part', async () => {
    const createSheet = (letter: string) =>
      file(new TextEncoder().encode(letter.repeat(150)), 'text/csv', letter);
    const text = await getShownResult(() => content(['Sales:', createSheet('a'), createSheet('b')]), {
      policies: { resultCharacters: 450 },
    });
    const lines =
      /^Sales:\n\n(\[file \w{64}: text\/csv, "a", 150 bytes\])\na{150}\n\n(\[file \w{64}: text\/csv, "b", 150 bytes\])\n(b+)\n(.*)$/;
    const [, a = '', b = '', shownOfB = '', told] = lines.exec(text ?? '') ?? [];
    const left = 450 - 'Sales:\n\n\n\n'.length - a.length - b.length - 150;
    expect([shownOfB.length, told]).toEqual([left, `... [shortened: ${left} of 150 characters are shown]`]);
  });

  it('is shortened after transformers have processed the complete text', async () => {
    const use = [defineTransformer({ name: 'counts', result: (text) => `${text.length} ${text}` })];
    const scene = { policies: { resultCharacters: 8 }, use };
    expect(await getShownResult(() => 'x'.repeat(90), scene)).toBe(
      '90 xxxxx\n... [shortened: 8 of 93 characters are shown]',
    );
  });

  it('is journaled completely, and is a complete answer if it is returned directly', async () => {
    const whole = 'x'.repeat(90);
    const look = createReadingTool('look', () => whole, { returnDirect: true });
    const session = startSession([look], { policies: { resultCharacters: 8 } });
    expect(await session.send('Go.')).toMatchObject({ outcome: 'returned-direct', text: whole });
    expect((await session.state()).messages[1]).toMatchObject({
      calls: [{ ended: { result: { type: 'text', content: whole } } }],
    });
  });

  it('is shortened in nested loops, whose answer is shortened too', async () => {
    const dig = defineAgenticTool({
      name: 'dig',
      description: 'Digs.',
      instructions: 'You dig.',
      tools: [createReadingTool('look', () => 'abcdefghij')],
    });
    const replies = [callTools('dig'), callTools('look'), '0123456789', 'Done.'];
    const session = startSession([dig], { policies: { resultCharacters: 8 }, replies });
    await session.send('Go.');
    expect(session.requests.flatMap((request) => getShownResults(request))).toEqual([
      'abcdefgh\n... [shortened: 8 of 10 characters are shown]',
      '01234567\n... [shortened: 8 of 10 characters are shown]',
    ]);
  });

  it('counts as delivered by a one-shot tool if it was shortened, because it would be shortened again', async () => {
    const load = oneShotPerLoop(
      createReadingTool('load', () => 'x'.repeat(90)),
      'Work.',
    );
    const replies = [callTools('load'), callTools('load'), 'Done.'];
    const session = startSession([load], { policies: { resultCharacters: 8 }, replies });
    await session.send('Go.');
    expect(getShownResults(session.requests.at(-1))).toEqual([
      'xxxxxxxx\n... [shortened: 8 of 90 characters are shown]',
      'ALREADY \n... [shortened: 8 of 151 characters are shown]',
    ]);
  });

  it('counts toward a compaction only with its shown length', async () => {
    let asked = 0;
    const compaction = summarize({
      overTokens: 100,
      keepTurns: 0,
      summarize: () => {
        asked += 1;
        return 'Sum.';
      },
    });
    const createTestAgent = (resultCharacters: number) =>
      defineAgent({
        name: 'clerk',
        description: 'Works.',
        instructions: '',
        tools: [createReadingTool('look', () => 'x'.repeat(4_000))],
        policies: { resultCharacters },
        use: [compaction],
      });
    for (const [characters, times] of [
      [200, 0],
      [4_000, 1],
    ] as const) {
      asked = 0;
      const session = createTestSession(createTestAgent(characters), {
        replies: [callTools('look'), 'A.', 'B.'],
      });
      await session.send('Look.');
      await session.send('And?');
      expect(asked).toBe(times);
    }
  });

  it('is shortened in the same way if it arrives late', () => {
    const messages: Message[] = [];
    foldMessage(messages, {
      type: 'late-result-received',
      turn: 't1',
      call: 't1.3.0',
      tool: 'pay',
      input: '{}',
      result: { type: 'text', content: 'x'.repeat(70_000) },
    });
    expect(messages).toEqual([
      {
        role: 'user',
        by: 'late',
        text:
          "The call of 'pay' with the input {}, whose outcome was unknown, has answered after all: " +
          `${'x'.repeat(65_536)}\n... [shortened: 65536 of 70000 characters are shown]`,
      },
    ]);
  });
});

describe('a result that was shown before', () => {
  it('is not rendered again for each request', async () => {
    const replies = [...Array.from({ length: 20 }, () => callTools('look')), 'Done.'];
    const tools = [createReadingTool('look', () => ({ kelp: 'green' }))];
    const agent = defineAgent({ name: 'clerk', description: 'Works.', instructions: 'Work.', tools });
    // One invocation runs the whole turn.
    const session = createTestSession(agent, { replies, warm: true });
    const isResult = (value: unknown): boolean => Object(value).kelp === 'green';
    const stringify = vi.spyOn(JSON, 'stringify');
    await session.send('Go.');
    const written = stringify.mock.calls.filter(([value]) => isResult(value)).length;
    stringify.mockRestore();
    expect(getShownResults(session.requests.at(-1))).toEqual(replies.slice(1).map(() => '{"kelp":"green"}'));
    // Once for the model, and twice when the call ends. Rendering all earlier results for each request would
    // make it 250.
    expect(written).toBe(60);
  });
});
