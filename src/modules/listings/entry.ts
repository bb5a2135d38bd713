import { mistake, warning } from '../../tool/log.ts';
/** The entry `holdfast/listings`: tools that are found outside before a model is asked, and remembered by the session. */

import type { SessionEvent } from '../../journal/events.ts';
import { FOLDING } from '../../journal/memory-folding.ts';
import { discoveryOf } from '../../loop/discovery.ts';
import { Interrupted } from '../../loop/holder.ts';
import { inLoop, type Loop, timeIn } from '../../loop/loop.ts';
import { LOOPS } from '../../loop/loop-seams.ts';
import { loopView } from '../../loop/offer-tools.ts';
import { throughJson } from '../../loop/tool-answer.ts';
import { partsOf } from '../../sources/resolution/tool-source.ts';
import { inTime, timeIsOver } from '../../tool/async.ts';
import type { Json } from '../../tool/json.ts';
import { createModule, useOf } from '../../tool/module-use.ts';
import type { Discover, Discovery } from '../../tool/tool.ts';
import type { MemoryFact, ToolMemory } from '../../tool/tool-memory.ts';

/** Remembers tools that were found outside, so that another invocation need not ask again. */
export const LISTINGS: ToolMemory<Listings, ListingFact> = {
  name: 'listings',
  folding: FOLDING,
  initial: [],
  scope: 'session',
  isHidden: true,
  when: 'batch',
  apply(listings, { key, at, told }) {
    const known = listings.find((one) => one.key === key);
    const now = told === undefined ? known?.told : told; // `null` is something that may be told
    if (now === undefined) return listings;
    const others = listings.filter((one) => one !== known);
    return kept([...others, { key, told: now, ...(at !== undefined && { at }) }]);
  },
};

/** What a source of tools told of them. A type alias: it must be JSON. */
export type Listing = {
  /** Names the source, and whoever asked it: one's tools are not another's. */
  readonly key: string;
  /** As the source's own code reads it. */
  readonly told: Json;
  /** When it was last found to be so, in ms since the epoch, where the source goes by that. */
  readonly at?: number;
};

/** A listing; or, without what was told, that the one of this key is still so. */
export type ListingFact = Pick<Listing, 'key' | 'at'> & { readonly told?: Json };

/** The newest listing of each key, the one that was found last at the end. */
export type Listings = readonly Listing[];

/** Those that were found last, as many as there is room for; the very last in any case. */
function kept(listings: Listings): Listings {
  let room = MAX_TOLD;
  const from = listings.findLastIndex(({ told }, index) => {
    room -= JSON.stringify(told).length;
    return room < 0 && index < listings.length - 1;
  });
  return listings.slice(Math.max(from + 1, listings.length - MAX_LISTINGS));
}

/** Sources x principals that one session remembers; the one found longest ago is forgotten, and asked again. */
const MAX_LISTINGS = 100;

/** Characters of JSON of all of them: a snapshot of the session holds them too. */
const MAX_TOLD = 2 * 1024 * 1024;

/** The module of sources outside, which list their tools: whatever has `discover` names it in its `uses`. */
export const listings = useOf(createModule({ name: 'listings', nested: true, state: [LISTINGS] }));

LOOPS.give(listings, { prepare: discoverTools });

/** How long one source may take that names no time of its own, in ms. */
const LONGEST = 120_000;

/** Invocations in a row without any progress, after which the model is asked with what is known: finding may end them. */
const MAX_TRIES = 2;

/**
 * Asks the strategies that offer tools from outside to find them, before the model is asked. What they found is journaled, so
 * that `offer` stays a function of the state. A source that fails brings no tools now; the loop goes on without them. What
 * others found is kept, also when one of them leaves the turn to another invocation, so that each gets further.
 *
 * @throws Interrupted when this invocation is to start nothing more.
 */
async function discoverTools(loop: Loop): Promise<void> {
  const sources = loop.spec.strategies.flatMap((strategy) =>
    partsOf(strategy).map((find): Source => ({ name: strategy.name, find })),
  );
  if (sources.length === 0 || isGivenUp(loop)) return;
  const { signal, modelSignal } = loop.holder;
  const discovery = discoveryOf(loop, loopView(loop, 'now'), modelSignal);
  const finding = await Promise.allSettled(sources.map((source) => findWith(loop, discovery, source)));
  const found = finding.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  // One that asked for what another had asked for already found the same.
  const distinct = new Map(loop.secrets.redact(found).map((fact) => [JSON.stringify(fact), fact]));
  // An event for each, since lists may be long.
  const listed = Array.from(distinct.values(), (fact): SessionEvent => {
    return { type: 'tools-listed', ...inLoop(loop), facts: [{ ...fact, at: timeIn(loop) }] };
  });
  if (!signal.aborted) loop.journal.emit(...listed);
  for (const one of finding) if (one.status === 'rejected') throw one.reason;
}

interface Source {
  /** The name of the strategy that finds these tools. */
  readonly name: string;
  readonly find: Discover;
}

/** @throws Interrupted when the turn is left to another invocation. */
async function findWith(
  loop: Loop,
  discovery: Discovery,
  { name, find }: Source,
): Promise<readonly MemoryFact[]> {
  const { modelSignal } = loop.holder;
  try {
    const facts = await inTime(loop.holder, find(discovery), {
      signal: modelSignal,
      ms: LONGEST,
      late: timeIsOver,
    });
    return facts.map(({ slice, fact }) => ({ slice, fact: throughJson(`a fact of '${slice}'`, fact) }));
  } catch (thrown) {
    if (modelSignal.aborted) throw modelSignal.reason;
    if (thrown instanceof Interrupted) throw thrown;
    const message = `the strategy '${name}' could not find its tools`;
    loop.log(mistake(message, thrown));
    return [];
  }
}

function isGivenUp({ journal, log }: Loop): boolean {
  const { resumedIdly: tries = 0 } = journal.state.turn ?? {};
  if (tries < MAX_TRIES) return false;
  const message = `no tools are looked for outside: ${tries} invocations got nothing done`;
  log(warning(message));
  return true;
}
