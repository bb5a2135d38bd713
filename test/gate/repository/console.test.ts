/**
 * Checks that only default sinks, and Durable Objects, which have no app with a `log`, write to the console.
 */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { listSourceFiles } from '../../source/parse-source.ts';

const root = resolve(import.meta.dirname, '../../..');

const WRITERS: Readonly<Record<string, string>> = {
  'src/tool/console-log.ts': 'it is the default log of an app',
  'src/modules/inspect/logging-inspector.ts': 'it is the default output of a logging inspector',
  'durable-objects/agenda.ts':
    'an object knows no app, and its alarm has no caller that could report a lost turn',
  'src/modules/index/index-object.ts': 'it is an object too',
  'src/modules/owner-limits/owner-limits-object.ts': 'it is an object too',
};

it('only default sinks and Durable Objects, which have no reference to an app, write to the console', () => {
  const files = ['src', 'durable-objects']
    .flatMap((folder) => listSourceFiles(root, folder))
    .filter((file) => !file.startsWith('src/examples/'));
  expect(files.filter(isSessionWriter).toSorted()).toEqual(Object.keys(WRITERS).toSorted());
});

/** Returns whether a file writes to the console. Ignores comments, which may contain examples. */
const isSessionWriter = (file: string): boolean =>
  readFileSync(join(root, file), 'utf8')
    .split('\n')
    .some(
      (line) =>
        /\bconsole(?:\.(?:log|info|warn|error|debug)\b|\[)/.test(line) && !/^\s*(?:\*|\/[/*])/.test(line),
    );
