/**
 * Library code must not parse sentences or ids that other library code creates. Each file below parses only
 * its own, or those from outside.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../../..');

/** Whose words each file parses. */
const WORD_READERS: Readonly<Record<string, string>> = {
  'durable-objects/appends.ts': 'of SQLite',
  'durable-objects/watchers.ts': 'the beginning of live messages, which are relayed unparsed',
  'src/cli/doctor/bundle.ts': 'of wrangler',
  'src/client/transport.ts': 'of the platform, without a full stop',
  'src/loop/exception-processor.ts': 'of the platform and libraries',
  'src/mcp/client/failures.ts': 'of MCP servers',
  'src/model/ai-sdk/ask-sdk.ts': 'of providers',
  'src/model/ai-sdk/from-ai-sdk.ts': 'of providers',
  'src/model/ai-sdk/media.ts': 'of providers',
  'src/model/message-gate.ts': 'of providers',
  'src/model/openai-compatible/adapter.ts': 'of providers',
  'src/offline-model/memory.ts': 'of users, as a model does',
  'src/session/send-again.ts': 'of the platform',
  'src/testing/crash-matrix/damage.ts': 'of tools, whose lines it joins',
  'src/tool/check-input.ts': 'its own',
  'src/tool/problem-lines.ts': 'of schema libraries',
};

/** The file that makes call ids, and the client, which imports nothing from the server. */
const CALL_ID_READERS = ['src/client/create-client.ts', 'src/journal/reply-data.ts'];

const TEXT_SEARCH =
  /\b(?:message|title|detail)\)?\.(?:startsWith|endsWith|includes|indexOf|match|matchAll|replace|replaceAll|search|split)\(/;
const TEXT_MATCH = /\.(?:test|exec)\((?:String\()?[^()]*\b(?:message|title|detail|failure)\)/;

/** Returns whether code parses a sentence. */
const isWordReader = (code: string): boolean => TEXT_SEARCH.test(code) || TEXT_MATCH.test(code);

/** Returns whether code has a pattern for the end of a call id, such as `.12.0`. */
const isCallIdReader = (code: string): boolean =>
  code.includes('\\.\\d+)\\.\\d+') || code.includes('\\.\\d+\\.\\d+') || code.includes('\\.(\\d+)\\.\\d+');

async function findFiles(reads: (code: string) => boolean): Promise<string[]> {
  const found: string[] = [];
  for (const folder of ['src', 'durable-objects']) {
    for (const entry of await readdir(join(root, folder), { recursive: true, withFileTypes: true })) {
      const path = relative(root, join(entry.parentPath, entry.name));
      if (!entry.isFile() || !/\.tsx?$/.test(path) || path.startsWith('src/examples/')) continue;
      const lines = (await readFile(join(root, path), 'utf8')).split('\n');
      const code = lines.filter((line) => !/^\s*(?:\/?\*|\/\/)/.test(line)).join('\n');
      if (reads(code)) found.push(path);
    }
  }
  return found.sort();
}

describe('the code of the library', () => {
  it('does not parse sentences that other library code generates', async () => {
    expect(await findFiles(isWordReader)).toEqual(Object.keys(WORD_READERS));
  });

  it('parses call ids only in the file that creates them and in the client', async () => {
    expect(await findFiles(isCallIdReader)).toEqual(CALL_ID_READERS);
  });

  it.each([
    "detail: message.replace(REST_ALONE, '.')",
    "if (failure.message.startsWith('The session is busy'))",
    'BUSY.test(problem.detail)',
    'BUSY.test(String(failure))',
  ])('is detected if it parses a sentence: %s', (code) => {
    expect(isWordReader(code)).toBe(true);
  });
});
