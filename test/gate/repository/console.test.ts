/** Who writes to the console: the sinks, and what is said of a definition before there is an app whose `log` could be told. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { sourceFilesIn } from '../../source/parse-source.ts';

const root = resolve(import.meta.dirname, '../../..');

const WRITERS: Readonly<Record<string, string>> = {
  'src/tool/console-log.ts': 'it is the log, where an app gives no other',
  'src/modules/inspect/logging-inspector.ts':
    'it is where the lines of an inspector go that somebody asked for, unless they are taken',
  'durable-objects/agenda.ts':
    'an object knows no app, its alarm has no caller, and a turn that it hands over may be lost',
  'src/modules/index/index-object.ts': 'it is an object, too',
  'src/modules/owner-limits/owner-limits-object.ts': 'it is an object, too',
};

it('the console is written to by sinks, where something is defined, and by an object that knows no app', () => {
  const files = ['src', 'durable-objects']
    .flatMap((folder) => sourceFilesIn(root, folder))
    .filter((file) => !file.startsWith('src/examples/'));
  expect(files.filter(writes).toSorted()).toEqual(Object.keys(WRITERS).toSorted());
});

/** Comments may hold examples that write. */
const writes = (file: string): boolean =>
  readFileSync(join(root, file), 'utf8')
    .split('\n')
    .some(
      (line) =>
        /\bconsole(?:\.(?:log|info|warn|error|debug)\b|\[)/.test(line) && !/^\s*(?:\*|\/[/*])/.test(line),
    );
