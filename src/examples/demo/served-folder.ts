import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pollUntil } from './ports.ts';
import { startGroup } from './process-group.ts';

const program = fileURLToPath(new URL('../files/server/serve-files.ts', import.meta.url));

/** A folder and the MCP server for its files. The server is a separate program that outlives the Worker. */
export interface ServedFolder {
  /** The value for `FILES_URL`. */
  readonly url: string;
  /** Returns the content of a file, or an empty text if it does not exist. */
  read(name: string): string;
  /** Returns the requests to the server from the server's own log, such as `tools/call "write_file"`. */
  asked(): readonly string[];
}

/** Creates the folder and serves it. The server ends with this program. */
export async function serveFolder(directory: string): Promise<ServedFolder> {
  const folder = join(directory, 'project');
  mkdirSync(join(folder, 'plans'), { recursive: true });
  writeFileSync(join(folder, 'notes.txt'), 'Two lines, one lantern.\n');
  writeFileSync(join(folder, 'plans', 'route.md'), '# Route\n\nAlong the lock.\n');
  const log = join(directory, 'files.log');
  const group = startGroup(program, [folder, '0'], { log, cwd: directory, env: process.env });
  const readLines = (): readonly string[] => readFileSync(log, 'utf8').split('\n');
  const findUrl = (): string | undefined => /http:\S+\/mcp/.exec(readLines().join('\n'))?.[0];
  await pollUntil('the folder is served', 20_000, async () => {
    if (!group.running) throw new Error(`The file server exited:\n${readLines().join('\n')}`);
    return findUrl() !== undefined;
  });
  return {
    url: findUrl() ?? '',
    read(name) {
      try {
        return readFileSync(join(folder, name), 'utf8');
      } catch {
        return '';
      }
    },
    asked: () => readLines().filter((line) => /^(initialize|tools\/)/.test(line)),
  };
}
