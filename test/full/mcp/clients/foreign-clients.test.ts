/**
 * MCP clients of other libraries with the endpoint of Holdfast. Each client lists tools, calls a tool and an
 * agent, and continues its session.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningWorker, startWorker } from '../../process/start-worker.ts';
import { connectTranslating, FOREIGN_CLIENTS, type ForeignClient } from './foreign-client.ts';

let worker: RunningWorker;
beforeAll(async () => {
  worker = await startWorker('test/fixtures/mcp/published-worker.ts', { vars: { MODEL: 'offline' } });
});
afterAll(() => worker?.stop());

/**
 * Clients whose callers cannot request progress, and supergateway, which does not forward notifications from a
 * server.
 */
const DEAF_CLIENTS = new Set(['@ai-sdk/mcp', '@openai/agents', 'supergateway']);
/** Clients that can return a result before they have forwarded earlier progress. */
const HASTY_CLIENTS = new Set(['mcp-remote', 'mcp-remote, of 2026-07-28']);

/** The first progress messages of the librarian. */
const FIRST_PROGRESS = [
  'search_documents: started',
  'search_documents: done',
  ...Array(2).fill(['fetch_document: started', 'fetch_document: done']).flat(),
  ...Array(2).fill(['analyze_document: started', 'analyze_document: done']).flat(),
  'report_findings: started',
  'report_findings: done',
  'research_theme: done',
];

describe.each(Object.entries(FOREIGN_CLIENTS))('%s', (name, connect) => {
  let client: ForeignClient;
  beforeAll(async () => {
    client = await connect(new URL('/mcp', worker.url));
  });
  afterAll(() => client?.close());

  it('lists tools, including agents', async () => {
    const agents = ['researcher', 'orders', 'refunds'];
    expect(await client.tools()).toEqual(['search_documents', 'fetch_document', ...agents]);
  });

  it('calls tools and reads their results', async () => {
    const { text } = await client.call('search_documents', { theme: 'tides' });
    expect(text).toContain('"documentId":"D-1"');
    const { structured } = await client.call('fetch_document', { documentId: 'D-2' });
    expect(structured).toMatchObject({ documentId: 'D-2' });
  });

  it('calls an agent, receives its progress and continues its session', async () => {
    const first = await client.call('researcher', { message: 'Research tides' });
    expect(first.text).toContain('The moon pulls');
    const heard = HASTY_CLIENTS.has(name) ? first.told.length : FIRST_PROGRESS.length;
    expect(first.told).toEqual(DEAF_CLIENTS.has(name) ? [] : FIRST_PROGRESS.slice(0, heard));
    const session = /call 'researcher' with the session '([\w-]+)'/.exec(first.text)?.[1] ?? '';
    const again = await client.call('researcher', { message: 'Research tides again', session });
    expect([first.structured, again.structured]).toMatchObject([{ session }, { session }]);
    // The tool that the first turn unlocked is still unlocked, so the first progress is its report.
    const [told = 'nothing'] = again.told;
    const silence = HASTY_CLIENTS.has(name) || DEAF_CLIENTS.has(name) ? ['nothing'] : [];
    expect(['report_findings: started', ...silence]).toContain(told);
  });
});

it('forwards an agent’s question to a client of 2025-11-25 through mcp-remote', async () => {
  const asked: unknown[] = [];
  const client = await connectTranslating(new URL('/mcp', worker.url), (params) => {
    asked.push(params);
    return { action: 'decline' };
  });
  const { structured } = await client.call('refunds', { message: 'Please refund order 1002' });
  await client.close();
  expect(asked).toMatchObject([{ message: expect.stringContaining('Refund 118.50 euro for order 1002') }]);
  expect(structured).toMatchObject({ outcome: 'completed' });
});

describe('a client that accepts any content, such as curl,', () => {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'curl', version: '8' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  it.each([
    ['2025-11-25', {}, {}],
    ['2026-07-28', { _meta }, { 'mcp-method': 'tools/call', 'mcp-name': 'search_documents' }],
  ])('can call a tool with revision %s', async (revision, params, headers) => {
    const response = await fetch(new URL('/mcp', worker.url), {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: '*/*',
        'mcp-protocol-version': revision,
        ...headers,
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'search_documents', arguments: { theme: 'tides' }, ...params },
      }),
    });
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('D-1')]);
  });
});
