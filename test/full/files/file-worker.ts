/** A Worker whose agent takes any file, and pages of its origin in which a browser is shown them. */
import { createHoldfast } from '../../../src/create-holdfast.ts';
import { defineAgent } from '../../../src/index.ts';
import { files } from '../../../src/modules/files/entry.ts';

const seer = defineAgent({
  name: 'seer',
  description: 'Sees.',
  instructions: 'Look.',
  accepts: ['image/*', 'text/*', 'application/*'],
  model: { name: 'seeing', ask: async () => ({ text: 'Seen.', toolCalls: [], finish: 'stop' }) },
});

const { worker, TurnRunner } = createHoldfast({ agents: [seer], use: [files()] });

export default {
  ...worker,
  async fetch(request, env, ctx) {
    const { pathname, searchParams } = new URL(request.url);
    const [type, body] = [searchParams.get('type'), searchParams.get('body')];
    // Answers what the address says, as an app would that took no care.
    if (pathname === '/careless') return new Response(body, { headers: { 'content-type': type ?? '' } });
    if (pathname === '/ran') return new Response();
    return worker.fetch(request, env, ctx);
  },
} satisfies typeof worker;

export { SessionObject } from '../../../durable-objects/index.ts';
export { TurnRunner };
