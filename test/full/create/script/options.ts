import { parseArgs } from 'node:util';
import { TEMPLATES, type Template } from '../../../../src/create/cli/options.ts';
import { MANAGERS, type Manager } from '../../../../src/create/cli/package-manager.ts';

export interface Options {
  readonly managers: readonly Manager[];
  readonly nodes: readonly string[];
  readonly templates: readonly Template[];
}

export const USAGE = `npm run try-create -- [--pm npm,pnpm,yarn,bun] [--node 22,24] [--template minimal,...]

Creates projects as a user does, from the tarballs of both packages, in empty folders: with each package manager, which is fetched
from the registry of npm, on each version of Node. Shows how long each step took, and what the package manager warned of.`;

/** @throws Error if an argument is unknown. */
export function readOptions(args: readonly string[]): Options | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      pm: { type: 'string', default: Object.keys(MANAGERS).join() },
      node: { type: 'string', default: '22,24' },
      template: { type: 'string', default: Object.keys(TEMPLATES).join() },
      help: { type: 'boolean' },
    },
  });
  if (values.help) return undefined;
  return {
    managers: parseChoices('pm', values.pm, MANAGERS),
    nodes: values.node.split(','),
    templates: parseChoices('template', values.template, TEMPLATES),
  };
}

function parseChoices<Name extends string>(
  option: string,
  list: string,
  known: Readonly<Record<Name, unknown>>,
): Name[] {
  return list.split(',').map((name) => {
    if (!Object.hasOwn(known, name))
      throw new Error(`--${option} must be one of ${Object.keys(known).join(', ')}, not '${name}'.`);
    return name as Name; // checked above
  });
}
