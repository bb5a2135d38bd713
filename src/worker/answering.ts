/** The part of the seam `APP` by which an app accepts answers to waiting calls. */
import type { SentAnswer } from '../journal/asking.ts';
import type { SessionPort } from '../journal/session-port.ts';
import type { SessionAddress } from '../session/read-secrets.ts';
import type { TurnHost } from '../session/turn-host.ts';
import { SENT_DECISION, SENT_RESULT } from '../tool/call.ts';
import { NO_OTHER_PROPERTIES, type Shape, TEXT } from '../tool/shape.ts';
import type { AcceptedRequest } from './begun-turn.ts';
import type { SessionRequest } from './route.ts';
import type { SessionAccess } from './target.ts';

/** The maximum number of answers in one request. A model cannot request more calls at once. */
export const MAX_ANSWERS = 128;

const CALL_FIELDS = {
  object: {
    call: TEXT,
    // Without a `default`, since generated clients would make the property required.
    question: { optional: { type: 'integer', also: { minimum: 1 }, says: 'Defaults to the first.' } },
  },
} as const satisfies Shape;

export const ANSWERS_BODY = {
  object: {
    answers: {
      listOf: {
        anyOf: [
          { object: SENT_DECISION.object, and: CALL_FIELDS, also: NO_OTHER_PROPERTIES },
          { object: SENT_RESULT.object, and: CALL_FIELDS, also: NO_OTHER_PROPERTIES },
        ],
        says: 'A Decision or a Result for the named call.',
      },
      also: { minItems: 1, maxItems: MAX_ANSWERS },
      says: 'Of calls of one turn. All are checked before the first is accepted.',
    },
  },
  also: NO_OTHER_PROPERTIES,
} as const satisfies Shape;

export interface SendAnswersOptions {
  readonly idempotencyKey?: string | undefined;
  /** `true` if the turn resumes in the background and the sender does not wait for its answer. */
  readonly inBackground: boolean;
}

/** A turn that has received the answers for which it waited. */
export interface AnsweredTurn extends Pick<SendAnswersOptions, 'inBackground'> {
  readonly turn: string;
  readonly services: TurnHost;
  /** The sequence of the event with the last of the questions. */
  readonly askedAt: number;
}

/**
 * The app's functions for the module that accepts answers. The module uses only these, since programs without
 * a Worker can also have tools that need it.
 */
export interface AnsweringApp {
  /**
   * Returns the services of this deployment for the turns of a session.
   *
   * @throws ConfigurationError if the deployment lacks something that turns need, such as a binding.
   */
  servicesOf(at: SessionAccess, of: SessionAddress & { readonly port: SessionPort }): TurnHost;
  /** Binds a key to the content that is sent under it. */
  keyOf(idempotencyKey: string, text: string): Promise<{ readonly key: string; readonly bodyHash: string }>;
  /**
   * Resumes a turn here, unless another invocation has already resumed it. The result has the same form as
   * for a message.
   */
  resumeHere(at: SessionAccess, answered: AnsweredTurn): Promise<AcceptedRequest>;
  /** Reads the body of a request, and responds in the same way as to a message. */
  respond(
    asked: SessionRequest,
    begin: (body: SentAnswer['body'], how: SendAnswersOptions) => Promise<AcceptedRequest>,
  ): Promise<Response>;
}

/** The session that receives answers, with its app. */
export interface AnsweringSession {
  readonly app: AnsweringApp;
  readonly at: SessionAccess;
}

/** Accepts answers. Both methods throw a SessionError for an invalid answer. */
export interface AnswerAcceptor {
  /** Reads `{ answers }`, a list of answers of several calls, without checking the content of each. */
  read(body: SentAnswer['body']): readonly SentAnswer[];
  /**
   * Accepts answers to calls of one turn, each once, and resumes the turn. Checks all answers before it
   * accepts the first.
   */
  accept(
    here: AnsweringSession,
    answers: readonly SentAnswer[],
    how: SendAnswersOptions,
  ): Promise<AcceptedRequest>;
}
