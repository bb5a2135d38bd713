import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type AnyTool, defineAgent, defineTool, error, text } from '../../../../src/index.ts';
import { defineSubagent } from '../../../../src/kinds/entry.ts';
import { defineModule, type RememberingModule } from '../../../../src/module.ts';
import { decorate } from '../../../../src/modules/decorators/entry.ts';
import {
  createManualClock,
  createTestSession,
  type ScriptedReply,
  type TestSession,
} from '../../../../src/testing/entry.ts';
import { createToolKinds } from '../../../doors/kinds.ts';
import { getShownResults } from '../tool-loop/scenes.ts';

type WordsModule = RememberingModule<readonly string[], string>;
type Settings = Partial<{ name: string; when: 'call' | 'batch'; scope: 'path' | 'session'; version: number }>;

/** A module that remembers words. */
const createWords = ({ name = 'words', ...settings }: Settings = {}): WordsModule =>
  defineModule({
    name,
    state: { ...settings, initial: [], apply: (all: readonly string[], word: string) => [...all, word] },
  });

const actTool = defineTool({ name: 'act', description: 'Acts.', effect: 'idempotent', run: () => 'done' });

/** A tool that returns the remembered words, and then records one. */
const createRememberingTool = (
  kind: WordsModule,
  on: 'success' | 'end' = 'success',
  answer: () => unknown = () => 'ok',
): AnyTool =>
  decorate(actTool, {
    async call(_, call) {
      const known = kind.recall(call).join(' ');
      kind.remember(call, `w${kind.recall(call).length}`, { on });
      const own = kind.recall(call).join(' ');
      const answered = answer();
      return answered === 'ok' ? text(`${known} -> ${own}`) : error(String(answered));
    },
  });

const callAct = (times = 1): ScriptedReply => ({
  calls: Array.from({ length: times }, () => ({ name: 'act' })),
});
const createTestAgent = (...tools: readonly AnyTool[]) =>
  defineAgent({ name: 'clerk', description: 'Works.', instructions: 'Work.', tools });

function startSession(kind: WordsModule, tool: AnyTool, replies: readonly ScriptedReply[]): TestSession {
  return createTestSession(createTestAgent(tool), {
    use: [kind.use()],
    replies,
    clock: createManualClock(5_000),
  });
}

/** The log line about a failed turn. */
const describeFailedTurn = (message: string, turn: string): string =>
  `holdfast: a turn failed (misconfigured): ${message} (agent clerk, session test, turn ${turn})`;

/** Captures the errors that are written to the console from now on. */
function captureConsoleErrors(): () => readonly unknown[][] {
  const errors = vi.spyOn(console, 'error').mockImplementation(() => {});
  onTestFinished(() => errors.mockRestore());
  return () => errors.mock.calls;
}

const getLastResults = (session: TestSession) => getShownResults(session.requests.at(-1));
const readKeptWords = async (session: TestSession) => (await session.state()).memories.get('app:words');

describe('the state of a module', () => {
  it('is retained across replies, turns and restarts, and includes the facts that a call records', async () => {
    const kind = createWords();
    const session = startSession(kind, createRememberingTool(kind), [callAct(), 'A.', callAct(), 'B.']);
    await session.send('One.');
    session.restart();
    await session.send('Two.');
    expect(getLastResults(session)).toEqual([' -> w0', 'w0 -> w0 w1']);
    expect(await readKeptWords(session)).toEqual(['w0', 'w1']);
  });

  it.each([
    ['batch', [' -> w0', ' -> w0'], ['w0', 'w0']],
    ['call', [' -> w0', 'w0 -> w0 w1'], ['w0', 'w1']],
  ] as const)('is shared by the calls of one reply if `when` allows it: %s', async (when, results, value) => {
    const kind = createWords({ when });
    const session = startSession(kind, createRememberingTool(kind, 'end'), [callAct(2), 'Done.']);
    await session.send('Go.');
    expect(getLastResults(session)).toEqual(results);
    expect(await readKeptWords(session)).toEqual(value);
  });

  it.each([
    ['success', []],
    ['end', ['w0']],
  ] as const)('includes the fact of a failed call if `on` allows it: %s', async (on, value) => {
    const kind = createWords();
    const session = startSession(
      kind,
      createRememberingTool(kind, on, () => 'No.'),
      [callAct(), 'Done.'],
    );
    await session.send('Go.');
    expect(await readKeptWords(session)).toEqual(value);
  });

  it.each([
    ['session', ['w0', 'w1']],
    ['path', { clerk: ['w0'], 'clerk/helper': ['w0'] }],
  ] as const)('has one value per scope: %s', async (scope, value) => {
    const kind = createWords({ scope });
    const tool = createRememberingTool(kind);
    const helper = defineAgent({
      name: 'helper',
      description: 'Helps.',
      instructions: 'Help.',
      tools: [tool],
    });
    const session = createTestSession(createTestAgent(tool, defineSubagent({ agent: helper })), {
      use: [kind.use()],
      replies: [
        callAct(),
        { calls: [{ name: 'helper', input: { message: 'Help.' } }] },
        callAct(),
        'Ok.',
        'Done.',
      ],
    });
    await session.send('Go.');
    expect(await readKeptWords(session)).toEqual(value);
  });

  it('can contain the end time of a call, from the clock of the invocation', async () => {
    const clock = createManualClock(5_000);
    const times = defineModule({
      name: 'times',
      state: { initial: [], apply: (all: readonly number[], _: null, { at }) => [...all, at] },
    });
    const tool = decorate(actTool, {
      async call(_, call) {
        times.remember(call, null, { on: 'end' });
        await clock.advance(250);
        return text('ok');
      },
    });
    const session = createTestSession(createTestAgent(tool), {
      use: [times.use()],
      clock,
      replies: [callAct(), 'Done.'],
    });
    await session.send('Go.');
    expect((await session.state()).memories.get('app:times')).toEqual([5_250]);
  });

  it('can be derived from other events: turns, replies, calls and loops', async () => {
    const seen = defineModule({
      name: 'seen',
      state: {
        initial: [],
        observe: (all: readonly string[], moment) => [...all, `${moment.type} ${moment.path}`],
      },
    });
    const helper = defineAgent({ name: 'helper', description: 'Helps.', instructions: 'Help.', tools: [] });
    const session = createTestSession(createTestAgent(defineSubagent({ agent: helper })), {
      use: [seen.use()],
      replies: [{ calls: [{ name: 'helper', input: { message: 'Help.' } }] }, 'Ok.', 'Done.'],
    });
    await session.send('Go.');
    expect((await session.state()).memories.get('app:seen')).toEqual([
      'turn-started clerk',
      'model-replied clerk',
      'calls-made clerk',
      'loop-opened clerk/helper',
      'model-replied clerk/helper',
      'call-ended clerk',
      'model-replied clerk',
      'turn-ended clerk',
    ]);
  });

  it('can decide which tools are offered, with a strategy that records facts', async () => {
    const secret = defineTool({ name: 'secret', description: 'Opens.', run: () => 'open' });
    const kind = defineModule({
      name: 'words',
      state: { initial: [], apply: (all: readonly string[], word: string) => [...all, word] },
    });
    const use = kind.use({
      offer: {
        name: 'secret',
        offer: (tools, view) => (kind.recall(view).length > 0 ? [...tools, secret] : tools),
        remarkOn: () => ({ facts: [kind.fact('noted')] }),
      },
    });
    const session = createTestSession(createTestAgent(actTool), {
      use: [use],
      replies: [callAct(), 'Done.'],
    });
    await session.send('Go.');
    expect(session.requests.map(({ tools }) => tools.map(({ name }) => name))).toEqual([
      ['act'],
      ['act', 'secret'],
    ]);
    expect(await readKeptWords(session)).toEqual(['noted']);
  });

  it('is separate from that of a library module with the same name', async () => {
    const kind = createWords({ name: 'unfolding' });
    const session = startSession(kind, createRememberingTool(kind), [callAct(), 'Done.']);
    await session.send('Go.');
    const { memories } = await session.state();
    expect([memories.get('unfolding'), memories.get('app:unfolding')]).toEqual([undefined, ['w0']]);
  });
});

describe('a mistake in a module', () => {
  it('is logged once with the fix, and ends each turn, if the module is missing in `use`', async () => {
    const onConsole = captureConsoleErrors();
    const kind = createWords();
    const session = createTestSession(createTestAgent(createRememberingTool(kind)), {
      replies: [callAct(2), callAct()],
    });
    const message =
      "The module 'words' is missing here. Add it to `use` of createHoldfast, createTestSession or crashMatrix.";
    const failed = { outcome: 'failed', error: { type: 'misconfigured', message } };
    const answers = [await session.send('Go.'), await session.send('Again.')];
    expect(answers).toMatchObject([failed, failed]);
    expect(onConsole()).toEqual([
      [`holdfast: ${message}`],
      ...answers.map(({ turn }) => [describeFailedTurn(message, turn)]),
    ]);
  });

  it('is reported at the start if two modules have the same name', () => {
    expect(() => createToolKinds([createWords().use(), createWords().use()])).toThrow(
      "Two modules are called 'app:words'. Rename one, or look for a second copy of holdfast (npm ls holdfast).",
    );
  });

  it.each([
    [
      { name: 'a b' },
      "Module 'a b': its name must be a letter followed by up to 63 letters, digits, '-' or '_'.",
    ],
    [
      { name: 'holdfast:words' },
      "Module 'holdfast:words': its name must be a letter followed by up to 63 letters, digits, '-' or '_'.",
    ],
    [{ when: 'soon' as 'call' }, "Module 'words': 'when' is 'soon'. Use 'call' or 'batch'."],
    [{ scope: 'frame' as 'path' }, "Module 'words': 'scope' is 'frame'. Use 'path', 'session' or 'turn'."],
    [{ version: 0.5 }, "Module 'words': 'version' is 0.5. Use a whole number of at least 1."],
  ])('is reported by the definition: %j', (settings, message) => {
    expect(() => createWords(settings)).toThrow(message);
  });

  it('is reported at its source if a value is not JSON', () => {
    const map = new WeakMap() as unknown as string[];
    expect(() =>
      defineModule({ name: 'words', state: { initial: map, apply: (all: string[]) => all } }),
    ).toThrow("Module 'words': the value of 'initial' at `$` is a WeakMap, which is not JSON.");
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('The service is down.');
      },
      'The service is down.',
    ],
    [
      'returns a value that is not JSON',
      () => [new WeakMap()] as unknown as string[],
      "Module 'words': 'apply' returned a value that is a WeakMap at `$[0]`, which is not JSON.",
    ],
  ])(
    'stops only the state of that module if its `apply` %s: the session continues, and tools of the module report why',
    async (_, apply, why) => {
      const onConsole = captureConsoleErrors();
      const kind: WordsModule = defineModule({
        name: 'words',
        state: {
          initial: [],
          apply: (_all: readonly string[], _word: string): readonly string[] => apply(),
        },
      });
      const record = decorate(actTool, {
        async call(_input, call) {
          if (kind.recall(call).length === 0) call.record(kind.memory, 'word');
          return text('recorded');
        },
      });
      const session = startSession(kind, record, [callAct(), 'Recorded.', callAct(), callAct(), 'Hello.']);
      const message = `The state of the module 'words' could not be folded in this session: ${why} Its facts are still in the journal, and count once its code can fold them.`;
      const failed = { outcome: 'failed', error: { type: 'misconfigured', message } };
      expect(await session.send('Record.')).toMatchObject({ outcome: 'completed', text: 'Recorded.' });
      const answers = [await session.send('Again.'), await session.send('Again.')];
      expect(answers).toMatchObject([failed, failed]);
      expect(onConsole()).toEqual([
        [`holdfast: ${message}`],
        ...answers.map(({ turn }) => [describeFailedTurn(message, turn)]),
      ]);
      expect(await session.send('Hello?')).toMatchObject({ outcome: 'completed', text: 'Hello.' });
    },
  );

  it('does not affect other code if it changes the arguments', async () => {
    const kind = defineModule({
      name: 'words',
      state: {
        initial: [],
        apply(all: string[], word: string) {
          all.push(word);
          return all;
        },
      },
    });
    const tool = decorate(actTool, {
      async call(_, call) {
        kind.recall(call).push('mine');
        kind.remember(call, 'word');
        return text(String(kind.recall(call).length));
      },
    });
    const session = createTestSession(createTestAgent(tool), {
      use: [kind.use()],
      replies: [callAct(2), 'Done.'],
    });
    await session.send('Go.');
    expect(getLastResults(session)).toEqual(['1', '1']);
    expect(await readKeptWords(session)).toEqual(['word', 'word']);
  });
});
