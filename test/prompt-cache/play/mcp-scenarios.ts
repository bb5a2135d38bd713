/**
 * The sessions with tools of a real MCP server: the filesystem server from npm, which agents reach through a
 * bridge.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineFiles } from '../../../src/examples/files/files.ts';
import { defineAgent } from '../../../src/index.ts';
import { defineMcpClient, mcpToolProvider } from '../../../src/mcp/tools/entry.ts';
import { createBridgedBackend } from '../../full/mcp/servers/bridged.ts';
import { startFront } from '../../full/mcp/servers/front.ts';
import { FILES } from '../../full/mcp/servers/run-files.ts';
import { runFolder } from '../../full/mcp/servers/run-folder.ts';
import { getMainPath } from '../../full/mcp/servers/start-servers.ts';
import type { ScriptTurn } from '../../wires/wire.ts';
import { createCall, createTurn, type Scenario } from './scenario.ts';

/** Scenarios whose server runs until it is stopped. */
export interface McpScenarios {
  readonly scenarios: readonly Scenario[];
  stop(): Promise<void>;
}

const [notes = ''] = Object.keys(FILES);
const read = createCall('read_text_file', { path: notes });
const list = createCall('list_directory', { path: '.' });
const garden = createCall('read_text_file', { path: 'plans/garden.md' });
const search = createCall('search_files', { path: '.', pattern: '*.md' });
const infoCall = createCall('get_file_info', { path: notes });
const steps = [list, read, garden, search, [infoCall, read], list, garden, infoCall, search] as const;

export async function startMcpScenarios(): Promise<McpScenarios> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-cache-'));
  const front = await startFront(
    createBridgedBackend((run) => ({ args: [getMainPath('filesystem'), runFolder(folder, run)] })),
  );
  const getServer = (run: string) => ({ url: `${front.url}/${run}/mcp`, connectTimeout: 30_000 });
  const client = defineMcpClient({ name: 'filesystem', ...getServer('flat') });
  const reader = defineAgent({
    name: 'reader',
    description: 'Reads files.',
    instructions: 'Read the files of the folder.',
    tools: [mcpToolProvider({ clients: [client] })],
  });
  const unfolding: readonly ScriptTurn[] = [
    createTurn(createCall('files'), ...steps.slice(1)),
    createTurn(...steps.slice(0, 8), read),
  ];
  return {
    scenarios: [
      {
        name: 'mcp',
        about: 'all tools of the filesystem server, each by itself: 2 turns of 10 requests',
        agent: reader,
        turns: [createTurn(...steps), createTurn(...steps)],
      },
      {
        name: 'mcp-files',
        about: 'the agent `files`, which has them behind one unfolding tool: 2 turns of 10 requests',
        agent: defineFiles(getServer('unfolding')),
        turns: unfolding,
      },
    ],
    async stop() {
      await front.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
