import { expectTypeOf } from 'vitest';
import { type AnyTool, defineTool } from '../../../../src/index.ts';
import { defineUnfolding, toolsFor } from '../../../../src/kinds/entry.ts';

const look = defineTool({ name: 'look', description: 'Looks.', run: () => 'seen' });
const shop = defineUnfolding({ name: 'shop', description: 'Shop.', tools: [look] });

expectTypeOf(toolsFor(shop)).toEqualTypeOf<Promise<readonly AnyTool[]>>();
toolsFor(shop, { category: 'read' }, { context: { tenant: 'acme' }, principal: { id: 'ann' } });

// @ts-expect-error an input is what a model sends, which is JSON
toolsFor(shop, { at: new Date() });

// @ts-expect-error a list is no unfolding tool
toolsFor([look]);
