import type { PricedUsage } from '../../../journal/reply-data.ts';
import { DeploymentError } from '../../../session/deployment.ts';
import { systemClock } from '../../../session/read-platform.ts';
import { withTimeout } from '../../../tool/async.ts';
import type { Env } from '../../../worker/host.ts';
import type { CopySource, IndexCopy } from '../index-copy.ts';
import { type CopiedRow, UnsentRows } from './unsent-rows.ts';

const BATCH_TIMEOUT_MS = 10_000;

/**
 * The maximum numbers of rows in a batch and of batches in a call. An invocation on the free plan can run 50
 * queries.
 */
const ROWS_PER_BATCH = 40;
const BATCHES_PER_CALL = 10;

const NOT_BOUND_MESSAGE =
  'This Worker has no D1 database bound as INDEX_DB, which d1Reports() needs. In wrangler.toml: [[d1_databases]] with ' +
  'binding = "INDEX_DB", a database_name, a database_id, and migrations_dir = "node_modules/holdfast/migrations". Then run ' +
  '`npx wrangler d1 migrations apply INDEX_DB --remote`.';

/**
 * Copies the reports of sessions to a D1 database, for your own SQL: `sessionIndex({ also: d1Reports() })`.
 * Bind the database as `INDEX_DB` and apply the `migrations/` of this package. Rows arrive in order, about a
 * second later than in the index. While the database is unavailable, the index still works and sends the
 * missing rows later.
 *
 * @example
 * ```ts
 * const holdfast = createHoldfast({ agents: [clerk()], use: [sessionIndex({ also: d1Reports() })] });
 * ```
 */
export const d1Reports = (): IndexCopy => ({
  name: 'd1',
  check,
  note: (storage, report) => new UnsentRows(storage).note(report),
  noteAll: (storage) => new UnsentRows(storage).noteAll(),
  isBehind: (storage) => new UnsentRows(storage).isBehind(),
  send,
  erase,
  forget,
});

function check(env: Env): void {
  if (typeof Object(env.INDEX_DB).batch !== 'function') throw new DeploymentError(NOT_BOUND_MESSAGE);
}

async function send(source: CopySource): Promise<void> {
  const unsent = new UnsentRows(source.storage);
  for (let batch = 0; batch < BATCHES_PER_CALL && unsent.isBehind(); batch += 1) {
    const page = unsent.page(ROWS_PER_BATCH);
    const fence = { owner: source.owner, revision: unsent.nextRevision() };
    await runBatch(source, fence, [
      ...page.rows.map((row) => toStatement(row, fence)),
      ...(page.purge === undefined ? [] : createPurgeStatements(page.purge, fence)),
    ]);
    unsent.remove(page);
  }
}

async function erase(source: CopySource): Promise<void> {
  const unsent = new UnsentRows(source.storage);
  unsent.clear();
  const fence = { owner: source.owner, revision: unsent.nextRevision() };
  await runBatch(source, fence, [
    ...createPurgeStatements(fence.revision, fence),
    withFence('UPDATE holdfast_owners SET erased_at = ?3 WHERE owner = ?1 AND', fence, [Date.now()]),
  ]);
}

async function forget(source: CopySource, isInUse: boolean): Promise<void> {
  const change = isInUse ? 'UPDATE holdfast_owners SET erased_at = NULL' : 'DELETE FROM holdfast_owners';
  const statement = getDatabase(source).prepare(`${change} WHERE owner = ?1 AND erased_at IS NOT NULL`);
  await withD1Timeout(statement.bind(source.owner).run());
}

/**
 * The owner and the batch of a statement. Statements of a batch have no effect if a later batch was written.
 */
interface Fence {
  readonly owner: string;
  readonly revision: number;
}

interface SqlStatement {
  readonly sql: string;
  readonly values: readonly (string | number | null)[];
}

const RAISE_REVISION_SQL = `INSERT INTO holdfast_owners (owner, revision) VALUES (?1, ?2)
  ON CONFLICT (owner) DO UPDATE SET revision = excluded.revision WHERE excluded.revision > revision`;

/**
 * Adds the fence to a statement. `sql` must end where a condition can follow, and its parameters start at ?3.
 */
const withFence = (
  sql: string,
  { owner, revision }: Fence,
  values: SqlStatement['values'],
): SqlStatement => ({
  sql: `${sql} (SELECT revision FROM holdfast_owners WHERE owner = ?1) = ?2`,
  values: [owner, revision, ...values],
});

/** Runs a batch, which D1 stores completely or not at all. */
async function runBatch(
  source: CopySource,
  { owner, revision }: Fence,
  statements: readonly SqlStatement[],
): Promise<void> {
  const db = getDatabase(source);
  await withD1Timeout(
    db.batch([
      db.prepare(RAISE_REVISION_SQL).bind(owner, revision),
      ...statements.map(({ sql, values }) => db.prepare(sql).bind(...values)),
    ]),
  );
}

const getDatabase = ({ env }: CopySource): D1Database => {
  check(env as Env); // bindings have no type here
  return Object(env).INDEX_DB;
};

const withD1Timeout = (work: Promise<unknown>): Promise<unknown> =>
  withTimeout(systemClock, work, {
    ms: BATCH_TIMEOUT_MS,
    late: (ms) => new Error(`D1 did not respond within ${ms} ms`),
  });

/** Removes the rows of an owner that no batch has written since the revision. */
const createPurgeStatements = (from: number, fence: Fence): readonly SqlStatement[] =>
  ['holdfast_sessions', 'holdfast_usage'].map((table) =>
    withFence(`DELETE FROM ${table} WHERE owner = ?1 AND revision < ?3 AND`, fence, [from]),
  );

const KEY_COLUMNS = {
  holdfast_sessions: ['agent', 'session'],
  holdfast_usage: ['day', 'agent', 'model'],
} as const;

function toStatement({ table, key, columns }: CopiedRow, fence: Fence): SqlStatement {
  const keys = KEY_COLUMNS[table];
  if (!columns) {
    const those = keys.map((name, at) => `${name} = ?${at + 3}`).join(' AND ');
    return withFence(`DELETE FROM ${table} WHERE owner = ?1 AND ${those} AND`, fence, key);
  }
  const { usage, ...plain } = columns;
  const values = { ...plain, ...toUsageColumns(usage) };
  const names = [...keys, ...Object.keys(values)];
  const places = names.map((_, at) => `?${at + 3}`);
  const updates = [...Object.keys(values), 'revision'].map((name) => `${name} = excluded.${name}`);
  const statement = withFence(
    `INSERT INTO ${table} (owner, revision, ${names.join(', ')}) SELECT ?1, ?2, ${places.join(', ')} WHERE`,
    fence,
    [...key, ...Object.values(values)],
  );
  return {
    ...statement,
    sql: `${statement.sql} ON CONFLICT (owner, ${keys.join(', ')}) DO UPDATE SET ${updates.join(', ')}`,
  };
}

const toUsageColumns = (usage: PricedUsage) => ({
  input_tokens: usage.inputTokens,
  output_tokens: usage.outputTokens,
  cached_input_tokens: usage.cachedInputTokens ?? null,
  cache_write_tokens: usage.cacheWriteTokens ?? null,
  reasoning_tokens: usage.reasoningTokens ?? null,
  cost: usage.cost ?? null,
});
