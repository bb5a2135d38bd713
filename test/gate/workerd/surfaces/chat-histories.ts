/** Chats with the real client, which sends its whole history but no id. */
import type OpenAI from 'openai';
import type { Caller, HoldfastConfig } from '../../../../src/create-holdfast.ts';
import { files } from '../../../../src/modules/files/entry.ts';
import { openAi } from '../../../../src/surfaces/openai/entry.ts';
import { clerk } from '../../../fixtures/clerk-agent.ts';
import { scripted } from '../../../fixtures/scripted-agent.ts';
import { createTestApp } from '../http/app.ts';
import { createFileAgent } from '../http/file-app.ts';
import { createOpenAiClient } from './openai-app.ts';

export type Message = OpenAI.ChatCompletionMessageParam;

export const createUserMessage = (content: string): Message => ({ role: 'user', content });

/** The result of a chat. */
export interface ChatResult {
  readonly history: Message[];
  readonly session: string;
}

export interface ChatOptions extends OpenAI.RequestOptions {
  readonly via: OpenAI;
  readonly model?: string;
  /** Additional body fields. */
  readonly more?: Partial<OpenAI.ChatCompletionCreateParamsNonStreaming>;
}

/** Sends a history with another message, and returns it with the answer. */
export async function sendHistory(
  history: readonly Message[],
  message: string | Message,
  { via, model = 'scripted', more = {}, ...options }: ChatOptions,
): Promise<ChatResult> {
  const messages = [...history, typeof message === 'string' ? createUserMessage(message) : message];
  const { data, response } = await via.chat.completions
    .create({ ...more, model, messages }, options)
    .withResponse();
  const [choice] = data.choices;
  if (!choice) throw new Error('The completion has no choice.');
  return {
    history: [...messages, choice.message],
    session: response.headers.get('x-holdfast-session') ?? '',
  };
}

export const findLastText = ({ history }: ChatResult): unknown => history.at(-1)?.content;

/** The refusal of a chat whose session is unknown. */
export const UNKNOWN_CHAT = { status: 400, code: 'unknown_conversation' };

/** A Worker whose `auth` admits one caller, and a factory for its clients with given headers. */
export function createClients(
  caller: Caller,
  config: Partial<HoldfastConfig> = {},
  vars: Readonly<Record<string, unknown>> = {},
): (headers?: Readonly<Record<string, string>>) => OpenAI {
  const app = {
    agents: [scripted, clerk, createFileAgent()],
    use: [openAi(), files()],
    auth: () => caller,
    ...config,
  };
  const via = createTestApp(app, vars);
  return (headers = {}) => createOpenAiClient(via, { defaultHeaders: headers, maxRetries: 0 });
}
