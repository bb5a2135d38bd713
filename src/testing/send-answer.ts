import type { Agent } from '../agent/define-agent.ts';
import type { StoredEvent } from '../journal/events.ts';
import type { SessionPort } from '../journal/session-port.ts';
import { type CheckedAnswer, postAnswer } from '../session/post-answer.ts';
import { openQuestions, type Question } from '../session/questions.ts';

/** Where a test answers what a turn waits for. */
interface Place {
  readonly port: SessionPort;
  readonly agent: Agent;
  /** Of the session. */
  readonly events: readonly StoredEvent[];
}

/**
 * Posts the answer of the one call that waits under an id or under its tool's name, and answers its turn, which then
 * waits for somebody to go on with it.
 *
 * @throws Error when no call or more than one waits under it, and when the answer cannot be one or is not taken.
 */
export async function sendAnswer(
  { port, agent, events }: Place,
  callOrTool: string,
  toAnswer: (question: Question) => CheckedAnswer,
): Promise<string> {
  const question = waitingUnder(callOrTool, openQuestions(events));
  const checked = toAnswer(question);
  if (!checked.ok) throw new Error(`The answer is not valid: ${checked.problems.join('; ')}.`);
  const sent = { answer: checked.answer, hash: crypto.randomUUID() };
  const posted = await postAnswer({ port, agent }, question, sent);
  if (posted !== 'posted') throw new Error(`The answer was not taken: ${posted}.`);
  return question.turn;
}

function waitingUnder(callOrTool: string, waiting: readonly Question[]): Question {
  const [found, ...more] = waiting.filter(({ call }) => call.id === callOrTool || call.name === callOrTool);
  if (found && more.length === 0) return found;
  const calls = waiting.map(({ call }) => `${call.name} (${call.id})`).join(', ') || 'nothing';
  throw new Error(
    `${found ? 'More than one call waits' : 'No call waits'} under '${callOrTool}'. Waiting: ${calls}.`,
  );
}
