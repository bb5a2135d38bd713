/** The entry `holdfast/worker`: makes a Worker of agents. */

export type { AgendaRow, DueOutcome, DueRow, HandOver, TurnRunner } from './journal/agenda.ts';
export { ConfigurationError } from './model/configuration-error.ts';
export type { PlatformConfig, SessionPlace } from './session/read-platform.ts';
export type { AppContext, MintedSecrets } from './session/read-secrets.ts';
export type { Owner } from './tool/call-origin.ts';
export type { SecretSource } from './tool/env.ts';
export type {
  Log,
  LogEntry,
  LoggedProblem,
  LogLong,
  LogOption,
  LogPlace,
  LogProblem,
  LogTurn,
} from './tool/log.ts';
export { createHoldfast, type Holdfast } from './worker/app.ts';
export type { SentPart } from './worker/app-files.ts';
export { type Authenticate, bearerToken, openOnLocalhost } from './worker/auth.ts';
export type { HoldfastConfig, HttpConfig } from './worker/config.ts';
export { consumeTurns } from './worker/consume-turns.ts';
export type { Caller, Claims, ContextFor, Env, OwnRequest } from './worker/host.ts';
export { SessionError, type SessionErrorType } from './worker/problem.ts';
export type {
  AnswerOptions,
  AnswersOptions,
  AnswersStreamOptions,
  CallAnswer,
  EventsOptions,
  FollowOptions,
  MessageOptions,
  Session,
  SessionAnswer,
  SessionOptions,
  StreamOptions,
  TurnStream,
} from './worker/session.ts';
export { sessionOf } from './worker/session-of.ts';
export type { MessageView, SessionView, ShownEvent } from './worker/session-view.ts';
export type { TurnItem, TurnStreamEnd } from './worker/turn-feed.ts';
