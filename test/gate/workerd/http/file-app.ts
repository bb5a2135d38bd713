import { env } from 'cloudflare:workers';
import { type ChatModel, defineAgent } from '../../../../src/index.ts';
import { type FilesConfig, files } from '../../../../src/modules/files/entry.ts';
import type { BeginRequest, TurnStart } from '../../../doors/journal.ts';
import { type AppConfig, appWith, objectsWith } from './app.ts';
import { newSession, post, type Send } from './client.ts';

/** The files that the tests' model accepts: some images by bytes or URL, PDF by bytes only. */
export const MEDIA = {
  message: { data: ['image/png', 'image/webp', 'image/svg+xml', 'application/pdf'], url: ['image/*'] },
  result: { data: [], url: [] },
};

/** A model that always replies `Seen.`, and declares the files that it accepts. */
export const fileModel = (media: ChatModel['media'] = MEDIA): ChatModel => ({
  name: 'seeing',
  media,
  ask: async () => ({ text: 'Seen.', toolCalls: [], finish: 'stop' }),
});

/** The options of these tests' agent. */
export interface SeerConfig {
  readonly model?: ChatModel | undefined;
  readonly accepts?: readonly string[] | undefined;
}

export const fileAgent = ({ model = fileModel(), accepts }: SeerConfig = {}) =>
  defineAgent({ name: 'seer', description: 'Sees.', instructions: 'Look.', model, accepts });

/** Files as they are sent to the session's object. */
type SentFiles = NonNullable<TurnStart['blobs']>;

/** An app with one agent that accepts files, and its options. */
type FileAppConfig = SeerConfig & AppConfig & FilesConfig;

/** An app with one agent, and the files that it has sent to its objects. */
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
        agents: [fileAgent({ model, accepts })],
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

/** Returns the SHA-256 of a text in hex, from a second implementation. */
export async function idOf(content: string | Uint8Array<ArrayBuffer>): Promise<string> {
  const bytes = typeof content === 'string' ? bytesOf(content) : content;
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Posts a message to a new session of the app's agent, and returns the response's status and body. */
export async function postAndRead(
  via: Send,
  body: unknown,
  session = newSession('seer'),
): Promise<{ readonly status: number; readonly answer: Record<string, unknown>; readonly session: string }> {
  const response = await post(session, body, { via });
  return { status: response.status, answer: await response.json(), session };
}

/** Returns a response's body, for any media type. */
export const contentOf = async (response: Response): Promise<string> =>
  new TextDecoder().decode(await response.arrayBuffer());
