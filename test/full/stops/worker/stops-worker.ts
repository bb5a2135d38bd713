/**
 * The Worker whose turns are stopped. Each turn has one effect at `SHOP_URL`, and then works until it is
 * stopped.
 */
import { env } from 'cloudflare:workers';
import * as v from 'valibot';
import { createHoldfast } from '../../../../src/create-holdfast.ts';
import { createShop } from '../../../../src/examples/support/shop.ts';
import { type ChatModel, defineAgent, defineTool, ModelError } from '../../../../src/index.ts';

declare global {
  namespace Cloudflare {
    interface Env {
      /** The URL of the effects. */
      readonly SHOP_URL: string;
    }
  }
}

/** The maximum duration of a call, in ms. */
const LONG_MS = 15 * 60_000;

const shop = createShop(env.SHOP_URL, { longestRequest: 0 });

/** Resolves when the signal aborts. */
const waitForStop = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve());
  });

const mail = defineTool({
  name: 'mail',
  description: 'Sends one mail.',
  effect: 'once',
  input: v.object({ label: v.string() }),
  run: (order, call) => shop.act('emails', order, call),
});

const dig = defineTool({
  name: 'dig',
  description: 'Digs until it is told to stop.',
  effect: 'read',
  timeout: LONG_MS,
  run: (_, { signal }) => waitForStop(signal),
});

/** Sends an email as requested, and then thinks or calls the digging tool without end. */
const endless: ChatModel = {
  name: 'endless',
  async ask({ messages }, { signal }) {
    const asked = messages.find(({ role }) => role === 'user')?.text ?? '';
    const [what = '', label = ''] = asked.split(' ');
    const calls = messages.filter(({ role }) => role === 'tool').length;
    const name = calls === 0 ? 'mail' : what;
    if (name === 'think') {
      await waitForStop(signal);
      throw new ModelError('aborted', 'The request was aborted.');
    }
    const input = JSON.stringify(name === 'mail' ? { label } : {});
    return { text: '', toolCalls: [{ id: `${calls}`, name, input }], finish: 'tool-calls' };
  },
};

const agent = defineAgent({
  name: 'endless',
  description: 'Works until it is stopped.',
  instructions: '',
  model: endless,
  settings: { timeout: { total: LONG_MS } },
  tools: [mail, dig],
});

const holdfast = createHoldfast({ agents: [agent], http: { maxStreams: 1_000 } });

export default holdfast.worker;
export const { TurnRunner } = holdfast;
export { SessionObject } from '../../../../durable-objects/index.ts';
