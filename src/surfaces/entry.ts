/** The entry `holdfast/surfaces`: protocols that a Worker speaks beside its own. */

export type { ModuleUse } from '../tool/module-use.ts';
export { questionOf } from '../worker/turn-view.ts';
export {
  defineSurface,
  type PublicRequest,
  type SurfaceAgent,
  type SurfaceConfig,
  type SurfaceProblem,
  type SurfaceRequest,
  type SurfaceRoute,
  type SurfaceSession,
  surfaceRoute,
} from './define-surface.ts';
