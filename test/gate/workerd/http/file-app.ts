import { env } from 'cloudflare:workers';
import { type ChatModel, defineAgent } from '../../../../src/index.ts';
import { type FilesConfig, files } from '../../../../src/modules/files/entry.ts';
import type { BeginRequest, TurnStart } from '../../../doors/journal.ts';
import { type AppConfig, createTestApp, wrapObjects } from './app.ts';
import { createSessionPath, post, type Send } from './client.ts';

/** The files that the tests' model accepts: some images by bytes or URL, PDF by bytes only. */
export const MEDIA_TYPES = {
  message: { data: ['image/png', 'image/webp', 'image/svg+xml', 'application/pdf'], url: ['image/*'] },
  result: { data: [], url: [] },
};

/** A model that always replies `Seen.`, and declares the files that it accepts. */
export const createFileModel = (media: ChatModel['media'] = MEDIA_TYPES): ChatModel => ({
  name: 'seeing',
  media,
  ask: async () => ({ text: 'Seen.', toolCalls: [], finish: 'stop' }),
});

/** The options of these tests' agent. */
export interface SeerConfig {
  readonly model?: ChatModel | undefined;
  readonly accepts?: readonly string[] | undefined;
}

export const createFileAgent = ({ model = createFileModel(), accepts }: SeerConfig = {}) =>
  defineAgent({ name: 'seer', description: 'Sees.', instructions: 'Look.', model, accepts });

/** Files as the session's object receives them. */
type SentFiles = NonNullable<TurnStart['blobs']>;

/** The options of an app and of its one agent, which accepts files. */
type FileAppConfig = SeerConfig & AppConfig & FilesConfig;

/** An app with one agent, and the files that it has sent to its objects. */
export function createFileApp(config: FileAppConfig = {}): {
  readonly via: Send;
  readonly sent: SentFiles[];
} {
  const { model, accepts, store, allowPrivateAddresses, use = [], ...app } = config;
  const sent: SentFiles[] = [];
  const recordFiles = ({ blobs = [] }: TurnStart): void => void sent.push(blobs);
  const SESSIONS = wrapObjects((stub) => ({
    begin(request: BeginRequest) {
      recordFiles(request.start);
      return stub.begin(request);
    },
  }));
  return {
    via: createTestApp(
      {
        agents: [createFileAgent({ model, accepts })],
        http: { bodyContext: ['a', 'order'] },
        use: [files({ store, allowPrivateAddresses }), ...use],
        ...app,
      },
      { ...env, SESSIONS },
    ),
    sent,
  };
}

export const toBytes = (text: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(new TextEncoder().encode(text));

/** Returns the SHA-256 of a text in hex, using a second implementation. */
export async function computeFileId(content: string | Uint8Array<ArrayBuffer>): Promise<string> {
  const bytes = typeof content === 'string' ? toBytes(content) : content;
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Posts a message to a new session of the app's agent, and returns the response's status and body. */
export async function postAndRead(
  via: Send,
  body: unknown,
  session = createSessionPath('seer'),
): Promise<{ readonly status: number; readonly answer: Record<string, unknown>; readonly session: string }> {
  const response = await post(session, body, { via });
  return { status: response.status, answer: await response.json(), session };
}

/** Returns a response's body, for any media type. */
export const readContent = async (response: Response): Promise<string> =>
  new TextDecoder().decode(await response.arrayBuffer());
