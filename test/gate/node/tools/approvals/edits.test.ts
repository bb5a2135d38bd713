/** Edits of calls: the input that a person edits, and invalid edits. */
import * as v from 'valibot';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  type AnyTool,
  defineAgent,
  defineDomainType,
  defineTool,
  type JsonObject,
} from '../../../../../src/index.ts';
import { definePipeline } from '../../../../../src/kinds/entry.ts';
import {
  humanInput,
  type Review,
  type ReviewHandler,
  type ReviewRequest,
  requireApproval,
  requireType,
  withCoercion,
  withParameter,
  withReview,
} from '../../../../../src/modules/decorators/entry.ts';
import { createManualClock, createTestSession, type TestSession } from '../../../../../src/testing/entry.ts';
import { createDecidedCall } from './decided-invocation.ts';

/** A tool with a maximum of 100 that its JSON Schema does not state. `paid` records its inputs. */
function createPayTool() {
  const paid: unknown[] = [];
  const pay = defineTool({
    name: 'pay',
    description: 'Pays.',
    input: v.strictObject({
      amount: v.pipe(
        v.number(),
        v.check((amount) => amount <= 100, 'At most 100.'),
      ),
      on: v.optional(
        v.pipe(
          v.string(),
          v.transform((text) => new Date(text)),
        ),
      ),
    }),
    run: (input) => {
      paid.push(input);
      return 'Paid.';
    },
  });
  return { pay, paid };
}

const INPUT = { amount: 50 };

function createScene(tool: AnyTool, input: JsonObject = INPUT) {
  const clock = createManualClock();
  const agent = defineAgent({ name: 'clerk', description: 'Pays.', instructions: '', tools: [tool] });
  const replies = [{ calls: [{ name: tool.name, input }] }, 'Done.'];
  return { clock, session: createTestSession(agent, { replies, clock }) };
}

/** The call results in the last request to the model. */
const getLastResults = (session: TestSession): string[] =>
  (session.requests.at(-1)?.messages ?? []).flatMap((message) =>
    message.role === 'tool' ? [message.text] : [],
  );

const createEditDecision = (input: JsonObject) => ({ decision: 'edit', input }) as const;
const formatEditedResult = (input: JsonObject): string =>
  `Paid.\nNote: whoever approved this call changed its input to ${JSON.stringify(input)}.`;

/** A pipeline runs the tool in an inner loop, where a decision cannot find it. */
const createPipeline = (tool: AnyTool): AnyTool =>
  definePipeline({
    name: 'both',
    steps: [
      defineTool({ name: 'look', description: 'Looks.', effect: 'read', run: () => ({ ...INPUT }) }),
      tool,
    ],
  });

describe('an invalid edit', () => {
  it('is refused before it consumes the approval, and the model never sees it', async () => {
    const { pay, paid } = createPayTool();
    const { session } = createScene(requireApproval(pay, 'Pay?'));
    await session.send('Go.');
    const pending = await session.pending();
    await expect(session.decide('pay', createEditDecision({ amount: 101 }))).rejects.toThrow(
      new Error('The answer is not valid: input: amount: At most 100..'),
    );
    expect(await session.pending()).toEqual(pending);
    expect(await session.decide('pay', createEditDecision({ amount: 99 }))).toMatchObject({
      outcome: 'completed',
    });
    expect([paid, getLastResults(session)]).toEqual([[{ amount: 99 }], [formatEditedResult({ amount: 99 })]]);
  });

  it('leads to another question that states the problem, if the tool is found only when the turn resumes', async () => {
    const { pay, paid } = createPayTool();
    const { session } = createScene(createPipeline(requireApproval(pay, 'Pay?', { by: 'manager' })), {});
    await session.send('Go.');
    const [first] = await session.pending();
    for (const [place, amount] of [101, 102].entries()) {
      expect(await session.decide('pay', createEditDecision({ amount }))).toMatchObject({
        outcome: 'suspended',
      });
      session.restart();
      expect(await session.pending()).toEqual([
        {
          ...first,
          question: place + 2,
          message: 'Pay?\nWhat was sent is not valid, and nothing has run:\n- amount: At most 100.',
        },
      ]);
    }
    expect(paid).toEqual([]);
    expect(await session.decide('pay', createEditDecision({ amount: 99 }))).toMatchObject({
      outcome: 'completed',
    });
    expect([paid, getLastResults(session)]).toEqual([[{ amount: 99 }], [formatEditedResult({ amount: 99 })]]);
    expect(session.requests).toHaveLength(2);
  });

  it('is reported once, even if the Worker is killed between the edit and the question', async () => {
    const { pay, paid } = createPayTool();
    let kills = 0;
    let begun = 0;
    let session: TestSession | undefined;
    const askAndKill = (): string => {
      begun += 1;
      if (begun > 1 && kills < 2) {
        kills += 1;
        session?.kill();
      }
      return 'Pay?';
    };
    session = createScene(createPipeline(requireApproval(pay, askAndKill)), {}).session;
    await session.send('Go.');
    expect(await session.decide('pay', createEditDecision({ amount: 101 }))).toMatchObject({
      outcome: 'suspended',
    });
    expect(await session.decide('pay', 'approve')).toMatchObject({ outcome: 'completed' });
    const events = (await session.events()).map(({ type }) => type);
    const questions = events.filter((type) => type === 'tool-call-suspended');
    expect([kills, questions.length, paid]).toEqual([2, 2, [INPUT]]);
  });

  it.each([
    ['approve', 'completed', ["Error: Nobody decided about this call of 'pay' in time, so it did not run."]],
    [undefined, 'completed', ["Error: Nobody decided about this call of 'pay' in time, so it did not run."]],
    ['exit', 'cancelled', undefined],
  ] as const)(
    "never lets the tool run with the model's input if no new decision arrives, even if `onExpiry` is %s",
    async (onExpiry, outcome, texts) => {
      const { pay, paid } = createPayTool();
      const { session, clock } = createScene(
        createPipeline(requireApproval(pay, 'Pay?', { expires: 60_000, onExpiry })),
        {},
      );
      await session.send('Go.');
      await session.decide('pay', createEditDecision({ amount: 101 }));
      await clock.advance(60_000);
      expect([(await session.settled()).outcome, paid]).toEqual([outcome, []]);
      if (texts) expect(getLastResults(session)).toEqual(texts);
    },
  );

  it('is also reported if the edit is a value that a tool waits for', async () => {
    const Limit = defineDomainType({
      name: 'Limit',
      schema: v.object({
        most: v.pipe(
          v.number(),
          v.check((most) => most < 100, 'Less than 100.'),
        ),
      }),
    });
    const { pay, paid } = createPayTool();
    const { session } = createScene(requireType(pay, Limit, { message: 'How much?' }));
    await session.send('Go.');
    expect(await session.decide('pay', createEditDecision({ most: 100 }))).toMatchObject({
      outcome: 'suspended',
    });
    expect((await session.pending()).map(({ message }) => message)).toEqual([
      'How much?\nWhat was sent is not valid, and nothing has run:\n- most: Less than 100.',
    ]);
    expect(await session.decide('pay', createEditDecision({ most: 99 }))).toMatchObject({
      outcome: 'completed',
    });
    expect(paid).toEqual([INPUT]);
  });
});

describe('the input that a decision starts from', () => {
  const addReason = (tool: AnyTool): AnyTool => withParameter(tool, 'reason', v.string());

  it.each<[string, (tool: AnyTool) => AnyTool, JsonObject, JsonObject | undefined]>([
    ["the model's input", (tool) => tool, INPUT, undefined],
    ['the input without the part of an outer decorator', addReason, { ...INPUT, reason: 'Rent.' }, INPUT],
    ['the input that an outer decorator has converted', withCoercion, { amount: '50' }, INPUT],
    [
      'the result of an earlier edit',
      (tool) => withReview(tool, () => ({ decision: 'edit', input: INPUT })),
      { amount: 60 },
      INPUT,
    ],
  ])('is %s, and an edit replaces it', async (_, around, sent, input) => {
    const { pay, paid } = createPayTool();
    const { session } = createScene(around(requireApproval(pay, 'Pay?')), sent);
    await session.send('Go.');
    const [pending] = await session.pending();
    expect(pending).toMatchObject(input ? { input, sent } : { input: sent });
    expect([pending && 'sent' in pending, pending?.schema]).toEqual([input !== undefined, pay.inputSchema]);
    await session.decide('pay', createEditDecision({ ...Object(pending?.input), amount: 99 }));
    expect(paid).toEqual([{ amount: 99 }]);
  });

  it('is the JSON of the call instead of the output of the input schema', async () => {
    const requests: ReviewRequest[] = [];
    const { pay, paid } = createPayTool();
    const reviewed = withReview(pay, (request) => {
      requests.push(request);
      return createEditDecision({ ...request.sent, amount: request.input.amount + 1 });
    });
    const { session } = createScene(reviewed, { ...INPUT, on: '2026-11-23' });
    await session.send('Go.');
    expect(requests).toMatchObject([
      { input: { ...INPUT, on: new Date('2026-11-23') }, sent: { ...INPUT, on: '2026-11-23' } },
    ]);
    expect(paid).toEqual([{ amount: 51, on: new Date('2026-11-23') }]);
  });
});

describe('a reviewer that returns an invalid edit', () => {
  afterEach(() => vi.useRealTimers());

  /** A reviewer that returns these reviews in order and then repeats the last one. */
  function createReviewer(...reviews: readonly Review[]) {
    const requests: ReviewRequest[] = [];
    const handler: ReviewHandler = (request) => {
      requests.push(request);
      return reviews[requests.length - 1] ?? reviews.at(-1) ?? { decision: 'exit' };
    };
    return { handler, requests };
  }
  const problems = ['amount: At most 100.'];
  const again = {
    message: 'Pay?\nWhat was sent is not valid, and nothing has run:\n- amount: At most 100.',
    problems,
    input: INPUT,
    sent: INPUT,
  };

  it('is asked again with the problem, which the model does not see', async () => {
    const { pay, paid } = createPayTool();
    const { handler, requests } = createReviewer(
      createEditDecision({ amount: 101 }),
      createEditDecision({ amount: 102 }),
      createEditDecision({ amount: 99 }),
    );
    const { session } = createScene(withReview(pay, handler, { message: 'Pay?', onTimeout: 'approve' }));
    await session.send('Go.');
    expect(requests).toMatchObject([
      { message: 'Pay?', onTimeout: 'approve' },
      { ...again, onTimeout: 'reject' },
      { ...again, onTimeout: 'reject' },
    ]);
    expect(requests[0]).not.toHaveProperty('problems');
    expect([paid, getLastResults(session)]).toEqual([[{ amount: 99 }], [formatEditedResult({ amount: 99 })]]);
  });

  it('is asked at most three times', async () => {
    const { pay, paid } = createPayTool();
    const { handler, requests } = createReviewer(createEditDecision({ amount: 101 }));
    const { session } = createScene(withReview(pay, handler));
    await session.send('Go.');
    expect([requests.length, requests[1]?.message, paid]).toEqual([
      3,
      'What was sent is not valid, and nothing has run:\n- amount: At most 100.',
      [],
    ]);
    expect(getLastResults(session)).toEqual([
      "Error: Somebody edited the input of this call of 'pay', and it did not run. The input of tool 'pay' is not " +
        'valid:\n- amount: At most 100.\nCall it again with a corrected input.',
    ]);
  });

  it('has one time limit for all attempts, after which no edited input runs', async () => {
    vi.useFakeTimers();
    const { pay, paid } = createPayTool();
    let asked = 0;
    const handler: ReviewHandler = ({ problems: told }) => {
      asked += 1;
      return told ? new Promise(() => {}) : createEditDecision({ amount: 101 });
    };
    const { call } = createDecidedCall('pay', []);
    const answering = withReview(pay, handler, { timeout: 1_000, onTimeout: 'approve' }).call(INPUT, call);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await answering).toEqual({
      type: 'error',
      reason: 'declined',
      message: "Nobody decided about this call of 'pay' in time, so it did not run.",
    });
    expect([asked, paid]).toEqual([2, []]);
  });

  it('receives the problem if its answer to `humanInput` is invalid', async () => {
    const texts: (string | undefined)[] = [];
    const { call } = createDecidedCall('human_input', []);
    const question = { question: 'Red or blue?' };
    const createAskingTool = (answer: JsonObject) =>
      humanInput({
        handler: ({ message, problems: told, sent }) => {
          texts.push(message, ...(told ?? []));
          return createEditDecision(told ? { ...answer } : { ...sent });
        },
      }).call(question, call);
    expect(await createAskingTool({ text: 'Blue.' })).toEqual({ type: 'text', content: 'Blue.' });
    expect(texts).toEqual([
      'Red or blue?',
      'Red or blue?\nWhat was sent is not valid, and nothing has run:\n- text: is missing, or is not text',
      'text: is missing, or is not text',
    ]);
    expect(await createAskingTool({ text: 7 })).toMatchObject({
      reason: 'declined',
      message: 'Your question was not answered.',
    });
  });
});
