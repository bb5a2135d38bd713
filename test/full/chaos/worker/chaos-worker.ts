/** The Worker that the chaos run kills: the chaos agent, whose effects happen at `SHOP_URL`. */
import { env } from 'cloudflare:workers';
import { createHoldfast } from '../../../../src/create-holdfast.ts';
import { shopAt } from '../../../../src/examples/support/shop.ts';
import { defineChaos } from './chaos-agent.ts';
import { plannedModel } from './planned-model.ts';

declare global {
  namespace Cloudflare {
    interface Env {
      /** Where the effects happen. */
      readonly SHOP_URL: string;
    }
  }
}

/** On the way from one process to another of this machine, nothing takes as long as a lease. */
const shop = shopAt(env.SHOP_URL, { longestRequest: 0 });

const holdfast = createHoldfast({
  agents: [defineChaos(shop)],
  model: plannedModel,
  http: { maxStreams: 1_000 },
});

export default holdfast.worker;
export const { TurnRunner } = holdfast;
export { SessionObject } from '../../../../durable-objects/index.ts';
