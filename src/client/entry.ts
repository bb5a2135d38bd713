/** The entry `holdfast/client`: calls agents over HTTP, from pages, Node and other Workers. */
export type {
  AnsweringOptions,
  Client,
  ClientCallAnswer,
  ClientOptions,
  ClientPart,
  ClientSendOptions,
  ClientSession,
  EventsRange,
  SentFile,
  WaitingCall,
  WaitOptions,
} from './client-session.ts';
export { type ClientTypes, createClient } from './create-client.ts';
export type {
  ClientAnswer,
  EndedTurn,
  ErasureNotice,
  LaterTurn,
  ResumeNotice,
  StreamItem,
  WaitingTurn,
  WatchItem,
} from './follow.ts';
export { type ClientProblem, HoldfastError, type HoldfastErrorDetails } from './holdfast-error.ts';
export {
  createIndexClient,
  type IndexClient,
  type ListOptions,
  type ListSessionsOptions,
  type UsageOptions,
} from './index-client.ts';
export type { FetchInit, TransportOptions } from './transport.ts';
