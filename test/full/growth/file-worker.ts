/**
 * The Worker whose memory `npm run growth` measures. Its model is a server of the script that receives the
 * files of a session.
 */
import { createHoldfast } from '../../../src/create-holdfast.ts';
import { defineAgent, defineTool, image } from '../../../src/index.ts';
import { openaiCompatible } from '../../../src/model/openai-compatible/entry.ts';
import { files } from '../../../src/modules/files/entry.ts';

const MIB = 1024 * 1024;

let drawn = 0;

/** Creates a unique image of 8 MiB. */
const draw = defineTool({
  name: 'draw',
  description: 'Draws.',
  effect: 'read',
  run: () => {
    drawn += 1;
    return image(new Uint8Array(8 * MIB).fill(drawn), 'image/png');
  },
});

const seer = defineAgent({
  name: 'seer',
  description: 'Sees.',
  // The curly apostrophe is not in Latin-1, like many characters of typical texts. A string with such a
  // character takes twice the memory.
  instructions: 'Say what’s on the images.',
  tools: [draw],
  model: (env) =>
    openaiCompatible({
      baseURL: String(env.MODEL_URL),
      model: 'seeing',
      media: { message: { data: ['image/*'], url: [] }, result: { data: [], url: [] } },
    }),
});

const { worker, TurnRunner } = createHoldfast({
  agents: [seer],
  use: [files()],
  auth: () => ({ id: 'owner' }),
});

export default {
  ...worker,
  fetch(request, env, ctx) {
    if (new URL(request.url).pathname !== '/collect') return worker.fetch(request, env, ctx);
    collectGarbage();
    return new Response('ok');
  },
} satisfies typeof worker;

/** Runs the garbage collector, which V8 exposes with `--expose-gc`. */
function collectGarbage(): void {
  const { gc } = globalThis as { gc?: () => void };
  if (!gc) throw new Error('The garbage collector is not exposed. Start V8 with --expose-gc.');
  gc();
}

export { SessionObject } from '../../../durable-objects/index.ts';
export { TurnRunner };
