/** Internals for tests: the Worker's side of a session, which runs, holds, reads and follows a turn. */

export { toTurnStart } from '../../src/journal/event-rows.ts';
export { checkAnswer, postAnswer } from '../../src/modules/answers/check-answer.ts';
export {
  collectQuestions,
  listOpenQuestions,
  listPendingViews,
} from '../../src/modules/answers/questions.ts';
export { LiveQueue } from '../../src/modules/live-text/live-queue.ts';
export { LiveRelay } from '../../src/modules/live-text/live-relay.ts';
export { LIVE_TEXT_PARTS } from '../../src/modules/live-text/live-text.ts';
export { foldLeased, toReader } from '../../src/session/fold-session.ts';
export { HeldSession } from '../../src/session/held-session.ts';
export type { FeedItem } from '../../src/session/live-feed.ts';
export { InvocationBudgetWatch, Meter } from '../../src/session/meter.ts';
export { toNewMessage } from '../../src/session/new-message.ts';
export { recordFact } from '../../src/session/note-fact.ts';
export {
  createSharedTimer,
  DEFAULT_PLATFORM,
  type Platform,
  type PlatformConfig,
  readPlatform,
  runSoon,
  systemClock,
  UNLIMITED_PLATFORM,
} from '../../src/session/read-platform.ts';
export { toSessionName } from '../../src/session/read-secrets.ts';
export { foldAll, readJournal, readTurn } from '../../src/session/read-session.ts';
export { runTurn, type TurnEnd } from '../../src/session/run-turn.ts';
export { SessionErasedError, SessionUnavailableError } from '../../src/session/send-again.ts';
export { STOP_SEAM, type StoppedTurn } from '../../src/session/turn-end.ts';
export type { TurnHost } from '../../src/session/turn-host.ts';
export {
  followItems,
  followSession,
  NoticeQueue,
} from '../../src/session/watching/follow-session.ts';
export {
  foldStoppedTurn,
  waitForStop,
} from '../../src/session/watching/turn-outcome.ts';
export { DUE } from '../../src/worker/background.ts';
export { openWaits } from '../../src/worker/end-turn.ts';
