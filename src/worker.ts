/** This repository's own Worker: the example agents behind the HTTP app. */
import { env } from 'cloudflare:workers';
import { paperShop, shopAt } from './examples/support/shop.ts';
import { defineSupport } from './examples/support/support.ts';
import { createHoldfast } from './worker-entry.ts';

/** Where the services of the example's shop answer; without it nothing real happens. */
const { SHOP_URL } = env as { readonly SHOP_URL?: string }; // a var of wrangler.toml or of --var

const holdfast = createHoldfast({ agents: [defineSupport(SHOP_URL ? shopAt(SHOP_URL) : paperShop)] });

export default holdfast.worker;
export const { TurnRunner } = holdfast;
export { SessionObject } from '../durable-objects/index.ts';
