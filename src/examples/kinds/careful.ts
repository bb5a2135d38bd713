import * as v from 'valibot';
import { defineAgent } from '../../index.ts';
import { inspect, loggingInspector } from '../../modules/inspect/entry.ts';
import { budget, callLimits } from '../../modules/limits/entry.ts';
import { slidingWindow } from '../../modules/transformers/entry.ts';
import { findOrder, refundOrder } from './shop.ts';

export const carefulAgent = defineAgent({
  name: 'careful',
  description: 'Refunds orders.',
  instructions: 'Refund what is asked, and say what you did.',
  tools: [findOrder, refundOrder],
  limits: { iterations: 8 },
  use: [
    budget({ tokens: 100_000 }), // or `cost`, in USD
    callLimits({ toolCalls: 20 }),
    slidingWindow({ maxMessages: 40 }), // limits what the model reads; the journal keeps all messages
    inspect(loggingInspector({ level: 'warn' })),
  ],
  output: v.object({ refunded: v.boolean(), words: v.string() }),
});
