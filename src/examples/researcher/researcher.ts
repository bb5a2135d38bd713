import * as v from 'valibot';
import { type Agent, artifact, defineAgent, defineTool, error } from '../../index.ts';
import { after, allOf, definePlaybook, onArtifact } from '../../kinds/entry.ts';
import { Document, documents } from './documents.ts';
import { extractFinding, Finding, keepFinding, listFindings } from './findings.ts';

const theme = v.pipe(v.string(), v.minLength(1), v.description('What it is about, in a few plain words'));
const documentId = v.pipe(v.string(), v.description('The id of a document, such as D-1'));

/** Finds documents about a theme. It must be called before `fetchDocument`. */
export const searchDocuments = defineTool({
  name: 'search_documents',
  description: 'Search the reading room: the ids and titles of the documents about a theme.',
  effect: 'read',
  input: v.object({ theme }),
  run(input) {
    const found = documents.filter((document) => extractFinding(document, input.theme));
    if (found.length === 0) return error('No document is about that. Try other words.');
    return found.map((document) => ({ documentId: document.documentId, title: document.title }));
  },
});

/** Reads one document by its id. */
export const fetchDocument = defineTool({
  name: 'fetch_document',
  description: 'Fetch the text of a document by its id.',
  effect: 'read',
  input: v.object({ documentId }),
  run: (input) => findDocument(input.documentId) ?? createNoSuchDocumentError(input.documentId),
  output: Document,
});

const analyzeDocument = defineTool({
  name: 'analyze_document',
  description: 'Analyze a document: find and keep the sentences in which it speaks of a theme.',
  effect: 'read',
  input: v.object({ documentId, theme }),
  run(input, { state }) {
    const document = findDocument(input.documentId);
    if (!document) return createNoSuchDocumentError(input.documentId);
    const finding = extractFinding(document, input.theme);
    if (!finding) return `'${document.title}' says nothing of it.`;
    keepFinding(input.theme, finding, state);
    return artifact(finding.sentences.join(' '), Finding, finding);
  },
});

const reportFindings = defineTool({
  name: 'report_findings',
  description:
    'Report what the analysis of documents has found about a theme, each sentence with its source.',
  effect: 'read',
  input: v.object({ theme }),
  run(input, { state }) {
    const findings = listFindings(input.theme, state);
    if (findings.length === 0)
      return error('Nothing was found on this theme. Analyze a document about it first.');
    return findings
      .map((finding) => `${finding.sentences.join(' ')} [${finding.documentId}: ${finding.title}]`)
      .join('\n');
  },
});

const findDocument = (id: string) => documents.find((document) => document.documentId === id);

const createNoSuchDocumentError = (id: string) =>
  error(`There is no document ${id.slice(0, 40)}. Search for one first.`);

/** Each step (search, read, analyze, report) unlocks the next for its theme. */
export const research = definePlaybook({
  name: 'research_theme',
  description:
    'Research a theme: search the documents of the reading room, fetch their texts, analyze them, and report the findings with their sources.',
  input: v.object({ theme }),
  key: (input) => input.theme.trim().toLowerCase(),
  tools: [searchDocuments],
  locked: [
    { tool: fetchDocument, unlockedBy: after(searchDocuments) },
    { tool: analyzeDocument, unlockedBy: onArtifact(Document) },
    { tool: reportFindings, unlockedBy: allOf(after(searchDocuments), onArtifact(Finding)) },
  ],
});

/** An agent for questions about five short texts. Its answers name their sources. */
export const researcher: Agent<'researcher'> = defineAgent({
  name: 'researcher',
  description:
    'Researches themes in a small reading room on the sea, and says where it has its answers from.',
  instructions:
    'You are the librarian of a reading room on the sea and seafaring. Answer from its documents only: research the ' +
    'theme, and name the document of each thing that you say.',
  tools: [research],
});
