import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { openSessions } from './open-sessions.ts';
import { startServers } from './start-servers.ts';

/**
 * Returns `true` if a process is alive. A process that has ended stays listed until its parent reads its
 * status, and a dead parent never does.
 */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    const stat = `/proc/${pid}/stat`;
    return !existsSync(stat) || !/\) [ZX] /.test(readFileSync(stat, 'utf8'));
  } catch {
    return false;
  }
}

it('stopping the servers stops every server and leaves no process behind', async () => {
  const servers = await startServers();
  await openSessions(servers);
  const pids = servers.pids();
  expect(pids.map(isAlive)).toEqual(Array(6).fill(true));
  await servers.stop();
  expect([pids.map(isAlive), servers.pids()]).toEqual([Array(6).fill(false), []]);
  expect(existsSync(servers.folder)).toBe(false);
});

it.each(['SIGKILL', 'SIGINT', 'SIGTERM'] as const)(
  'all servers exit after %s has ended their parent process',
  async (signal) => {
    const parent = spawn(process.execPath, [join(import.meta.dirname, 'servers-child.ts')], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = await once(createInterface(parent.stdout), 'line');
    const { pids, folder }: { pids: number[]; folder: string } = JSON.parse(String(line));
    try {
      expect(pids.map(isAlive)).toEqual(Array(6).fill(true));
      parent.kill(signal);
      await expect.poll(() => pids.filter(isAlive), { timeout: 30_000 }).toEqual([]);
    } finally {
      parent.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    }
  },
);
