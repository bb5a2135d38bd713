/** The module by which calls ask somebody outside, and are answered. */

import { ASKING, type SentAnswer } from '../../journal/asking.ts';
import { isJsonObject, unknownProblems } from '../../tool/json.ts';
import { createModule, useOf } from '../../tool/module-use.ts';
import type { KeysOf } from '../../tool/shape.ts';
import {
  type ANSWERS_BODY,
  type AnsweringApp,
  MOST_ANSWERS,
  type TakesAnswers,
} from '../../worker/answering.ts';
import { APP } from '../../worker/app-seam.ts';
import { invalidBody } from '../../worker/body.ts';
import { Problem } from '../../worker/problem.ts';
import { defineRoute, type Route, SESSION, type SessionRequest } from '../../worker/route.ts';
import { answerCalls, leaveAnswer } from './answer-calls.ts';
import { questionsOfCall } from './call-questions.ts';
import { problemAt } from './check-answer.ts';
import { pendingCalls } from './questions.ts';

/**
 * Lets calls ask somebody outside, and takes the answers: by `POST .../answers`, `.../approvals/{callId}` and `.../results/{callId}`, and by
 * `answer`, `decide` and `result` of a session. Tools that ask by themselves bring it along: `requireApproval` and the other decorators, `manual`,
 * `humanInput`, tools of the AI SDK and of MCP servers. A `run` that asks by `call.ask` needs it in `use` of its app or agent, or in `uses`
 * of what makes the tool.
 *
 * @example
 * ```ts
 * const holdfast = createHoldfast({ agents: [clerk()], use: [answers] });
 * ```
 */
export const answers = useOf(createModule({ name: 'answers' }));

ASKING.give(answers, {
  outside: questionsOfCall,
  pending: pendingCalls,
  answer: leaveAnswer,
});

const OF_ANSWERS: KeysOf<typeof ANSWERS_BODY> = { answers: 1 };

/** Reads answers of several calls, but not what each says. @throws SessionError that lists everything that is wrong with them. */
const readAnswers: TakesAnswers['read'] = (body) => {
  const { answers: given } = body;
  const problems = unknownProblems(body, OF_ANSWERS);
  if (!Array.isArray(given) || given.length === 0 || given.length > MOST_ANSWERS) {
    throw invalidBody([`answers: must be a list of 1 to ${MOST_ANSWERS}`, ...problems]);
  }
  const read = given.map((answer, place) => readNamed(answer, ['answers', place], problems));
  if (problems.length > 0) throw invalidBody(problems);
  return read;
};

/** Reads which question an answer is for. Adds what is wrong to `problems`; the result is of no use then. */
function readNamed(answer: unknown, at: readonly PropertyKey[], problems: string[]): SentAnswer {
  const wrong = (field: string, message: string): unknown => problems.push(problemAt(at, field, message));
  const isObject = isJsonObject(answer);
  const { call, question = 1, ...body }: SentAnswer['body'] = isObject ? answer : {};
  const isDecision = 'decision' in body;
  if (!isObject) wrong('', 'must be a JSON object');
  else {
    if (typeof call !== 'string') wrong('call', 'must be the id of a call');
    if (!isPlace(question)) wrong('question', 'must be a whole number from 1');
    if (!isDecision && !['result', 'text', 'error'].some((key) => key in body)) {
      wrong('', 'must have a decision, or one of result, text and error');
    }
  }
  return {
    for: isDecision ? 'decision' : 'result',
    call: String(call),
    question: Number(question),
    body,
    at,
  };
}

/** The most questions that one call may be asked for by its place. */
const MOST_QUESTIONS = 999_999;

const isPlace = (value: unknown): boolean =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MOST_QUESTIONS;

APP.give(answers, {
  routes: ({ answering }) => answerRoutes(answering),
  answers: { read: readAnswers, take: answerCalls },
});

/** Makes the routes of an app by which calls that wait are answered, each once; then their turn resumes. */
const answerRoutes = (app: AnsweringApp): readonly Route[] => [
  defineRoute({
    method: 'POST',
    path: `${SESSION}/answers`,
    access: 'session',
    streams: true,
    handle: (asked) =>
      app.respond(asked, (body, how) => answerCalls({ app, at: asked }, readAnswers(body), how)),
  }),
  defineRoute({
    method: 'POST',
    path: `${SESSION}/approvals/{callId}`,
    access: 'session',
    streams: true,
    handle: (asked, { callId }) => answerOne(app, asked, { for: 'decision', call: callId }),
  }),
  defineRoute({
    method: 'POST',
    path: `${SESSION}/results/{callId}`,
    access: 'session',
    streams: true,
    handle: (asked, { callId }) => answerOne(app, asked, { for: 'result', call: callId }),
  }),
];

/** Takes one answer, of the call that a path names. */
const answerOne = (
  app: AnsweringApp,
  asked: SessionRequest,
  of: Pick<SentAnswer, 'for' | 'call'>,
): Promise<Response> =>
  app.respond(asked, (body, how) =>
    answerCalls({ app, at: asked }, [{ ...of, question: numberOf(asked.request), body }], how),
  );

/** Which question of its call, by `?question=`. Defaults to the first. */
function numberOf({ url }: Request): number {
  const value = new URL(url).searchParams.get('question') ?? '1';
  if (/^[1-9]\d{0,5}$/.test(value)) return Number(value);
  throw new Problem('invalid-query', 'question is the place of a question of its call: 1 or more.');
}
