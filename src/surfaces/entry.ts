/** The entry `holdfast/surfaces`: protocols that a Worker speaks beside its own. */
export type { SentPart } from '../worker/message-parts.ts';
export type { Surface } from '../worker/route.ts';
export type { Session, TurnStream } from '../worker/session.ts';
export type { CallAnswer } from '../worker/session-options.ts';
export type { ShownEvent } from '../worker/session-view.ts';
export type { TurnItem, TurnStop } from '../worker/turn-feed.ts';
export {
  defineSurface,
  type SurfaceAgent,
  type SurfaceConfig,
  type SurfaceProblem,
  type SurfaceRequest,
  type SurfaceRoute,
  type SurfaceSession,
  surfaceRoute,
} from './define-surface.ts';
