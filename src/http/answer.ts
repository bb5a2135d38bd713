import type { TurnError } from '../journal/events.ts';
import type { TurnAnswer } from '../session/turn-answer.ts';
import { Problem, type ProblemType } from './problem.ts';

/** The response to a turn that has ended. A failed turn is a problem; the message and what was done stay. */
export function toResponse(answer: TurnAnswer, location: string): Response {
  switch (answer.outcome) {
    case 'completed':
    case 'returned-direct':
    case 'limit-reached':
    case 'cancelled':
      return Response.json(answer, { headers: { 'content-location': location } });
    case 'failed':
      return failedProblem(answer).toResponse();
  }
}

function failedProblem(answer: TurnAnswer): Problem {
  const { error, ...turn } = answer;
  const [status, type] = PROBLEMS[error?.type ?? 'internal'];
  const detail = `${error?.message ?? 'The turn failed.'} The conversation is kept: send another message to go on.`;
  const headers = error?.retryAfter === undefined ? {} : { 'retry-after': String(error.retryAfter) };
  return new Problem(status, type, detail, { headers, more: { ...turn, error } });
}

const PROBLEMS: Readonly<Record<TurnError['type'], readonly [status: number, type: ProblemType]>> = {
  'model-failure': [502, 'model-failure'],
  'empty-reply': [502, 'model-failure'],
  'tool-not-found': [502, 'model-failure'],
  'invalid-output': [502, 'model-failure'],
  'tool-failure': [502, 'turn-failed'],
  misconfigured: [500, 'misconfigured'],
  stuck: [500, 'turn-failed'],
  internal: [500, 'turn-failed'],
};
