import { type AnyTool, type CallContext, defineTool, text } from '../../../../src/index.ts';
import type { Frame } from '../../../../src/kinds/entry.ts';
import { nest } from '../../../../src/kinds/entry.ts';
import type { ModelRequest } from '../../../../src/model/entry.ts';

/** Makes a reply that calls these tools without input. */
export const callTools = (...names: string[]) => ({ calls: names.map((name) => ({ name })) });

/** Defines a `read` tool that runs this function. */
export const createReadingTool = (
  name: string,
  run: (call: CallContext) => unknown = () => `${name} done`,
  more: { serial?: string; returnDirect?: boolean; timeout?: number } = {},
) => defineTool({ name, description: 'Does.', effect: 'read', run: (_, call) => run(call), ...more });

/** Returns the tool results in one request. */
export const getShownResults = (request: ModelRequest | undefined): readonly string[] =>
  request?.messages.flatMap((message) => (message.role === 'tool' ? [message.text] : [])) ?? [];

/** Returns a tool that only opens a frame, and returns its outcome. */
export const createDiggingTool = (tools: readonly AnyTool[], more: Partial<Frame> = {}): AnyTool => ({
  ...createReadingTool('dig'),
  effect: 'none',
  inner: tools,
  usesInside: more.uses,
  async call(_, call) {
    const frame = { name: 'dig', instructions: 'You dig.', message: 'Dig.', tools, ...more };
    const { outcome, text: said } = await nest(call, frame);
    return text(`${outcome}: ${said}`);
  },
});
