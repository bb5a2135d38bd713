/**
 * The Worker whose sessions are stored as journals. It imports only the entries of the package, so that
 * internal files can move.
 */

import { SessionObject as Sessions } from '../../../durable-objects/index.ts';
import { type Caller, createHoldfast, type Env, type Holdfast } from '../../../src/create-holdfast.ts';
import { agentProcess, chaining, playbooks, stateMachines, unfolding } from '../../../src/kinds/entry.ts';
import { files } from '../../../src/modules/files/entry.ts';
import { listings } from '../../../src/modules/listings/entry.ts';
import { moveClock, toMachineTime } from './held-clock.ts';
import { kinds } from './kinds.ts';
import { leaves } from './leaves.ts';
import { limits } from './limits.ts';
import { nestedLoops } from './nested.ts';
import { outsideScenes, serveWith } from './outside.ts';
import { waitScenes } from './waits.ts';

// Imported after the clock, because these modules may store `Date.now`.

/** Returns the caller with the id, tenant and role in the request. */
function parseCaller({ headers }: Request): Caller {
  const tenant = headers.get('x-tenant');
  const role = headers.get('x-role');
  return { id: headers.get('x-user') ?? 'ada', ...(tenant && { tenant }), ...(role && { roles: [role] }) };
}

/** The order in which these tools have always been offered. */
const KINDS = [chaining(), unfolding, stateMachines, playbooks, agentProcess, listings];

const agents = [...leaves, ...kinds, ...nestedLoops, ...waitScenes, ...limits, ...outsideScenes];
const HTTP_OPTIONS = serveWith((request, env, execution) => holdfast.worker.fetch(request, env, execution));
const holdfast: Holdfast = createHoldfast({
  agents,
  auth: parseCaller,
  // The clock does not advance by itself, so the Worker never closes streams as silent.
  http: { maxStreams: 1_000, bodyContext: ['team'] },
  ...HTTP_OPTIONS,
  use: [...KINDS, files(), ...(HTTP_OPTIONS.use ?? [])],
});
export const { TurnRunner } = holdfast;

export default {
  ...holdfast.worker,
  async fetch(request, env, execution) {
    if (new URL(request.url).pathname !== '/clock') return holdfast.worker.fetch(request, env, execution);
    moveClock(Number(await request.text()));
    return new Response('moved');
  },
} satisfies ExportedHandler<Env>;

/** The real object. Its alarms are set by the clock of this Worker and run by the machine's clock. */
export class SessionObject extends Sessions {
  constructor(context: DurableObjectState, env: ConstructorParameters<typeof Sessions>[1]) {
    super(context, env);
    const { storage } = context;
    const setAlarm = storage.setAlarm.bind(storage);
    storage.setAlarm = (time, options) => setAlarm(toMachineTime(Number(time)), options);
  }
}
