/** Takes what somebody outside answers to a call that waits, whichever way it comes. */
import type { Posted } from '../../journal/inbox-message.ts';
import type { Answer } from '../../journal/wait.ts';
import type { TurnHost } from '../../session/turn-host.ts';
import type { AnsweredHere, Answering, SentBody } from '../../worker/answering.ts';
import { mustHaveRole } from '../../worker/auth.ts';
import type { BegunTurn } from '../../worker/begun-turn.ts';
import { invalidBody } from '../../worker/body.ts';
import { answerPath } from '../../worker/pending-view.ts';
import { SessionError } from '../../worker/problem.ts';
import type { SessionAccess, Target } from '../../worker/target.ts';
import { type NamedAnswer, parseDecisionBody, parseResultBody } from './answer-body.ts';
import {
  type AnsweredBy,
  type CheckedAnswer,
  checkDecision,
  checkResult,
  editProblems,
  postAnswer,
} from './post-answer.ts';
import { askedQuestion, asMeant, mustBeAnother, type Question, type ReadTurns } from './questions.ts';

/** One of the two ways to answer a call that waits. */
export interface AnswerKind {
  readonly for: Question['wait']['for'];
  /** The beginning of its problem types. */
  readonly word: 'approval' | 'result';
  /** What a body makes of a question. @throws SessionError when the body could answer none. */
  read(body: SentBody): (question: Question, from: AnsweredBy) => CheckedAnswer;
}

export const DECIDING: AnswerKind = {
  for: 'decision',
  word: 'approval',
  read(body) {
    const sent = parseDecisionBody(body);
    return (question, from) => checkDecision(question.wait, asMeant(question, sent), from);
  },
};

export const GIVING_RESULT: AnswerKind = {
  for: 'result',
  word: 'result',
  read(body) {
    const sent = parseResultBody(body);
    return ({ call }, { by }) => checkResult(call.name, sent, by);
  },
};

/** The kinds of answers, by what a call waits for. */
export const KINDS = { decision: DECIDING, result: GIVING_RESULT };

/** The answer of a call, as it is sent. */
export interface SentAnswer {
  readonly kind: AnswerKind;
  readonly call: string;
  /** Which question of the call, from 1. */
  readonly question: number;
  readonly body: SentBody;
  /** The body as it came, to which a key is bound. */
  readonly text: string;
}

/** One of several answers, as its sender words it: a decision, or else a result. */
export const toSentAnswer = ({ call, question = 1, ...body }: NamedAnswer): SentAnswer => ({
  kind: 'decision' in body ? DECIDING : GIVING_RESULT,
  call,
  question,
  body,
  text: JSON.stringify(body),
});

/**
 * Takes an answer, once, and goes on with the turn of its call.
 *
 * @throws SessionError when it is not taken; ConfigurationError for what the deployment lacks.
 */
export async function answerCall(
  here: AnsweredHere,
  sent: SentAnswer,
  answering: Answering,
): Promise<BegunTurn> {
  return goOn(here, [await takeAnswer(here.at, await checkAnswer(here, sent, answering))], answering);
}

/**
 * Takes the answers of several calls of one turn, each once, and then goes on with it. All are checked before the first is taken.
 *
 * @throws what `answerCall` does. Of several it says which, and which were taken before it.
 */
export async function answerCalls(
  here: AnsweredHere,
  sent: readonly SentAnswer[],
  answering: Answering,
): Promise<BegunTurn> {
  const turns: ReadTurns = new Map();
  const checked = await Promise.all(
    sent.map((one, place) =>
      checkAnswer(here, one, { ...answering, turns }).catch((failure) => placed(failure, place)),
    ),
  );
  const [first] = checked;
  const other = checked.findIndex(({ question }) => question.turn !== first?.question.turn);
  const again = checked.findIndex(
    ({ question }, place) => checked.findIndex((one) => one.question.id === question.id) !== place,
  );
  if (other > 0) throw invalidBody([`answers[${other}].call: must be of the same turn as the first`]);
  if (again > 0) throw invalidBody([`answers[${again}].call: is answered twice`]);
  const taken: CheckedCall[] = [];
  for (const one of checked) {
    taken.push(await takeAnswer(here.at, one).catch((failure) => withTaken(failure, one, taken)));
  }
  return goOn(here, taken, answering);
}

/** What became of several answers, each of which was taken, or was not, by itself. */
export interface AnsweredEach {
  readonly begun: BegunTurn;
  /** Why those were not taken that are here. */
  readonly refused: ReadonlyMap<SentAnswer, SessionError>;
}

/**
 * Takes those of several answers of one turn that can be taken, each once, and goes on with it: for senders who are asked again
 * for the others.
 *
 * @throws ConfigurationError for what the deployment lacks, and what keeps the session from answering at all.
 */
export async function answerEach(
  here: AnsweredHere,
  { turn, sent }: { readonly turn: string; readonly sent: readonly SentAnswer[] },
  answering: Answering,
): Promise<AnsweredEach> {
  const turns: ReadTurns = new Map();
  const taken: CheckedCall[] = [];
  const refused = new Map<SentAnswer, SessionError>();
  for (const one of sent) {
    try {
      taken.push(await takeAnswer(here.at, await checkAnswer(here, one, { ...answering, turns })));
    } catch (failure) {
      if (!(failure instanceof SessionError)) throw failure;
      refused.set(one, failure);
    }
  }
  return { begun: taken.length === 0 ? { turn } : await goOn(here, taken, answering), refused };
}

/** @throws what is wrong with one of several answers, which it names. */
function placed(failure: unknown, place: number): never {
  const problems = failure instanceof SessionError ? failure.more.problems : undefined;
  if (!Array.isArray(problems)) throw failure;
  const at = `answers[${place}]`;
  throw invalidBody(
    problems.map((problem) => String(problem).replace(/^(it )?/, (it) => (it ? `${at}: ` : `${at}.`))),
  );
}

/** @throws why an answer was not taken; its sender has to know of those that were. */
function withTaken(failure: unknown, { sent }: CheckedCall, taken: readonly CheckedCall[]): never {
  if (!(failure instanceof SessionError) || taken.length === 0) throw failure;
  const calls = taken.map((one) => one.sent.call);
  const { type, message, retryAfter, more, cause } = failure;
  const detail = `The answer of call ${sent.call} was not taken: ${message} Those of ${calls.join(', ')} were.`;
  throw new SessionError(type, detail, { retryAfter, more: { ...more, taken: calls }, cause });
}

/** An answer that can be given, and what this deployment brings to its turn. */
interface CheckedCall {
  readonly sent: SentAnswer;
  readonly question: Question;
  readonly services: TurnHost;
  readonly answer: Answer;
  /** Tells this answer from others of the question. */
  readonly hash: string;
}

interface Checking extends Pick<Answering, 'idempotencyKey'> {
  /** Those that were read for other answers of the request. */
  readonly turns?: ReadTurns;
}

async function checkAnswer(
  here: AnsweredHere,
  sent: SentAnswer,
  { idempotencyKey, turns = new Map() }: Checking,
): Promise<CheckedCall> {
  const { app, at } = here;
  const { host, target } = at;
  const { kind } = sent;
  const toAnswer = kind.read(sent.body);
  const key = idempotencyKey === undefined ? undefined : await app.keyOf(idempotencyKey, sent.text);
  const { question, principal, requesters } = await askedQuestion(target, sent, turns);
  mustHaveRole(target.caller, { call: question.call.id, wait: question.wait });
  mustBeAnother(target.caller, question, requesters);
  if (question.wait.for !== kind.for) throw wrongAnswer(target, question);
  // Copied, so that what this deployment lacks is found out before the answer is taken.
  const services = {
    ...app.servicesOf(at, { port: target.port, agent: target.agent.name, session: target.session }),
  };
  services.context?.(principal, question.turn);
  const checked = toAnswer(question, { by: target.caller.id });
  if (!checked.ok) throw invalidBody(checked.problems);
  const answer = at.origin ? inCall(checked.answer) : checked.answer;
  const problems = question.standing === 'open' ? await editProblems(services.agent, question, answer) : [];
  if (problems.length > 0) throw invalidBody(problems);
  const hash = key ? JSON.stringify([target.caller.id, key.key, key.bodyHash]) : host.newId();
  return { sent, question, services, answer, hash };
}

/** A decision by another turn's call is not a person's: the row of turns continues. */
const inCall = (answer: Answer): Answer =>
  answer.type === 'decision' ? { ...answer, inCall: true } : answer;

async function takeAnswer({ target }: SessionAccess, checked: CheckedCall): Promise<CheckedCall> {
  const { question, services, answer, hash } = checked;
  const { kind } = checked.sent;
  const posted = await postAnswer(services, question, { answer, hash });
  if (posted === 'void') throw madeVoid(kind, question);
  // The object forgets after a while which answers it took; the journal does not.
  if (posted === 'known' || (posted === 'posted' && question.standing === 'open')) return checked;
  throw refused(target, kind, question.standing === 'open' ? posted : STANDINGS[question.standing]);
}

/** Goes on with a turn that got what it waited for: here, or with whoever was faster. It is answered as the message is that started it. */
async function goOn(
  here: AnsweredHere,
  taken: readonly CheckedCall[],
  { inBackground }: Answering,
): Promise<BegunTurn> {
  const [first] = taken;
  if (!first) throw invalidBody(['answers: must have at least one']);
  const { services, question } = first;
  const askedAt = Math.max(...taken.map((one) => one.question.seq));
  return here.app.goOn(here.at, { turn: question.turn, services, askedAt, inBackground });
}

/** What the object would say of a question that is closed by the journal. */
const STANDINGS = {
  answered: 'answered',
  expired: 'expired',
  left: 'call-over',
  dropped: 'no-such-turn',
} as const;

const wrongAnswer = (target: Target, question: Question): SessionError => {
  const { call, wait } = question;
  const what = wait.for === 'decision' ? 'a decision' : 'the result of its tool';
  const detail = `Call ${call.id} waits for ${what}: POST it to ${pathOf(target, question)}.`;
  return new SessionError('wrong-answer', detail);
};

const pathOf = ({ path }: Target, { call, number, wait }: Question): string =>
  answerPath(path, { call: call.id, question: number, for: wait.for });

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
