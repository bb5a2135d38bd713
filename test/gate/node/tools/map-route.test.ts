import { describe, expect, it } from 'vitest';
import { type AnyTool, defineTool } from '../../../../src/index.ts';
import { decorate } from '../../../../src/modules/decorators/entry.ts';
import { mapRoute } from '../../../doors/tools.ts';

const look = defineTool({ name: 'look', description: 'Looks.', effect: 'read', run: () => 'Seen.' });
const renamed = (tool: AnyTool): AnyTool => decorate(tool, { name: `my_${tool.name}` });

describe('mapRoute', () => {
  it('answers no route for a tool that has none', () => {
    expect(mapRoute(look, renamed)).toBeUndefined();
  });

  it('leads to what is made of the tool that is meant, with the input that is meant for it', () => {
    const facade = decorate(look, {
      name: 'facade',
      route: ({ tool, ...input }) => (tool === 'look' ? { tool: look, input } : undefined),
    });
    const route = mapRoute(facade, renamed);
    const meant = route?.({ tool: 'look', at: 3 });
    expect([meant?.tool.name, meant?.tool.delegate, meant?.input]).toEqual(['my_look', look, { at: 3 }]);
    expect(route?.({ tool: 'none' })).toBeUndefined();
  });
});
