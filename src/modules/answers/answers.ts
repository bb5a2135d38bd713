/** The module by which calls ask somebody outside, and are answered. */
import { ASKING } from '../../journal/asking.ts';
import { createModule, useOf } from '../../tool/module-use.ts';
import type { AnsweringApp } from '../../worker/answering.ts';
import { APP } from '../../worker/app-seam.ts';
import { Problem } from '../../worker/problem.ts';
import { defineRoute, type Route, SESSION, type SessionRequest } from '../../worker/route.ts';
import { parseAnswersBody } from './answer-body.ts';
import { type AnswerKind, answerCall, answerCalls, KINDS, toSentAnswer } from './answer-call.ts';
import { questionsOfCall } from './call-questions.ts';
import { pendingCalls } from './questions.ts';

/**
 * Lets calls ask somebody outside, and takes the answers: by `POST .../approvals/{callId}`, `.../results/{callId}` and `.../answers`, and by
 * `decide`, `result` and `answer` of a session. Tools that ask by themselves bring it along: `requireApproval` and the other decorators, `manual`,
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
});

APP.give(answers, {
  routes: ({ answering }) => answerRoutes(answering),
  answers: {
    one: (here, { for: kind, ...sent }) =>
      answerCall(here, { ...sent, kind: KINDS[kind], text: JSON.stringify(sent.body) }, sent),
    several: (here, named, how) =>
      answerCalls(here, parseAnswersBody({ answers: named }).map(toSentAnswer), how),
  },
});

/** Makes the routes of an app by which calls that wait are answered, each once; then their turn resumes. */
function answerRoutes(app: AnsweringApp): readonly Route[] {
  const takingOne =
    (kind: AnswerKind) =>
    (asked: SessionRequest, { callId: call }: { readonly callId: string }): Promise<Response> =>
      app.respond(asked, ({ text, value }, how) => {
        const sent = { kind, call, body: value, text, question: numberOf(asked.request) };
        return answerCall({ app, at: asked }, sent, how);
      });
  return [
    defineRoute({
      method: 'POST',
      path: `${SESSION}/approvals/{callId}`,
      access: 'session',
      streams: true,
      handle: takingOne(KINDS.decision),
    }),
    defineRoute({
      method: 'POST',
      path: `${SESSION}/results/{callId}`,
      access: 'session',
      streams: true,
      handle: takingOne(KINDS.result),
    }),
    defineRoute({
      method: 'POST',
      path: `${SESSION}/answers`,
      access: 'session',
      streams: true,
      handle: (asked) =>
        app.respond(asked, ({ value }, how) =>
          answerCalls({ app, at: asked }, parseAnswersBody(value).map(toSentAnswer), how),
        ),
    }),
  ];
}

/** Which question of its call, by `?question=`. Defaults to the first. */
function numberOf({ url }: Request): number {
  const value = new URL(url).searchParams.get('question') ?? '1';
  if (/^[1-9]\d{0,5}$/.test(value)) return Number(value);
  throw new Problem('invalid-query', 'question is the place of a question of its call: 1 or more.');
}
