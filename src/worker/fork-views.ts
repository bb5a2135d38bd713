/** The requests and responses of forks, as shapes that clients and descriptions are generated from. */
import {
  FLAG,
  type Infer,
  type Loose,
  OPTIONAL_TEXT,
  OPTIONAL_WHOLE,
  type Shape,
  TEXT,
  WHOLE,
} from '../tool/shape.ts';

/** The options of a fork. */
export const FORK_BODY = {
  object: {
    /** The last event that the fork has: a sequence of the session. Defaults to its last event. */
    at: OPTIONAL_WHOLE,
    /** The id of the fork. Defaults to a new one, which begins with that of the session. */
    name: OPTIONAL_TEXT,
    /**
     * `true` to allow a fork that leaves out calls which had effects: its model is shown these calls, and may
     * repeat them. Defaults to `false`: such a fork is refused as `would-repeat-effects`.
     */
    repeatEffects: { optional: FLAG },
  },
} as const satisfies Shape;

/** What a fork is to be. */
export interface ForkOptions extends Loose<Infer<typeof FORK_BODY>> {}

/** A session that begins with a copy of another one's events. */
export interface Fork extends Infer<typeof FORK> {}
export const FORK = {
  object: {
    /** The id of the fork. */
    session: TEXT,
    agent: TEXT,
    /** The id of the session whose events it has. */
    from: TEXT,
    /** The last of these events. */
    at: WHOLE,
    /** Where the fork is. */
    url: TEXT,
  },
} as const satisfies Shape;

/** The forks of a session. */
export const FORKS = {
  object: { forks: { listOf: { object: { session: TEXT, at: WHOLE, url: TEXT } } } },
} as const satisfies Shape;

/** What is sent behind a turn. */
export interface SentBehind {
  readonly turn: string;
  /** Its words. */
  readonly message: string;
  /** By which it is sent, maybe under an idempotency key. */
  readonly request: Request;
  /** The id of the fork, if there is to be one. */
  readonly name: string;
}

/** What is sent in the place of a turn. */
export interface SentInstead {
  /** The last event before that turn. */
  readonly at: number;
  readonly turn: string;
  /** Names what is sent: the same again is the same fork. */
  readonly said: string;
}
