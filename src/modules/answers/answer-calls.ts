/** Accepts answers to waiting calls from all routes and surfaces. */
import type { AskingSeam, SentAnswer } from '../../journal/asking.ts';
import type { PostOutcome } from '../../journal/inbox-message.ts';
import type { JournaledAnswer, Wait } from '../../journal/wait.ts';
import type { TurnHost } from '../../session/turn-host.ts';
import type { AnsweringSession, SendAnswersOptions } from '../../worker/answering.ts';
import { assertRole } from '../../worker/auth.ts';
import type { AcceptedRequest } from '../../worker/begun-turn.ts';
import { createInvalidBodyError } from '../../worker/body.ts';
import { SessionError } from '../../worker/problem.ts';
import type { SessionAccess, Target } from '../../worker/target.ts';
import { getCallAnswerPath } from '../../worker/turn-view.ts';
import { checkAnswer, editProblems, formatProblem, postAnswer, readAnswer } from './check-answer.ts';
import {
  type AskedQuestion,
  assertAnotherPerson,
  findQuestion,
  isExcluded,
  listOpenQuestions,
  listRequesters,
  type TurnContents,
} from './questions.ts';

/**
 * Accepts answers to calls of one turn, each answer once, and then resumes the turn. It checks all answers
 * before it accepts the first.
 *
 * @throws SessionError if an answer is refused. If there are several answers, the error names the refused
 * answer and the accepted ones.
 * @throws ConfigurationError if the deployment lacks configuration that the turn needs.
 */
export async function answerCalls(
  here: AnsweringSession,
  sent: readonly SentAnswer[],
  answering: SendAnswersOptions,
): Promise<AcceptedRequest> {
  const turns: TurnContents = new Map();
  const checked = await Promise.all(sent.map((one) => checkSent(here, one, { ...answering, turns })));
  if (checked.length > 1) assertOneTurn(checked);
  const taken: CheckedCall[] = [];
  for (const one of checked) {
    taken.push(await acceptAnswer(here.at, one).catch((failure) => throwWithAccepted(failure, one, taken)));
  }
  return resumeTurn(here, taken, answering);
}

/**
 * @throws SessionError if an answer belongs to a different turn than the first one, or if a question has two
 * answers.
 */
function assertOneTurn(checked: readonly CheckedCall[]): void {
  const [first] = checked;
  const seen = new Set<string>();
  const again = checked.find(({ question: { id } }) => seen.size === seen.add(id).size);
  const other = checked.find(({ question }) => question.turn !== first?.question.turn);
  if (other) throw createWrongCallError(other, 'must be of the same turn as the first');
  if (again) throw createWrongCallError(again, 'is answered twice');
}

const createWrongCallError = ({ sent: { at = [] } }: CheckedCall, message: string): SessionError =>
  createInvalidBodyError([formatProblem(at, 'call', message)]);

/** The outcome of several answers, each of which is accepted or refused separately. */
export interface AnswerOutcomes {
  readonly begun: AcceptedRequest;
  /** The refused answers, each with the reason. */
  readonly refused: ReadonlyMap<SentAnswer, SessionError>;
}

/**
 * Accepts the valid answers among several to one turn, each once, and resumes the turn. For surfaces that ask
 * again for refused answers.
 *
 * @throws ConfigurationError if the deployment lacks configuration that the turn needs. Also rethrows errors
 * that prevent the session from responding.
 */
export async function answerEach(
  here: AnsweringSession,
  { turn, sent }: { readonly turn: string; readonly sent: readonly SentAnswer[] },
  answering: SendAnswersOptions,
): Promise<AnswerOutcomes> {
  const turns: TurnContents = new Map();
  const taken: CheckedCall[] = [];
  const refused = new Map<SentAnswer, SessionError>();
  for (const one of sent) {
    try {
      taken.push(await acceptAnswer(here.at, await checkSent(here, one, { ...answering, turns })));
    } catch (failure) {
      if (!(failure instanceof SessionError)) throw failure;
      refused.set(one, failure);
    }
  }
  return { begun: taken.length === 0 ? { turn } : await resumeTurn(here, taken, answering), refused };
}

/** Stores an answer to an open question without resuming the turn. */
export const leaveAnswer: AskingSeam['answer'] = async ({ port, agent, events }, sent, by) => {
  const question = listOpenQuestions(events).find(
    ({ call, number }) => call.id === sent.call && number === sent.question,
  );
  if (!question) return 'answered';
  const said = readAnswer(sent);
  if (!said.ok) return said;
  const given = checkAnswer(question, said.value, { by: typeof by === 'string' ? by : by.id, at: sent.at });
  if (!given.ok) return given;
  const answer = given.value;
  const problems = await editProblems(agent, question, { answer, at: sent.at });
  if (problems.length > 0) return { problems };
  const isOut = listRequesters(events).some((one) =>
    isExcluded(question, [one], typeof by === 'string' ? { ...one, id: by } : by),
  );
  return isOut ? 'kept-out' : postAnswer({ port, agent }, question, { answer, hash: crypto.randomUUID() });
};

/** Adds the ids of the accepted answers to the failure. @throws the failure. */
function throwWithAccepted(failure: unknown, { sent }: CheckedCall, taken: readonly CheckedCall[]): never {
  if (!(failure instanceof SessionError) || taken.length === 0) throw failure;
  const calls = taken.map((one) => one.sent.call);
  const { type, message, retryAfter, more, cause } = failure;
  const detail = `The answer of call ${sent.call} was not accepted: ${message} The answers of ${calls.join(', ')} were.`;
  throw new SessionError(type, detail, { retryAfter, more: { ...more, taken: calls }, cause });
}

/** A checked answer, and the services of this deployment for its turn. */
interface CheckedCall {
  readonly sent: SentAnswer;
  readonly question: AskedQuestion;
  readonly services: TurnHost;
  readonly answer: JournaledAnswer;
  /** Distinguishes this answer from other answers to the question. */
  readonly hash: string;
}

interface CheckOptions extends Pick<SendAnswersOptions, 'idempotencyKey'> {
  /** The turns that were read for other answers of the request. */
  readonly turns?: TurnContents;
}

async function checkSent(
  here: AnsweringSession,
  sent: SentAnswer,
  { idempotencyKey, turns = new Map() }: CheckOptions,
): Promise<CheckedCall> {
  const { app, at: access } = here;
  const { host, target } = access;
  const { at, body } = sent;
  const said = readAnswer(sent);
  if (!said.ok) throw createInvalidBodyError(said.problems);
  const key =
    idempotencyKey === undefined ? undefined : await app.keyOf(idempotencyKey, JSON.stringify(body));
  const { question, principal, requesters } = await findQuestion(target, sent, turns);
  assertRole(target.caller, { call: question.call.id, wait: question.wait });
  assertAnotherPerson(target.caller, question, requesters);
  if (question.wait.for !== sent.for) throw createWrongAnswerError(target, question);
  // Copying calls every getter, so missing configuration is reported before the answer is accepted.
  const services = {
    ...app.servicesOf(access, { ...target, agent: target.agent.name }),
  };
  services.context?.(principal, question.turn);
  const given = checkAnswer(question, said.value, { by: target.caller.id, at });
  if (!given.ok) throw createInvalidBodyError(given.problems);
  const answer = access.origin ? markInCall(given.value) : given.value;
  const isOpen = question.standing === 'open';
  const problems = isOpen ? await editProblems(services.agent, question, { answer, at }) : [];
  if (problems.length > 0) throw createInvalidBodyError(problems);
  const hash = key ? JSON.stringify([target.caller.id, key.key, key.bodyHash]) : host.newId();
  return { sent, question, services, answer, hash };
}

/**
 * Marks a decision by another turn's call. It is not a person's decision, so the chain of turns continues.
 */
const markInCall = (answer: JournaledAnswer): JournaledAnswer =>
  answer.type === 'decision' ? { ...answer, inCall: true } : answer;

async function acceptAnswer({ target }: SessionAccess, checked: CheckedCall): Promise<CheckedCall> {
  const { question, services, answer, hash } = checked;
  const posted = await postAnswer(services, question, { answer, hash });
  if (posted === 'void') throw createVoidAnswerError(question);
  // The object forgets accepted answers after a while. The journal does not.
  if (posted === 'known' || (posted === 'posted' && question.standing === 'open')) return checked;
  throw toRefusalError(
    target,
    question,
    question.standing === 'open' ? posted : CLOSED_STATES[question.standing],
  );
}

/**
 * Resumes a turn that has its answers, or follows another invocation that was faster. Responds as to a
 * message.
 */
async function resumeTurn(
  here: AnsweringSession,
  taken: readonly CheckedCall[],
  { inBackground }: SendAnswersOptions,
): Promise<AcceptedRequest> {
  const [first] = taken;
  if (!first) throw createInvalidBodyError(['answers: must have at least one']);
  const { services, question } = first;
  const askedAt = Math.max(...taken.map((one) => one.question.seq));
  return here.app.resumeHere(here.at, { turn: question.turn, services, askedAt, inBackground });
}

/** The object's status for each state of a question that the journal has closed. */
const CLOSED_STATES = {
  answered: 'answered',
  expired: 'expired',
  left: 'call-over',
  dropped: 'no-such-turn',
} as const;

const createWrongAnswerError = (target: Target, question: AskedQuestion): SessionError => {
  const { call, wait } = question;
  const what = wait.for === 'decision' ? 'a decision' : 'the result of its tool';
  const detail = `Call ${call.id} waits for ${what}. POST it to ${getAnswerPath(target, question)}.`;
  return new SessionError('wrong-answer', detail);
};

const getAnswerPath = ({ path }: Target, { call, number, wait }: AskedQuestion): string =>
  getCallAnswerPath(path, { call: call.id, question: number, for: wait.for });

/** The start of the problem types for each kind of answer. */
const PROBLEM_PREFIXES = { decision: 'approval', result: 'result' } as const satisfies Record<
  Wait['for'],
  string
>;

const createVoidAnswerError = ({ call, wait }: AskedQuestion): SessionError =>
  new SessionError(
    `${PROBLEM_PREFIXES[wait.for]}-void`,
    `Tool '${call.name}' has changed since this was asked, so this answer no longer applies. ` +
      'The model sees this and can ask again.',
  );

/** Returns the error for an answer that the session's object refused. */
function toRefusalError(
  { path }: Target,
  { wait }: AskedQuestion,
  why: Exclude<PostOutcome, 'known'> | 'call-over',
): SessionError {
  const look = `GET ${path} shows the state of the session.`;
  switch (why) {
    case 'expired':
      return new SessionError(
        `${PROBLEM_PREFIXES[wait.for]}-expired`,
        `The question has expired, so this answer comes too late. ${look}`,
      );
    case 'call-over':
      return new SessionError(why, `This call has ended without an answer. ${look}`);
    case 'session-full':
      return new SessionError(
        why,
        'The session is full, and accepts no more answers. Cancel the turn and start a new session, or erase this one.',
      );
    case 'no-such-turn':
      return new SessionError('turn-over', `The turn of this call has ended without an answer. ${look}`);
    case 'posted':
    case 'answered':
      return new SessionError('already-answered', `This question has already been answered. ${look}`);
  }
}
