/** Calls the objects of the index from a Worker. */
import { DeploymentError } from '../../session/deployment.ts';
import type { Owner } from '../../tool/call-origin.ts';
import type { ModuleUse } from '../../tool/module-use.ts';
import { toOwnerKey } from '../../tool/owner-name.ts';
import {
  createObjectCaller,
  getObjectLocation,
  type ObjectCaller,
  type ObjectLocation,
} from '../../worker/asking-object.ts';
import type { Env } from '../../worker/host.ts';
import { COPY_BY_USE } from './index-copy.ts';
import type { IndexObject } from './index-object.ts';
import { type IndexOwner, OWNER_LIST_NAME } from './reports.ts';

export type IndexCaller = ObjectCaller<IndexObject>;

export interface OwnerIndex extends IndexOwner {
  readonly ask: IndexCaller;
}

export interface IndexPlace extends ObjectLocation {
  /** The name of the copy, if any. */
  readonly copy: string | undefined;
}

/** Returns the location of an app's index, from its modules. */
export const getIndexPlace = (env: Env, uses: readonly ModuleUse[]): IndexPlace => ({
  ...getObjectLocation(env, uses),
  copy: uses.map((use) => COPY_BY_USE.get(use)).find((copy) => copy)?.name,
});

/** @throws DeploymentError if the binding is missing. */
export function assertIndexBound(env: Env): void {
  if (typeof Object(env.INDEX).getByName !== 'function') throw new DeploymentError(NOT_BOUND_MESSAGE);
}

const NOT_BOUND_MESSAGE =
  'This Worker has no Durable Object binding INDEX, which sessionIndex() needs. In its main module: ' +
  'export { IndexObject } from \'holdfast/index\'. In wrangler.toml: [[durable_objects.bindings]] with name = "INDEX" and ' +
  'class_name = "IndexObject", and [[migrations]] with a tag of its own and new_sqlite_classes = ["IndexObject"].';

export const createOwnerIndex = (place: IndexPlace, owner: Owner): OwnerIndex => ({
  owner,
  jurisdiction: place.jurisdiction,
  copy: place.copy,
  ask: createAskIndex(place, toOwnerKey(owner)),
});

/** Returns a function that calls the list of owners. */
export const createAskOwners = (place: ObjectLocation): IndexCaller => createAskIndex(place, OWNER_LIST_NAME);

function createAskIndex({ env, jurisdiction }: ObjectLocation, name: string): IndexCaller {
  const namespace = env.INDEX as DurableObjectNamespace<IndexObject>; // checked by `assertIndexBound`
  return createObjectCaller(namespace, jurisdiction, name);
}
