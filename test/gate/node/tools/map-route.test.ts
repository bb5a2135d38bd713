import { describe, expect, it } from 'vitest';
import { type AnyTool, defineTool } from '../../../../src/index.ts';
import { decorate } from '../../../../src/modules/decorators/entry.ts';
import { mapRoute } from '../../../doors/tools.ts';

const look = defineTool({ name: 'look', description: 'Looks.', effect: 'read', run: () => 'Seen.' });
const renameTool = (tool: AnyTool): AnyTool => decorate(tool, { name: `my_${tool.name}` });

describe('mapRoute', () => {
  it('returns no route for a tool without one', () => {
    expect(mapRoute(look, renameTool)).toBeUndefined();
  });

  it('returns a route to the mapped target tool, with the input for that tool', () => {
    const facade = decorate(look, {
      name: 'facade',
      route: ({ tool, ...input }) => (tool === 'look' ? { tool: look, input } : undefined),
    });
    const route = mapRoute(facade, renameTool);
    const meant = route?.({ tool: 'look', at: 3 });
    expect([meant?.tool.name, meant?.tool.delegate, meant?.input]).toEqual(['my_look', look, { at: 3 }]);
    expect(route?.({ tool: 'none' })).toBeUndefined();
  });
});
