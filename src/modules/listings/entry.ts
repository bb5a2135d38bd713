import { createErrorEntry, createWarningEntry } from '../../tool/log.ts';
/**
 * The entry `holdfast/listings`: tools that external sources list before a model call, and that the session
 * stores.
 */

import type { SessionEvent } from '../../journal/events.ts';
import { FOLDING } from '../../journal/memory-folding.ts';
import { createDiscovery } from '../../loop/discovery.ts';
import { InterruptionError } from '../../loop/holder.ts';
import { getLoopTime, type Loop, toLoopFields } from '../../loop/loop.ts';
import { LOOPS } from '../../loop/loop-seams.ts';
import { createLoopView } from '../../loop/offer-tools.ts';
import { copyThroughJson } from '../../loop/tool-answer.ts';
import { getDiscoverySteps } from '../../sources/resolution/tool-source.ts';
import { createTimeoutError, withTimeout } from '../../tool/async.ts';
import type { Json } from '../../tool/json.ts';
import { createModule, createUse } from '../../tool/module-use.ts';
import type { Discover, Discovery } from '../../tool/tool.ts';
import type { MemoryFact, ToolMemory } from '../../tool/tool-memory.ts';

/** Stores discovered tools, so that another invocation does not need to query their source again. */
export const LISTINGS: ToolMemory<Listings, ListingFact> = {
  name: 'listings',
  folding: FOLDING,
  initial: [],
  scope: 'session',
  isHidden: true,
  when: 'batch',
  apply(listings, { key, at, told }) {
    const known = listings.find((one) => one.key === key);
    const now = told === undefined ? known?.told : told; // `null` is a valid value
    if (now === undefined) return listings;
    const others = listings.filter((one) => one !== known);
    return dropOldest([...others, { key, told: now, ...(at !== undefined && { at }) }]);
  },
};

/** A source's reply about its tools. A type alias, because it must be JSON. */
export type Listing = {
  /** Identifies the source and the principal who asked, because their tools can differ. */
  readonly key: string;
  /** The reply, in a format that only the source's own code reads. */
  readonly told: Json;
  /** The time of the last confirmation in milliseconds since the epoch, if the source uses it. */
  readonly at?: number;
};

/** A listing. Without `told`, confirms that the listing with this key is still valid. */
export type ListingFact = Pick<Listing, 'key' | 'at'> & { readonly told?: Json };

/** The newest listing for each key, in the order in which they were found. */
export type Listings = readonly Listing[];

/** Keeps the newest listings that fit, and always the last one. */
function dropOldest(listings: Listings): Listings {
  let room = MAX_LISTING_CHARACTERS;
  const from = listings.findLastIndex(({ told }, index) => {
    room -= JSON.stringify(told).length;
    return room < 0 && index < listings.length - 1;
  });
  return listings.slice(Math.max(from + 1, listings.length - MAX_LISTINGS));
}

/**
 * The maximum number of listings in a session, one for each source and principal. The oldest is dropped, and
 * its source is queried again.
 */
const MAX_LISTINGS = 100;

/** The maximum number of JSON characters of all listings, because the session's snapshot contains them. */
const MAX_LISTING_CHARACTERS = 2 * 1024 * 1024;

/**
 * The module of external sources that list their tools. A strategy with `discover` lists it in its `uses`.
 */
export const listings = createUse(createModule({ name: 'listings', nested: true, state: [LISTINGS] }));

LOOPS.give(listings, { prepare: discoverTools });

/** The default time limit of one source, in milliseconds. */
const DEFAULT_TIMEOUT_MS = 120_000;

/**
 * The maximum number of consecutive invocations without progress. After that, the model is called with the
 * known tools, because discovery itself can end the invocations.
 */
const MAX_TRIES = 2;

/**
 * Lets strategies discover their external tools before a model call. The results are journaled, so that
 * `offer` depends only on the state. If a source fails, its tools are missing and the loop continues. If a
 * source leaves the turn to another invocation, the results of other sources are still stored, so that each
 * invocation makes progress.
 *
 * @throws InterruptionError if this invocation must not start more work.
 */
async function discoverTools(loop: Loop): Promise<void> {
  const sources = loop.spec.strategies.flatMap((strategy) =>
    getDiscoverySteps(strategy).map((find): Source => ({ name: strategy.name, find })),
  );
  if (sources.length === 0 || isAbandoned(loop)) return;
  const { signal, modelSignal } = loop.holder;
  const discovery = createDiscovery(loop, createLoopView(loop, 'now'), modelSignal);
  const finding = await Promise.allSettled(sources.map((source) => runDiscovery(loop, discovery, source)));
  const found = finding.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  // Two sources can return equal facts if they query the same server.
  const distinct = new Map(loop.secrets.redact(found).map((fact) => [JSON.stringify(fact), fact]));
  // Each fact has its own event, because lists can be long.
  const listed = Array.from(distinct.values(), (fact): SessionEvent => {
    return { type: 'tools-listed', ...toLoopFields(loop), facts: [{ ...fact, at: getLoopTime(loop) }] };
  });
  if (!signal.aborted) loop.journal.emit(...listed);
  for (const one of finding) if (one.status === 'rejected') throw one.reason;
}

interface Source {
  /** The name of the strategy that finds these tools. */
  readonly name: string;
  readonly find: Discover;
}

/** Lets one strategy discover its tools. @throws InterruptionError if another invocation must continue. */
async function runDiscovery(
  loop: Loop,
  discovery: Discovery,
  { name, find }: Source,
): Promise<readonly MemoryFact[]> {
  const { modelSignal } = loop.holder;
  try {
    const facts = await withTimeout(loop.holder, find(discovery), {
      signal: modelSignal,
      ms: DEFAULT_TIMEOUT_MS,
      late: createTimeoutError,
    });
    return facts.map(({ slice, fact }) => ({ slice, fact: copyThroughJson(`a fact of '${slice}'`, fact) }));
  } catch (thrown) {
    if (modelSignal.aborted) throw modelSignal.reason;
    if (thrown instanceof InterruptionError) throw thrown;
    const message = `the strategy '${name}' could not find its tools`;
    loop.log(createErrorEntry(message, thrown));
    return [];
  }
}

function isAbandoned({ journal, log }: Loop): boolean {
  const { resumedIdly: tries = 0 } = journal.state.turn ?? {};
  if (tries < MAX_TRIES) return false;
  const message = `tools are not discovered: ${tries} invocations made no progress`;
  log(createWarningEntry(message));
  return true;
}
