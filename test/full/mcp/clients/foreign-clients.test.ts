/** What other people's MCP clients make of an endpoint: each lists, calls a tool and an agent, and goes on with its session. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningWorker, startWorker } from '../../process/start-worker.ts';
import { FOREIGN_CLIENTS, type ForeignClient } from './foreign-client.ts';

let worker: RunningWorker;
beforeAll(async () => {
  worker = await startWorker('test/full/mcp/clients/published-worker.ts', { vars: { MODEL: 'offline' } });
});
afterAll(() => worker?.stop());

/** Those whose users cannot ask for progress; supergateway passes no notification of a server on. */
const DEAF = new Set(['@ai-sdk/mcp', '@openai/agents', 'supergateway']);
/** Those that hand a program what a model reads, and no more. */
const WITHOUT_STRUCTURE = new Set(["LangChain's adapters"]);

/** What the librarian is at, the first time. */
const AT_FIRST = [
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

  it('lists tools, agents among them', async () => {
    expect(await client.tools()).toEqual(['search_documents', 'fetch_document', 'researcher', 'refunds']);
  });

  it('calls tools, and reads what they answer', async () => {
    const { text } = await client.call('search_documents', { theme: 'tides' });
    expect(text).toContain('"documentId":"D-1"');
    const { structured } = await client.call('fetch_document', { documentId: 'D-2' });
    if (!WITHOUT_STRUCTURE.has(name)) expect(structured).toMatchObject({ documentId: 'D-2' });
  });

  it('has an agent answer, hears what it is at, and goes on with its session', async () => {
    const first = await client.call('researcher', { message: 'Research tides' });
    expect(first.text).toContain('The moon pulls');
    expect(first.told).toEqual(DEAF.has(name) ? [] : AT_FIRST);
    const session = /call 'researcher' with the session '([\w-]+)'/.exec(first.text)?.[1] ?? '';
    const again = await client.call('researcher', { message: 'Research tides again', session });
    expect(again.text).toContain(`with the session '${session}'`);
    // What the first turn unlocked is unlocked: it reports at once.
    if (!DEAF.has(name)) expect(again.told[0]).toBe('report_findings: started');
    if (!WITHOUT_STRUCTURE.has(name))
      expect([first.structured, again.structured]).toMatchObject([{ session }, { session }]);
    const turns = await fetch(new URL(`/agents/researcher/sessions/${session}`, worker.url));
    console.log(JSON.stringify(await turns.json()).slice(0,600));
  });
});
