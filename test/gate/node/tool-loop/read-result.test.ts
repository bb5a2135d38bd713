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
import { readingTool, shownResults } from './scenes.ts';

/** Makes a reply that calls these tools. Each is a name, or a name with its input. */
const calls = (...wanted: readonly (string | readonly [name: string, input: unknown])[]) => ({
  calls: wanted.map((one) => (typeof one === 'string' ? { name: one } : { name: one[0], input: one[1] })),
});

/** 26,000 characters in which no run of 200 characters occurs twice. */
const LONG = Array.from({ length: 2_600 }, (_, at) => `line ${String(at).padStart(4, '0')}\n`).join('');

interface Scene {
  readonly policies?: Policies;
  readonly use?: readonly ModuleUse[];
}

const sessionOf = (tools: readonly AnyTool[], replies: readonly ScriptedReply[], more: Scene = {}) => {
  const policies = { resultCharacters: 10_000 };
  return createTestSession(
    defineAgent({ name: 'clerk', description: 'Works.', instructions: 'Work.', tools, policies, ...more }),
    { replies },
  );
};

/** Returns the input in the last marker of the last result. */
function suggestedInput(request: ModelRequest): unknown {
  const sent = /read_result\((\{.*?\})\)/.exec(shownResults(request).at(-1) ?? '')?.[1];
  return sent === undefined ? undefined : JSON.parse(sent);
}

/** Calls the tool with the input of the last marker, or answers if there is no marker. */
const readsOn = (request: ModelRequest): ScriptedReply => {
  const input = suggestedInput(request);
  return input === undefined ? 'Read.' : calls(['read_result', input]);
};

const look = readingTool('look', () => LONG);
const callOf = async (session: TestSession, name: string): Promise<string> =>
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
  it('contains the name of the tool that reads the rest, with its input, if the agent lists the tool', async () => {
    const session = sessionOf([look, readResult()], [calls('look'), 'Done.']);
    await session.send('Go.');
    const call = await callOf(session, 'look');
    expect(shownResults(session.requests[1])).toEqual([
      `${LONG.slice(0, 10_000)}\n... [shortened: 10000 of 26000 characters are shown; ` +
        `read on with read_result({"result":"${call}","from":10000})]`,
    ]);
  });

  it('contains the name under which the agent lists that tool', async () => {
    const session = sessionOf([look, withName(readResult(), 'more')], [calls('look'), 'Done.']);
    await session.send('Go.');
    expect(shownResults(session.requests[1])[0]).toMatch(
      /; read on with more\(\{"result":".+","from":10000\}\)\]$/,
    );
  });

  it('names no tool if the loop has none, such as a nested loop', async () => {
    const dig = defineAgenticTool({ name: 'dig', description: 'Digs.', instructions: 'Dig.', tools: [look] });
    const session = sessionOf([dig, readResult()], [calls('dig'), calls('look'), 'Dug.', 'Done.']);
    await session.send('Go.');
    expect(shownResults(session.requests[2])).toEqual([
      `${LONG.slice(0, 10_000)}\n... [shortened: 10000 of 26000 characters are shown]`,
    ]);
  });

  it('can be read to its end by following the markers, with each piece shown completely', async () => {
    const session = sessionOf([look, readResult()], [calls('look'), ...Array(4).fill(readsOn)]);
    expect(await session.send('Go.')).toMatchObject({ text: 'Read.', toolCalls: 3 });
    const [first = '', ...pieces] = shownResults(session.requests.at(-1));
    expect(pieces.map((piece) => piece.length <= 10_000)).toEqual([true, true]);
    const texts = [first, ...pieces].map((piece) => piece.slice(0, piece.lastIndexOf('\n... [')));
    expect(texts.join('')).toBe(LONG);
    const call = await callOf(session, 'look');
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
  ])('has the same text in its first part and its rest: %s', async (_, answer, whole) => {
    const session = sessionOf(
      [readingTool('look', answer), readResult()],
      [calls('look'), readsOn, 'Done.'],
      {
        policies: { resultCharacters: 299 },
      },
    );
    await session.send('Go.');
    const [first = '', second = ''] = shownResults(session.requests.at(-1));
    expect(first.slice(0, 299) + second.split('\n... [')[0]).toBe(whole);
  });

  it('can be read in a later turn, even after a restart', async () => {
    const session = sessionOf(
      [look, readResult()],
      [calls('look'), 'Looked.', (request) => readsOn(request), 'Done.'],
    );
    await session.send('Go.');
    session.restart();
    await session.send('And?');
    expect(shownResults(session.requests.at(-1))[1]?.slice(0, 100)).toBe(LONG.slice(10_000, 10_100));
  });

  it('is not cut inside a character', async () => {
    const smiles = '😀'.repeat(500);
    const session = sessionOf(
      [readingTool('look', () => smiles), readResult()],
      [calls('look'), ...Array(9).fill(readsOn)],
      {
        policies: { resultCharacters: 401 },
      },
    );
    await session.send('Go.');
    const texts = shownResults(session.requests.at(-1)).map((piece) =>
      piece.slice(0, piece.lastIndexOf('\n... [')),
    );
    expect(texts.every((one) => one.isWellFormed())).toBe(true);
    expect(texts.join('')).toBe(smiles);
  });

  it('is read with the changes of all transformers except those that only shorten it', async () => {
    const hides = defineTransformer({
      name: 'hides',
      result: (text, { name }) => (name === 'look' ? text.replaceAll('line 0150', '[hidden!]') : text),
    });
    const session = sessionOf([look, readResult()], [calls('look'), readsOn, 'Done.'], {
      use: [hides, truncateToolResults({ maxLength: 1_400 })],
    });
    await session.send('Go.');
    const call = await callOf(session, 'look');
    const [first, second = ''] = shownResults(session.requests.at(-1));
    const whole = LONG.replaceAll('line 0150', '[hidden!]');
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
    const session = sessionOf([study], [calls('study'), calls('look'), readsOn, 'Studied.', 'Done.']);
    await session.send('Go.');
    expect(shownResults(session.requests[3])[1]?.slice(0, 100)).toBe(LONG.slice(10_000, 10_100));
  });
});

describe('a call of readResult', () => {
  const answered = async (
    input: (call: string) => unknown,
    more: Scene = {},
  ): Promise<string | undefined> => {
    const replies: ScriptedReply[] = [
      calls('look'),
      (request) => calls(['read_result', input(Object(suggestedInput(request)).result)]),
      'Done.',
    ];
    const session = sessionOf([look, readResult()], replies, more);
    await session.send('Go.');
    return shownResults(session.requests.at(-1)).at(-1);
  };
  const unknown = (sent: string): string =>
    `Error: There is no result '${sent}' in what you are shown of this conversation. Send 'result' and 'from' as the ` +
    'marker of the shortened result says.';

  it.each<[string, (call: string) => unknown, string]>([
    ['a call that was never made', () => ({ result: 'nope', from: 3 }), unknown('nope')],
    ['the name of an inherited property', () => ({ result: '__proto__', from: 0 }), unknown('__proto__')],
    ['a very long id', () => ({ result: 'x'.repeat(5_000), from: 0 }), unknown(`${'x'.repeat(79)}…`)],
  ])('returns an error for %s', async (_, input, text) => {
    expect(await answered(input)).toBe(text);
  });

  it.each([26_000, 26_001, -1, 1e15])('returns the valid range for the position %d', async (from) => {
    let sent = '';
    const text = await answered((result) => {
      sent = result;
      return { result, from };
    });
    expect(text).toBe(
      `Error: The result '${sent}' has 26000 characters, and none at ${from}. Send 'from' as a number from 0 to 25999.`,
    );
  });

  it('starts at the beginning if it has no position', async () => {
    expect((await answered((result) => ({ result })))?.slice(0, 50)).toBe(LONG.slice(0, 50));
  });

  it.each([{ from: 'x' }, { from: 1.5 }, {}])('returns the problem of an invalid input: %j', async (more) => {
    expect(await answered((result) => ({ ...('from' in more ? { result } : {}), ...more }))).toMatch(
      /^Error: The input of tool 'read_result' is not valid:\n/,
    );
  });

  it('finds no results of other calls in the same reply, which were not shown yet', async () => {
    const ids: string[] = [];
    const ping = readingTool('ping', ({ id }) => ids.push(id));
    const seqOf = (id = '') => Number(id.split('.')[1]);
    const pings = sessionOf([ping], [calls('ping'), calls('ping'), 'Done.']);
    await pings.send('Go.');
    const between = seqOf(ids[1]) - seqOf(ids[0]);
    const here = readingTool('look', ({ id }) => ids.push(id), { serial: 'a' });
    let sent = '';
    const replies: ScriptedReply[] = [
      calls('ping'),
      () => {
        const [turn] = ids[2]?.split('.') ?? [];
        sent = `${turn}.${seqOf(ids[2]) + between}.0`;
        return calls('look', ['read_result', { result: sent, from: 0 }]);
      },
      'Done.',
    ];
    const session = sessionOf([ping, here, { ...readResult(), serial: 'a' }], replies);
    await session.send('Go.');
    expect(ids[3]).toBe(sent);
    expect(shownResults(session.requests[2])[2]).toBe(unknown(sent));
  });

  it('finds no result that a sliding window has dropped', async () => {
    let sent = '';
    const replies: ScriptedReply[] = [
      calls('look'),
      (request) => {
        sent = Object(suggestedInput(request)).result;
        return 'Looked.';
      },
      () => calls(['read_result', { result: sent, from: 10_000 }]),
      'Done.',
    ];
    const session = sessionOf([look, readResult()], replies, {
      use: [slidingWindow({ maxMessages: 2 })],
    });
    await session.send('Go.');
    await session.send('And?');
    expect(shownResults(session.requests.at(-1)).at(-1)).toBe(unknown(sent));
  });

  it('returns an error if results are shown too short to be useful', async () => {
    expect(
      await answered((result) => ({ result, from: 10 }), { policies: { resultCharacters: 100 } }),
    ).toMatch(/^Error: No more than 100 characters of a result are shown here, too few to read on\./);
  });
});
