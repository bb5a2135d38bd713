/** The way from a Worker to objects of modules, which are beside those of its sessions. */
import { systemClock } from '../session/read-platform.ts';
import { sendingAgain } from '../session/send-again.ts';
import type { ModuleUse } from '../tool/module-use.ts';
import { partsOf } from './app-seam.ts';
import type { Env } from './host.ts';

/** Sends a call to an object, and sends it again if it did not arrive: each call must bear being done twice. */
export type AskObject<Class extends Rpc.DurableObjectBranded> = <Answer>(
  call: (object: DurableObjectStub<Class>) => Promise<Answer>,
) => Promise<Answer>;

/** The objects of an environment, where the app places its sessions. */
export interface ObjectPlace {
  readonly env: Env;
  readonly jurisdiction: DurableObjectJurisdiction | undefined;
}

/** Returns where an app has its objects, by its uses. */
export const placeIn = (env: Env, uses: readonly ModuleUse[]): ObjectPlace => ({
  env,
  jurisdiction: partsOf(uses).find(({ location }) => location)?.location?.jurisdiction,
});

/** Returns the way to the object of this name behind a binding. */
export function askingObject<Class extends Rpc.DurableObjectBranded>(
  namespace: DurableObjectNamespace<Class>,
  jurisdiction: DurableObjectJurisdiction | undefined,
  name: string,
): AskObject<Class> {
  const objects = jurisdiction === undefined ? namespace : namespace.jurisdiction(jurisdiction);
  return sendingAgain(() => objects.getByName(name), { after: systemClock.after, random: Math.random });
}
