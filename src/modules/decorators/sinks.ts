import type { CallContext } from '../../tool/call.ts';
import { changeInnerTools, decorate } from '../../tool/decorate.ts';
import {
  type ArtifactCopy,
  copyArtifacts,
  readAsType,
  type ToolArtifact,
  type ToolArtifactItem,
} from '../../tool/domain-type.ts';
import { isJsonObject, type Json } from '../../tool/json.ts';
import type { BlackboardEntry } from '../../tool/kept-values.ts';
import { callListener } from '../../tool/listen.ts';
import { createWarningEntry } from '../../tool/log.ts';
import { SignalError, ToolConfigurationError } from '../../tool/signals.ts';
import type { AnyTool } from '../../tool/tool.ts';
import type { ArtifactType, ToolResult } from '../../tool/tool-result.ts';

/**
 * A function that receives artifacts. They arrive one after another, in order. A returned promise is awaited,
 * and other return values are ignored. If a call runs again after a crash, its artifacts arrive again with
 * the same `call.id`.
 */
export type Sink<Artifact = unknown> = (artifact: Artifact, call: SinkCall) => unknown;

/** The call whose artifact a sink receives. */
export interface SinkCall extends CallContext {
  readonly artifact: {
    /** The name of the artifact's type. For a transformed artifact, this is the name of `into`. */
    readonly type?: string | undefined;
    /** The journaled JSON, before its type parsed it. Absent for a transformed artifact. */
    readonly json?: Json | undefined;
  };
}

/** Selects artifacts, by type first and then by filter. */
export interface SinkOptions<T extends AnyTool, Type extends ArtifactType | undefined> {
  /**
   * Accepts only artifacts with this type's name. For a domain type, their values must also match its schema.
   */
  readonly type?: Type;
  readonly filter?: ((artifact: ToolArtifactItem<T, NoInfer<Type>>) => boolean) | undefined;
}

/** Replaces each selected artifact with a transformed value. */
export interface TransformOptions<T extends AnyTool, Type extends ArtifactType | undefined, Made> {
  readonly transform: (artifact: ToolArtifactItem<T, NoInfer<Type>>) => Made;
  /** The type of the transformed value, for sinks that store it. */
  readonly into?: ArtifactType | undefined;
}

/**
 * Passes the artifacts of a tool to a sink, and returns the result unchanged. Texts and errors have no
 * artifacts. The items of a list are passed one by one. The sink receives the same data as the journal: JSON
 * without secrets, parsed by its type. If a sink fails, the error is logged and the result is still returned,
 * unless the sink throws a control-flow signal. For an unfolding tool, the sink receives the artifacts of its
 * inner tools, at any depth.
 *
 * @example
 * ```ts
 * const logged = sinkArtifacts(findOrder, ({ orderId }) => console.log(orderId));
 * ```
 */
export function sinkArtifacts<T extends AnyTool, Type extends ArtifactType | undefined = undefined>(
  tool: T,
  sink: Sink<ToolArtifactItem<T, NoInfer<Type>>>,
  options?: SinkOptions<T, Type> & { readonly transform?: undefined },
): T;
export function sinkArtifacts<T extends AnyTool, Made, Type extends ArtifactType | undefined = undefined>(
  tool: T,
  sink: Sink<Made>,
  options: SinkOptions<T, Type> & TransformOptions<T, Type, Made>,
): T;
export function sinkArtifacts(tool: AnyTool, sink: Sink<never>, options: AnyOptions = {}): AnyTool {
  // The types describe the values that the type parses or `transform` returns. They are erased here.
  const erased = { ...options, sink } as ErasedOptions;
  return changeInnerTools(tool, (one) =>
    decorate(one, {
      async call(input, call) {
        const result = await one.call(input, call);
        await sendToSink(result, call, erased);
        return result;
      },
    }),
  );
}

interface TypedSinkOptions<Artifact> {
  readonly type?: ArtifactType | undefined;
  readonly filter?: ((artifact: Artifact) => boolean) | undefined;
  readonly transform?: ((artifact: Artifact) => unknown) | undefined;
  readonly into?: ArtifactType | undefined;
}

type AnyOptions = TypedSinkOptions<never>;
type ErasedOptions = TypedSinkOptions<unknown> & { readonly sink: Sink };

async function sendToSink(result: ToolResult, call: CallContext, options: ErasedOptions): Promise<void> {
  for (const kept of copyArtifacts(result, options.type, call)) {
    await callListener(`a sink of tool '${call.tool}'`, call, () => sendCopy(kept, call, options));
  }
}

function sendCopy({ json, type }: ArtifactCopy, call: CallContext, options: ErasedOptions): unknown {
  const { sink, filter, transform, into } = options;
  const read = readAsType(json, options.type);
  if (!read || filter?.(read.value) === false) return;
  const artifact: SinkCall['artifact'] = transform ? { type: into?.name } : { type, json };
  return sink(transform ? transform(read.value) : read.value, { ...call, artifact });
}

/** Selects the artifacts to publish, and sets their transformation and name. */
export type PublishOptions<T extends AnyTool, Type extends ArtifactType | undefined> = SinkOptions<T, Type> &
  Partial<Pick<TransformOptions<T, Type, unknown>, 'into'>> & {
    readonly transform?: TransformOptions<T, Type, unknown>['transform'] | undefined;
    /** Binds each artifact to this name. A lookup returns the newest one. */
    readonly name?: string | undefined;
  };

/**
 * Publishes the artifacts of a tool to the session's blackboard. Other tools, conditions and clients see them
 * after the call has succeeded. Publishes all artifacts unless `type` is set. `transform` must return JSON.
 *
 * @example
 * ```ts
 * const shared = publishToBlackboard(findOrder, { name: 'order', filter: ({ amount }) => amount > 0 });
 * ```
 */
export function publishToBlackboard<T extends AnyTool, Type extends ArtifactType | undefined = undefined>(
  tool: T,
  options: PublishOptions<T, Type> = {},
): T {
  const { name, transform, into, ...which } = options;
  const sink = blackboardSink({ name });
  return transform
    ? sinkArtifacts(tool, sink, { ...which, transform, into })
    : sinkArtifacts(tool, sink, which);
}

/** Options of a blackboard sink. */
export interface BlackboardSinkOptions {
  /** Binds each artifact to this name. A lookup returns the newest. */
  readonly name?: string | undefined;
  /** `true` to end the turn as misconfigured if there is no blackboard. Otherwise the loss is only logged. */
  readonly strict?: boolean | undefined;
}

/**
 * Returns a sink that publishes artifacts to the session's blackboard with the name of their type. They are
 * visible after their call has succeeded. Without a session, there is no blackboard. The tool's result is
 * then still returned, and the log has one warning.
 *
 * @example
 * ```ts
 * const published = sinkArtifacts(findOrder, blackboardSink({ name: 'order', strict: true }));
 * ```
 */
export function blackboardSink({ name, strict = false }: BlackboardSinkOptions = {}): Sink {
  let told = false;
  return (artifact, { inSession, blackboard, tool, log, artifact: { type, json } }) => {
    if (inSession) {
      // A transform can return a value that is not JSON. `add` checks it.
      blackboard.add(json === undefined ? (artifact as Json) : json, { name, type });
      return;
    }
    const problem = `There is no session, so the artifact of tool '${tool}' was not published to a blackboard.`;
    if (strict) throw new ToolConfigurationError(problem);
    if (!told) log(createWarningEntry(problem));
    told = true;
  };
}

/** A sink that returns the artifacts it has received. */
export interface ListSink<Artifact> extends Sink<Artifact> {
  /** Returns a copy of the artifacts so far, in their order. */
  items(): readonly Artifact[];
}

/**
 * Collects artifacts in a list, by default its own. The list exists in one invocation, so it suits tests and
 * data that does not need to outlive a turn.
 *
 * @example
 * ```ts
 * const found = listSink();
 * const tool = sinkArtifacts(findOrder, found);
 * found.items();
 * ```
 */
export const listSink = <Artifact = unknown>(list: Artifact[] = []): ListSink<Artifact> =>
  Object.assign((artifact: Artifact): void => void list.push(artifact), { items: () => [...list] });

/**
 * Passes every artifact to all of these sinks, one after another. If a sink fails, the others still run. The
 * failure is thrown at the end, with control-flow signals first.
 *
 * @example
 * ```ts
 * const seen = listSink();
 * const both = sinkArtifacts(findOrder, compositeSink(seen, blackboardSink()));
 * ```
 */
export const compositeSink =
  <Artifact = unknown>(...sinks: readonly Sink<Artifact>[]): Sink<Artifact> =>
  async (artifact, call) => {
    const thrown: unknown[] = [];
    for (const sink of sinks) {
      try {
        await sink(artifact, call);
      } catch (failure) {
        thrown.push(failure);
      }
    }
    const signal = thrown.find((failure) => failure instanceof SignalError);
    if (signal !== undefined) throw signal;
    if (thrown.length > 1) throw new AggregateError(thrown, `${thrown.length} sinks failed.`);
    if (thrown.length === 1) throw thrown[0];
  };

/** Selects the assets to track, by type first and then by filter. */
export type AssetOptions<T extends AnyTool, Type extends ArtifactType | undefined> = SinkOptions<T, Type>;

/**
 * Tracks the assets that one or more tools return: artifacts, and items of lists, that have an `id`. They are
 * stored on the session's blackboard, and `assetsOf` reads them. Ignores an asset with the type and id of a
 * tracked asset. Results are returned unchanged. Without a session, assets are not tracked.
 *
 * @example
 * ```ts
 * const [find, look] = trackAssets([findOrder, lookUp]);
 * ```
 */
export function trackAssets<T extends AnyTool, Type extends ArtifactType | undefined = undefined>(
  tool: T,
  options?: AssetOptions<T, Type>,
): T;
export function trackAssets<
  const Tools extends readonly AnyTool[],
  Type extends ArtifactType | undefined = undefined,
>(tools: Tools, options?: AssetOptions<Tools[number], Type>): Tools;
export function trackAssets(
  tools: AnyTool | readonly AnyTool[],
  options: AssetOptions<AnyTool, ArtifactType | undefined> = {},
): AnyTool | readonly AnyTool[] {
  const track = (tool: AnyTool): AnyTool => sinkArtifacts(tool, storeAsset, options);
  return isList(tools) ? tools.map(track) : track(tools);
}

const storeAsset: Sink = (_, { inSession, blackboard, artifact: { json, type } }) => {
  const id = json === undefined ? undefined : findAssetId(json);
  if (!inSession || json === undefined || id === undefined) return;
  const name = toAssetName(id, type);
  if (blackboard.get(name) === undefined) blackboard.add(json, { name, type });
};

/** Narrows the type, which `Array.isArray` does not do for a readonly array. */
const isList = (tools: AnyTool | readonly AnyTool[]): tools is readonly AnyTool[] => Array.isArray(tools);

/** An object from a tool, which clients can list and show. */
export interface Asset<Value = Json> {
  readonly id: string;
  readonly type?: string | undefined;
  readonly value: Value;
}

/**
 * Returns the assets among the entries of a blackboard (`call.blackboard.entries()`, or a session's state),
 * oldest first, without duplicates. With a type, returns only its assets. For a domain type, their values
 * must match its schema. If two calls of one batch add the same asset, the first in source order counts.
 *
 * @example
 * ```ts
 * const customers = assetsOf(call.blackboard.entries(), Customer);
 * ```
 */
export function assetsOf<Type extends ArtifactType | undefined = undefined>(
  entries: readonly BlackboardEntry[],
  type?: Type,
): readonly Asset<ToolArtifact<AnyTool, Type>>[] {
  const found = new Map<string, Asset<unknown>>();
  for (const { name, type: of, value } of entries) {
    const id = findAssetId(value);
    if (id === undefined || name !== toAssetName(id, of) || found.has(name)) continue;
    if (type !== undefined && of !== type.name) continue;
    const read = readAsType(value, type);
    if (read) found.set(name, { id, ...(of !== undefined && { type: of }), value: read.value });
  }
  return [...found.values()] as Asset<ToolArtifact<AnyTool, Type>>[]; // the type has just parsed the values
}

/** The prefix of assets' names on the blackboard. */
const ASSET_PREFIX = 'asset:';

/**
 * Returns the id of an asset: a JSON object whose `id` is a non-blank string or a number. Returns `undefined`
 * for other values.
 */
function findAssetId(json: Json): string | undefined {
  if (!isJsonObject(json)) return undefined;
  const id = Object.hasOwn(json, 'id') ? json.id : undefined;
  if (typeof id === 'number') return String(id);
  return typeof id === 'string' && id.trim() !== '' ? id : undefined;
}

/**
 * Returns an asset's name on the blackboard. It contains the type, because ids are unique only within a type.
 */
const toAssetName = (id: string, type: string | undefined): string =>
  `${ASSET_PREFIX}${type === undefined ? '' : JSON.stringify(type)}:${id}`;
