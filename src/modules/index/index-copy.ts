/** The interface of an index's copy in another store, such as D1. */
import type { ModuleUse } from '../../tool/module-use.ts';
import type { Env } from '../../worker/host.ts';
import type { SessionReport } from './reports.ts';

/** The object of the owner whose copy is written. */
export interface CopySource {
  /** The key from `keyOfOwner`. */
  readonly owner: string;
  readonly env: object;
  readonly storage: DurableObjectStorage;
}

/**
 * Writes the index of each owner to another store. The owner's object makes one call at a time, and repeats
 * it after a failure. The table `unsent` of the object lists the rows that the store lacks.
 */
export interface IndexCopy {
  /** The name of the copy. Objects store it, so it must not change. */
  readonly name: string;
  /** Checks the bindings that the copy needs. @throws DeploymentError if one is missing. */
  check(env: Env): void;
  /** Notes the rows that a report changes, within the change that stores it. */
  note(storage: DurableObjectStorage, report: SessionReport): void;
  /** Notes that all rows of the owner must be written again, and obsolete rows removed. */
  noteAll(storage: DurableObjectStorage): void;
  /** Returns `true` if the store lacks rows. */
  isBehind(storage: DurableObjectStorage): boolean;
  /** Writes unsent rows. Some rows can remain when it resolves. @throws Error if the store refuses them. */
  send(source: CopySource): Promise<void>;
  /**
   * Removes all rows of an owner. Rows that were sent before and arrive later have no effect. @throws Error
   * if the store refuses it.
   */
  erase(source: CopySource): Promise<void>;
  /** Forgets the time of the owner's erasure. If `isInUse` is `true`, the owner has new data. */
  forget(source: CopySource, isInUse: boolean): Promise<void>;
}

/** The copy of an app's index, by the use that `sessionIndex` returns. */
export const COPY_BY_USE = new WeakMap<ModuleUse, IndexCopy>();

/**
 * Copies by name. The platform creates the objects, so each object finds its app's copy here. Both are in the
 * same module graph.
 */
export const COPY_BY_NAME = new Map<string, IndexCopy>();
