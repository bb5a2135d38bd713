import { onTestFinished } from 'vitest';
import { Secrets, ToolCallContext } from '../../../../../src/index.ts';
import { defineMcpClient, type McpCaller, type McpClientConfig } from '../../../../../src/mcp/tools/entry.ts';
import {
  connect,
  type KnownProtocol,
  type McpConnection,
  type RemoteCall,
  type RemoteCallOptions,
  type SessionKeeper,
} from '../../../../doors/mcp.ts';
import type { FakeServer } from '../../../../fixtures/mcp/fake-server.ts';

/** A caller with these secrets. */
export const createCaller = (secrets: Readonly<Record<string, string>> = {}): McpCaller => ({
  principal: { id: 'ada', tenant: 'acme' },
  context: ToolCallContext.of({ locale: 'en' }),
  secrets: Secrets.of(secrets),
});

/** The options of `open` other than the server. */
export type OpenOptions = Partial<McpClientConfig> & {
  readonly as?: McpCaller;
  readonly signal?: AbortSignal;
  /** Receives the number of requests that no claim has covered. */
  readonly count?: (subrequests: number) => void;
  /** The known protocol of the server. Defaults to a session by `initialize`. */
  readonly known?: KnownProtocol | 'nothing';
  readonly keeper?: SessionKeeper;
};

/** Connects the client `files` to this server. The connection closes with the test. */
export async function open(
  server: Pick<FakeServer, 'url' | 'fetch'>,
  {
    as = createCaller(),
    signal = createNeverSignal(),
    count = () => undefined,
    known,
    keeper,
    ...config
  }: OpenOptions = {},
): Promise<McpConnection> {
  const client = defineMcpClient({ name: 'files', url: server.url, fetch: server.fetch, ...config });
  const found: KnownProtocol | undefined = known === 'nothing' ? undefined : (known ?? { era: 'session' });
  const connection = await connect(client, as, { signal, count, known: found, keeper });
  onTestFinished(() => connection.close());
  return connection;
}

/** A signal that does not abort. */
export const createNeverSignal = (): AbortSignal => new AbortController().signal;

/** Options of a call that no signal interrupts. */
export const callOptions = (options: Partial<RemoteCallOptions> = {}): RemoteCallOptions => ({
  signal: createNeverSignal(),
  progress: () => undefined,
  log: () => undefined,
  elicit: async () => ({ action: 'decline' }),
  ...options,
});

/** A call of this tool without metadata. */
export const createRemoteCall = (name: string, input: RemoteCall['input'] = {}): RemoteCall => ({
  name,
  input,
  meta: {},
});

/** Returns the rejection of a promise. Throws if the promise resolves. */
export async function getRejection(promise: Promise<unknown>): Promise<unknown> {
  const settled = await promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if ('error' in settled) return settled.error;
  throw new Error(`The promise resolved with ${JSON.stringify(settled.value)}.`);
}
