import { readResult, type SentDecision, type SentResult } from '../session/answers/post-answer.ts';
import type { DecisionKind } from '../tool/call.ts';
import { isJsonObject, unknownProblems } from '../tool/json.ts';
import { invalidBody } from './body.ts';
import type { BodySchema } from './route.ts';
import type { Schema } from './typed-schema.ts';

const OF_A_DECISION: Schema = {
  decision: { type: 'string', enum: ['approve', 'edit', 'reject', 'exit'] },
  input: {
    type: 'object',
    additionalProperties: true,
    description: 'Of an edit: takes the place of what the model sent.',
  },
  reason: { type: 'string', maxLength: 2000, description: 'For the model, and for the journal.' },
};

/** The body of a decision. */
export const DECISION: BodySchema = {
  name: 'Decision',
  schema: {
    type: 'object',
    required: ['decision'],
    additionalProperties: false,
    properties: OF_A_DECISION,
  },
};

/** What was sent as an answer, by a request or by code. */
export type SentBody = Readonly<Record<string, unknown>>;

const OF_DECISION = ['decision', 'input', 'reason'];
const DECISIONS: readonly DecisionKind[] = ['approve', 'edit', 'reject', 'exit'];
/** Characters; a model reads it. */
const MAX_REASON = 2_000;

/** Reads the body of a decision. @throws Problem that lists everything that is wrong with it. */
export function parseDecisionBody(body: SentBody): SentDecision {
  const { decision, input, reason } = body;
  const problems: string[] = [];
  if (decision === undefined) problems.push('decision: is missing');
  else if (!isDecision(decision)) problems.push('decision: must be approve, edit, reject or exit');
  if (input !== undefined && !isJsonObject(input)) problems.push('input: must be a JSON object');
  else if (decision === 'edit' && input === undefined) problems.push('input: is missing');
  else if (isDecision(decision) && decision !== 'edit' && input !== undefined) {
    problems.push('input: is for the decision edit only');
  }
  if (reason !== undefined && (typeof reason !== 'string' || reason.length > MAX_REASON)) {
    problems.push(`reason: must be text of at most ${MAX_REASON} characters`);
  }
  problems.push(...unknownProblems(body, OF_DECISION));
  if (problems.length > 0) throw invalidBody(problems);
  return { decision, input, reason } as SentDecision; // as just checked
}

const isDecision = (value: unknown): boolean => DECISIONS.some((one) => one === value);

const OF_A_RESULT: Schema = {
  result: { description: 'Any JSON, as if the tool had returned it.' },
  text: { type: 'string', description: 'Words for the model.' },
  error: { type: 'string', description: 'What went wrong, for the model.' },
};

/** The body of a result. */
export const RESULT: BodySchema = {
  name: 'Result',
  schema: {
    type: 'object',
    description: 'Exactly one of the three.',
    additionalProperties: false,
    minProperties: 1,
    maxProperties: 1,
    properties: OF_A_RESULT,
  },
};

/** Reads the body of a result. @throws Problem that lists everything that is wrong with it. */
export function parseResultBody(body: SentBody): SentResult {
  const read = readResult(body);
  if (!read.ok) throw invalidBody(read.problems);
  return read.sent;
}

/** One of several answers, each to the call that it names. */
export interface NamedAnswer {
  readonly call: string;
  /** Which question of the call, from 1; the first unless given. */
  readonly question?: number | undefined;
  readonly [field: string]: unknown;
}

/** Answers in one request at most: a turn waits for no more calls than a model may ask for at once. */
const MOST_ANSWERS = 128;

/** The body of several answers. */
export const ANSWERS: BodySchema = {
  name: 'Answers',
  schema: {
    type: 'object',
    required: ['answers'],
    additionalProperties: false,
    properties: {
      answers: {
        type: 'array',
        description: 'Of calls of one turn. All are checked before the first is taken.',
        minItems: 1,
        maxItems: MOST_ANSWERS,
        items: {
          type: 'object',
          description: 'A Decision or a Result, of the call that it names.',
          required: ['call'],
          additionalProperties: false,
          properties: {
            call: { type: 'string' },
            // Without a `default`: generators of clients would make the property one that has to be sent.
            question: { type: 'integer', minimum: 1, description: 'The first unless given.' },
            ...OF_A_DECISION,
            ...OF_A_RESULT,
          },
        },
      },
    },
  },
};

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
