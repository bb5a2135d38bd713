/** A door for tests. The Worker's side of a session: running, holding, reading and following a turn. */
export { checkDecision } from '../../src/session/check-answer.ts';
export { soon, systemClock } from '../../src/session/clock.ts';
export { foldAll, foldLeased, readerOf, readTurn } from '../../src/session/fold-session.ts';
export { followSession } from '../../src/session/follow-session.ts';
export { HandOverWatch } from '../../src/session/hand-over-watch.ts';
export { HeldSession } from '../../src/session/held-session.ts';
export type { FeedItem } from '../../src/session/live-feed.ts';
export { Meter } from '../../src/session/meter.ts';
export {
  DEFAULT_PLATFORM,
  type Platform,
  type PlatformConfig,
  UNLIMITED,
} from '../../src/session/platform.ts';
export { postAnswer } from '../../src/session/post-answer.ts';
export { openQuestions, questionsOf } from '../../src/session/questions.ts';
export { runTurn, type TurnEnd, type TurnHost } from '../../src/session/run-turn.ts';
export { SessionErasedError } from '../../src/session/session-erased-error.ts';
export { toSessionName } from '../../src/session/session-name.ts';
export { SessionUnavailableError } from '../../src/session/session-unavailable-error.ts';
export { toTurnStart } from '../../src/session/start-turn.ts';
export { toPlatform } from '../../src/session/to-platform.ts';
export { turnStopped } from '../../src/session/turn-stopped.ts';
