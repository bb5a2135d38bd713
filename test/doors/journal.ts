/** Internals for tests: events, the reducer, the state, the port to a session, and stored rows. */

export { type PackedEvents, unpackEvents } from '../../durable-objects/packed-events.ts';
export type { AgendaOwner, AgendaRow } from '../../src/journal/agenda.ts';
export type { KeptBlob } from '../../src/journal/blob.ts';
export { isStart, openBatch } from '../../src/journal/conversation.ts';
export type {
  DeferredTurn,
  EventPage,
  NewRow,
  Notice,
  OpenTurn,
  ReadQuery,
} from '../../src/journal/event-page.ts';
export {
  MESSAGE_TYPES,
  NewerEventError,
  parseBodies,
  parseEvent,
  toRow,
} from '../../src/journal/event-rows.ts';
export { EVENT_VERSION, type EventType, ROOT } from '../../src/journal/events.ts';
export { foldCoveredEvent, foldMessage } from '../../src/journal/fold-loop.ts';
export type { InboxMessage, InboxMessageKind } from '../../src/journal/inbox-message.ts';
export { MAX_WAITING } from '../../src/journal/inbox-message.ts';
export {
  LIVE,
  type Line,
  type LiveItem,
  type LiveMessage,
  MAX_BUFFER_WEIGHT,
  MAX_LIVE_LENGTH,
  MAX_UNREAD,
} from '../../src/journal/live-items.ts';
export { getMemoryValue } from '../../src/journal/memories.ts';
export { FOLDING } from '../../src/journal/memory-folding.ts';
export { REDUCER_VERSION, reduce } from '../../src/journal/reduce.ts';
export type {
  AppendData,
  BeginRequest,
  LeaseGrant,
  ReaderCapabilities,
  RequestKey,
  ResumeRefusal,
  ResumeRequest,
  StartRefusal,
  TurnStart,
} from '../../src/journal/session-port.ts';
export { parseSnapshot, toSnapshot } from '../../src/journal/snapshot.ts';
export { listOuterFrames } from '../../src/journal/spending.ts';
export {
  type CallRecord,
  createEmptyState,
  type FrameState,
  type Message,
  type TurnState,
  toFrameField,
} from '../../src/journal/state.ts';
export type { Wait } from '../../src/journal/wait.ts';
