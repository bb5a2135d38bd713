/** A Worker with one AI SDK tool. Measures the cost of its start. */
import { DurableObject } from 'cloudflare:workers';
import { generateText, tool } from 'ai';
import { z } from 'zod';

const look = tool({
  description: 'Looks.',
  inputSchema: z.object({ id: z.number(), name: z.string(), all: z.boolean().optional() }),
  execute: ({ id }) => ({ id, found: true }),
});

/** Keeps the code for requests in the bundle. */
export const run = (prompt: string) => generateText({ model: 'none', prompt, tools: { look } });

export default { fetch: () => new Response(typeof run) };

/** All measured Workers share one configuration, which requires this class. */
export class SessionObject extends DurableObject {}
