import type { SentDecision, SentResult } from '../../journal/wait.ts';
import type { DecisionKind } from '../../tool/call.ts';
import { isJsonObject, unknownProblems } from '../../tool/json.ts';
import { MAX_REASON, MOST_ANSWERS, type SentBody } from '../../worker/answering.ts';
import { invalidBody } from '../../worker/body.ts';
import { readResult } from './post-answer.ts';

const OF_DECISION = ['decision', 'input', 'reason'];
const DECISIONS: ReadonlySet<unknown> = new Set<DecisionKind>(['approve', 'edit', 'reject', 'exit']);

/** Reads the body of a decision. @throws Problem that lists everything that is wrong with it. */
export function parseDecisionBody(body: SentBody): SentDecision {
  const { decision, input, reason } = body;
  const problems: string[] = [];
  const isKnown = DECISIONS.has(decision);
  if (decision === undefined) problems.push('decision: is missing');
  else if (!isKnown) problems.push('decision: must be approve, edit, reject or exit');
  if (input !== undefined && !isJsonObject(input)) problems.push('input: must be a JSON object');
  else if (decision === 'edit' && input === undefined) problems.push('input: is missing');
  else if (isKnown && decision !== 'edit' && input !== undefined) {
    problems.push('input: is for the decision edit only');
  }
  if (reason !== undefined && (typeof reason !== 'string' || reason.length > MAX_REASON)) {
    problems.push(`reason: must be text of at most ${MAX_REASON} characters`);
  }
  problems.push(...unknownProblems(body, OF_DECISION));
  if (problems.length > 0) throw invalidBody(problems);
  return { decision, input, reason } as SentDecision; // as just checked
}

/** Reads the body of a result. @throws Problem that lists everything that is wrong with it. */
export function parseResultBody(body: SentBody): SentResult {
  const read = readResult(body);
  if (!read.ok) throw invalidBody(read.problems);
  return read.sent;
}

/** One of several answers, each to the call that it names. */
export interface NamedAnswer {
  readonly call: string;
  /** The question of the call, from 1. Defaults to the first. */
  readonly question?: number | undefined;
  readonly [field: string]: unknown;
}

/** What an answer says: the first of a decision, and the others of a result. */
const ANSWERING = ['decision', 'result', 'text', 'error'];

/** Reads the body of several answers, but for what each says. @throws Problem that lists everything that is wrong with it. */
export function parseAnswersBody(body: SentBody): readonly NamedAnswer[] {
  const { answers } = body;
  const problems = unknownProblems(body, ['answers']);
  if (!Array.isArray(answers) || answers.length === 0 || answers.length > MOST_ANSWERS) {
    throw invalidBody([`answers: must be a list of 1 to ${MOST_ANSWERS}`, ...problems]);
  }
  const given: readonly unknown[] = answers;
  given.forEach((answer, place) => {
    const at = `answers[${place}]`;
    if (!isJsonObject(answer)) problems.push(`${at}: must be a JSON object`);
    else {
      const { call, question = 1 } = answer;
      if (typeof call !== 'string') problems.push(`${at}.call: must be the id of a call`);
      if (!isPlace(question)) problems.push(`${at}.question: must be a whole number from 1`);
      if (!ANSWERING.some((key) => key in answer)) {
        problems.push(`${at}: must have a decision, or one of result, text and error`);
      }
    }
  });
  if (problems.length > 0) throw invalidBody(problems);
  return answers as NamedAnswer[]; // as just checked
}

/** The most questions that one call may be asked for by its place. */
const MOST_QUESTIONS = 999_999;

const isPlace = (value: unknown): boolean =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MOST_QUESTIONS;
