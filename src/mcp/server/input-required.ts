/**
 * Sends the questions of a turn to its client, and accepts the answers (MCP specification, multi round-trip
 * requests).
 */
import { type InputRequests, specTypeSchemas } from '@modelcontextprotocol/server';
import type { SentAnswer } from '../../journal/asking.ts';
import type { StoredEvent } from '../../journal/events.ts';
import { answerEach } from '../../modules/answers/answer-calls.ts';
import {
  type AskedQuestion,
  assertAnotherPerson,
  collectQuestions,
  listOpenQuestions,
  listRequesters,
} from '../../modules/answers/questions.ts';
import { readTurn } from '../../session/read-session.ts';
import { attempt } from '../../tool/async.ts';
import { assertRole } from '../../worker/auth.ts';
import type { AcceptedRequest } from '../../worker/begun-turn.ts';
import type { Caller } from '../../worker/host.ts';
import type { SessionError, SessionErrorType } from '../../worker/problem.ts';
import type { SessionAccess } from '../../worker/target.ts';
import { ANSWERING_APP } from '../../worker/turn-response.ts';
import { formatNotAccepted } from './caller.ts';
import { toQuestionForm } from './question-form.ts';

/** The results of earlier rounds, which are reported and not requested again. */
export interface ContinuedInputs {
  /** The problems with refused answers, by the keys of their requests. */
  readonly problems: ReadonlyMap<string, readonly string[]>;
  /** The keys of requests not to repeat: they were dismissed, or this caller cannot answer them. */
  readonly skipped: ReadonlySet<string>;
  /** Further messages for the client. */
  readonly messages: readonly string[];
}

/** The state before the first round. */
export const NO_EARLIER_INPUTS: ContinuedInputs = { problems: new Map(), skipped: new Set(), messages: [] };

/**
 * Returns the requests that let a client ask its user the questions of a turn, from the turn's events. There
 * is one for each question that this caller can answer and a form can express. Their keys are unique in the
 * whole session.
 */
export function toInputRequests(
  caller: Caller,
  events: readonly StoredEvent[],
  { problems, skipped, messages }: ContinuedInputs = NO_EARLIER_INPUTS,
): InputRequests {
  const requesters = listRequesters(events);
  const canAnswer = (question: AskedQuestion): boolean =>
    attempt(() => {
      assertRole(caller, { call: question.call.id, wait: question.wait });
      assertAnotherPerson(caller, question, requesters);
    }).ok;
  const asked = listOpenQuestions(events).filter(
    (question) => !skipped.has(question.id) && canAnswer(question),
  );
  const forms = asked.flatMap((question) => {
    const form = toQuestionForm(question);
    return form ? [{ key: question.id, params: form.params }] : [];
  });
  return Object.fromEntries(
    forms.map(({ key, params }, place) => {
      const before = [...(place === 0 ? messages : []), ...formatNotAccepted(problems.get(key))];
      const message = [...before, params.message].join('\n');
      return [key, { method: 'elicitation/create', params: { ...params, message } }];
    }),
  );
}

/** A client's answers to the questions of a turn. */
interface ClientInputs {
  readonly turn: string;
  /** The keys of the requests that were asked. Other answers are ignored. */
  readonly asked: readonly string[];
  /** The answers by the keys of the requests. Not validated. */
  readonly responses: Readonly<Record<string, unknown>>;
  /** `true` if the turn continues in the background, and no client waits for its answer. */
  readonly inBackground: boolean;
}

/** The continuation of a turn after answers, with messages for the client. */
export interface AcceptedInputs extends ContinuedInputs {
  readonly begun: AcceptedRequest;
}

/**
 * Accepts a client's answers to the questions of a turn, with the rules of the route for approvals. Each
 * answer comes from this caller, is validated by its question, is bound to it, and applies only once. A
 * repeated answer is accepted without a further effect. An invalid answer does not affect the others. Returns
 * `undefined` if the session has no such turn.
 *
 * @throws ConfigurationError for a fault of the deployment. Errors that prevent the session from responding
 * pass through.
 */
export async function acceptInputs(
  at: SessionAccess,
  inputs: ClientInputs,
): Promise<AcceptedInputs | undefined> {
  const { turn } = inputs;
  const events = await readTurn(at.target.port, turn);
  if (events.length === 0) return undefined;
  const questions = [...collectQuestions(events).values()].flat();
  // Each answer costs a request to the session's object.
  const read = [...new Set(inputs.asked)].flatMap((key) => {
    const question = questions.find(({ id }) => id === key);
    const response = Object.hasOwn(inputs.responses, key) ? inputs.responses[key] : undefined;
    return question && response !== undefined ? [{ key, ...parseInput(question, response) }] : [];
  });
  const sent = read.flatMap((one) => (one.sent ? [one.sent] : []));
  const { begun, refused } = await answerEach(
    { app: ANSWERING_APP, at },
    { turn, sent },
    { idempotencyKey: ANSWER_KEY, inBackground: inputs.inBackground },
  );
  const problems = new Map<string, readonly string[]>();
  const skipped = new Set<string>();
  const messages: string[] = [];
  for (const one of read) {
    const refusal = one.sent && refused.get(one.sent);
    if (one.problem !== undefined) problems.set(one.key, [one.problem]);
    else if (refusal?.type === 'invalid-body') problems.set(one.key, getProblems(refusal));
    else if (refusal || !one.sent) skipped.add(one.key);
    if (refusal && refusal.type !== 'invalid-body') messages.push(formatRefusal(refusal));
  }
  return { begun, problems, skipped, messages };
}

/** Distinguishes a repeated answer from a different one: an idempotency key is bound to the content. */
const ANSWER_KEY = 'requestState';

/** An answer to send. If it has neither an answer nor a problem, the person dismissed the form. */
interface ParsedInput {
  readonly sent?: SentAnswer | undefined;
  readonly problem?: string | undefined;
}

function parseInput(question: AskedQuestion, response: unknown): ParsedInput {
  const form = toQuestionForm(question);
  if (!form) return {};
  const read = specTypeSchemas.ElicitResult['~standard'].validate(response);
  if (read.issues) return { problem: 'it is not the answer of a form' };
  const answer = form.read(read.value);
  if (!answer || 'problem' in answer) return answer ?? {};
  const { call, number } = question;
  return { sent: { for: 'decision', call: call.id, question: number, body: answer.body } };
}

const getProblems = ({ message, more: { problems = [message] } }: SessionError): readonly string[] =>
  problems;

/**
 * Returns the text for a question that was already answered, or that this caller cannot answer. @throws the
 * refusal for another reason.
 */
function formatRefusal(refusal: SessionError): string {
  if (!FINAL_REFUSALS.includes(refusal.type)) throw refusal;
  return `An answer was not accepted. ${refusal.message}`;
}

const FINAL_REFUSALS: readonly SessionErrorType[] = [
  'already-answered',
  'approval-expired',
  'approval-void',
  'call-over',
  'turn-over',
  'role-required',
  'another-person-required',
  'session-full',
];
