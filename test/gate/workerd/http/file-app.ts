import { env } from 'cloudflare:workers';
import { type ChatModel, defineAgent } from '../../../../src/index.ts';
import { type FilesConfig, files } from '../../../../src/modules/files/entry.ts';
import type { BeginRequest, TurnStart } from '../../../doors/journal.ts';
import { type AppConfig, appWith, objectsWith } from './app.ts';
import { newSession, post, type Send } from './client.ts';

/** What the tests' model takes: some images with their bytes or by address, PDF by its bytes alone. */
export const MEDIA = {
  message: { data: ['image/png', 'image/webp', 'image/svg+xml', 'application/pdf'], url: ['image/*'] },
  result: { data: [], url: [] },
};

/** A model that answers everything by `Seen.` and says what it takes. */
export const seeing = (media: ChatModel['media'] = MEDIA): ChatModel => ({
  name: 'seeing',
  media,
  ask: async () => ({ text: 'Seen.', toolCalls: [], finish: 'stop' }),
});

/** What an agent of these tests is made with. */
export interface SeerConfig {
  readonly model?: ChatModel | undefined;
  readonly accepts?: readonly string[] | undefined;
}

export const seer = ({ model = seeing(), accepts }: SeerConfig = {}) =>
  defineAgent({ name: 'seer', description: 'Sees.', instructions: 'Look.', model, accepts });

/** Files as they go to the session's object. */
type SentFiles = NonNullable<TurnStart['blobs']>;

/** An app of one agent that takes files, and what is set of these. */
type FileAppConfig = SeerConfig & AppConfig & FilesConfig;

/** An app of one agent, and the files of what it has sent to its objects. */
export function fileApp(config: FileAppConfig = {}): {
  readonly via: Send;
  readonly sent: SentFiles[];
} {
  const { model, accepts, store, allowPrivateAddresses, use = [], ...app } = config;
  const sent: SentFiles[] = [];
  const noted = ({ blobs = [] }: TurnStart): void => void sent.push(blobs);
  const SESSIONS = objectsWith((stub) => ({
    begin(request: BeginRequest) {
      noted(request.start);
      return stub.begin(request);
    },
  }));
  return {
    via: appWith(
      {
        agents: [seer({ model, accepts })],
        http: { bodyContext: ['a', 'order'] },
        use: [files({ store, allowPrivateAddresses }), ...use],
        ...app,
      },
      { ...env, SESSIONS },
    ),
    sent,
  };
}

export const bytesOf = (text: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(new TextEncoder().encode(text));

/** The SHA-256 of a text in hex, as a second implementation has it. */
export async function idOf(content: string | Uint8Array<ArrayBuffer>): Promise<string> {
  const bytes = typeof content === 'string' ? bytesOf(content) : content;
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Posts a message to a new session of the app's agent, and answers its status and what was answered. */
export async function posted(
  via: Send,
  body: unknown,
  session = newSession('seer'),
): Promise<{ readonly status: number; readonly answer: Record<string, unknown>; readonly session: string }> {
  const response = await post(session, body, { via });
  return { status: response.status, answer: await response.json(), session };
}

/** What a response holds, whatever it says that it is. */
export const contentOf = async (response: Response): Promise<string> =>
  new TextDecoder().decode(await response.arrayBuffer());
