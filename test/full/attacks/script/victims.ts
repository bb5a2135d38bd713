/** The data of zeta, and the view that must not change by a single byte. */
import type { ReceivedResponse } from './http.ts';
import type { Scene } from './scene.ts';

/** The sessions of zeta. */
export const VAULT = 'vault';
export const PENDING = 'pending';
export const FILES = 'files';
export const PLANNED = 'planned';

/** The targets of the attacks. */
export interface Victims {
  /** A turn of `vault`. Its answer contains a secret word of zeta. */
  readonly turn: string;
  /** The turn of `pending`. Its call waits for a manager. */
  readonly suspended: string;
  readonly call: string;
  /** The turn of `planned`, which is scheduled for next year. */
  readonly planned: string;
  /** The id of the file in `files`. */
  readonly file: string;
  /** The idempotency key of the message to `vault`. */
  readonly key: string;
}

const YEAR = 365 * 24 * 60 * 60;

/** Creates the targets as zeta. */
export async function createVictims({ zoe, at, play }: Scene): Promise<Victims> {
  const key = 'zetas-key-1';
  const said = play([{ name: 'records', input: {} }], 'The word is ZETA-VAULT-9319.');
  const vault = await zoe.post(`${at(VAULT)}/messages`, { message: said }, { 'idempotency-key': key });
  const asked = play([{ name: 'refund', input: { amount: 900 } }], 'Refunded.');
  const pending = await zoe.post(`${at(PENDING)}/messages`, { message: asked });
  const sent = await zoe.post(`${at(FILES)}/messages`, {
    message: [
      { type: 'text', text: 'Keep it.' },
      { type: 'file', mediaType: 'text/plain', name: 'z.txt', data: btoa('ZETA-FILE-5150') },
    ],
  });
  const files = await zoe.get(at(FILES));
  const planned = await zoe.post(`${at(PLANNED)}/messages`, { message: 'Later.', delaySeconds: YEAR });
  const waits = pending.json as { turn: string; pending: readonly [{ call: string }] }; // documented in docs/approvals.md
  const [, file = ''] = /"file":"([0-9a-f]{64})"|([0-9a-f]{64})/.exec(files.text) ?? [];
  expectStatus([vault, 200], [pending, 202], [sent, 200], [planned, 202]);
  return {
    turn: String(vault.json?.turn),
    suspended: waits.turn,
    call: waits.pending[0].call,
    planned: String(planned.json?.turn),
    file: file || (/[0-9a-f]{64}/.exec(files.text)?.[0] ?? ''),
    key,
  };
}

function expectStatus(...pairs: readonly (readonly [ReceivedResponse, number])[]): void {
  for (const [came, expected] of pairs) {
    if (came.status !== expected)
      throw new Error(`A request of zeta returned ${came.status}, not ${expected}: ${came.text}`);
  }
}

/** Returns all data that zeta can see. */
export async function readZetasView({ zoe, at }: Scene, victims: Victims): Promise<string> {
  const paths = [VAULT, PENDING, FILES, PLANNED].flatMap((one) => [at(one), `${at(one)}/events`]);
  const turns = [
    `${at(VAULT)}/turns/${victims.turn}`,
    `${at(PENDING)}/turns/${victims.suspended}`,
    `${at(FILES)}/files/${victims.file}`,
  ];
  const views: string[] = [];
  for (const path of [...paths, ...turns]) {
    const { status, text } = await zoe.get(path);
    views.push(`${path} ${status} ${text}`);
  }
  return views.join('\n');
}
