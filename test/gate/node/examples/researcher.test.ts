import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { documents } from '../../../../src/examples/researcher/documents.ts';
import { research, researcher, searchDocuments } from '../../../../src/examples/researcher/researcher.ts';
import { defineAgent } from '../../../../src/index.ts';
import { definePlaybook, when } from '../../../../src/kinds/entry.ts';
import { toMermaid } from '../../../../src/modules/inspect/entry.ts';
import { offlineModel } from '../../../../src/offline-model/entry.ts';
import { createTestSession, type ScriptedReply, type TestSession } from '../../../../src/testing/entry.ts';
import { getShownResults } from '../tool-loop/scenes.ts';

/** Returns each call inside the playbook, with its input. */
async function listInnerCalls(session: TestSession): Promise<readonly string[]> {
  return (await session.events()).flatMap((event) =>
    event.type === 'model-replied' && event.frame !== undefined
      ? event.toolCalls.map(({ name, input }) => `${name} ${input}`)
      : [],
  );
}

describe('the researcher with the offline planner', () => {
  it('searches, fetches, analyzes and reports as soon as each step is unlocked', async () => {
    const session = createTestSession(researcher, { model: offlineModel() });
    const answer = await session.send('Research tides');
    expect(await listInnerCalls(session)).toEqual([
      'search_documents {"theme":"tides"}',
      'fetch_document {"documentId":"D-1"}',
      'fetch_document {"documentId":"D-3"}',
      'analyze_document {"documentId":"D-1","theme":"tides"}',
      'analyze_document {"documentId":"D-3","theme":"tides"}',
      'report_findings {"theme":"tides"}',
    ]);
    expect(answer).toMatchObject({ outcome: 'completed', toolCalls: 7 });
  });

  it('shows the same tools and instructions in every step, and no locks in later turns', async () => {
    const session = createTestSession(researcher, { model: offlineModel() });
    await session.send('Research tides');
    session.restart();
    await session.send('Research tides again');
    const shown = session.requests.filter(({ messages }) => messages[1]?.text === '{"theme":"tides"}');
    const texts = shown.map(({ messages }) => messages[0]?.text.split('\n\n')[1]);
    const needed = [
      'Some tools have prerequisites. One that is called before they are met does nothing, and answers what is missing:',
      '- fetch_document: first use search_documents',
      '- analyze_document: first produce an artifact of type Document',
      '- report_findings: first use search_documents and produce an artifact of type Finding',
      'Use the tools that are needed first, and then those that they have made available.',
    ].join('\n');
    expect(texts).toEqual([...Array(5).fill(needed), ...Array(5).fill(undefined)]);
    expect(shown.map(({ tools }) => tools)).toEqual(shown.map(() => shown[0]?.tools));
  });
});

describe('the offline planner in a playbook', () => {
  it('tries unclear tools last, and retries a refused tool once another call has succeeded', async () => {
    const getTool = (name: string) => {
      const tool = research.inner?.find((one) => one.name === name);
      if (!tool) throw new Error(`There is no tool '${name}'.`);
      return tool;
    };
    const whenUsed = (name: string) => when((progress) => progress.used(name) > 0);
    const guessed = definePlaybook({
      name: 'research_theme',
      description: research.description,
      input: v.object({ theme: v.string() }),
      tools: [searchDocuments],
      locked: [
        { tool: getTool('fetch_document'), unlockedBy: whenUsed('search_documents') },
        { tool: getTool('analyze_document'), unlockedBy: whenUsed('fetch_document') },
      ],
    });
    const agent = defineAgent({
      name: 'researcher',
      description: 'Researches.',
      instructions: 'Research.',
      tools: [guessed],
    });
    const session = createTestSession(agent, { model: offlineModel() });
    await session.send('Research tides');
    const analyzed = ['D-1', 'D-3'].map((id) => `analyze_document {"documentId":"${id}","theme":"tides"}`);
    expect(await listInnerCalls(session)).toEqual([
      'search_documents {"theme":"tides"}',
      ...analyzed,
      'fetch_document {"documentId":"D-1"}',
      'fetch_document {"documentId":"D-3"}',
      ...analyzed,
    ]);
  });
});

describe('the playbook of the researcher', () => {
  const createCallReply = (name: string, input: object) => ({ calls: [{ name, input }] });
  const theme = 'kelp';
  const asks = createCallReply('research_theme', { theme });
  const run = async (...inside: ScriptedReply[]): Promise<TestSession> => {
    const session = createTestSession(researcher, { replies: [asks, ...inside, 'Reported.', 'Done.'] });
    await session.send('Research kelp.');
    return session;
  };
  const getResults = ({ requests }: TestSession): readonly string[] => getShownResults(requests.at(-2));

  it('makes every step wait for the previous one', async () => {
    const session = await run(
      createCallReply('report_findings', { theme }),
      createCallReply('fetch_document', { documentId: 'D-2' }),
      createCallReply('search_documents', { theme }),
      createCallReply('analyze_document', { documentId: 'D-2', theme }),
      createCallReply('fetch_document', { documentId: 'D-2' }),
      createCallReply('analyze_document', { documentId: 'D-2', theme }),
      createCallReply('report_findings', { theme }),
    );
    const describeLock = (hint: string): string => `This tool is not yet available. ${hint}`;
    const found = 'Kelp has no roots. On sand, where there is nothing to grip, no kelp forest grows.';
    expect(getResults(session)).toEqual([
      describeLock(
        'You must first use: search_documents. You must first produce an artifact of type: Finding',
      ),
      describeLock('You must first use: search_documents'),
      '[{"documentId":"D-2","title":"What holds kelp to the rock"}]',
      describeLock('You must first produce an artifact of type: Document'),
      JSON.stringify(documents[1]),
      found,
      `${found} [D-2: What holds kelp to the rock]`,
    ]);
  });

  it('reports that documents are missing', async () => {
    const session = await run(
      createCallReply('search_documents', { theme: 'submarines' }),
      createCallReply('search_documents', { theme }),
      createCallReply('fetch_document', { documentId: 'D-9' }),
      createCallReply('fetch_document', { documentId: 'D-5' }),
      createCallReply('analyze_document', { documentId: 'D-9', theme }),
      createCallReply('analyze_document', { documentId: 'D-5', theme }),
      createCallReply('analyze_document', { documentId: 'D-2', theme }),
      createCallReply('report_findings', { theme: 'submarines' }),
    );
    expect(getResults(session).filter((_, at) => [0, 2, 4, 5, 7].includes(at))).toEqual([
      'Error: No document is about that. Try other words.',
      'Error: There is no document D-9. Search for one first.',
      'Error: There is no document D-9. Search for one first.',
      "'A knot that can be undone' says nothing of it.",
      'Error: Nothing was found on this theme. Analyze a document about it first.',
    ]);
  });

  it('keeps one finding per document, and unlocks each theme separately', async () => {
    const analyzed = [
      createCallReply('search_documents', { theme }),
      createCallReply('fetch_document', { documentId: 'D-2' }),
      createCallReply('analyze_document', { documentId: 'D-2', theme }),
      createCallReply('analyze_document', { documentId: 'D-2', theme }),
      createCallReply('report_findings', { theme: ' Kelp' }),
    ];
    const knots = [
      createCallReply('research_theme', { theme: 'knots' }),
      createCallReply('fetch_document', { documentId: 'D-5' }),
    ];
    const session = createTestSession(researcher, {
      replies: [asks, ...analyzed, 'Reported.', 'Done.', ...knots, 'No.', 'Done.'],
    });
    await session.send('Research kelp.');
    expect(getResults(session).at(-1)?.split('\n')).toHaveLength(1);
    await session.send('Fetch the knots.');
    expect(getResults(session)).toEqual([
      'This tool is not yet available. You must first use: search_documents',
    ]);
  });

  it('can be drawn as a diagram', () => {
    expect(toMermaid(research)).toBe(
      [
        'flowchart LR',
        '  tool1["search_documents"]',
        '  tool2["fetch_document"]',
        '  tool3["analyze_document"]',
        '  tool4["report_findings"]',
        '  condition1(["artifact: Document"])',
        '  condition2(["artifact: Finding"])',
        '  tool1 --> tool2',
        '  condition1 --> tool3',
        '  tool1 --> tool4',
        '  condition2 --> tool4',
      ].join('\n'),
    );
  });
});
