/** Tests the command line of `create-holdfast`: the arguments that it accepts and refuses. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readCommand, TEMPLATES, USAGE } from '../../../../src/create/cli/options.ts';
import {
  detectManager,
  detectManagerVersion,
  findAppManager,
  type Manager,
  replaceCommands,
} from '../../../../src/create/cli/package-manager.ts';
import { createDefaultAnswers } from '../../../../src/create/cli/questions.ts';
import { renderProject } from '../../../../src/create/cli/render.ts';
import { readTarget } from '../../../../src/create/cli/target.ts';

const noOptions = { folder: undefined, template: undefined, manager: undefined, holdfast: undefined };
const usualCommand = { type: 'create', ...noOptions, install: true, git: true, yes: false };

describe('readCommand', () => {
  it.each([
    ['', usualCommand],
    ['my-app', { ...usualCommand, folder: 'my-app' }],
    ['my-app --template chat --yes', { ...usualCommand, folder: 'my-app', template: 'chat', yes: true }],
    ['-t embed -y .', { ...usualCommand, folder: '.', template: 'embed', yes: true }],
    [
      '--package-manager=pnpm --no-install --no-git',
      { ...usualCommand, manager: 'pnpm', install: false, git: false },
    ],
    ['--holdfast ../holdfast.tgz', { ...usualCommand, holdfast: '../holdfast.tgz' }],
    ['--template chat --help', { type: 'help' }],
    ['--version', { type: 'version' }],
  ])('reads the arguments "%s"', (line, command) => {
    expect(readCommand(line.split(' ').filter((word) => word !== ''))).toEqual(command);
  });

  const templates = 'minimal, chat, webhook, embed, multi-tenant';
  it.each([
    [['--color'], 'There is no flag --color. Use one of: --template, --package-manager, --holdfast, --yes,'],
    [['-x'], 'There is no flag -x.'],
    [['--constructor'], 'There is no flag --constructor.'],
    [['--template', 'next'], `There is no template "next". Use one of: ${templates}.`],
    [['--template', 'toString'], 'There is no template "toString".'],
    [['--template'], '--template needs a value, such as --template minimal.'],
    [['--template='], '--template needs a value'],
    [['--template', '--yes'], '--template needs a value'],
    [['--yes=no'], '--yes does not take a value.'],
    [
      ['--package-manager', 'cargo'],
      'There is no package manager "cargo". Use one of: npm, pnpm, yarn, bun.',
    ],
    [['my-app', 'chat'], 'Name one folder, not 2: my-app, chat. With npm, put flags after "--".'],
    [[''], 'The name of the folder is empty.'],
  ])('refuses the arguments %j', (args, problem) => {
    expect(() => readCommand(args)).toThrow(problem);
  });

  it('lists every template in its usage text', () => {
    expect(Object.keys(TEMPLATES).filter((name) => !USAGE.includes(name))).toEqual([]);
  });
});

describe('the package manager', () => {
  it.each([
    ['npm/11.6.2 node/v24.11.0 linux x64 workspaces/false', 'npm'],
    ['pnpm/10.22.0 npm/? node/v24.11.0 linux x64', 'pnpm'],
    ['yarn/4.11.0 npm/? node/v24.11.0 linux x64', 'yarn'],
    ['bun/1.3.2 npm/? node/v24.3.0 linux x64', 'bun'],
    ['deno/2.5.0', 'npm'],
    [undefined, 'npm'],
  ])('for the user agent "%s" is %s', (agent, manager) => {
    expect(detectManager(agent)).toBe(manager);
  });

  it('has a version if it runs the program, and a Yarn project declares that version', () => {
    const agent = 'yarn/4.11.0 npm/? node/v24.11.0 linux x64';
    expect(detectManagerVersion('yarn', agent)).toBe('4.11.0');
    expect(detectManagerVersion('npm', agent)).toBeUndefined();
    expect(detectManagerVersion('yarn', 'yarn/4.12.0-rc.1 npm/?')).toBeUndefined();
    const renderManifest = (manager: Manager) =>
      renderProject({ name: 'shop', template: 'minimal', manager, managerVersion: '4.11.0' }).get(
        'package.json',
      );
    expect(renderManifest('yarn')).toContain('"packageManager": "yarn@4.11.0"');
    expect(renderManifest('pnpm')).not.toContain('packageManager');
  });

  it('is determined by the lock file of an existing app', () => {
    expect(findAppManager(['package.json', 'pnpm-lock.yaml'])).toBe('pnpm');
    expect(findAppManager(['package.json', 'constructor'])).toBeUndefined();
  });

  it('determines the commands in the generated texts', () => {
    const text = 'npm install, `npm run dev`, `npm test`, `npx wrangler deploy`';
    expect(replaceCommands('pnpm', text)).toBe(
      'pnpm install, `pnpm run dev`, `pnpm test`, `pnpm exec wrangler deploy`',
    );
    expect(replaceCommands('bun', text)).toBe(
      'bun install, `bun run dev`, `bun run test`, `bunx wrangler deploy`',
    );
    expect(replaceCommands('npm', text)).toBe(text);
  });
});

describe('readTarget', () => {
  function createFolder(...files: string[]): string {
    const path = mkdtempSync(join(tmpdir(), 'create-target-'));
    onTestFinished(() => rmSync(path, { recursive: true, force: true }));
    for (const file of files) writeFileSync(join(path, file), '{}');
    return path;
  }

  it('names a project after its folder', () => {
    const cwd = createFolder();
    expect(readTarget('apps/my-app', 'minimal', cwd)).toEqual({
      path: join(cwd, 'apps/my-app'),
      name: 'my-app',
      hasApp: false,
    });
  });

  it.each(['My App', 'my_app', '-app', 'app-', 'ünïcode', 'a'.repeat(64)])(
    'refuses the name "%s"',
    (name) => {
      expect(() => readTarget(name, 'minimal', createFolder())).toThrow(
        `"${name}" is not a valid name for a Worker`,
      );
    },
  );

  it('makes a valid Worker name from the name of an existing folder', () => {
    const cwd = join(createFolder(), 'My Shop!');
    mkdirSync(cwd);
    expect(readTarget('.', 'minimal', cwd).name).toBe('my-shop');
  });

  it('refuses a file or a non-empty folder, but accepts an existing app for the `embed` template', () => {
    const cwd = createFolder('notes.txt');
    expect(() => readTarget('.', 'minimal', cwd)).toThrow('This folder is not empty. Name a new folder.');
    expect(() => readTarget('.', 'embed', cwd)).toThrow('This folder is not empty. Name a new folder.');
    expect(() => readTarget('notes.txt', 'minimal', cwd)).toThrow('notes.txt is a file. Name a new folder.');
    const app = createFolder('package.json');
    expect(() => readTarget('.', 'chat', app)).toThrow('add an agent to the app there with --template embed');
    expect(readTarget('.', 'embed', app)).toMatchObject({ path: app, hasApp: true });
  });

  it('treats a folder that contains only a Git repository as empty', () => {
    const cwd = createFolder('.DS_Store');
    mkdirSync(join(cwd, '.git'));
    expect(readTarget('.', 'minimal', cwd).hasApp).toBe(false);
  });

  it('defaults to the folder my-agent, or to an existing app for the template embed', () => {
    const options = { install: true, git: true, yes: true };
    expect(createDefaultAnswers(options, createFolder('package.json'))).toMatchObject({
      folder: 'my-agent',
      template: 'minimal',
    });
    const embed = { ...options, template: 'embed' as const };
    expect(createDefaultAnswers(embed, createFolder('package.json')).folder).toBe('.');
    expect(createDefaultAnswers(embed, createFolder()).folder).toBe('my-agent');
  });
});
