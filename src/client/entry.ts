/** The entry `holdfast/client`: asks agents over HTTP, from pages, Node and other Workers. */
export {
  type AnsweringOptions,
  type CallAnswer,
  type Client,
  type ClientOptions,
  type ClientSession,
  type ClientTypes,
  createClient,
  type EventsRange,
  type SendOptions,
  type SentFile,
  type SentPart,
  type Waiting,
  type WaitingCall,
} from './create-client.ts';
export type {
  ClientAnswer,
  EndedTurn,
  Erased,
  LaterTurn,
  Resumed,
  StreamItem,
  WaitingTurn,
  WatchItem,
} from './follow.ts';
export { type ClientProblem, HoldfastError, type HoldfastErrorDetails } from './holdfast-error.ts';
export type { FetchInit, TransportOptions } from './transport.ts';
