import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type CallContext, type Question, Secrets } from '../../../../src/index.ts';
import { decorate, requireApproval } from '../../../../src/modules/decorators/entry.ts';
import { collectQuestions } from '../../../doors/session.ts';
import { callTools, createDiggingTool } from '../tool-loop/scenes.ts';
import { advanceUntilSettled, LEASE_MS } from './former-holder.ts';
import {
  ANSWER_SCHEMA,
  createApp,
  createAskingTool,
  decide,
  listEventTypes,
  QUESTION,
  readOpenQuestions,
  readResults,
  startTurn,
} from './running-questions.ts';

const ANSWER_CASES = [
  ['A?', 'approve'],
  ['B?', 'reject'],
  ['C?', 'exit'],
] as const;

/** Asks three questions at the same time. */
const askThree = (call: CallContext) =>
  Promise.all(
    ANSWER_CASES.map(async ([message]) => {
      const { decision } = await call.ask({ ...QUESTION, message });
      return `${message} ${decision}`;
    }),
  );

describe('a `once` call that asks while it runs', () => {
  it('keeps running and continues with the decision', async () => {
    const ran: string[] = [];
    const app = createApp([createAskingTool(undefined, { ran })]);
    const { end, turn } = await startTurn(app);
    expect(await readOpenQuestions(app, turn)).toMatchObject([
      { call: { name: 'book' }, wait: { message: 'Whose?', schema: ANSWER_SCHEMA, expires: 30_000 } },
    ]);
    expect(await app.port.read({ from: 1 })).toMatchObject({ openTurn: { state: 'running' } });
    expect(await decide(app, turn, { decision: 'edit', input: { name: 'Ann' }, reason: 'Mine.' })).toBe(
      'posted',
    );
    expect(await advanceUntilSettled(app.clock, end)).toMatchObject({
      status: 'ended',
      turn: { text: 'Done.' },
    });
    const edit = { type: 'decision', decision: 'edit', input: { name: 'Ann' }, reason: 'Mine.', by: 'ann' };
    expect(await readResults(app)).toEqual([['book', JSON.stringify(edit)]]);
    expect(listEventTypes(await app.events(turn))).toEqual([
      'turn-started',
      'model-replied',
      'tool-call-started',
      'tool-call-suspended',
      'tool-call-answered',
      'tool-call-ended',
      'model-replied',
      'turn-ended',
    ]);
    expect(ran).toHaveLength(1);
  });

  it('continues as soon as its holder receives the answer', async () => {
    const moments: number[] = [];
    const app = createApp([
      createAskingTool(async (call) => {
        const { decision } = await call.ask(QUESTION);
        moments.push(app.clock.now());
        return decision;
      }),
    ]);
    const { end, turn } = await startTurn(app);
    await decide(app, turn, { decision: 'approve' });
    await advanceUntilSettled(app.clock, end);
    const heard = (await app.events(turn)).find((event) => event.type === 'tool-call-answered');
    expect(moments).toEqual([heard?.at]);
  });

  it.each(['approve', 'reject', 'exit'] as const)(
    'receives the decision to %s, and its turn continues',
    async (decision) => {
      const app = createApp([createAskingTool(async (call) => (await call.ask(QUESTION)).decision)]);
      const { end, turn } = await startTurn(app);
      await decide(app, turn, { decision });
      expect(await advanceUntilSettled(app.clock, end)).toMatchObject({
        turn: { outcome: 'completed', text: 'Done.' },
      });
      expect(await readResults(app)).toEqual([['book', decision]]);
    },
  );

  it.each([
    [undefined, 'reject'],
    ['approve', 'approve'],
    ['exit', 'exit'],
  ] as const)(
    'receives the decision of `onExpiry: %s` if no answer arrives in time',
    async (onExpiry, decision) => {
      const app = createApp([createAskingTool((call) => call.ask({ ...QUESTION, onExpiry }))]);
      const { end, turn } = await startTurn(app);
      await app.clock.advance(29_000);
      expect(await readOpenQuestions(app, turn)).toHaveLength(1);
      await app.clock.advance(1_000 + LEASE_MS / 3 + 100);
      expect(await advanceUntilSettled(app.clock, end)).toMatchObject({ turn: { text: 'Done.' } });
      const expired = { type: 'decision', decision, expired: true };
      expect(await readResults(app)).toEqual([['book', JSON.stringify(expired)]]);
    },
  );

  it('can ask one question after another, and receives the answer to each', async () => {
    const app = createApp([createAskingTool(askThree)]);
    const { end, turn } = await startTurn(app);
    for (const [message, decision] of ANSWER_CASES) {
      expect((await readOpenQuestions(app, turn)).map(({ wait }) => wait.message)).toEqual([message]);
      await decide(app, turn, { decision });
    }
    await advanceUntilSettled(app.clock, end);
    expect(await readResults(app)).toEqual([['book', '["A? approve","B? reject","C? exit"]']]);
  });

  it('assigns answers to their questions, in either order', async () => {
    const hash = crypto.subtle.digest.bind(crypto.subtle);
    const others = Promise.withResolvers<void>();
    const slowly = vi.spyOn(crypto.subtle, 'digest').mockImplementation(async (how, data) => {
      const hashed = await hash(how, data);
      const words = new TextDecoder().decode(data as ArrayBuffer); // Texts are hashed.
      if (words.includes('C?')) others.resolve();
      if (words.includes('A?')) await others.promise;
      return hashed;
    });
    onTestFinished(() => slowly.mockRestore());
    const app = createApp([createAskingTool(askThree)]);
    const { end, turn } = await startTurn(app);
    for (const [message, decision] of ANSWER_CASES) {
      expect((await readOpenQuestions(app, turn)).map(({ wait }) => wait.message)).toEqual([message]);
      await decide(app, turn, { decision });
    }
    await advanceUntilSettled(app.clock, end);
    expect(await readResults(app)).toEqual([['book', '["A? approve","B? reject","C? exit"]']]);
  });

  it('can ask at the same time as another call', async () => {
    const app = createApp(
      [createAskingTool(), createAskingTool(undefined, { name: 'rent' })],
      [callTools('book', 'rent'), 'Done.'],
    );
    const { end, turn } = await startTurn(app);
    expect((await readOpenQuestions(app, turn)).map(({ call }) => call.name)).toEqual(['book', 'rent']);
    await decide(app, turn, { decision: 'approve' });
    expect((await readOpenQuestions(app, turn)).map(({ call }) => call.name)).toEqual(['rent']);
    await decide(app, turn, { decision: 'reject' });
    await advanceUntilSettled(app.clock, end);
    expect(await readResults(app)).toMatchObject([
      ['book', '{"type":"decision","decision":"approve","by":"ann"}'],
      ['rent', '{"type":"decision","decision":"reject","by":"ann"}'],
    ]);
  });

  it('does not prevent a sibling call from asking, and the sibling still waits after it ends', async () => {
    const approved = requireApproval(
      createAskingTool(() => 'rented', { name: 'rent' }),
      'Rent?',
    );
    const app = createApp([createAskingTool(), approved], [callTools('book', 'rent'), 'Done.']);
    const { end, turn } = await startTurn(app);
    await decide(app, turn, { decision: 'approve' });
    expect(await advanceUntilSettled(app.clock, end)).toMatchObject({ status: 'suspended' });
    expect((await readOpenQuestions(app, turn)).map(({ wait }) => wait.message)).toEqual(['Rent?']);
    expect((await readResults(app))[0]).toEqual([
      'book',
      '{"type":"decision","decision":"approve","by":"ann"}',
    ]);
  });

  it('can ask from inside a nested loop', async () => {
    const app = createApp(
      [createDiggingTool([createAskingTool()])],
      [callTools('dig'), callTools('book'), 'Dug.', 'Done.'],
    );
    const { end, turn } = await startTurn(app);
    await decide(app, turn, { decision: 'approve' });
    expect(await advanceUntilSettled(app.clock, end)).toMatchObject({ turn: { text: 'Done.' } });
    expect(await readResults(app)).toEqual([['dig', 'completed: Dug.']]);
  });

  it('can ask again after it was approved', async () => {
    const app = createApp([
      requireApproval(
        createAskingTool(async (call) => (await call.ask(QUESTION)).decision),
        'Book?',
      ),
    ]);
    const { end, turn } = await startTurn(app);
    expect(await advanceUntilSettled(app.clock, end)).toMatchObject({ status: 'suspended' });
    await decide(app, turn, { decision: 'approve' });
    const again = app.run(await app.resume(turn));
    await app.clock.advance(0);
    await decide(app, turn, { decision: 'reject' });
    expect(await advanceUntilSettled(app.clock, again)).toMatchObject({ turn: { text: 'Done.' } });
    expect(await readResults(app)).toEqual([['book', 'reject']]);
    const numbered = collectQuestions(await app.events(turn));
    expect([...numbered.values()].flat().map(({ number, standing }) => [number, standing])).toEqual([
      [1, 'answered'],
      [2, 'answered'],
    ]);
  });

  it('does not journal secrets', async () => {
    const app = createApp([
      createAskingTool((call) =>
        call.ask({ ...QUESTION, message: `Is ${call.secrets.require('PIN')} right?` }),
      ),
    ]);
    const { turn } = await startTurn(app, { secrets: () => Secrets.of({ PIN: '1234567' }) });
    expect((await readOpenQuestions(app, turn)).map(({ wait }) => wait.message)).toEqual([
      'Is [secret PIN] right?',
    ]);
    expect(JSON.stringify(await app.port.read({ from: 1 }))).not.toContain('1234567');
  });
});

describe('a call that cannot ask while it runs', () => {
  it('fails if a decorator asks before it runs', async () => {
    const ran: string[] = [];
    const book = createAskingTool(undefined, { ran });
    const asking = decorate(book, {
      call: async (input, call) => {
        await call.ask(QUESTION);
        return book.call(input, call);
      },
    });
    const app = createApp([asking]);
    const { end } = await startTurn(app);
    await advanceUntilSettled(app.clock, end);
    expect(await readResults(app)).toEqual([
      [
        'book',
        "Error: Tool 'book' asks with meanwhile: 'running' outside of run, where a call is suspended until the answer. Omit meanwhile.",
      ],
    ]);
    expect(ran).toEqual([]);
  });

  it('fails if it has a checkpoint, because it would count as not started while it runs', async () => {
    const given: object = { ...QUESTION, checkpoint: { ticket: 'T-1' } };
    const question = given as Question<'decision'>; // as untyped code may
    const app = createApp([createAskingTool((call) => call.ask(question))]);
    const { end } = await startTurn(app);
    await advanceUntilSettled(app.clock, end);
    expect(await readResults(app)).toEqual([
      [
        'book',
        "Error: Tool 'book' asks with a checkpoint while it runs, but only a suspended call has one. Omit it.",
      ],
    ]);
  });

  it.each([
    [undefined, "Error: Tool 'book' asks while it runs, without a time limit. Set expires, in ms."],
    [0, 'Error: A question cannot expire after 0 ms. Omit expires to wait without a limit.'],
    [Number.NaN, 'Error: A question cannot expire after NaN ms. Omit expires to wait without a limit.'],
  ])('fails if its question expires after %s ms', async (expires, said) => {
    const question = { ...QUESTION, expires } as Question<'decision'>; // as untyped code may
    const app = createApp([createAskingTool((call) => call.ask(question))]);
    const { end } = await startTurn(app);
    expect(await advanceUntilSettled(app.clock, end)).toMatchObject({ turn: { text: 'Done.' } });
    expect(await readResults(app)).toEqual([['book', said]]);
  });

  it('cannot ask after its run has ended', async () => {
    const over = Promise.withResolvers<void>();
    const left: { asking?: Promise<unknown> } = {};
    const app = createApp([
      createAskingTool((call) => {
        left.asking = over.promise.then(() => call.ask(QUESTION)).catch(String);
        return 'booked';
      }),
    ]);
    const { end, turn } = await startTurn(app);
    await advanceUntilSettled(app.clock, end);
    over.resolve();
    expect(await left.asking).toBe(`Error: Call ${turn}.3.0 has ended, and cannot ask any more.`);
    expect(listEventTypes(await app.events(turn))).not.toContain('tool-call-suspended');
  });
});
