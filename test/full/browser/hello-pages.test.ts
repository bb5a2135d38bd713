/** The introductory pages from the docs of the AI SDK. The test adds only the URL of an agent and a key. */
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createCopiedPagesPlugin, extractBlock } from './copied-pages.ts';
import { HAS_BROWSER, showPage } from './shown-page.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

/** Adds the URL and the key. */
const CHANGES = [["api: '/api/chat',", 'api: AGENT.api, headers: AGENT.headers,']] as const;

const readDocsPage = async (sdk: string, docs: string) => {
  const text = await readFile(join(ROOT, 'node_modules', sdk, 'docs/04-ai-sdk-ui', docs), 'utf8');
  return { code: extractBlock(text, 'app/page.tsx'), folder: join(ROOT, 'test'), changes: CHANGES };
};

describe.skipIf(!HAS_BROWSER).each([
  [7, 'ai'],
  [6, 'ai-v6'],
])('pages of the AI SDK docs, version %i', async (version, sdk) => {
  const pages = {
    chatbot: await readDocsPage(sdk, '02-chatbot.mdx'),
    tools: await readDocsPage(sdk, '03-chatbot-tool-usage.mdx'),
  };
  const shown = showPage({
    entry: 'test/full/browser/hello-pages/main.tsx',
    holds: 'copied:page/tools',
    bundled: {
      plugins: [createCopiedPagesPlugin(pages)],
      ...(version === 6 && { alias: { ai: 'ai-v6', '@ai-sdk/react': 'ai-react-v6' } }),
    },
    worker: 'test/full/browser/hello-pages-worker.ts',
    html: 'test/full/browser/hello-pages/index.html',
    conversation: 'chat',
    ready: 'html',
    pictures: `hello-ai-sdk-${version}-`,
  });
  const goTo = (name: keyof typeof pages) => shown.page.goto(`${shown.address}&page=${name}`);

  it('send a message and show the answer (Chatbot)', async () => {
    await goTo('chatbot');
    const { page } = shown;
    await page.getByPlaceholder('Say something...').fill('Who are you?');
    await page.getByRole('button', { name: 'Submit' }).click();
    await page.getByText('AI: **Answer 1** to “Who are you?”, with 0 files.').waitFor();
    await shown.look('1-chatbot');
    expect(shown.complaints).toEqual([]);
  });

  it('show calls by name, run a tool of the page and ask the user (Chatbot Tool Usage)', async () => {
    await goTo('tools');
    const { page } = shown;
    await page.getByRole('textbox').fill('What is the weather where I am?');
    await page.getByRole('textbox').press('Enter');
    await page.getByText('May I look where you are?').waitFor();
    await page.getByRole('button', { name: 'Yes' }).click();
    await page.getByText('It says: sunny').waitFor();
    const city = (await page.getByText(/^Location: /).textContent())?.slice('Location: '.length);
    await page.getByText(`Weather in ${city}: sunny`).waitFor();
    await page.getByText('Yes, confirmed.').waitFor();
    await shown.look('2-tools');
    expect(shown.complaints).toEqual([]);
  });
});
