import type { Principal } from '../../journal/events.ts';
import type { Posted } from '../../journal/session-port.ts';
import {
  type CheckedAnswer,
  checkDecision,
  checkResult,
  editProblems,
  postAnswer,
} from '../../session/answers/post-answer.ts';
import { asMeant, type Question, questionsOf, requestersOf } from '../../session/answers/questions.ts';
import { readTurn } from '../../session/fold-session.ts';
import type { TurnHost } from '../../session/turn-host.ts';
import { keptFor } from '../../session/watching/turn-outcome.ts';
import type { JsonObject } from '../../tool/json.ts';
import { DECISION, parseDecisionBody, parseResultBody, RESULT } from '../answer-body.ts';
import { mustBeAnother, mustHaveRole } from '../auth.ts';
import { invalidBody, readBody } from '../body.ts';
import { Problem } from '../problem.ts';
import { idempotencyKey, prefersAsync } from '../request-headers.ts';
import {
  defineRoute,
  type Parameter,
  SESSION,
  type SessionRequest,
  TURN_ANSWERS,
  TURN_HEADERS,
} from '../route.ts';
import { type Target, turnServices } from '../target.ts';
import { accepted, joined, resume, runHere, settled } from '../turn-response.ts';
import { answerPath } from '../turn-view.ts';
import { unknownSession } from './session.ts';

const parameters: readonly Parameter[] = [
  ...TURN_HEADERS,
  { name: 'question', in: 'query', schema: { type: 'integer', minimum: 1 } },
];

/** Decides about a call, once, and goes on with its turn. */
export const postApproval = defineRoute({
  method: 'POST',
  path: `${SESSION}/approvals/{callId}`,
  access: 'session',
  summary: 'Decides about a call that waits, once, and goes on with its turn',
  parameters,
  body: DECISION,
  answers: TURN_ANSWERS,
  handle: (asked, { callId }) => settled(asked, answerCall(asked, callId, APPROVAL)),
});

/** Sends what came of a tool that the caller runs, once, and goes on with its turn. */
export const postResult = defineRoute({
  method: 'POST',
  path: `${SESSION}/results/{callId}`,
  access: 'session',
  summary: 'Sends the result of a tool that the caller runs, once, and goes on with its turn',
  parameters,
  body: RESULT,
  answers: TURN_ANSWERS,
  handle: (asked, { callId }) => settled(asked, answerCall(asked, callId, SENT_RESULT)),
});

/** One of the two ways to answer a call that waits. */
interface AnswerKind {
  readonly for: Question['wait']['for'];
  /** The beginning of its problem types. */
  readonly word: 'approval' | 'result';
  /** What a body makes of a question. @throws Problem when the body could answer none. */
  read(body: JsonObject): (question: Question, by: string) => CheckedAnswer;
}

const APPROVAL: AnswerKind = {
  for: 'decision',
  word: 'approval',
  read(body) {
    const sent = parseDecisionBody(body);
    return (question, by) => checkDecision(question.wait, asMeant(question, sent), by);
  },
};

const SENT_RESULT: AnswerKind = {
  for: 'result',
  word: 'result',
  read(body) {
    const sent = parseResultBody(body);
    return ({ call }, by) => checkResult(call.name, sent, by);
  },
};

async function answerCall(asked: SessionRequest, call: string, kind: AnswerKind): Promise<Response> {
  const { host, target, request } = asked;
  const { text, value } = await readBody(request, host.maxBodyBytes);
  const toAnswer = kind.read(value);
  const key = await idempotencyKey(request.headers, text);
  const { question, principal, requesters } = await questionOf(target, call, numberOf(request));
  mustHaveRole(target.caller, question);
  mustBeAnother(target.caller, question, requesters);
  if (question.wait.for !== kind.for) throw wrongAnswer(target, question);
  // Copied, so that what this deployment lacks is found out before the answer is taken.
  const services = {
    ...turnServices(asked, { port: target.port, agent: target.agent.name, session: target.session }),
  };
  services.context?.(principal, question.turn);
  const checked = toAnswer(question, target.caller.id);
  if (!checked.ok) throw invalidBody(checked.problems);
  const problems =
    question.standing === 'open' ? await editProblems(services.agent, question, checked.answer) : [];
  if (problems.length > 0) throw invalidBody(problems);
  const hash = key ? JSON.stringify([target.caller.id, key.key, key.bodyHash]) : host.newId();
  const posted = await postAnswer(services, question, { answer: checked.answer, hash });
  if (posted === 'void') throw madeVoid(kind, question);
  // The object forgets after a while which answers it took; the journal does not.
  const isTaken = posted === 'known' || (posted === 'posted' && question.standing === 'open');
  if (isTaken) return goOn(asked, services, question.turn);
  const why = question.standing === 'open' ? posted : STANDINGS[question.standing];
  throw refused(target, kind, why);
}

/**
 * Goes on with a turn that got what it waited for: here, or with whoever was faster, or in the background when the
 * client does not want to wait. It is answered as the message is that started the turn.
 */
async function goOn(asked: SessionRequest, services: TurnHost, turn: string): Promise<Response> {
  const { host, request } = asked;
  if (prefersAsync(request)) return accepted(asked, turn);
  const sentAt = host.clock.now();
  const resumed = await resume(asked, turn).catch(keptFor);
  if (resumed === 'kept') return accepted(asked, turn);
  if (resumed.status !== 'leased') return joined(asked, turn);
  return runHere(asked, { turn, services, lease: resumed, sentAt });
}

/** What the object would say of a question that is closed by the journal. */
const STANDINGS = {
  answered: 'answered',
  expired: 'expired',
  left: 'call-over',
  dropped: 'no-such-turn',
} as const;

/** A question, whose turn asks it, and whose messages the turn has taken. */
interface Asked {
  readonly question: Question;
  readonly principal: Principal;
  readonly requesters: readonly Principal[];
}

/** @throws Problem when there is no such session, call or question. */
async function questionOf(target: Target, call: string, number: number): Promise<Asked> {
  const { port } = target;
  const turn = call.replace(/\.\d+\.\d+$/, '');
  const [session, events] = await Promise.all([port.read({ from: 1, limit: 1 }), readTurn(port, turn)]);
  if (!session) throw unknownSession(target);
  const shown = call.slice(0, 80);
  const asked = questionsOf(events).get(call);
  if (!asked) {
    const detail = `There is no call '${shown}' in this session: GET ${target.path} shows what it waits for.`;
    throw new Problem('unknown-call', detail);
  }
  const question = asked[number - 1];
  const [started] = events;
  if (question && started?.type === 'turn-started') {
    return { question, principal: started.principal, requesters: requestersOf(events) };
  }
  const what = number === 1 ? 'It asked nothing' : `It has not asked ${number} questions`;
  throw new Problem('not-waiting', `Call ${shown} does not wait for this answer. ${what}.`);
}

/** Which question of its call, by `?question=`; the first unless given. */
function numberOf({ url }: Request): number {
  const value = new URL(url).searchParams.get('question') ?? '1';
  if (/^[1-9]\d{0,5}$/.test(value)) return Number(value);
  throw new Problem('invalid-query', 'question is the place of a question of its call: 1 or more.');
}

const wrongAnswer = (target: Target, question: Question): Problem => {
  const { call, wait } = question;
  const what = wait.for === 'decision' ? 'a decision' : 'the result of its tool';
  const detail = `Call ${call.id} waits for ${what}: POST it to ${answerPath(target, question)}.`;
  return new Problem('wrong-answer', detail);
};

const madeVoid = ({ word }: AnswerKind, { call }: Question): Problem =>
  new Problem(
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
      return new Problem(`${word}-expired`, `The time for this answer is over. ${look}`);
    case 'call-over':
      return new Problem(why, `This call has ended without an answer. ${look}`);
    case 'session-full':
      return new Problem(
        why,
        'The session is full, and takes no answer any more. Cancel the turn, and begin another session, or erase this one.',
      );
    case 'no-such-turn':
      return new Problem('turn-over', `The turn of this call has ended without an answer. ${look}`);
    case 'posted':
    case 'answered':
      return new Problem(
        'already-answered',
        `This was answered before, and one answer is all that is taken. ${look}`,
      );
  }
}
