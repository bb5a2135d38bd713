import OpenAI, { type ClientOptions } from 'openai';
import { openAi } from '../../../../src/surfaces/openai/entry.ts';
import { clerk } from '../../../fixtures/clerk-agent.ts';
import { scripted } from '../../../fixtures/scripted-agent.ts';
import { createTestApp } from '../http/app.ts';
import { readJournal, type Send } from '../http/client.ts';

/** A Worker with the OpenAI surface, over the tests' objects. */
export const openAiApp: Send = createTestApp({ agents: [scripted, clerk], use: [openAi()] });

/** The real client, whose requests go to that Worker. */
export const createOpenAiClient = (via: Send = openAiApp, options: Partial<ClientOptions> = {}): OpenAI =>
  new OpenAI({
    baseURL: 'http://localhost/v1',
    apiKey: 'none',
    fetch: (input, init) => via(String(input), init),
    ...options,
  });

/** Returns the journal of a response's session. */
export const readResponseJournal = ({
  model,
  conversation,
}: OpenAI.Responses.Response): Promise<Record<string, unknown>[]> =>
  readJournal(`/agents/${model}/sessions/${conversation?.id}`);

type StreamEvent = OpenAI.Responses.ResponseStreamEvent;

/** Returns the types of events, with the pieces of a text as one. */
export const listEventTypes = (events: readonly StreamEvent[]): string[] =>
  events.flatMap(({ type }, place) =>
    type.endsWith('.delta') && events[place - 1]?.type === type ? [] : [type],
  );

/** Returns the joined pieces of text. */
export const joinTexts = (events: readonly StreamEvent[]): { text: string; reasoning: string } => ({
  text: events.map((event) => (event.type === 'response.output_text.delta' ? event.delta : '')).join(''),
  reasoning: events
    .map((event) => (event.type === 'response.reasoning_summary_text.delta' ? event.delta : ''))
    .join(''),
});
