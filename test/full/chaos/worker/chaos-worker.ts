/** The Worker of the chaos run: the chaos agent, with its effects at `SHOP_URL`. */
import { env } from 'cloudflare:workers';
import { createHoldfast } from '../../../../src/create-holdfast.ts';
import { createShop } from '../../../../src/examples/support/shop.ts';
import { defineChaos } from './chaos-agent.ts';
import { plannedModel } from './planned-model.ts';

declare global {
  namespace Cloudflare {
    interface Env {
      /** The URL of the shop's services. */
      readonly SHOP_URL: string;
    }
  }
}

/** Requests between processes on this machine are always shorter than a lease. */
const shop = createShop(env.SHOP_URL, { longestRequest: 0 });

const holdfast = createHoldfast({
  agents: [defineChaos(shop)],
  model: plannedModel,
  http: { maxStreams: 1_000 },
});

export default holdfast.worker;
export const { TurnRunner } = holdfast;
export { SessionObject } from '../../../../durable-objects/index.ts';
