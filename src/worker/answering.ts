/** How an app takes answers of calls that wait: a part of the seam `APP`. */
import type { SentAnswer } from '../journal/asking.ts';
import type { SessionPort } from '../journal/session-port.ts';
import type { SessionAddress } from '../session/read-secrets.ts';
import type { TurnHost } from '../session/turn-host.ts';
import { SENT_DECISION, SENT_RESULT } from '../tool/call.ts';
import { CLOSED, type Shape, TEXT } from '../tool/shape.ts';
import type { BegunTurn } from './begun-turn.ts';
import type { SessionRequest } from './route.ts';
import type { SessionAccess } from './target.ts';

/** The most answers of one request: a turn waits for no more calls than a model may ask for at once. */
export const MOST_ANSWERS = 128;

const OF_CALL = {
  object: {
    call: TEXT,
    // Without a `default`: generators of clients would make the property one that has to be sent.
    question: { optional: { type: 'integer', also: { minimum: 1 }, says: 'Defaults to the first.' } },
  },
} as const satisfies Shape;

/** The body of several answers. */
export const ANSWERS_BODY = {
  object: {
    answers: {
      listOf: {
        anyOf: [
          { object: SENT_DECISION.object, and: OF_CALL, also: CLOSED },
          { object: SENT_RESULT.object, and: OF_CALL, also: CLOSED },
        ],
        says: 'A Decision or a Result, of the call that it names.',
      },
      also: { minItems: 1, maxItems: MOST_ANSWERS },
      says: 'Of calls of one turn. All are checked before the first is accepted.',
    },
  },
  also: CLOSED,
} as const satisfies Shape;

/** How answers are sent. */
export interface Answering {
  readonly idempotencyKey?: string | undefined;
  /** The turn resumes in the background, and the sender does not wait for its answer. */
  readonly inBackground: boolean;
}

/** A turn that got what it waited for. */
export interface AnsweredTurn extends Pick<Answering, 'inBackground'> {
  readonly turn: string;
  readonly services: TurnHost;
  /** The event that asked the last of the questions. */
  readonly askedAt: number;
}

/** What the app does for the module that takes answers, which needs nothing else of it: tools bring the module to programs without a Worker. */
export interface AnsweringApp {
  /** Returns what this deployment brings to the turns of a session. @throws ConfigurationError for what it lacks. */
  servicesOf(at: SessionAccess, of: SessionAddress & { readonly port: SessionPort }): TurnHost;
  /** Binds a key to what is sent under it. */
  keyOf(idempotencyKey: string, text: string): Promise<{ readonly key: string; readonly bodyHash: string }>;
  /** Resumes a turn here, or leaves it to the invocation that was faster. It is answered as the message is that started it. */
  goOn(at: SessionAccess, answered: AnsweredTurn): Promise<BegunTurn>;
  /** Reads the body of a request, and answers as a message is answered. */
  respond(
    asked: SessionRequest,
    begin: (body: SentAnswer['body'], how: Answering) => Promise<BegunTurn>,
  ): Promise<Response>;
}

/** Where answers are taken. */
export interface AnsweredHere {
  readonly app: AnsweringApp;
  readonly at: SessionAccess;
}

/** Takes the answers. Both methods throw a SessionError for what is not taken. */
export interface TakesAnswers {
  /** Reads `{ answers }`, a list of answers of several calls, but not what each says. */
  read(body: SentAnswer['body']): readonly SentAnswer[];
  /** Takes answers of calls of one turn, each once, and resumes the turn. All are checked before the first is taken. */
  take(here: AnsweredHere, answers: readonly SentAnswer[], how: Answering): Promise<BegunTurn>;
}
