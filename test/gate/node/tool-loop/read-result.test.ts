/** Tests that a model can read the rest of a shortened result. */
import { describe, expect, it } from 'vitest';
import {
  type AnyTool,
  artifact,
  defineAgent,
  error,
  type Policies,
  readResult,
} from '../../../../src/index.ts';
import { defineAgenticTool, definePlaybook } from '../../../../src/kinds/entry.ts';
import type { ModelRequest } from '../../../../src/model/entry.ts';
import { withName } from '../../../../src/modules/decorators/entry.ts';
import {
  defineTransformer,
  slidingWindow,
  truncateToolResults,
} from '../../../../src/modules/transformers/entry.ts';
import { createTestSession, type ScriptedReply, type TestSession } from '../../../../src/testing/entry.ts';
import type { ModuleUse } from '../../../doors/tools.ts';
import { createReadingTool, getShownResults } from './scenes.ts';

/** Makes a reply that calls these tools. Each is a name, or a name with its input. */
const callTools = (...wanted: readonly (string | readonly [name: string, input: unknown])[]) => ({
  calls: wanted.map((one) => (typeof one === 'string' ? { name: one } : { name: one[0], input: one[1] })),
});

/** 26,000 characters without a repeated run of 200 characters. */
const LONG_RESULT = Array.from({ length: 2_600 }, (_, at) => `line ${String(at).padStart(4, '0')}\n`).join(
  '',
);

interface SceneOptions {
  readonly policies?: Policies;
  readonly use?: readonly ModuleUse[];
}

const startSession = (
  tools: readonly AnyTool[],
  replies: readonly ScriptedReply[],
  more: SceneOptions = {},
) => {
  const policies = { resultCharacters: 10_000 };
  return createTestSession(
    defineAgent({ name: 'clerk', description: 'Works.', instructions: 'Work.', tools, policies, ...more }),
    { replies },
  );
};

/** Returns the input in the last marker of the last result. */
function getSuggestedInput(request: ModelRequest): unknown {
  const sent = /read_result\((\{.*?\})\)/.exec(getShownResults(request).at(-1) ?? '')?.[1];
  return sent === undefined ? undefined : JSON.parse(sent);
}

/** Calls the tool with the last marker's input, or answers if there is no marker. */
const readOn = (request: ModelRequest): ScriptedReply => {
  const input = getSuggestedInput(request);
  return input === undefined ? 'Read.' : callTools(['read_result', input]);
};

const look = createReadingTool('look', () => LONG_RESULT);
const findCallId = async (session: TestSession, name: string): Promise<string> =>
  (await session.events())
    .flatMap((event) => (event.type === 'model-replied' ? event.toolCalls : []))
    .find((one) => one.name === name)?.id ?? '';

it('readResult describes its purpose and the marker to the model', () => {
  const { name, description, inputSchema } = readResult();
  expect({ name, description, inputSchema }).toEqual({
    name: 'read_result',
    description:
      'Reads on in a result that was shown to you shortened. Its marker says what to send. Answers the next piece of it.',
    inputSchema: {
      type: 'object',
      properties: {
        result: { type: 'string', description: 'Which result, as its marker says' },
        from: {
          type: 'integer',
          description: 'The first character to read, as the marker says; 0 unless given',
        },
      },
      required: ['result'],
    },
  });
});

describe('a shortened result', () => {
  it('contains a call of the tool that reads the rest, if the agent lists the tool', async () => {
    const session = startSession([look, readResult()], [callTools('look'), 'Done.']);
    await session.send('Go.');
    const call = await findCallId(session, 'look');
    expect(getShownResults(session.requests[1])).toEqual([
      `${LONG_RESULT.slice(0, 10_000)}\n... [shortened: 10000 of 26000 characters are shown; ` +
        `read on with read_result({"result":"${call}","from":10000})]`,
    ]);
  });

  it('contains the name under which the agent lists the tool that reads the rest', async () => {
    const session = startSession([look, withName(readResult(), 'more')], [callTools('look'), 'Done.']);
    await session.send('Go.');
    expect(getShownResults(session.requests[1])[0]).toMatch(
      /; read on with more\(\{"result":".+","from":10000\}\)\]$/,
    );
  });

  it('does not mention a tool that reads the rest if the loop has no such tool', async () => {
    const dig = defineAgenticTool({ name: 'dig', description: 'Digs.', instructions: 'Dig.', tools: [look] });
    const session = startSession([dig, readResult()], [callTools('dig'), callTools('look'), 'Dug.', 'Done.']);
    await session.send('Go.');
    expect(getShownResults(session.requests[2])).toEqual([
      `${LONG_RESULT.slice(0, 10_000)}\n... [shortened: 10000 of 26000 characters are shown]`,
    ]);
  });

  it('can be read to its end with the calls in its markers, and each piece is shown completely', async () => {
    const session = startSession([look, readResult()], [callTools('look'), ...Array(4).fill(readOn)]);
    expect(await session.send('Go.')).toMatchObject({ text: 'Read.', toolCalls: 3 });
    const [first = '', ...pieces] = getShownResults(session.requests.at(-1));
    expect(pieces.map((piece) => piece.length <= 10_000)).toEqual([true, true]);
    const texts = [first, ...pieces].map((piece) => piece.slice(0, piece.lastIndexOf('\n... [')));
    expect(texts.join('')).toBe(LONG_RESULT);
    const call = await findCallId(session, 'look');
    const [second, third] = pieces.map((piece) => piece.slice(piece.lastIndexOf('\n... [')));
    const end = 10_000 + (texts[1]?.length ?? 0);
    expect(second).toBe(
      `\n... [characters 10000 to ${end} of 26000; read on with read_result({"result":"${call}","from":${end}})]`,
    );
    expect(third).toBe(`\n... [characters ${end} to 26000 of 26000: the end]`);
  });

  it.each<[string, () => unknown, string]>([
    ['an artifact', () => ({ words: 'x'.repeat(300) }), `{"words":"${'x'.repeat(300)}"}`],
    ['the text of an artifact', () => artifact('y'.repeat(300), 1), 'y'.repeat(300)],
    ['an error', () => error('z'.repeat(300)), `Error: ${'z'.repeat(300)}`],
  ])('has no gap between its first part and the rest: %s', async (_, answer, whole) => {
    const session = startSession(
      [createReadingTool('look', answer), readResult()],
      [callTools('look'), readOn, 'Done.'],
      {
        policies: { resultCharacters: 299 },
      },
    );
    await session.send('Go.');
    const [first = '', second = ''] = getShownResults(session.requests.at(-1));
    expect(first.slice(0, 299) + second.split('\n... [')[0]).toBe(whole);
  });

  it('can be read in a later turn, even after a restart', async () => {
    const session = startSession(
      [look, readResult()],
      [callTools('look'), 'Looked.', (request) => readOn(request), 'Done.'],
    );
    await session.send('Go.');
    session.restart();
    await session.send('And?');
    expect(getShownResults(session.requests.at(-1))[1]?.slice(0, 100)).toBe(
      LONG_RESULT.slice(10_000, 10_100),
    );
  });

  it('is not cut inside a character', async () => {
    const smiles = '😀'.repeat(500);
    const session = startSession(
      [createReadingTool('look', () => smiles), readResult()],
      [callTools('look'), ...Array(9).fill(readOn)],
      {
        policies: { resultCharacters: 401 },
      },
    );
    await session.send('Go.');
    const texts = getShownResults(session.requests.at(-1)).map((piece) =>
      piece.slice(0, piece.lastIndexOf('\n... [')),
    );
    expect(texts.every((one) => one.isWellFormed())).toBe(true);
    expect(texts.join('')).toBe(smiles);
  });

  it('is read as all transformers have changed it, except those that only shorten it', async () => {
    const hides = defineTransformer({
      name: 'hides',
      result: (text, { name }) => (name === 'look' ? text.replaceAll('line 0150', '[hidden!]') : text),
    });
    const session = startSession([look, readResult()], [callTools('look'), readOn, 'Done.'], {
      use: [hides, truncateToolResults({ maxLength: 1_400 })],
    });
    await session.send('Go.');
    const call = await findCallId(session, 'look');
    const [first, second = ''] = getShownResults(session.requests.at(-1));
    const whole = LONG_RESULT.replaceAll('line 0150', '[hidden!]');
    expect(first).toBe(
      `${whole.slice(0, 1_400)}\n... [truncated, 1400 chars shown]\n` +
        `[read on with read_result({"result":"${call}","from":1400})]`,
    );
    expect(second.slice(0, 1_000)).toBe(whole.slice(1_400, 2_400));
    expect(second).toContain('[hidden!]');
    expect(second.length).toBeLessThanOrEqual(1_400);
  });

  it('can be read inside a playbook', async () => {
    const study = definePlaybook({
      name: 'study',
      description: 'Studies.',
      instructions: 'Study.',
      tools: [look, readResult()],
      locked: [],
    });
    const session = startSession(
      [study],
      [callTools('study'), callTools('look'), readOn, 'Studied.', 'Done.'],
    );
    await session.send('Go.');
    expect(getShownResults(session.requests[3])[1]?.slice(0, 100)).toBe(LONG_RESULT.slice(10_000, 10_100));
  });
});

describe('a call of readResult', () => {
  const getAnswer = async (
    input: (call: string) => unknown,
    more: SceneOptions = {},
  ): Promise<string | undefined> => {
    const replies: ScriptedReply[] = [
      callTools('look'),
      (request) => callTools(['read_result', input(Object(getSuggestedInput(request)).result)]),
      'Done.',
    ];
    const session = startSession([look, readResult()], replies, more);
    await session.send('Go.');
    return getShownResults(session.requests.at(-1)).at(-1);
  };
  const describeUnknownResult = (sent: string): string =>
    `Error: There is no result '${sent}' in what you are shown of this conversation. Send 'result' and 'from' as the ` +
    'marker of the shortened result says.';

  it.each<[string, (call: string) => unknown, string]>([
    ['a call that was never made', () => ({ result: 'nope', from: 3 }), describeUnknownResult('nope')],
    [
      'the name of an inherited property',
      () => ({ result: '__proto__', from: 0 }),
      describeUnknownResult('__proto__'),
    ],
    [
      'a very long id',
      () => ({ result: 'x'.repeat(5_000), from: 0 }),
      describeUnknownResult(`${'x'.repeat(79)}…`),
    ],
  ])('returns an error for %s', async (_, input, text) => {
    expect(await getAnswer(input)).toBe(text);
  });

  it.each([26_000, 26_001, -1, 1e15])('returns the valid range for the position %d', async (from) => {
    let sent = '';
    const text = await getAnswer((result) => {
      sent = result;
      return { result, from };
    });
    expect(text).toBe(
      `Error: The result '${sent}' has 26000 characters, and none at ${from}. Send 'from' as a number from 0 to 25999.`,
    );
  });

  it('starts at the beginning if it has no position', async () => {
    expect((await getAnswer((result) => ({ result })))?.slice(0, 50)).toBe(LONG_RESULT.slice(0, 50));
  });

  it.each([{ from: 'x' }, { from: 1.5 }, {}])('returns the problem of an invalid input: %j', async (more) => {
    expect(await getAnswer((result) => ({ ...('from' in more ? { result } : {}), ...more }))).toMatch(
      /^Error: The input of tool 'read_result' is not valid:\n/,
    );
  });

  it('does not find results of other calls in the same reply, because they were not shown yet', async () => {
    const ids: string[] = [];
    const ping = createReadingTool('ping', ({ id }) => ids.push(id));
    const getSeq = (id = '') => Number(id.split('.')[1]);
    const pings = startSession([ping], [callTools('ping'), callTools('ping'), 'Done.']);
    await pings.send('Go.');
    const between = getSeq(ids[1]) - getSeq(ids[0]);
    const here = createReadingTool('look', ({ id }) => ids.push(id), { serial: 'a' });
    let sent = '';
    const replies: ScriptedReply[] = [
      callTools('ping'),
      () => {
        const [turn] = ids[2]?.split('.') ?? [];
        sent = `${turn}.${getSeq(ids[2]) + between}.0`;
        return callTools('look', ['read_result', { result: sent, from: 0 }]);
      },
      'Done.',
    ];
    const session = startSession([ping, here, { ...readResult(), serial: 'a' }], replies);
    await session.send('Go.');
    expect(ids[3]).toBe(sent);
    expect(getShownResults(session.requests[2])[2]).toBe(describeUnknownResult(sent));
  });

  it('finds no result that a sliding window has dropped', async () => {
    let sent = '';
    const replies: ScriptedReply[] = [
      callTools('look'),
      (request) => {
        sent = Object(getSuggestedInput(request)).result;
        return 'Looked.';
      },
      () => callTools(['read_result', { result: sent, from: 10_000 }]),
      'Done.',
    ];
    const session = startSession([look, readResult()], replies, {
      use: [slidingWindow({ maxMessages: 2 })],
    });
    await session.send('Go.');
    await session.send('And?');
    expect(getShownResults(session.requests.at(-1)).at(-1)).toBe(describeUnknownResult(sent));
  });

  it('returns an error if the limit for shown results is too low to be useful', async () => {
    expect(
      await getAnswer((result) => ({ result, from: 10 }), { policies: { resultCharacters: 100 } }),
    ).toMatch(/^Error: No more than 100 characters of a result are shown here, too few to read on\./);
  });
});
