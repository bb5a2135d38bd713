/** Calls the Durable Objects of modules, which are separate from those of sessions. */
import { systemClock } from '../session/read-platform.ts';
import { createRetryingCaller } from '../session/send-again.ts';
import type { ModuleUse } from '../tool/module-use.ts';
import { listAppParts } from './app-seam.ts';
import type { Env } from './host.ts';

/** Sends a call to an object, and resends it if it did not arrive. The call must be safe to repeat. */
export type ObjectCaller<Class extends Rpc.DurableObjectBranded> = <Answer>(
  call: (object: DurableObjectStub<Class>) => Promise<Answer>,
) => Promise<Answer>;

/** The namespace of an environment's objects, and their location. */
export interface ObjectLocation {
  readonly env: Env;
  readonly jurisdiction: DurableObjectJurisdiction | undefined;
}

/** Returns the location of an app's objects, from its uses. */
export const getObjectLocation = (env: Env, uses: readonly ModuleUse[]): ObjectLocation => ({
  env,
  jurisdiction: listAppParts(uses).find(({ location }) => location)?.location?.jurisdiction,
});

/** Returns a function that calls the object of this name in the namespace of a binding. */
export function createObjectCaller<Class extends Rpc.DurableObjectBranded>(
  namespace: DurableObjectNamespace<Class>,
  jurisdiction: DurableObjectJurisdiction | undefined,
  name: string,
): ObjectCaller<Class> {
  const objects = jurisdiction === undefined ? namespace : namespace.jurisdiction(jurisdiction);
  return createRetryingCaller(() => objects.getByName(name), {
    after: systemClock.after,
    random: Math.random,
  });
}
