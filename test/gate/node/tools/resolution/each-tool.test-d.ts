import { expectTypeOf } from 'vitest';
import {
  type AnyTool,
  defineAgent,
  defineTool,
  eachTool,
  type ToolGroup,
  type ToolProvider,
  toolProvider,
} from '../../../../../src/index.ts';
import { defineToolGroup } from '../../../../../src/modules/tool-groups/entry.ts';

const look = defineTool({ name: 'look', description: 'Looks.', run: () => 'seen' });
const provider: ToolProvider = toolProvider({ toolsNow: () => [look] });
const group = defineToolGroup({ role: 'web', description: 'Web.', tools: [look] });
const returnTool = (tool: AnyTool): AnyTool => tool;

expectTypeOf(eachTool(look, returnTool)).toEqualTypeOf<AnyTool>();
expectTypeOf(eachTool(provider, returnTool)).toEqualTypeOf<ToolProvider>();
expectTypeOf(eachTool(group, returnTool)).toEqualTypeOf<ToolGroup>();
expectTypeOf(eachTool([look, provider, new Date()], returnTool)).toEqualTypeOf<
  readonly (AnyTool | ToolProvider | ToolGroup)[]
>();
defineAgent({
  name: 'clerk',
  description: 'Works.',
  instructions: 'Work.',
  tools: [
    ...eachTool([look, provider], returnTool),
    eachTool(look, returnTool),
    eachTool(provider, returnTool),
    eachTool(group, returnTool),
  ],
});

// @ts-expect-error a decorator must return a tool
eachTool(look, () => 'look');
