import { expectTypeOf } from 'vitest';
import { defineAgent, type ToolProvider } from '../../src/index.ts';
import type { UnfoldingTool } from '../../src/kinds/entry.ts';
import { createMcpToolFactory, defineMcpClient } from '../../src/mcp/tools/entry.ts';

const client = defineMcpClient({ name: 'files', url: 'https://files.example/mcp' });
const factory = createMcpToolFactory({ clients: [client] });

const read = factory.toolByName('read_file');
expectTypeOf(read).toEqualTypeOf<ToolProvider>();
const wiki = factory.unfoldingByName('wikipedia', 'Articles.', new Set(['get_article']));
expectTypeOf(wiki).toEqualTypeOf<UnfoldingTool<'wikipedia'>>();
const database = factory.unfoldingMatching('database', 'Queries.', [/^db_/], { scope: 'session' });
expectTypeOf(database.name).toEqualTypeOf<'database'>();
factory.unfolding(
  'web',
  'Pages.',
  ({ name, hints }, of) => of === client && !!hints?.readOnlyHint && name !== '',
);

// A boolean, formerly called `removeOnInvoke`, can replace the options.
expectTypeOf(factory.unfoldingByName('old', 'Old.', [], true).name).toEqualTypeOf<'old'>();
expectTypeOf(factory.unfoldingMatching('old', 'Old.', [], false).name).toEqualTypeOf<'old'>();
expectTypeOf(factory.unfolding('old', 'Old.', () => true, false).name).toEqualTypeOf<'old'>();

// A single list can contain all of these tools.
defineAgent({
  name: 'clerk',
  description: 'Helps.',
  instructions: 'Help.',
  tools: [read, factory.requiredToolByName('write_file'), wiki, database],
});

// @ts-expect-error -- a client has tools, but is not a tool
defineAgent({ name: 'clerk', description: 'Helps.', instructions: 'Help.', tools: [client] });
// @ts-expect-error -- a factory makes tools, but is not a tool
defineAgent({ name: 'clerk', description: 'Helps.', instructions: 'Help.', tools: [factory] });
// @ts-expect-error -- patterns are regular expressions
factory.unfoldingMatching('database', 'Queries.', ['^db_']);
// @ts-expect-error -- clients are made by defineMcpClient
createMcpToolFactory({ clients: [{ url: 'https://files.example/mcp' }] });
// @ts-expect-error -- a filter returns a boolean
factory.unfolding('web', 'Pages.', ({ name }) => name);
