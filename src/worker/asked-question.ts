/** Finds the question that an answer from outside is for. */
import type { Principal, StoredEvent } from '../journal/events.ts';
import { type Question, questionsOf, requestersOf } from '../session/answers/questions.ts';
import { readTurn } from '../session/read-session.ts';
import { SessionError } from './problem.ts';
import { unknownSession } from './session-view.ts';
import type { Target } from './target.ts';

/** A question, whose turn asks it, and whose messages the turn has taken. */
interface AskedQuestion {
  readonly question: Question;
  readonly principal: Principal;
  readonly requesters: readonly Principal[];
}

/** Which question of which call, from 1. */
interface NamedQuestion {
  readonly call: string;
  readonly question: number;
}

/** A turn as it was read, and whether there is a session at all. */
interface ReadTurn {
  readonly hasSession: boolean;
  readonly events: readonly StoredEvent[];
  readonly questions: ReturnType<typeof questionsOf>;
}

/** Turns by their ids: a long one is read once for all answers of a request. */
export type ReadTurns = Map<string, Promise<ReadTurn>>;

function readOnce({ port }: Target, turn: string, turns: ReadTurns): Promise<ReadTurn> {
  const read = async (): Promise<ReadTurn> => {
    const [session, events] = await Promise.all([port.read({ from: 1, limit: 1 }), readTurn(port, turn)]);
    return { hasSession: session !== null, events, questions: questionsOf(events) };
  };
  const reading = turns.get(turn) ?? read();
  turns.set(turn, reading);
  return reading;
}

/** @throws SessionError when there is no such session, call or question. */
export async function askedQuestion(
  target: Target,
  { call, question: number }: NamedQuestion,
  turns: ReadTurns,
): Promise<AskedQuestion> {
  const turn = call.replace(/\.\d+\.\d+$/, '');
  const { hasSession, events, questions } = await readOnce(target, turn, turns);
  if (!hasSession) throw unknownSession(target);
  const shown = call.slice(0, 80);
  const asked = questions.get(call);
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
