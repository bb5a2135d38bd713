/** A CopilotKit page in a real browser, with the AG-UI example. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Plugin } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { type CopiedPage, createCopiedPagesPlugin } from './copied-pages.ts';
import { HAS_BROWSER, showPage } from './shown-page.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

/** From https://docs.copilotkit.ai/backend/self-managed-agents. */
const PROVIDER = `import { HttpAgent } from "@ag-ui/client";
import { CopilotKit } from "@copilotkit/react-core/v2";

const supportAgent = new HttpAgent({
  url: "https://agents.example.com/support",
});

<CopilotKit
  selfManagedAgents={{ "support-agent": supportAgent }}
>
  <YourApp />
</CopilotKit>;
`;

/** The docs do not show the app component, so it is their chat component. */
const SELF_MANAGED: CopiedPage = {
  code: `import { CopilotChat } from '@copilotkit/react-core/v2';
import '@copilotkit/react-core/v2/styles.css';
const YourApp = () => <CopilotChat agentId="support-agent" />;
${PROVIDER}`,
  folder: join(ROOT, '.ci/copilotkit'),
  changes: [
    ['url: "https://agents.example.com/support",', 'url: AGENT.url, headers: AGENT.headers,'],
    ['\n<CopilotKit\n', '\nexport default () => <CopilotKit\n'],
  ],
};
const isThere = existsSync(join(ROOT, '.ci/copilotkit/node_modules/@copilotkit/react-core'));
if (!isThere) {
  const how = 'npm ci --prefix .ci/copilotkit --ignore-scripts';
  if (process.env.COPILOTKIT === 'required') throw new Error(`CopilotKit is not installed. Run \`${how}\`.`);
  console.warn(`skipped: CopilotKit is not installed (run ${how})`);
}

/** Inserts the styles that a script imports into the page, as bundlers do. */
const styles: Plugin = {
  name: 'styles',
  setup(building) {
    building.onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const text = JSON.stringify(await readFile(path, 'utf8'));
      const contents = `document.head.append(Object.assign(document.createElement('style'), { textContent: ${text} }));`;
      return { contents, loader: 'js' };
    });
  },
};

it('the tested page is the same as the page in docs/ag-ui.md', async () => {
  const page = await readFile(join(ROOT, '.ci/copilotkit/page.tsx'), 'utf8');
  expect(await readFile(join(ROOT, 'docs/ag-ui.md'), 'utf8')).toContain(`\`\`\`typescript\n${page}\`\`\``);
});

describe.skipIf(!HAS_BROWSER || !isThere)('a page with CopilotKit in chromium, at another origin,', () => {
  const shown = showPage({
    entry: '.ci/copilotkit/main.tsx',
    holds: '.ci/copilotkit/page.tsx',
    bundled: { plugins: [styles, createCopiedPagesPlugin({ 'self-managed': SELF_MANAGED })] },
    checked: (files) =>
      expect(files.some((file) => file.includes('@copilotkit/react-core/dist/v2'))).toBe(true),
    worker: 'test/full/browser/copilotkit-worker.ts',
    conversation: 'thread',
    ready: 'textarea',
    pictures: 'copilotkit-',
  });
  const { look } = shown;

  async function say(text: string): Promise<void> {
    await shown.page.locator('textarea').fill(text);
    await shown.page.locator('textarea').press('Enter');
  }

  it('sends its state with useAgentContext, and the model changes it with useFrontendTool', async () => {
    const { page } = shown;
    await say('Which color is the page?');
    await page.getByText('The color is white.').waitFor();
    await say('Please paint it gold.');
    await page.getByText('The page says: The page is gold now.').waitFor();
    expect(await page.locator('main').first().getAttribute('style')).toBe('background: gold;');
    await look('1-painted');
    await say('And now?');
    await page.getByText('The color is gold.').waitFor();
    await look('2-told');
    expect(shown.complaints).toEqual([]);
  });

  it('uses the chat from the docs with only the URL and the key', async () => {
    const { page } = shown;
    await page.goto(`${shown.address}&page=self-managed`);
    await say('Which color is the page?');
    await page.getByText('The color is not known.').waitFor();
    await look('3-self-managed');
    expect(shown.complaints).toEqual([]);
  });
});
