import { describe, expect, it } from 'vitest';
import { createRealRun, isThere } from './real-run.ts';
import { createCallReply, createRealTalk } from './real-talk.ts';

describe.skipIf(!isThere('playwright'))("Playwright's MCP server with a browser, used by an agent,", () => {
  it('keeps its page through three turns of a session with keepSession', async () => {
    const run = createRealRun('playwright');
    const url = run.url.replace(/mcp$/, 'page');
    const press = createCallReply('browser_click', { element: 'the button', target: 'button' });
    const talk = createRealTalk(run, {
      replies: [
        ...[createCallReply('browser_navigate', { url }), 'It is open.'],
        ...[press, press, 'Pressed.'],
        ...[createCallReply('browser_snapshot'), 'Read.'],
      ],
      client: { keepSession: true },
    });
    expect(await talk.say()).toMatchObject({ outcome: 'completed', text: 'It is open.' });
    expect(talk.shown()).toEqual([expect.stringContaining('Page Title: Counter')]);
    expect(await talk.say()).toMatchObject({ outcome: 'completed', text: 'Pressed.' });
    expect(await talk.say()).toMatchObject({ outcome: 'completed', text: 'Read.' });
    expect(talk.shown().at(-1)).toContain('button "Pressed 2 times"');
    const begun = (await run.requests()).filter(({ body }) => body.includes('"initialize"'));
    expect(begun).toHaveLength(1);
  });
});
