import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout } from 'node:timers/promises';
import { acceptedContent, createMcpHandler, inputRequired, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Backend } from './backend.ts';

/** The time between two progress messages, in ms. A turn's stream shows every message at this rate. */
export const PROGRESS_INTERVAL_MS = 200;

const Answer = z.object({ word: z.string().describe('The word of the day.') });

/**
 * Creates a typical server with the second SDK. Its tool `ask_word` asks the user as specified in 2026-07-28.
 */
function createWordServer(): McpServer {
  const server = new McpServer(
    { name: 'words', version: '1.0.0' },
    { cacheHints: { 'tools/list': { ttlMs: 60_000, cacheScope: 'public' } } },
  );
  server.registerTool(
    'count_letters',
    {
      description: 'Counts the letters of a word.',
      inputSchema: z.object({ word: z.string() }),
      outputSchema: z.object({ letters: z.number() }),
      annotations: { readOnlyHint: true },
    },
    async ({ word }) => ({
      content: [{ type: 'text', text: `${word} has ${word.length} letters.` }],
      structuredContent: { letters: word.length },
    }),
  );
  server.registerTool(
    'spell',
    { description: 'Spells a word, a letter at a time.', inputSchema: z.object({ word: z.string() }) },
    async ({ word }, { mcpReq }) => {
      const progressToken = mcpReq._meta?.progressToken;
      for (const [at, message] of [...word].entries()) {
        const params = { progressToken, progress: at + 1, total: word.length, message };
        await mcpReq.notify({ method: 'notifications/progress', params });
        await setTimeout(PROGRESS_INTERVAL_MS);
      }
      return { content: [{ type: 'text', text: [...word].join('-') }] };
    },
  );
  server.registerTool('refuse', { description: 'Refuses.', inputSchema: z.object({}) }, async () => ({
    isError: true,
    content: [{ type: 'text', text: 'There are no words left today.' }],
  }));
  server.registerTool(
    'ask_word',
    { description: 'Asks somebody for a word.', inputSchema: z.object({}) },
    async (_, { mcpReq }) => {
      const answer = acceptedContent(mcpReq.inputResponses, 'word', Answer);
      if (answer !== undefined) return { content: [{ type: 'text', text: `It is ${answer.word}.` }] };
      if (mcpReq.inputResponses !== undefined)
        return { content: [{ type: 'text', text: 'Nobody said a word.' }] };
      const word = inputRequired.elicit({ message: 'Which word?', requestedSchema: Answer });
      return inputRequired({ inputRequests: { word }, requestState: 'word-state-6f1d' });
    },
  );
  return server;
}

/**
 * Serves the word server in this process for all runs. It cannot be killed. `reject` allows only clients of
 * 2026-07-28.
 */
export function createSdkServer(legacy: 'stateless' | 'reject'): Backend {
  const handler = createMcpHandler(() => createWordServer(), { legacy });
  return {
    async handle({ request, body, response }) {
      const gone = new AbortController();
      response.on('close', () => gone.abort());
      await sendReply(response, await handler.fetch(handleRequest(request, body, gone.signal)));
    },
    kill: () => {},
    pids: () => [],
    stop: () => handler.close(),
  };
}

function handleRequest(
  { method = '', url = '', headers }: IncomingMessage,
  body: string,
  signal: AbortSignal,
): Request {
  const sent = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]);
  return new Request(new URL(url, 'http://127.0.0.1'), {
    method,
    headers: sent,
    signal,
    ...(body !== '' && { body }),
  });
}

async function sendReply(response: ServerResponse, { status, headers, body }: Response): Promise<void> {
  response.writeHead(status, Object.fromEntries(headers));
  if (body === null) return void response.end();
  // The client can already be disconnected.
  await pipeline(Readable.fromWeb(body), response).catch(() => response.destroy());
}
