/** The way from a Worker to the objects of the index. */
import { DeploymentError } from '../../session/deployment.ts';
import { systemClock } from '../../session/read-platform.ts';
import { sendingAgain } from '../../session/send-again.ts';
import type { Owner } from '../../tool/call-origin.ts';
import type { ModuleUse } from '../../tool/module-use.ts';
import { keyOfOwner } from '../../tool/owner-name.ts';
import { partsOf } from '../../worker/app-seam.ts';
import type { Env } from '../../worker/host.ts';
import type { IndexObject } from './index-object.ts';
import { type IndexOwner, OWNERS } from './reports.ts';

/** Sends a call to an object, and sends it again if it did not arrive: each call bears being done twice. */
export type AskIndex = <Answer>(
  call: (object: DurableObjectStub<IndexObject>) => Promise<Answer>,
) => Promise<Answer>;

/** The index of one owner. */
export interface OwnerIndex extends IndexOwner {
  readonly ask: AskIndex;
}

/** The objects of an environment, where the app places its sessions. */
export interface IndexPlace {
  readonly env: Env;
  readonly jurisdiction: DurableObjectJurisdiction | undefined;
}

/** Returns the place of an app's index, by its uses. */
export const placeIn = (env: Env, uses: readonly ModuleUse[]): IndexPlace => ({
  env,
  jurisdiction: partsOf(uses).find(({ location }) => location)?.location?.jurisdiction,
});

/** @throws DeploymentError if there is no binding. */
export function mustBeBound(env: Env): void {
  if (typeof Object(env.INDEX).getByName !== 'function') throw new DeploymentError(NOT_BOUND);
}

const NOT_BOUND =
  'This Worker has no Durable Object binding INDEX, which sessionIndex() needs. In its main module: ' +
  'export { IndexObject } from \'holdfast/index\'. In wrangler.toml: [[durable_objects.bindings]] with name = "INDEX" and ' +
  'class_name = "IndexObject", and [[migrations]] with a tag of its own and new_sqlite_classes = ["IndexObject"].';

export const indexOfOwner = (place: IndexPlace, owner: Owner): OwnerIndex => ({
  owner,
  jurisdiction: place.jurisdiction,
  ask: asking(place, keyOfOwner(owner)),
});

/** Returns the way to the list of owners. */
export const ownersIn = (place: IndexPlace): AskIndex => asking(place, OWNERS);

function asking({ env, jurisdiction }: IndexPlace, name: string): AskIndex {
  const namespace = env.INDEX as DurableObjectNamespace<IndexObject>; // which was checked, by `mustBeBound`
  const objects = jurisdiction === undefined ? namespace : namespace.jurisdiction(jurisdiction);
  return sendingAgain(() => objects.getByName(name), { after: systemClock.after, random: Math.random });
}
