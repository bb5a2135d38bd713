/** The seam for a copy of an index in another store, such as D1. */
import { defineSeam } from '../../tool/module-use.ts';
import type { Env } from '../../worker/host.ts';
import type { SessionReport } from './reports.ts';

/** The object of an owner, whose copy is written. */
export interface CopySource {
  /** As `keyOfOwner` names it. */
  readonly owner: string;
  readonly env: object;
  readonly storage: DurableObjectStorage;
}

/**
 * Writes the index of each owner to another store. The object of the owner calls it, one call at a time, and calls it again after a
 * failure. The table `unsent` of the object says which rows the store does not have yet.
 */
export interface IndexCopy {
  /** Objects remember it, so it must not change. */
  readonly name: string;
  /** Checks what the copy needs of the environment. @throws DeploymentError if it is missing. */
  check(env: Env): void;
  /** Notes what a report changes, within the change that stores it. */
  note(storage: DurableObjectStorage, report: SessionReport): void;
  /** Notes that all of the owner is to be written again, and what is not there to be removed. */
  noteAll(storage: DurableObjectStorage): void;
  /** Returns whether the store lacks something. */
  isBehind(storage: DurableObjectStorage): boolean;
  /** Writes rows that are unsent. Some may be left when it resolves. @throws Error if the store refuses them. */
  send(source: CopySource): Promise<void>;
  /** Removes all of an owner. What was sent before and arrives later changes nothing. @throws Error if the store refuses it. */
  erase(source: CopySource): Promise<void>;
  /** Forgets when the owner was erased. `isInUse`: the owner has come back since. */
  forget(source: CopySource, isInUse: boolean): Promise<void>;
}

/** The copy of an app's index, by the use of `sessionIndex`. */
export const COPY = defineSeam<IndexCopy>();

/** Copies by their names. An object is made by the platform, and finds the copy of its app here: both are of the same module graph. */
export const COPIES = new Map<string, IndexCopy>();
