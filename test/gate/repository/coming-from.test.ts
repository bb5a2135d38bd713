/**
 * Checks that each page for users of another library mentions the names they know and links to equivalents.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { collectEntries, type Manifest } from '../../measure/public-names.ts';
import { readLibrary } from '../../source/parse-source.ts';

const root = resolve(import.meta.dirname, '../../..');
const folder = 'docs/coming-from';
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

/** The names that each library's users search for, except those also used by Holdfast. */
const WORDS: Readonly<Record<string, string>> = {
  'ai-sdk': `tool generateText streamText ToolLoopAgent stopWhen prepareStep activeTools needsApproval Output.object
    runtimeContext pruneMessages repairToolCall MockLanguageModelV4 useChat`,
  'agents-sdk': `Agent AIChatAgent routeAgentRequest setState this.sql this.schedule useAgentChat addMcpServer McpAgent onEmail
    waitForApproval runFiber agentTool @callable`,
  mastra: `Agent Mastra createTool generate stream memory storage requestContext suspend resumeSchema requireApproval approveToolCall
    createWorkflow ToolSearchProcessor TokenLimiter MCPClient MCPServer`,
  langgraph: `createAgent StateGraph addNode addConditionalEdges Annotation thread_id PostgresSaver MemorySaver interrupt Command
    humanInTheLoopMiddleware ToolNode Store recursionLimit summarizationMiddleware streamMode`,
  embabel: `@LlmTool Tool.Result ToolObject LlmReference ToolGroup CoreToolGroups UnfoldingTool @UnfoldingTools ProgressiveTool
    SimpleAgenticTool AgenticTool PlaybookTool StateMachineTool Subagent ToolInjectionStrategy OneShotPerLoopTool LoopMemo DelegatingTool
    ArtifactSinkingTool ArtifactSink ReplanRequestedException ProgressTool CommunicateTool BlackboardTools AgentProcessTools MathTools
    ToolCallContext ToolCallContextMcpMetaConverter McpToolFactory ToolNotFoundException MaxIterationsExceededException PromptRunner
    AgentProcess GOAP @State`,
  'spring-ai': `ToolCallback @Tool MethodToolCallbackProvider toolCallbacks toolNames ToolCallbackResolver ToolCallingChatOptions
    toolContext internalToolExecutionEnabled ToolCallingManager ToolExecutionResult conversationHistory returnDirect
    ToolExecutionExceptionProcessor ToolExecutionEligibilityPredicate ChatModel AssistantMessage maxTokens stopSequences`,
  agentensemble: `AgentTool @Tool ToolResult AbstractAgentTool ToolContext ExecutionContext ToolResolver ToolResolution
    ValidationException LangChain4jToolAdapter ToolPipeline PipelineStep PipelineErrorStrategy ReviewHandler ReviewRequest ReviewDecision
    requestApproval ExitEarlyException HumanInputTool ConsoleReviewHandler Agent.builder AgentExecutor`,
};

/** Methods of objects, which no entry exports by name. */
const MEMBERS = ['ask', 'executeToolCalls', 'send', 'stream', 'update'];

const manifest = JSON.parse(read('package.json')) as Manifest; // this repository's manifest
const exportedNames = new Set(collectEntries(manifest, readLibrary(root)).flatMap(({ values }) => values));

/** Returns the rows of a page's table: the other library's feature, and Holdfast's equivalent. */
const parseRows = (page: string): { readonly theirs: string; readonly ours: string }[] =>
  [...page.matchAll(/^\| (.+?) \| (.+) \|$/gm)]
    .slice(1)
    .map(([, theirs = '', ours = '']) => ({ theirs, ours }));

it('there is a page for each library of the checklist', () => {
  expect(readdirSync(join(root, folder)).toSorted()).toEqual(
    Object.keys(WORDS)
      .map((name) => `${name}.md`)
      .toSorted(),
  );
});

describe.each(Object.entries(WORDS))('coming-from/%s.md', (name, words) => {
  const page = read(`${folder}/${name}.md`);
  const rows = parseRows(page);

  it('mentions every name of the checklist in code style', () => {
    const code = [...page.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text);
    const isThere = (word: string): boolean =>
      code.some((text) => new RegExp(`(?<![\\w@])${word.replace('.', '\\.')}(?!\\w)`).test(text));
    expect(words.split(/\s+/).filter((word) => !isThere(word))).toEqual([]);
  });

  it('links to an existing page in every row', () => {
    expect(rows.length).toBeGreaterThan(10);
    const isLinked = ({ ours }: (typeof rows)[number]): boolean =>
      [...ours.matchAll(/\]\(([^)#]*)/g)].some(([, to = '']) =>
        existsSync(join(root, dirname(`${folder}/x`), to)),
      );
    expect(rows.filter((row) => !isLinked(row)).map(({ theirs }) => theirs)).toEqual([]);
  });

  it('calls only functions that the package exports', () => {
    const called = rows.flatMap(({ ours }) =>
      [...ours.matchAll(/`([^`]+)`/g)].flatMap(([, code = '']) =>
        [...code.matchAll(/(?<![\w.])(\w+)\(|\.(\w+)\(/g)].map(([, one, other]) => one ?? other ?? ''),
      ),
    );
    const theirs = ['openai'];
    const isKnown = (called: string): boolean =>
      exportedNames.has(called) || MEMBERS.includes(called) || theirs.includes(called);
    expect(called.length).toBeGreaterThan(3);
    expect(called.filter((one) => !isKnown(one))).toEqual([]);
  });
});
