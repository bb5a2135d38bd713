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
const same = (tool: AnyTool): AnyTool => tool;

expectTypeOf(eachTool(look, same)).toEqualTypeOf<AnyTool>();
expectTypeOf(eachTool(provider, same)).toEqualTypeOf<ToolProvider>();
expectTypeOf(eachTool(group, same)).toEqualTypeOf<ToolGroup>();
expectTypeOf(eachTool([look, provider, new Date()], same)).toEqualTypeOf<
  readonly (AnyTool | ToolProvider | ToolGroup)[]
>();
defineAgent({
  name: 'clerk',
  description: 'Works.',
  instructions: 'Work.',
  tools: [
    ...eachTool([look, provider], same),
    eachTool(look, same),
    eachTool(provider, same),
    eachTool(group, same),
  ],
});

// @ts-expect-error a decorator must return a tool
eachTool(look, () => 'look');
