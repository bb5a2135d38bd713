import { parseArgs } from 'node:util';
import { isManager, MANAGERS, type Manager } from './package-manager.ts';
import { CreateProblem } from './problem.ts';

/** The templates, with a description of each. */
export const TEMPLATES = {
  minimal: 'an agent with one tool',
  chat: 'a chat page with approvals: useChat, Vite',
  webhook: 'an agent that GitHub starts',
  embed: 'an agent in an app that you have: Hono, Vite, or any other Worker',
  'multi-tenant': 'tenants and roles, by JWT',
} as const;

export type Template = keyof typeof TEMPLATES;

/** The options on the command line. A missing option is asked for, or has a default. */
export interface Options {
  readonly folder?: string | undefined;
  readonly template?: Template | undefined;
  readonly manager?: Manager | undefined;
  /**
   * The version of Holdfast in `package.json` instead of the released one, such as
   * `file:../holdfast-0.1.0.tgz`.
   */
  readonly holdfast?: string | undefined;
  readonly install: boolean;
  readonly git: boolean;
  /** `true` to ask no questions. */
  readonly yes: boolean;
}

/** The parsed command line. */
export type Command =
  | { readonly type: 'help' }
  | { readonly type: 'version' }
  | ({ readonly type: 'create' } & Options);

const FLAGS = {
  template: { type: 'string', short: 't' },
  'package-manager': { type: 'string' },
  holdfast: { type: 'string' },
  yes: { type: 'boolean', short: 'y' },
  'no-install': { type: 'boolean' },
  'no-git': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
} as const;

export const USAGE = `npm create holdfast@latest [folder] -- [flags]

Starts a project with Holdfast in a folder, which defaults to "my-agent".

  -t, --template NAME     ${Object.entries(TEMPLATES)
    .map(([name, what]) => `${name.padEnd(13)} ${what}`)
    .join(`\n${' '.repeat(26)}`)}
  -y, --yes               asks nothing; the template defaults to "minimal"
  --package-manager NAME  ${Object.keys(MANAGERS).join(', ')}; defaults to the one that runs this
  --no-install            installs no packages
  --no-git                makes no Git repository
  --holdfast PACKAGE      a version of Holdfast, or a file that npm pack has made, in place of the released one
  -h, --help              shows this
  --version               shows the version of create-holdfast

With npm, put flags after "--". In a folder with a package.json, the template "embed" adds to the app that is there.`;

/** @throws CreateProblem for an unknown flag or value. */
export function readCommand(args: readonly string[]): Command {
  const { values, positionals, tokens } = parseArgs({
    args: [...args],
    options: FLAGS,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  for (const token of tokens) if (token.kind === 'option') checkFlag(token);
  if (values.help === true) return { type: 'help' };
  if (values.version === true) return { type: 'version' };
  const [folder, ...more] = positionals;
  if (more.length > 0)
    throw new CreateProblem(
      `Name one folder, not ${positionals.length}: ${positionals.join(', ')}. With npm, put flags after "--".`,
    );
  if (folder === '') throw new CreateProblem('The name of the folder is empty.');
  const getTextFlag = (name: keyof typeof FLAGS): string | undefined => {
    const value = values[name];
    return typeof value === 'string' ? value : undefined;
  };
  return {
    type: 'create',
    folder,
    template: assertOneOf('template', getTextFlag('template'), isTemplate, Object.keys(TEMPLATES)),
    manager: assertOneOf('package manager', getTextFlag('package-manager'), isManager, Object.keys(MANAGERS)),
    holdfast: getTextFlag('holdfast'),
    install: values['no-install'] !== true,
    git: values['no-git'] !== true,
    yes: values.yes === true,
  };
}

interface FlagToken {
  readonly name: string;
  readonly rawName: string;
  readonly value?: string | undefined;
}

function checkFlag({ name, rawName, value }: FlagToken): void {
  const flag = Object.hasOwn(FLAGS, name) ? FLAGS[name as keyof typeof FLAGS] : undefined; // it has this name
  if (!flag)
    throw new CreateProblem(
      `There is no flag ${rawName}. Use one of: ${Object.keys(FLAGS)
        .map((known) => `--${known}`)
        .join(', ')}.`,
    );
  if (flag.type === 'boolean' && value !== undefined)
    throw new CreateProblem(`${rawName} does not take a value.`);
  if (flag.type === 'string' && (value === undefined || value === '' || value.startsWith('-')))
    throw new CreateProblem(`${rawName} needs a value, such as ${rawName} ${EXAMPLES[name] ?? 'minimal'}.`);
}

const EXAMPLES: Readonly<Record<string, string>> = {
  'package-manager': 'pnpm',
  holdfast: '../holdfast-0.1.0.tgz',
};

export const isTemplate = (name: string): name is Template => Object.hasOwn(TEMPLATES, name);

function assertOneOf<T extends string>(
  what: string,
  name: string | undefined,
  is: (name: string) => name is T,
  known: readonly string[],
): T | undefined {
  if (name === undefined || is(name)) return name;
  throw new CreateProblem(`There is no ${what} "${name}". Use one of: ${known.join(', ')}.`);
}
