import type { Target } from '../../app/target.ts';
import { answerPath, turnServices } from '../../app/target.ts';
import type { Posted } from '../../journal/session-port.ts';
import { type CheckedAnswer, checkDecision, checkResult } from '../../session/check-answer.ts';
import { readTurn } from '../../session/fold-session.ts';
import { postAnswer } from '../../session/post-answer.ts';
import { type Question, questionsOf } from '../../session/questions.ts';
import type { JsonObject } from '../../tools/json.ts';
import { invalidBody, readBody } from '../body.ts';
import { parseDecisionBody } from '../decision-body.ts';
import type { Exchange } from '../exchange.ts';
import { idempotencyKey } from '../idempotency-key.ts';
import { mustHaveRole } from '../must-have-role.ts';
import { Problem } from '../problem.ts';
import { parseResultBody } from '../result-body.ts';
import { goOn } from '../turn-response.ts';
import { unknownSession } from './session.ts';

/** One of the two ways to answer a call that waits. */
interface AnswerKind {
  readonly for: Question['wait']['for'];
  /** The beginning of its problem types. */
  readonly word: 'approval' | 'result';
  /** What a body makes of a question. @throws Problem when the body could answer none. */
  read(body: JsonObject): (question: Question, by: string) => CheckedAnswer;
}

const DECISION: AnswerKind = {
  for: 'decision',
  word: 'approval',
  read(body) {
    const sent = parseDecisionBody(body);
    return ({ wait }, by) => checkDecision(wait, sent, by);
  },
};

const RESULT: AnswerKind = {
  for: 'result',
  word: 'result',
  read(body) {
    const sent = parseResultBody(body);
    return ({ call }, by) => checkResult(call.name, sent, by);
  },
};

/** `POST .../approvals/{callId}`: decides about a call, once, and goes on with its turn. */
export const postApproval = (exchange: Exchange, call: string): Promise<Response> =>
  settled(exchange, answerCall(exchange, call, DECISION));

/** `POST .../results/{callId}`: sends what came of a tool that the caller runs, once, and goes on with its turn. */
export const postResult = (exchange: Exchange, call: string): Promise<Response> =>
  settled(exchange, answerCall(exchange, call, RESULT));

/** A turn that was resumed is left in good order, even when its client has gone. */
function settled({ execution }: Exchange, answering: Promise<Response>): Promise<Response> {
  execution.waitUntil(answering.catch(() => {}));
  return answering;
}

async function answerCall(exchange: Exchange, call: string, kind: AnswerKind): Promise<Response> {
  const { host, target, request } = exchange;
  const { text, value } = await readBody(request, host.maxBodyBytes);
  const toAnswer = kind.read(value);
  const key = await idempotencyKey(request.headers, text);
  const question = await questionOf(target, call, numberOf(request));
  mustHaveRole(target.caller, question);
  if (question.wait.for !== kind.for) throw wrongAnswer(target, question);
  // Copied, so that what this deployment lacks is found out before the answer is taken.
  const part = { ...turnServices(exchange, { port: target.port, agent: target.agent.name }) };
  const checked = toAnswer(question, target.caller.id);
  if (!checked.ok) throw invalidBody(checked.problems);
  const hash = key ? JSON.stringify([target.caller.id, key.key, key.bodyHash]) : host.newId();
  const posted = await postAnswer(part, question, { answer: checked.answer, hash });
  if (posted === 'void') throw madeVoid(kind, question);
  // The object forgets after a while which answers it took; the journal does not.
  const isTaken = posted === 'known' || (posted === 'posted' && question.standing === 'open');
  if (isTaken) return goOn(exchange, part, question.turn);
  const why = question.standing === 'open' ? posted : STANDINGS[question.standing];
  throw refused(target, kind, why);
}

/** What the object would say of a question that is closed by the journal. */
const STANDINGS = {
  answered: 'answered',
  expired: 'expired',
  left: 'call-over',
  dropped: 'no-such-turn',
} as const;

/** @throws Problem when there is no such session, call or question. */
async function questionOf(target: Target, call: string, number: number): Promise<Question> {
  const { port } = target;
  const turn = call.replace(/\.\d+\.\d+$/, '');
  const [session, events] = await Promise.all([port.read({ from: 1, limit: 1 }), readTurn(port, turn)]);
  if (!session) throw unknownSession(target);
  const shown = call.slice(0, 80);
  const asked = questionsOf(events).get(call);
  if (!asked) {
    const detail = `There is no call '${shown}' in this session: GET ${target.path} shows what it waits for.`;
    throw new Problem(404, 'unknown-call', detail);
  }
  const question = asked[number - 1];
  if (question) return question;
  const what = number === 1 ? 'It asked nothing' : `It has not asked ${number} questions`;
  throw new Problem(409, 'not-waiting', `Call ${shown} does not wait for this answer. ${what}.`);
}

/** Which question of its call, by `?question=`; the first unless given. */
function numberOf({ url }: Request): number {
  const value = new URL(url).searchParams.get('question') ?? '1';
  if (/^[1-9]\d{0,5}$/.test(value)) return Number(value);
  throw new Problem(400, 'invalid-query', 'question is the place of a question of its call: 1 or more.');
}

const wrongAnswer = (target: Target, question: Question): Problem => {
  const { call, wait } = question;
  const what = wait.for === 'decision' ? 'a decision' : 'the result of its tool';
  const detail = `Call ${call.id} waits for ${what}: POST it to ${answerPath(target, question)}.`;
  return new Problem(409, 'wrong-answer', detail);
};

const madeVoid = ({ word }: AnswerKind, { call }: Question): Problem =>
  new Problem(
    409,
    `${word}-void`,
    `Tool '${call.name}' has changed since this was asked, so what was sent does not hold for it. ` +
      'The model is told so, and may ask again.',
  );

/** Why an answer was not taken, as the session's object says it. */
function refused(
  { path }: Target,
  { word }: AnswerKind,
  why: Exclude<Posted, 'known'> | 'call-over',
): Problem {
  const look = `GET ${path} shows where the session stands.`;
  switch (why) {
    case 'expired':
      return new Problem(409, `${word}-expired`, `The time for this answer is over. ${look}`);
    case 'call-over':
      return new Problem(409, why, `This call has ended without an answer. ${look}`);
    case 'no-such-turn':
      return new Problem(409, 'turn-over', `The turn of this call has ended without an answer. ${look}`);
    case 'posted':
    case 'answered':
      return new Problem(
        409,
        'already-answered',
        `This was answered before, and one answer is all that is taken. ${look}`,
      );
  }
}
