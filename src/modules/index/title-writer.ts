/** Titles that a model writes. */
import type { ModuleUse } from '../../tool/module-use.ts';
import type { TitledSession } from '../../worker/index-views.ts';
import type { Target } from '../../worker/target.ts';
import type { IndexApp } from './ask.ts';

export interface TitleRequest {
  readonly app: IndexApp;
  readonly target: Target;
  /** A model is called at most once per key. */
  readonly key: string;
  /** Keeps the invocation alive if its client disconnects, so that the paid result is stored. */
  readonly waitUntil: (work: Promise<unknown>) => void;
}

export interface TitleWriter {
  /**
   * Writes the title of a session with a model.
   *
   * @throws SessionError if the session does not exist or is full, or the outcome of an earlier request with
   * this key is unknown.
   * @throws ModelError if the model returns no title.
   */
  write(request: TitleRequest): Promise<TitledSession>;
}

/** The writer of an app, by the use that `modelTitles` returns. */
export const TITLE_WRITERS = new WeakMap<ModuleUse, TitleWriter>();
