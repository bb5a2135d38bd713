/**
 * Pages of AI Elements in a real browser: a page of our own with every feature, and unchanged pages from the AI
 * Elements docs.
 */
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Plugin } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { type CopiedPage, createCopiedPagesPlugin } from './copied-pages.ts';
import { HAS_BROWSER, PNG, showPage } from './shown-page.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const FOLDER = join(ROOT, '.ci/ai-elements');
const VENDOR = join(FOLDER, 'vercel');
const isThere = existsSync(join(FOLDER, 'node_modules/streamdown'));
if (!isThere) {
  const how = 'npm ci --prefix .ci/ai-elements --ignore-scripts';
  if (process.env.AI_ELEMENTS === 'required')
    throw new Error(`AI Elements is not installed. Run \`${how}\`.`);
  console.warn(`skipped: the packages of AI Elements are not installed (run ${how})`);
}

/** The folders for the import prefixes of the components and pages. */
const PLACES = {
  '@repo/elements': join(VENDOR, 'elements'),
  '@repo/shadcn-ui': join(VENDOR, 'shadcn-ui'),
  '@/components/ai-elements': join(VENDOR, 'elements'),
  '@/components/ui': join(VENDOR, 'shadcn-ui/components/ui'),
};

/** The part of Tailwind's exports that this test uses. */
interface Tailwind {
  compile(css: string, options: object): Promise<{ build(words: readonly string[]): string }>;
}

/** Generates the styles for all classes in the components and pages, as Tailwind does for a page. */
async function buildStyles(): Promise<string> {
  const packages = join(FOLDER, 'node_modules');
  const { compile }: Tailwind = await import(pathToFileURL(join(packages, 'tailwindcss/dist/lib.mjs')).href);
  const sheets: Record<string, string> = {
    tailwindcss: join(packages, 'tailwindcss/index.css'),
    'tw-animate-css': join(packages, 'tw-animate-css/dist/tw-animate.css'),
  };
  const { build } = await compile(await readFile(join(FOLDER, 'styles.css'), 'utf8'), {
    base: FOLDER,
    loadStylesheet: async (id: string, base: string) => ({
      ...{ base, path: sheets[id] },
      content: await readFile(sheets[id] ?? id, 'utf8'),
    }),
  });
  const sources = [VENDOR, FOLDER].flatMap(async (folder) =>
    (await readdir(folder, { recursive: folder === VENDOR }))
      .filter((file) => file.endsWith('.tsx'))
      .map((file) => join(folder, file)),
  );
  const texts = await Promise.all((await Promise.all(sources)).flat().map((file) => readFile(file, 'utf8')));
  return build(texts.join(' ').split(/["'`\s]+/));
}

/**
 * Removes imports that these pages never load: diagrams, and syntax highlighting for languages other than JSON.
 */
const lighterPlugin: Plugin = {
  name: 'lighter',
  setup(building) {
    building.onResolve({ filter: /^(@shikijs\/langs\/.*|mermaid)$/ }, ({ path }) =>
      path.endsWith('/json') ? undefined : { path, namespace: 'left-out' },
    );
    building.onLoad({ filter: /.*/, namespace: 'left-out' }, () => ({ contents: 'module.exports = {};' }));
  },
};

/** Inserts the styles into the page. */
const styled: Plugin = {
  name: 'styled',
  setup(building) {
    building.onResolve({ filter: /^styles$/ }, ({ path }) => ({ path, namespace: 'styles' }));
    building.onLoad({ filter: /.*/, namespace: 'styles' }, async () => ({
      contents: `document.head.append(Object.assign(document.createElement('style'), { textContent: ${JSON.stringify(await buildStyles())} }));`,
    }));
  },
};

const TRANSPORT_SOURCE = `import { HoldfastChatTransport } from '${join(ROOT, 'src/client/ai-sdk/entry.ts')}';
const transport = new HoldfastChatTransport(AGENT);
`;

/**
 * The edits to the pages from the docs. Without the edits, two pages fail with any server: the Tool page reads
 * a result before it exists, and the Confirmation page never sends its decision.
 */
const URL_AND_KEY = 'api: AGENT.api, headers: AGENT.headers,';
const DOCS_CHANGES: Readonly<Record<string, CopiedPage['changes']>> = {
  conversation: [['useChat()', 'useChat({ transport })']],
  message: [['useChat()', 'useChat({ transport })']],
  'prompt-input': [['useChat()', 'useChat({ transport })']],
  tool: [
    ['api: "/api/weather",', URL_AND_KEY],
    [
      '{formatWeatherResult(weatherTool.output)}',
      '{weatherTool.output && formatWeatherResult(weatherTool.output)}',
    ],
  ],
  confirmation: [
    ['api: "/api/chat",', URL_AND_KEY],
    [
      'import { DefaultChatTransport,',
      'import { lastAssistantMessageIsCompleteWithApprovalResponses, DefaultChatTransport,',
    ],
    ['useChat({', 'useChat({ sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,'],
  ],
};

async function readPages(version: 6 | 7): Promise<Record<string, CopiedPage>> {
  const readPage = async (path: string, before = ''): Promise<string> =>
    `import 'styles';\n${before}${await readFile(join(FOLDER, path), 'utf8')}`;
  const own = { all: { code: await readPage('page.tsx'), folder: FOLDER, changes: [] } };
  if (version === 6) return own;
  const copied = Object.entries(DOCS_CHANGES).map(async ([name, changes]) => {
    const before = changes.some(([, to]) => to.includes('transport }')) ? TRANSPORT_SOURCE : '';
    return [name, { code: await readPage(`vercel/pages/${name}.tsx`, before), folder: FOLDER, changes }];
  });
  return { ...own, ...Object.fromEntries(await Promise.all(copied)) };
}

describe.skipIf(!HAS_BROWSER || !isThere).each([7, 6] as const)(
  'pages of AI Elements in chromium, with version %i of the AI SDK,',
  async (version) => {
    const shown = showPage({
      entry: 'test/full/browser/hello-pages/main.tsx',
      holds: '.ci/ai-elements/vercel/elements/prompt-input.tsx',
      bundled: {
        alias: { ...PLACES, ...(version === 6 && { ai: 'ai-v6', '@ai-sdk/react': 'ai-react-v6' }) },
        plugins: [createCopiedPagesPlugin(isThere ? await readPages(version) : {}), styled, lighterPlugin],
      },
      checked: (files) =>
        expect(files.some((file) => file.includes('node_modules/ai-react-v6/'))).toBe(version === 6),
      worker: 'test/full/browser/hello-pages-worker.ts',
      html: 'test/full/browser/hello-pages/index.html',
      conversation: 'chat',
      ready: 'html',
      pictures: `ai-elements-${version}-`,
    });
    const { look } = shown;
    const goTo = (name: string) => shown.page.goto(`${shown.address}&page=${name}`);
    const send = async (text: string): Promise<void> => {
      await shown.page.getByRole('textbox').fill(text);
      await shown.page.getByRole('textbox').press('Enter');
    };
    const has = (text: string): Promise<void> => shown.page.getByText(text).waitFor();

    it('send messages, show a call, approve and reject calls, stop and answer again', async () => {
      await goTo('all');
      const { page } = shown;
      await send('Get weather data for San Francisco.');
      await has('It says:');
      await page.getByText('Completed').waitFor();
      await look('1-tool');
      await send('Delete the file.');
      await has('Delete /tmp/example.txt?');
      await look('2-confirmation');
      await page.getByRole('button', { name: 'Approve' }).click();
      await has('You approved this.');
      await page.getByText('Successfully deleted').last().waitFor();
      await page.getByRole('button', { name: 'Submit' }).waitFor();
      await send('Delete the file again.');
      await page.getByRole('button', { name: 'Reject' }).click();
      await has('You rejected this.');
      await page.getByText('Denied').waitFor();
      await look('3-rejected');
      await page.getByRole('button', { name: 'Submit' }).waitFor();
      await send('Talk for ever.');
      await has('I begin, and');
      await page.getByRole('button', { name: 'Stop' }).click();
      await page.getByRole('button', { name: 'Submit' }).waitFor();
      const words = crypto.randomUUID();
      await send(words);
      await has(`to “${words}”, with 0 files.`);
      expect(await page.getByText(/^Answer \d$/).allTextContents()).toEqual(['Answer 1']);
      await page.getByRole('button', { name: 'Retry' }).last().click();
      await expect.poll(() => page.getByText(/^Answer \d$/).allTextContents()).toEqual(['Answer 2']);
      await look('4-regenerated');
      expect(shown.complaints).toEqual([]);
    });

    if (version === 6) return;

    describe('an example from the docs of AI Elements', () => {
      it('shows a Conversation', async () => {
        await goTo('conversation');
        await has('Start a conversation');
        await send('Who are you?');
        await has('to “Who are you?”, with 0 files.');
        await look('5-conversation');
        expect(shown.complaints).toEqual([]);
      });

      it('shows a Message whose Retry button requests another answer', async () => {
        await goTo('message');
        const words = crypto.randomUUID();
        await send(words);
        await shown.page.getByText('Answer 1').waitFor();
        await shown.page.getByRole('button', { name: 'Retry' }).click();
        await shown.page.getByText('Answer 2').waitFor();
        await look('6-message');
        expect(shown.complaints).toEqual([]);
      });

      it('shows a Prompt Input with an image', async () => {
        await goTo('prompt-input');
        const files = shown.page.locator('input[type=file]').first();
        await files.setInputFiles({ name: 'red.png', mimeType: 'image/png', buffer: PNG });
        await look('7-attached');
        await send('What is this?');
        await has('to “What is this?”, with 1 files.');
        await look('8-prompt-input');
        expect(shown.complaints).toEqual([]);
      });

      it('shows a Tool with an artifact by its type', async () => {
        await goTo('tool');
        await shown.page.getByRole('button', { name: 'Get Weather' }).click();
        await has('Weather for San Francisco');
        await shown.page.getByText('Completed').waitFor();
        await look('9-tool');
        expect(shown.complaints).toEqual([]);
      });

      it('shows a Confirmation', async () => {
        await goTo('confirmation');
        await shown.page.getByRole('button', { name: 'Delete Example File' }).click();
        await has('Do you approve this action?');
        await look('10-confirmation');
        await shown.page.getByRole('button', { name: 'Approve' }).click();
        await has('You approved this tool execution');
        await has('Successfully deleted /tmp/example.txt');
        await look('11-approved');
        expect(shown.complaints).toEqual([]);
      });
    });
  },
);
