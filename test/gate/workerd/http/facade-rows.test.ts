/**
 * State of unfolding tools and discovered objects over HTTP. Between requests, the object is killed and the
 * Worker is replaced.
 */
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { type AnyTool, artifact, defineDomainType, defineTool } from '../../../../src/index.ts';
import { chaining, defineUnfolding, discover } from '../../../../src/kinds/entry.ts';
import { createMcpToolFactory, defineMcpClient } from '../../../../src/mcp/tools/entry.ts';
import { oneShotPerLoop, requireApproval } from '../../../../src/modules/decorators/entry.ts';
import { inspect, type ToolsChangeSeen } from '../../../../src/modules/inspect/entry.ts';
import { advanceTime } from '../../../fixtures/held-time.ts';
import { createFakeServer } from '../../../fixtures/mcp/fake-server.ts';
import { captureWarnings } from '../../../fixtures/warnings.ts';
import { callTools } from '../../node/agentic/scenes.ts';
import { countMethods, createSayingTool } from '../../node/mcp/tools/scenes.ts';
import { createKilledSession } from './killed-desk.ts';
import { advanceClock } from './time.ts';

const createReadingTool = (name: string, run: () => unknown) =>
  defineTool({ name, description: 'Reads.', effect: 'read', run });

describe('over HTTP, with a kill between requests', () => {
  it('an empty MCP facade is withdrawn once its listing is known, and offered again if the list changes (S0-129)', async () => {
    const warned = captureWarnings();
    const server = createFakeServer({ tools: [createSayingTool('search')] });
    const { url, fetch } = server;
    const { session, send, results, offered } = createKilledSession(() => {
      const factory = createMcpToolFactory({ clients: [defineMcpClient({ name: 'shop', url, fetch })] });
      return { tools: [factory.unfoldingByName('notes', 'Notes.', ['add_note'])] };
    }, [callTools('notes'), 'Sorry.', 'Sorry.', callTools('notes'), callTools('add_note'), 'Noted.']);
    await send(session, { message: 'Note it.' });
    expect(results()).toEqual([
      "Tool 'notes' has no tools now; they may be there later. Go on without them.",
    ]);
    await send(session, { message: 'And now?' });
    expect([offered(), countMethods(server)['tools/list']]).toEqual([['notes', '', ''], 1]);
    server.tools = [createSayingTool('add_note')];
    advanceTime(600_000);
    await advanceClock(session, 600_000);
    expect(await send(session, { message: 'And later?' })).toMatchObject({ text: 'Noted.' });
    expect(offered().slice(3)).toEqual(['notes', 'add_note notes', 'add_note notes']);
    expect(results().at(-1)).toBe('add_note done');
    const drift = "MCP server 'shop' has other tools than this session knew: added add_note; removed search";
    expect(warned).toEqual([`holdfast: ${drift}`]);
  });

  it('a one-shot tool around a facade counts only while the facade is open (S0-010)', async () => {
    const createFiles = () =>
      oneShotPerLoop(
        defineUnfolding({
          name: 'files',
          description: 'Files.',
          tools: [createReadingTool('read', () => 'Read.')],
        }),
        'Use its tools.',
      );
    const createTellTool = () =>
      requireApproval(
        createReadingTool('tell', () => 'Told.'),
        'May I tell?',
      );
    const { session, send, results, offered } = createKilledSession(
      () => ({ tools: [createFiles(), createTellTool()] }),
      [
        callTools('files'),
        callTools('tell'),
        callTools('files'),
        'Done.',
        callTools('files'),
        callTools('read'),
        'Done.',
      ],
    );
    const { pending } = await send(session, { message: 'Go.', loopId: 'l' });
    const [{ call }] = pending as readonly [{ readonly call: string }];
    await send(`${session}/approvals/${call}`, { decision: 'approve' });
    const opened =
      "Tools now available: read. You MUST call one of these tools to complete the user's request. Do NOT respond with text — call a tool.";
    expect(results()).toEqual([
      opened,
      'Told.',
      "ALREADY LOADED. The body of 'files' was returned earlier in this turn — read it from your conversation history " +
        'above. Do not call this tool again.\nUse its tools.',
    ]);
    await send(session, { message: 'Again.', loopId: 'l' });
    expect(results().slice(3)).toEqual([opened, 'Read.']);
    const [closed, open] = ['files tell', 'files read tell'];
    expect(offered()).toEqual([closed, open, open, open, closed, open, open]);
  });

  it('discovered objects bring tools to a limited depth, and inspectors see the source of each (TPR-07, TPR-12, S2-22)', async () => {
    const warned = captureWarnings();
    const Page = defineDomainType({
      name: 'Page',
      schema: v.object({ id: v.number() }),
      tools: ({ id }): readonly AnyTool[] => [
        createReadingTool('next', () => artifact('Next.', { name: 'Page' }, { id: id + 1 })),
      ],
    });
    const createFirstTool = () =>
      defineTool({
        name: 'first',
        description: 'The first page.',
        effect: 'read',
        output: Page,
        run: () => ({ id: 1 }),
      });
    const seen: (readonly unknown[])[] = [];
    const toolsChanged = ({ came, broughtBy }: ToolsChangeSeen) =>
      void seen.push(...came.map((name) => [name, broughtBy(name)]));
    const { session, send, results, offered } = createKilledSession(
      () => ({
        tools: [createFirstTool()],
        use: [chaining([discover(Page, { maxDepth: 2 })]), inspect({ toolsChanged })],
      }),
      [callTools('first'), 'One.', callTools('page_1_next'), 'Two.', callTools('page_2_next'), 'No more.'],
    );
    for (const message of ['Read.', 'Go on.', 'Go on.']) await send(session, { message });
    const [one, two] = ['first page_1_next', 'first page_1_next page_2_next'];
    expect(offered()).toEqual(['first', one, one, two, two, two]);
    expect(results().at(-1)).toBe(
      'Next.\n\nTools of Page objects are offered to a depth of 2, as objects lead to others. Not offered: page_3_next.',
    );
    expect(seen).toEqual([
      ['page_1_next', { by: 'object', domainType: 'Page', instanceId: '1' }],
      ['page_2_next', { by: 'object', domainType: 'Page', instanceId: '2' }],
    ]);
    expect(warned).toHaveLength(1);
  });
});
