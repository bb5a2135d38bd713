import * as v from 'valibot';
import { type Agent, defineAgent, defineTool, error } from '../../index.ts';
import { defineSubagent } from '../../kinds/entry.ts';
import { withRateLimit } from './with-rate-limit.ts';

/** Delivers a letter and returns its number. Throws if the address is unknown. */
export type LetterCarrier = (letter: {
  readonly to: string;
  readonly text: string;
  readonly idempotencyKey: string;
}) => Promise<string>;

/**
 * Defines an agent that sends at most three letters an hour to each address, including those of its
 * assistant.
 */
export function defineCourier(carry: LetterCarrier): Agent<'courier'> {
  const send = withRateLimit({ perHour: 3, key: ({ to }) => String(to) })(
    defineTool({
      name: 'send_letter',
      description: 'Send a letter. An address gets at most three an hour.',
      input: v.object({ to: v.pipe(v.string(), v.maxLength(80)), text: v.string() }),
      effect: 'once',
      async run({ to, text }, { idempotencyKey }) {
        if (to.trim() === '') return error('A letter needs an address.');
        return `Letter ${await carry({ to, text, idempotencyKey })} is on its way to ${to}.`;
      },
    }),
  );
  const assistant = defineAgent({
    name: 'assistant',
    description: 'Writes and sends letters.',
    instructions: 'Write the letters that you are asked for, and send them.',
    tools: [send],
  });
  return defineAgent({
    name: 'courier',
    description: 'Sends letters.',
    instructions: 'Send letters when you are asked to. Long lists go to your assistant.',
    tools: [send, defineSubagent({ agent: assistant })],
  });
}
