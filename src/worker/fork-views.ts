/** The requests and responses of forks, as shapes from which clients and descriptions are generated. */
import {
  BOOLEAN,
  INTEGER,
  type Infer,
  OPTIONAL_INTEGER,
  OPTIONAL_TEXT,
  type Shape,
  TEXT,
  type WithUndefined,
} from '../tool/shape.ts';

/** The options of a fork. */
export const FORK_BODY = {
  object: {
    /** The sequence number of the last event in the fork. Defaults to the session's last event. */
    at: OPTIONAL_INTEGER,
    /** The id of the fork. Defaults to a new one, which begins with the session's id. */
    name: OPTIONAL_TEXT,
    /**
     * `true` to allow a fork without calls that had effects. Its model is informed of these calls, and may
     * repeat them. Defaults to `false`: such a fork is refused as `would-repeat-effects`.
     */
    repeatEffects: { optional: BOOLEAN },
  },
} as const satisfies Shape;

/** The options of a fork. */
export interface ForkOptions extends WithUndefined<Infer<typeof FORK_BODY>> {}

/** A session that begins with a copy of another session's events. */
export interface Fork extends Infer<typeof FORK> {}
export const FORK = {
  object: {
    /** The id of the fork. */
    session: TEXT,
    agent: TEXT,
    /** The id of the copied session. */
    from: TEXT,
    /** The last copied event. */
    at: INTEGER,
    /** The path of the fork. */
    url: TEXT,
  },
} as const satisfies Shape;

/** The forks of a session. */
export const FORKS = {
  object: { forks: { listOf: { object: { session: TEXT, at: INTEGER, url: TEXT } } } },
} as const satisfies Shape;

/** A message that is sent after a turn. */
export interface FollowUpMessage {
  readonly turn: string;
  readonly message: string;
  /** The request that contains it, possibly with an idempotency key. */
  readonly request: Request;
  /** The id of the fork, if one is made. */
  readonly name: string;
}

/** A message that replaces a turn. */
export interface ReplacementMessage {
  /** The last event before that turn. */
  readonly at: number;
  readonly turn: string;
  /** Identifies the message. The same message creates the same fork. */
  readonly said: string;
}
