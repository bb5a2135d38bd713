/** The module for calls that ask a person or program outside the turn. */

import { ASKING, type SentAnswer } from '../../journal/asking.ts';
import { isJsonObject, listUnknownKeyProblems } from '../../tool/json.ts';
import { createModule, createUse } from '../../tool/module-use.ts';
import type { KeysOf } from '../../tool/shape.ts';
import {
  type ANSWERS_BODY,
  type AnswerAcceptor,
  type AnsweringApp,
  MAX_ANSWERS,
} from '../../worker/answering.ts';
import { APP } from '../../worker/app-seam.ts';
import { createInvalidBodyError } from '../../worker/body.ts';
import { Problem } from '../../worker/problem.ts';
import { defineRoute, type Route, SESSION_PATH, type SessionRequest } from '../../worker/route.ts';
import { answerCalls, leaveAnswer } from './answer-calls.ts';
import { createAsker } from './call-questions.ts';
import { formatProblem } from './check-answer.ts';
import { listPendingCalls } from './questions.ts';

/**
 * Lets calls ask a person or program outside the turn. Accepts answers by `POST .../answers`,
 * `.../approvals/{callId}` and `.../results/{callId}`, and by `answer`, `decide` and `result` of a session.
 * Tools that always ask include the module: `requireApproval` and the other decorators, `manual`,
 * `humanInput`, AI SDK tools and MCP tools. If a `run` calls `call.ask` itself, list the module in `use` of
 * its app or agent, or in `uses` of the tool.
 *
 * @example
 * ```ts
 * const holdfast = createHoldfast({ agents: [clerk()], use: [answers] });
 * ```
 */
export const answers = createUse(createModule({ name: 'answers' }));

ASKING.give(answers, {
  outside: createAsker,
  pending: listPendingCalls,
  answer: leaveAnswer,
});

const ANSWERS_KEYS: KeysOf<typeof ANSWERS_BODY> = { answers: 1 };

/**
 * Reads which questions several answers are for, without reading the answers. @throws SessionError with all
 * problems of the body.
 */
const readAnswers: AnswerAcceptor['read'] = (body) => {
  const { answers: given } = body;
  const problems = listUnknownKeyProblems(body, ANSWERS_KEYS);
  if (!Array.isArray(given) || given.length === 0 || given.length > MAX_ANSWERS) {
    throw createInvalidBodyError([`answers: must be a list of 1 to ${MAX_ANSWERS}`, ...problems]);
  }
  const read = given.map((answer, place) => readAnswerTarget(answer, ['answers', place], problems));
  if (problems.length > 0) throw createInvalidBodyError(problems);
  return read;
};

/**
 * Reads which question an answer is for. Adds any problems to `problems`, in which case the caller must
 * ignore the result.
 */
function readAnswerTarget(answer: unknown, at: readonly PropertyKey[], problems: string[]): SentAnswer {
  const addProblem = (field: string, message: string): unknown =>
    problems.push(formatProblem(at, field, message));
  const isObject = isJsonObject(answer);
  const { call, question = 1, ...body }: SentAnswer['body'] = isObject ? answer : {};
  const isDecision = 'decision' in body;
  if (!isObject) addProblem('', 'must be a JSON object');
  else {
    if (typeof call !== 'string') addProblem('call', 'must be the id of a call');
    if (!isQuestionNumber(question)) addProblem('question', 'must be a whole number of at least 1');
    if (!isDecision && !['result', 'text', 'error'].some((key) => key in body)) {
      addProblem('', 'must have a decision, or one of result, text and error');
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

/** The highest number of a question in a call. */
const MAX_QUESTION_NUMBER = 999_999;

const isQuestionNumber = (value: unknown): boolean =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MAX_QUESTION_NUMBER;

APP.give(answers, {
  routes: ({ answering }) => createAnswerRoutes(answering),
  answers: { read: readAnswers, accept: answerCalls },
});

/** Returns the routes that accept answers to waiting calls, each answer once, and then resume the turn. */
const createAnswerRoutes = (app: AnsweringApp): readonly Route[] => [
  defineRoute({
    method: 'POST',
    path: `${SESSION_PATH}/answers`,
    access: 'session',
    streams: true,
    handle: (asked) =>
      app.respond(asked, (body, how) => answerCalls({ app, at: asked }, readAnswers(body), how)),
  }),
  defineRoute({
    method: 'POST',
    path: `${SESSION_PATH}/approvals/{callId}`,
    access: 'session',
    streams: true,
    handle: (asked, { callId }) => answerOne(app, asked, { for: 'decision', call: callId }),
  }),
  defineRoute({
    method: 'POST',
    path: `${SESSION_PATH}/results/{callId}`,
    access: 'session',
    streams: true,
    handle: (asked, { callId }) => answerOne(app, asked, { for: 'result', call: callId }),
  }),
];

const answerOne = (
  app: AnsweringApp,
  asked: SessionRequest,
  of: Pick<SentAnswer, 'for' | 'call'>,
): Promise<Response> =>
  app.respond(asked, (body, how) =>
    answerCalls({ app, at: asked }, [{ ...of, question: readQuestionNumber(asked.request), body }], how),
  );

/** Returns the number of the question from `?question=`. Defaults to 1. */
function readQuestionNumber({ url }: Request): number {
  const value = new URL(url).searchParams.get('question') ?? '1';
  if (/^[1-9]\d{0,5}$/.test(value)) return Number(value);
  throw new Problem('invalid-query', 'question must be the number of a question of the call, starting at 1.');
}
