/** Where the part that has titles written by a model plugs into an index. */
import { defineSeam } from '../../tool/module-use.ts';
import type { TitledSession } from '../../worker/index-views.ts';
import type { Target } from '../../worker/target.ts';
import type { AskingApp } from './ask.ts';

/** One request for a title. */
export interface TitleRequest {
  readonly app: AskingApp;
  readonly target: Target;
  /** Under one key a model is asked at most once. */
  readonly key: string;
  /** Keeps the invocation alive if its client goes: what was paid for is stored. */
  readonly waitUntil: (work: Promise<unknown>) => void;
}

/** Has titles written. */
export interface TitleWriter {
  /**
   * Has a model write the title of a session.
   *
   * @throws SessionError if there is no such session, it is full, or the outcome of an earlier request under this key is not known;
   *   ModelError if the model has written none.
   */
  write(request: TitleRequest): Promise<TitledSession>;
}

/** A use that has titles written brings its writer here. */
export const TITLE_WRITER = defineSeam<TitleWriter>();
