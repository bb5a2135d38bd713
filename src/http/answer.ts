import type { TurnAnswer } from '../session/turn-answer.ts';
import { Problem } from './problem.ts';

/** The response to a turn that has ended. A failed turn is a problem; the message and what was done stay. */
export function toResponse(answer: TurnAnswer, location: string): Response {
  switch (answer.outcome) {
    case 'completed':
    case 'returned-direct':
    case 'limit-reached':
    case 'cancelled':
      return Response.json(answer, { headers: { 'content-location': location } });
    case 'suspended':
      return Response.json(answer, { status: 202, headers: { location } });
    case 'failed':
      return failedProblem(answer).toResponse();
  }
}

function failedProblem(answer: TurnAnswer): Problem {
  const { error, ...turn } = answer;
  const ofModel = error?.type !== 'internal' && error?.type !== 'stuck';
  const detail = `${error?.message ?? 'The turn failed.'} The conversation is kept: send another message to go on.`;
  return new Problem(ofModel ? 502 : 500, ofModel ? 'model-failure' : 'turn-failed', detail, {
    more: { ...turn, error },
  });
}
