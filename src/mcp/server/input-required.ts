/** Asks a client what a turn waits for, and takes what it answers (MCP specification, multi round-trip requests). */
import { type InputRequests, specTypeSchemas } from '@modelcontextprotocol/server';
import type { SentAnswer } from '../../journal/asking.ts';
import type { StoredEvent } from '../../journal/events.ts';
import { answerEach } from '../../modules/answers/answer-calls.ts';
import {
  type AskedQuestion,
  mustBeAnother,
  openQuestions,
  questionsOf,
  requestersOf,
} from '../../modules/answers/questions.ts';
import { readTurn } from '../../session/read-session.ts';
import { attempt } from '../../tool/async.ts';
import { mustHaveRole } from '../../worker/auth.ts';
import type { BegunTurn } from '../../worker/begun-turn.ts';
import type { Caller } from '../../worker/host.ts';
import type { SessionError, SessionErrorType } from '../../worker/problem.ts';
import type { SessionAccess } from '../../worker/target.ts';
import { ANSWERING_APP } from '../../worker/turn-response.ts';
import { notTaken } from './caller.ts';
import { formOf } from './question-form.ts';

/** What has been asked and answered before, so that it is told, and not asked again. */
export interface Continued {
  /** What was wrong with answers that were not taken, by the keys of their requests. */
  readonly problems: ReadonlyMap<string, readonly string[]>;
  /** The keys of what the client is not asked again: it was dismissed, or is not for this caller to answer. */
  readonly left: ReadonlySet<string>;
  /** What else the client has to know. */
  readonly told: readonly string[];
}

/** Nothing was asked before. */
export const NOTHING_BEFORE: Continued = { problems: new Map(), left: new Set(), told: [] };

/**
 * Makes the requests by which a client asks its user what a turn waits for, by the events of the turn: one for each question that
 * this caller may answer and a form can ask. Their keys name the questions in the whole session, so that no two are ever the same.
 */
export function inputRequestsOf(
  caller: Caller,
  events: readonly StoredEvent[],
  { problems, left, told }: Continued = NOTHING_BEFORE,
): InputRequests {
  const requesters = requestersOf(events);
  const mayAnswer = (question: AskedQuestion): boolean =>
    attempt(() => {
      mustHaveRole(caller, { call: question.call.id, wait: question.wait });
      mustBeAnother(caller, question, requesters);
    }).ok;
  const asked = openQuestions(events).filter((question) => !left.has(question.id) && mayAnswer(question));
  const forms = asked.flatMap((question) => {
    const form = formOf(question);
    return form ? [{ key: question.id, params: form.params }] : [];
  });
  return Object.fromEntries(
    forms.map(({ key, params }, place) => {
      const before = [...(place === 0 ? told : []), ...notTaken(problems.get(key))];
      const message = [...before, params.message].join('\n');
      return [key, { method: 'elicitation/create', params: { ...params, message } }];
    }),
  );
}

/** What a client answers to the questions of a turn. */
interface Inputs {
  readonly turn: string;
  /** The keys of the requests that these are answers of; others are not looked at. */
  readonly asked: readonly string[];
  /** By the keys of the requests: anything at all, for nobody has checked it. */
  readonly responses: Readonly<Record<string, unknown>>;
  /** The turn goes on in the background, and nobody waits for its answer. */
  readonly inBackground: boolean;
}

/** How a turn goes on with what its client has answered, and what the client is to be told. */
export interface TakenInputs extends Continued {
  readonly begun: BegunTurn;
}

/**
 * Takes what a client answers to the questions of a turn as the route for approvals does: of this caller, each once, checked by the
 * question, and bound to it. The same answer may come again. One that cannot be taken leaves the others alone. `undefined`
 * when the session has no such turn.
 *
 * @throws ConfigurationError for what the deployment lacks, and what keeps the session from answering at all.
 */
export async function takeInputs(at: SessionAccess, inputs: Inputs): Promise<TakenInputs | undefined> {
  const { turn } = inputs;
  const events = await readTurn(at.target.port, turn);
  if (events.length === 0) return undefined;
  const questions = [...questionsOf(events).values()].flat();
  // Each costs a request to the session's object.
  const read = [...new Set(inputs.asked)].flatMap((key) => {
    const question = questions.find(({ id }) => id === key);
    const response = Object.hasOwn(inputs.responses, key) ? inputs.responses[key] : undefined;
    return question && response !== undefined ? [{ key, ...toSent(question, response) }] : [];
  });
  const sent = read.flatMap((one) => (one.sent ? [one.sent] : []));
  const { begun, refused } = await answerEach(
    { app: ANSWERING_APP, at },
    { turn, sent },
    { idempotencyKey: KEY, inBackground: inputs.inBackground },
  );
  const problems = new Map<string, readonly string[]>();
  const left = new Set<string>();
  const told: string[] = [];
  for (const one of read) {
    const refusal = one.sent && refused.get(one.sent);
    if (one.problem !== undefined) problems.set(one.key, [one.problem]);
    else if (refusal?.type === 'invalid-body') problems.set(one.key, problemsOf(refusal));
    else if (refusal || !one.sent) left.add(one.key);
    if (refusal && refusal.type !== 'invalid-body') told.push(wordsOf(refusal));
  }
  return { begun, problems, left, told };
}

/** Tells an answer that is sent again from another one: what is sent under one key is bound to what it says. */
const KEY = 'requestState';

/** What an answer is sent as; neither an answer nor a problem when the person has left without one. */
interface ReadInput {
  readonly sent?: SentAnswer | undefined;
  readonly problem?: string | undefined;
}

function toSent(question: AskedQuestion, response: unknown): ReadInput {
  const form = formOf(question);
  if (!form) return {};
  const read = specTypeSchemas.ElicitResult['~standard'].validate(response);
  if (read.issues) return { problem: 'it is no answer of a form' };
  const answer = form.read(read.value);
  if (!answer || 'problem' in answer) return answer ?? {};
  const { call, number } = question;
  return { sent: { for: 'decision', call: call.id, question: number, body: answer.body } };
}

const problemsOf = ({ message, more: { problems = [message] } }: SessionError): readonly string[] => problems;

/** The question is no longer there to be answered, or not for this caller. @throws the refusal when it says something else. */
function wordsOf(refusal: SessionError): string {
  if (!FINAL.includes(refusal.type)) throw refusal;
  return `An answer was not taken. ${refusal.message}`;
}

const FINAL: readonly SessionErrorType[] = [
  'already-answered',
  'approval-expired',
  'approval-void',
  'call-over',
  'turn-over',
  'role-required',
  'another-person-required',
  'session-full',
];
