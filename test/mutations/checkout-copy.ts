import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/**
 * Copies the files of the working tree that git tracks or would add. Links the installed packages one by one,
 * so that the copy has its own caches. Returns the folder of the copy, which is removed when the process ends.
 */
export function copyCheckout(root: string): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-mutations-')));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const copy = join(folder, 'checkout');
  for (const file of listFiles(root)) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(root, file), join(copy, file));
  }
  const packages = join(root, 'node_modules');
  mkdirSync(join(copy, 'node_modules'));
  for (const name of readdirSync(packages).filter((name) => !name.startsWith('.'))) {
    symlinkSync(join(packages, name), join(copy, 'node_modules', name));
  }
  return copy;
}

function listFiles(root: string): string[] {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '-z'];
  const { status, stdout, stderr } = spawnSync('git', args, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  if (status !== 0) throw new Error(`git could not list the files of ${root}: ${stderr}`);
  // Git also lists files whose removal is not committed.
  return stdout.split('\0').filter((file) => file !== '' && existsSync(join(root, file)));
}
