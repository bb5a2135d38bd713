/** The entry `holdfast/events`: the shapes of a session's journal. */

export type { CallChanges, FinalOutcome, Outcome, SessionEvent, StoredEvent, TurnError } from './events.ts';
export type { JournaledCall, PricedUsage } from './reply-data.ts';
export type { StoppingCall, TurnArtifact, TurnFile, TurnTools } from './state.ts';
export type { PendingCall } from './wait.ts';
