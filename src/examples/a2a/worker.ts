import { env } from 'cloudflare:workers';
import { createHoldfast, type Holdfast } from '../../create-holdfast.ts';
import { openaiCompatible } from '../../model/openai-compatible/entry.ts';
import { indexOf, sessionIndex } from '../../modules/index/entry.ts';
import { liveText } from '../../modules/live-text/entry.ts';
import { orOffline } from '../../offline-model/entry.ts';
import { defineRefunds } from '../refunds/refunds.ts';
import { paperShop } from '../support/shop.ts';
import { a2a } from './a2a.ts';

const holdfast: Holdfast = createHoldfast({
  agents: [defineRefunds(paperShop)],
  use: [a2a({ agents: ['refunds'], index: () => indexOf(holdfast, env) }), sessionIndex(), liveText()],
  model: orOffline(openaiCompatible()),
});

export default holdfast.worker;
export const { TurnRunner } = holdfast;
export { SessionObject } from '../../../durable-objects/index.ts';
export { IndexObject } from '../../modules/index/entry.ts';
