/**
 * Crashes at every position of turns that call MCP servers. No message is lost, and no effect happens twice at
 * a server.
 */
import { expect, it } from 'vitest';
import type { ToolSource } from '../../../../src/index.ts';
import { createMcpToolFactory, type McpClient, mcpToolProvider } from '../../../../src/mcp/tools/entry.ts';
import { type CrashScript, crashMatrix } from '../../../../src/testing/crash-matrix/entry.ts';
import type { ScriptedReply } from '../../../../src/testing/entry.ts';
import type { FakeServerOptions } from '../../../fixtures/mcp/fake-server.ts';
import { captureWarnings } from '../../../fixtures/warnings.ts';
import { createClerk, makeShop, type Shop } from './shop.ts';

const createCall = (name: string, n: number) => ({ name, input: { n } });

/** @param first The replies of the model before any tool is available. */
const createScript = (...first: readonly ScriptedReply[]): CrashScript => ({
  steps: [
    {
      send: 'Go.',
      replies: [
        ...first,
        { calls: [createCall('look', 1), createCall('put', 2), createCall('pay', 3), createCall('pay', 4)] },
        'Done.',
      ],
    },
    { send: 'Again.', replies: [...first, { calls: [createCall('pay', 5)] }, 'Done again.'] },
  ],
});

interface Way {
  readonly script: CrashScript;
  readonly server: FakeServerOptions;
  toolsOf(client: McpClient): ToolSource;
}

const createFlatSource = (client: McpClient): ToolSource => mcpToolProvider({ clients: [client] });
const createFacadeSource = (client: McpClient): ToolSource =>
  createMcpToolFactory({ clients: [client] }).unfolding('shop', 'The shop.', () => true);

it.each<[string, Way]>([
  ['listed flat', { script: createScript(), server: {}, toolsOf: createFlatSource }],
  [
    'behind an unfolding tool',
    { script: createScript({ calls: ['shop'] }), server: {}, toolsOf: createFacadeSource },
  ],
  [
    'of a server without sessions',
    { script: createScript(), server: { kind: 'stateless', json: true }, toolsOf: createFlatSource },
  ],
])(
  'calls of tools %s are not lost or doubled by a crash of the Worker at any position',
  async (_, { script, server, toolsOf }) => {
    captureWarnings(); // each call with an unknown outcome logs a warning
    const shops: Shop[] = [];
    const report = await crashMatrix<Shop>((kit) => createClerk(kit, toolsOf), script, {
      world: () => {
        const shop = makeShop(server);
        shops.push(shop);
        return shop;
      },
    });
    expect(report.failures).toEqual([]);
    expect(report).toMatchObject({ messagesLost: 0, effectsDoubled: 0, passed: true });
    expect(report.plays).toBeGreaterThan(200);
    // Checks the server's record in addition to the result that the model receives.
    const twice = shops.flatMap(({ ran }) =>
      (ran.get('pay') ?? []).filter((key, at, keys) => keys.indexOf(key) < at),
    );
    expect(twice).toEqual([]);
  },
);
