/** The Worker for the suite's server scenarios. It publishes their tools, prompts and resources. */

import { createHoldfast } from '../../../../src/create-holdfast.ts';
import { defineMcpEndpoint } from '../../../../src/mcp/server/entry.ts';
import { files } from '../../../../src/modules/files/entry.ts';
import { askingPrompts, askingTools } from './server-asking.ts';
import { serverPrompts } from './server-prompts.ts';
import { serverResources } from './server-resources.ts';
import { serverTools } from './server-tools.ts';

const holdfast = createHoldfast({
  agents: [],
  use: [
    files(),
    defineMcpEndpoint({
      tools: [...serverTools, ...askingTools],
      prompts: [...serverPrompts, ...askingPrompts],
      resources: serverResources,
    }),
  ],
});

export default holdfast.worker;
export const { TurnRunner } = holdfast;
export { SessionObject } from '../../../../durable-objects/index.ts';
