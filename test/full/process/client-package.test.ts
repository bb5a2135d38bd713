/**
 * Uses the client as a user installs it: its types in a browser project, its code in plain Node, and the
 * content of its bundle.
 */
import { execFile } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { installPackage } from './installed-package.ts';
import { PACK_TEST_TIMEOUT_MS } from './packed.ts';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../../..');

let temp: string;
beforeAll(async () => {
  ({ path: temp } = await installPackage(['@types/react', '@types/node']));
}, PACK_TEST_TIMEOUT_MS);
afterAll(() => rm(temp, { recursive: true, force: true }));

const CLIENT_SOURCE = `
import { type Client, type ClientAnswer, createClient, HoldfastError, type SentFile, type StreamItem } from 'holdfast/client';

export interface Invoice { number: string; total: number }
export const client: Client<Invoice> = createClient<{ output: Invoice }>({ url: 'https://agents.test', agent: 'clerk', token: async () => 't' });
export const session = client.session('s1');
export const total = ({ object }: ClientAnswer<Invoice>): number | undefined => object?.total;
export const files: SentFile[] = [new Blob(['a']), { bytes: new Uint8Array(), mediaType: 'image/png' }];
export async function shown(): Promise<string> {
  let text = '';
  try {
    for await (const item of session.stream('Hello', { files })) {
      const one: StreamItem<Invoice> = item;
      if (one.type === 'text-delta') text += one.text;
      if (one.type === 'model-replied') text = one.text;
      if (one.type === 'answer') return one.answer.text + one.answer.object?.number.toUpperCase();
    }
  } catch (failure) {
    if (failure instanceof HoldfastError && failure.type === 'session-busy') return failure.message;
    throw failure;
  }
  return text;
}
`;

const PAGE_SOURCE = `
import { createSessionStore, type SessionMessage, useSession } from 'holdfast/react';
import { client, session } from './uses.js';

export const texts = (messages: readonly SessionMessage[]): string[] => messages.map(({ text }) => text);
export function useTexts(): string[] {
  const { messages } = useSession({ url: '/ai', agent: 'clerk', session: 's1' });
  return texts(messages);
}
export const useMine = () => useSession({ client, session: 's1' });
export const store = createSessionStore(session);
`;

it.each([
  ['a page', { lib: ['es2022', 'dom', 'dom.iterable', 'dom.asynciterable'], types: [] }],
  ['Node', { lib: ['es2022'], types: ['node'] }],
])('the client package has types in a project of %s without Workers types', async (_, options) => {
  await writeFile(join(temp, 'uses.ts'), CLIENT_SOURCE);
  await writeFile(join(temp, 'page.ts'), PAGE_SOURCE);
  const compilerOptions = { strict: true, target: 'es2022', module: 'nodenext', outDir: 'out', ...options };
  await writeFile(
    join(temp, 'client.json'),
    JSON.stringify({ compilerOptions, files: ['uses.ts', 'page.ts'] }),
  );
  const tsc = join(root, 'node_modules/.bin/tsc');
  const { stdout } = await run(tsc, ['-p', 'client.json'], { cwd: temp }).catch(
    (failure: { stdout: string }) => failure,
  );
  expect(stdout).toBe('');
});

it('the client package runs in plain Node', async () => {
  const program = `
    import { createClient } from 'holdfast/client';
    import { createSessionStore, useSession } from 'holdfast/react';
    const frames = 'event: answer\\ndata: {"outcome":"completed","text":"Hi."}\\n\\n';
    const fetch = async () => new Response(frames, { headers: { 'content-type': 'text/event-stream' } });
    const session = createClient({ url: 'http://agents.test', agent: 'clerk', fetch }).session();
    console.log((await session.send('Hello')).text, createSessionStore(session).getSnapshot().status, typeof useSession);
  `;
  await writeFile(join(temp, 'program.mjs'), program);
  const { stdout } = await run(process.execPath, ['program.mjs'], { cwd: temp });
  expect(stdout).toBe('Hi. loading function\n');
});

it.each(['client', 'react'])('a bundle of holdfast/%s contains no code of the Worker', async (entry) => {
  const { metafile } = await build({
    stdin: { contents: `export * from 'holdfast/${entry}';`, resolveDir: temp },
    absWorkingDir: temp,
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    external: ['react'],
  });
  const carried = Object.keys(metafile.inputs).filter((path) => path !== '<stdin>');
  expect(carried.length).toBeGreaterThan(4);
  expect(carried.filter((path) => !path.includes('package/dist/src/client/'))).toEqual([]);
});
