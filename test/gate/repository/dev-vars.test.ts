/**
 * HOLDFAST_AUTH=localhost, which admits this machine without a token, must be in no deployed file and no
 * committed file that wrangler reads.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ensureDevVars } from '../../../src/examples/demo/dev-vars.ts';

const root = resolve(import.meta.dirname, '../../..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

describe('HOLDFAST_AUTH', () => {
  it('is not set in any deployed settings', () => {
    const committed = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n');
    const settings = committed.filter((file) => /(?:^|\/)wrangler[^/]*\.(?:toml|jsonc?)$/.test(file));
    const pages = committed.filter((file) => /^(?:README|docs\/.*)\.md$/.test(file));
    const deployed = [
      ...settings.map(read),
      ...pages.flatMap((page) =>
        [...read(page).matchAll(/```(?:toml|jsonc?)\n([\s\S]*?)```/g)].map(([, text = '']) => text),
      ),
    ];
    expect(settings).toContain('wrangler.toml');
    expect(deployed.length).toBeGreaterThan(5);
    expect(deployed.filter((text) => /^(?!\s*(?:#|\/\/)).*\bHOLDFAST_AUTH\b/m.test(text))).toEqual([]);
  });

  it('is in .dev.vars.example, which is committed, unlike .dev.vars', () => {
    expect(read('.dev.vars.example')).toMatch(/^HOLDFAST_AUTH=localhost$/m);
    const isIgnored = (file: string): boolean => {
      try {
        execFileSync('git', ['check-ignore', '--no-index', '--quiet', file], { cwd: root });
        return true;
      } catch {
        return false;
      }
    };
    expect(['.dev.vars', '.dev.vars.production', '.dev.vars.example'].filter(isIgnored)).toEqual([
      '.dev.vars',
      '.dev.vars.production',
    ]);
  });

  it('is written by npm run dev and npm run demo before `wrangler dev` starts', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Readonly<Record<string, string>> }; // this repository's manifest
    expect(scripts.dev).toBe('node src/examples/demo/run-dev-vars.ts && wrangler dev');
    expect(read('src/examples/demo/run-demo.ts')).toContain('ensureDevVars(');
  });
});

describe('ensureDevVars', () => {
  function createFolder(devVars?: string): { readonly path: string; text(): string } {
    const path = mkdtempSync(join(tmpdir(), 'holdfast-dev-vars-'));
    onTestFinished(() => rmSync(path, { recursive: true, force: true }));
    writeFileSync(join(path, '.dev.vars.example'), 'HOLDFAST_AUTH=localhost\n');
    if (devVars !== undefined) writeFileSync(join(path, '.dev.vars'), devVars);
    return { path, text: () => readFileSync(join(path, '.dev.vars'), 'utf8') };
  }

  it('copies the example if there is no .dev.vars', () => {
    const { path, text } = createFolder();
    expect(ensureDevVars(path)).toBe(
      'Wrote .dev.vars: HOLDFAST_AUTH=localhost lets this machine in without a token.',
    );
    expect(text()).toBe('HOLDFAST_AUTH=localhost\n');
    expect(ensureDevVars(path)).toBeUndefined();
  });

  it.each(['', 'MODEL=gpt-5-mini\n', '# HOLDFAST_AUTH=localhost\n', 'MY_HOLDFAST_AUTH=localhost\n'])(
    'does not change a .dev.vars without the setting, and shows the line to add: %j',
    (before) => {
      const { path, text } = createFolder(before);
      expect(ensureDevVars(path)).toBe(
        '.dev.vars has neither HOLDFAST_AUTH nor HOLDFAST_TOKEN, so the Worker returns 401. ' +
          'To let this machine in without a token, add the line HOLDFAST_AUTH=localhost.',
      );
      expect(text()).toBe(before);
    },
  );

  it.each(['HOLDFAST_AUTH=localhost', 'A=1\n  export HOLDFAST_AUTH = "localhost"\n', 'HOLDFAST_TOKEN: x\n'])(
    'accepts a .dev.vars that configures authentication: %j',
    (before) => {
      const { path, text } = createFolder(before);
      expect(ensureDevVars(path)).toBeUndefined();
      expect(text()).toBe(before);
    },
  );
});
