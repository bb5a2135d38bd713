/** Takes what somebody outside answers to a call that waits, whichever way it comes. */
import type { Principal } from '../journal/events.ts';
import type { Posted } from '../journal/session-port.ts';
import {
  type CheckedAnswer,
  checkDecision,
  checkResult,
  editProblems,
  postAnswer,
} from '../session/answers/post-answer.ts';
import { asMeant, type Question, questionsOf, requestersOf } from '../session/answers/questions.ts';
import { readTurn } from '../session/fold-session.ts';
import type { TurnHost } from '../session/turn-host.ts';
import { keptFor } from '../session/watching/turn-outcome.ts';
import { parseDecisionBody, parseResultBody, type SentBody } from './answer-body.ts';
import { mustBeAnother, mustHaveRole } from './auth.ts';
import { accepted, type BegunTurn, resume, toRunHere } from './begun-turn.ts';
import { invalidBody } from './body.ts';
import { SessionError } from './problem.ts';
import { requestKey } from './request-headers.ts';
import { unknownSession } from './session-view.ts';
import { type SessionAccess, type Target, turnServices } from './target.ts';
import { answerPath } from './turn-view.ts';

/** One of the two ways to answer a call that waits. */
export interface AnswerKind {
  readonly for: Question['wait']['for'];
  /** The beginning of its problem types. */
  readonly word: 'approval' | 'result';
  /** What a body makes of a question. @throws SessionError when the body could answer none. */
  read(body: SentBody): (question: Question, by: string) => CheckedAnswer;
}

export const DECIDING: AnswerKind = {
  for: 'decision',
  word: 'approval',
  read(body) {
    const sent = parseDecisionBody(body);
    return (question, by) => checkDecision(question.wait, asMeant(question, sent), by);
  },
};

export const GIVING_RESULT: AnswerKind = {
  for: 'result',
  word: 'result',
  read(body) {
    const sent = parseResultBody(body);
    return ({ call }, by) => checkResult(call.name, sent, by);
  },
};

/** The answer of a call, as it is sent. */
interface SentAnswer {
  readonly call: string;
  /** Which question of the call, from 1. */
  readonly question: number;
  readonly body: SentBody;
  /** The body as it came, to which a key is bound. */
  readonly text: string;
  readonly idempotencyKey?: string | undefined;
  /** The turn goes on in the background, and nobody waits for its answer. */
  readonly inBackground: boolean;
}

/**
 * Takes an answer, once, and goes on with the turn of its call.
 *
 * @throws SessionError when it is not taken; ConfigurationError for what the deployment lacks.
 */
export async function answerCall(at: SessionAccess, kind: AnswerKind, sent: SentAnswer): Promise<BegunTurn> {
  const { host, target } = at;
  const toAnswer = kind.read(sent.body);
  const key = await requestKey(sent.idempotencyKey, sent.text);
  const { question, principal, requesters } = await questionOf(target, sent.call, sent.question);
  mustHaveRole(target.caller, question);
  mustBeAnother(target.caller, question, requesters);
  if (question.wait.for !== kind.for) throw wrongAnswer(target, question);
  // Copied, so that what this deployment lacks is found out before the answer is taken.
  const services = {
    ...turnServices(at, { port: target.port, agent: target.agent.name, session: target.session }),
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
  if (isTaken) return sent.inBackground ? accepted(at, question.turn) : goOn(at, services, question.turn);
  const why = question.standing === 'open' ? posted : STANDINGS[question.standing];
  throw refused(target, kind, why);
}

/** Goes on with a turn that got what it waited for: here, or with whoever was faster. It is answered as the message is that started it. */
async function goOn(at: SessionAccess, services: TurnHost, turn: string): Promise<BegunTurn> {
  const sentAt = at.host.clock.now();
  const resumed = await resume(at, turn).catch(keptFor);
  if (resumed === 'kept') return accepted(at, turn);
  return resumed.status === 'leased' ? toRunHere({ turn, services, lease: resumed, sentAt }) : { turn };
}

/** What the object would say of a question that is closed by the journal. */
const STANDINGS = {
  answered: 'answered',
  expired: 'expired',
  left: 'call-over',
  dropped: 'no-such-turn',
} as const;

/** A question, whose turn asks it, and whose messages the turn has taken. */
interface AskedQuestion {
  readonly question: Question;
  readonly principal: Principal;
  readonly requesters: readonly Principal[];
}

/** @throws SessionError when there is no such session, call or question. */
async function questionOf(target: Target, call: string, number: number): Promise<AskedQuestion> {
  const { port } = target;
  const turn = call.replace(/\.\d+\.\d+$/, '');
  const [session, events] = await Promise.all([port.read({ from: 1, limit: 1 }), readTurn(port, turn)]);
  if (!session) throw unknownSession(target);
  const shown = call.slice(0, 80);
  const asked = questionsOf(events).get(call);
  if (!asked) {
    const detail = `There is no call '${shown}' in this session: GET ${target.path} shows what it waits for.`;
    throw new SessionError('unknown-call', detail);
  }
  const question = asked[number - 1];
  const [started] = events;
  if (question && started?.type === 'turn-started') {
    return { question, principal: started.principal, requesters: requestersOf(events) };
  }
  const what = number === 1 ? 'It asked nothing' : `It has not asked ${number} questions`;
  throw new SessionError('not-waiting', `Call ${shown} does not wait for this answer. ${what}.`);
}

const wrongAnswer = (target: Target, question: Question): SessionError => {
  const { call, wait } = question;
  const what = wait.for === 'decision' ? 'a decision' : 'the result of its tool';
  const detail = `Call ${call.id} waits for ${what}: POST it to ${answerPath(target, question)}.`;
  return new SessionError('wrong-answer', detail);
};

const madeVoid = ({ word }: AnswerKind, { call }: Question): SessionError =>
  new SessionError(
    `${word}-void`,
    `Tool '${call.name}' has changed since this was asked, so what was sent does not hold for it. ` +
      'The model is told so, and may ask again.',
  );

/** Why an answer was not taken, as the session's object says it. */
function refused(
  { path }: Target,
  { word }: AnswerKind,
  why: Exclude<Posted, 'known'> | 'call-over',
): SessionError {
  const look = `GET ${path} shows where the session stands.`;
  switch (why) {
    case 'expired':
      return new SessionError(`${word}-expired`, `The time for this answer is over. ${look}`);
    case 'call-over':
      return new SessionError(why, `This call has ended without an answer. ${look}`);
    case 'session-full':
      return new SessionError(
        why,
        'The session is full, and takes no answer any more. Cancel the turn, and begin another session, or erase this one.',
      );
    case 'no-such-turn':
      return new SessionError('turn-over', `The turn of this call has ended without an answer. ${look}`);
    case 'posted':
    case 'answered':
      return new SessionError(
        'already-answered',
        `This was answered before, and one answer is all that is taken. ${look}`,
      );
  }
}
