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
const sameTool = (tool: AnyTool): AnyTool => tool;

expectTypeOf(eachTool(look, sameTool)).toEqualTypeOf<AnyTool>();
expectTypeOf(eachTool(provider, sameTool)).toEqualTypeOf<ToolProvider>();
expectTypeOf(eachTool(group, sameTool)).toEqualTypeOf<ToolGroup>();
expectTypeOf(eachTool([look, provider, new Date()], sameTool)).toEqualTypeOf<
  readonly (AnyTool | ToolProvider | ToolGroup)[]
>();
defineAgent({
  name: 'clerk',
  description: 'Works.',
  instructions: 'Work.',
  tools: [
    ...eachTool([look, provider], sameTool),
    eachTool(look, sameTool),
    eachTool(provider, sameTool),
    eachTool(group, sameTool),
  ],
});

// @ts-expect-error a decorator must return a tool
eachTool(look, () => 'look');
