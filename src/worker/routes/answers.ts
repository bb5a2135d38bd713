import { parseAnswersBody } from '../answer-body.ts';
import {
  type AnswerKind,
  answerCall,
  answerCalls,
  DECIDING,
  GIVING_RESULT,
  toSentAnswer,
} from '../answer-call.ts';
import type { BegunTurn } from '../begun-turn.ts';
import { readBody } from '../body.ts';
import { Problem } from '../problem.ts';
import { idempotencyKeyOf, prefersAsync } from '../request-headers.ts';
import { defineRoute, SESSION, type SessionRequest } from '../route.ts';
import { settled } from '../turn-response.ts';

/** Decides about a call, once, and goes on with its turn. */
export const postApproval = defineRoute({
  method: 'POST',
  path: `${SESSION}/approvals/{callId}`,
  access: 'session',
  streams: true,
  handle: (asked, { callId }) => settled(asked, () => takeOne(asked, callId, DECIDING)),
});

/** Sends what came of a tool that the caller runs, once, and goes on with its turn. */
export const postResult = defineRoute({
  method: 'POST',
  path: `${SESSION}/results/{callId}`,
  access: 'session',
  streams: true,
  handle: (asked, { callId }) => settled(asked, () => takeOne(asked, callId, GIVING_RESULT)),
});

/** Answers several calls of one turn, each once, and goes on with it. */
export const postAnswers = defineRoute({
  method: 'POST',
  path: `${SESSION}/answers`,
  access: 'session',
  streams: true,
  handle: (asked) => settled(asked, () => takeAnswers(asked)),
});

async function takeOne(asked: SessionRequest, call: string, kind: AnswerKind): Promise<BegunTurn> {
  const { host, request } = asked;
  const { text, value } = await readBody(request, host.maxBodyBytes);
  const sent = { kind, call, body: value, text, question: numberOf(request) };
  return answerCall(asked, sent, answeringOf(request));
}

async function takeAnswers(asked: SessionRequest): Promise<BegunTurn> {
  const { host, request } = asked;
  const { value } = await readBody(request, host.maxBodyBytes);
  return answerCalls(asked, parseAnswersBody(value).map(toSentAnswer), answeringOf(request));
}

const answeringOf = (request: Request) => ({
  idempotencyKey: idempotencyKeyOf(request),
  inBackground: prefersAsync(request),
});

/** Which question of its call, by `?question=`; the first unless given. */
function numberOf({ url }: Request): number {
  const value = new URL(url).searchParams.get('question') ?? '1';
  if (/^[1-9]\d{0,5}$/.test(value)) return Number(value);
  throw new Problem('invalid-query', 'question is the place of a question of its call: 1 or more.');
}
