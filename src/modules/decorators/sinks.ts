import type { CallContext } from '../../tool/call.ts';
import { changedBehind, decorate } from '../../tool/decorate.ts';
import {
  type KeptArtifact,
  keptArtifacts,
  readAs,
  type ToolArtifact,
  type ToolArtifactItem,
} from '../../tool/domain-type.ts';
import { isJsonObject, type Json } from '../../tool/json.ts';
import type { BlackboardEntry } from '../../tool/kept-values.ts';
import { listen } from '../../tool/listen.ts';
import { warning } from '../../tool/log.ts';
import { SignalError, ToolConfigurationError } from '../../tool/signals.ts';
import type { AnyTool } from '../../tool/tool.ts';
import type { ArtifactType, ToolResult } from '../../tool/tool-result.ts';

/**
 * Takes artifacts: one function. They come one after another, in order; a promise is awaited, what is answered is
 * not looked at. A call that is run again, after a crash, is heard of again under the same `call.id`.
 */
export type Sink<Artifact = unknown> = (artifact: Artifact, call: SinkCall) => unknown;

/** The call whose artifact a sink is given. */
export interface SinkCall extends CallContext {
  readonly artifact: {
    /** The name of its type; of what a transform made, the name in `into`. */
    readonly type?: string | undefined;
    /** What the journal keeps of it, before its type has read it. Absent for what a transform made. */
    readonly json?: Json | undefined;
  };
}

/** Which artifacts are taken: the type is checked, then the filter. */
export interface SinkOptions<T extends AnyTool, Type extends ArtifactType | undefined> {
  /** Only artifacts of this type, by its name; of a domain type, only values that its schema reads. */
  readonly type?: Type;
  readonly filter?: ((artifact: ToolArtifactItem<T, NoInfer<Type>>) => boolean) | undefined;
}

/** What is made of an artifact that was not filtered out, in its place. */
export interface TransformOptions<T extends AnyTool, Type extends ArtifactType | undefined, Made> {
  readonly transform: (artifact: ToolArtifactItem<T, NoInfer<Type>>) => Made;
  /** The type of what is made, for sinks that keep it. */
  readonly into?: ArtifactType | undefined;
}

/**
 * Gives the artifacts of a tool to a sink; the result is returned unchanged. Texts and errors hold no artifact.
 * A list is taken item by item, never whole. The sink sees what the journal will: JSON, without secrets,
 * read by its type. A sink that fails is logged and takes nothing away from a tool that has done its work, unless it
 * throws a control-flow signal. Of an unfolding tool it takes the artifacts of the tools behind it, at whatever depth.
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
  // What is read by the type, or made by `transform`, is what the types say; they are erased here.
  const erased = { ...options, sink } as ErasedOptions;
  return changedBehind(tool, (one) =>
    decorate(one, {
      async call(input, call) {
        const result = await one.call(input, call);
        await sinkAll(result, call, erased);
        return result;
      },
    }),
  );
}

interface Options<Artifact> {
  readonly type?: ArtifactType | undefined;
  readonly filter?: ((artifact: Artifact) => boolean) | undefined;
  readonly transform?: ((artifact: Artifact) => unknown) | undefined;
  readonly into?: ArtifactType | undefined;
}

type AnyOptions = Options<never>;
type ErasedOptions = Options<unknown> & { readonly sink: Sink };

async function sinkAll(result: ToolResult, call: CallContext, options: ErasedOptions): Promise<void> {
  for (const kept of keptArtifacts(result, options.type, call)) {
    await listen(`a sink of tool '${call.tool}'`, call, () => sinkOne(kept, call, options));
  }
}

function sinkOne({ json, type }: KeptArtifact, call: CallContext, options: ErasedOptions): unknown {
  const { sink, filter, transform, into } = options;
  const read = readAs(json, options.type);
  if (!read || filter?.(read.value) === false) return;
  const artifact: SinkCall['artifact'] = transform ? { type: into?.name } : { type, json };
  return sink(transform ? transform(read.value) : read.value, { ...call, artifact });
}

/** Which artifacts are published, what is made of them first, and under which name. */
export type PublishOptions<T extends AnyTool, Type extends ArtifactType | undefined> = SinkOptions<T, Type> &
  Partial<Pick<TransformOptions<T, Type, unknown>, 'into'>> & {
    readonly transform?: TransformOptions<T, Type, unknown>['transform'] | undefined;
    /** Binds each artifact to this name; the newest one is found by it. */
    readonly name?: string | undefined;
  };

/**
 * Publishes the artifacts of a tool to the session's blackboard, all of them unless a type is given: other tools,
 * conditions and clients see them once the call has succeeded. What `transform` makes must be JSON.
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

/** How a blackboard sink publishes. */
export interface BlackboardSinkOptions {
  /** Binds each artifact to this name; the newest one is found by it. */
  readonly name?: string | undefined;
  /** Ends the turn as misconfigured when there is no blackboard, where otherwise the loss is only logged. */
  readonly strict?: boolean | undefined;
}

/**
 * Publishes artifacts to the session's blackboard, with the name of their type; they are there once their call has
 * succeeded. In a loop without a session there is no blackboard: the tool's result stands, and the log says so once.
 */
export function blackboardSink({ name, strict = false }: BlackboardSinkOptions = {}): Sink {
  let told = false;
  return (artifact, { inSession, blackboard, tool, log, artifact: { type, json } }) => {
    if (inSession) {
      // What a transform made may not be JSON; `add` checks it.
      blackboard.add(json === undefined ? (artifact as Json) : json, { name, type });
      return;
    }
    const problem = `There is no session, so the artifact of tool '${tool}' was not published to a blackboard.`;
    if (strict) throw new ToolConfigurationError(problem);
    if (!told) log(warning(problem));
    told = true;
  };
}

/** A sink that can be asked what it was given. */
export interface ListSink<Artifact> extends Sink<Artifact> {
  /** A copy of the artifacts so far, in their order. */
  items(): readonly Artifact[];
}

/**
 * Collects artifacts into a list, its own unless one is given. It lives in the memory of one invocation: for
 * tests, and for what need not outlive a turn.
 */
export const listSink = <Artifact = unknown>(list: Artifact[] = []): ListSink<Artifact> =>
  Object.assign((artifact: Artifact): void => void list.push(artifact), { items: () => [...list] });

/**
 * Gives every artifact to all of these sinks, one after another. One that fails keeps it from none of the
 * others; what it threw is thrown once all have been told, a control-flow signal before anything else.
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

/** Which assets are tracked: the filter runs after the type is checked. */
export type AssetOptions<T extends AnyTool, Type extends ArtifactType | undefined> = SinkOptions<T, Type>;

/**
 * Tracks the assets that a tool, or each of several, returns: artifacts, and items of lists, that have an `id`.
 * They are kept on the session's blackboard and read by `assetsOf`; one that is tracked already, by its type and id, is
 * left as it is. Results are returned unchanged. Without a session nothing is tracked.
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
  const track = (tool: AnyTool): AnyTool => sinkArtifacts(tool, assetSink, options);
  return isList(tools) ? tools.map(track) : track(tools);
}

const assetSink: Sink = (_, { inSession, blackboard, artifact: { json, type } }) => {
  const id = json === undefined ? undefined : assetId(json);
  if (!inSession || json === undefined || id === undefined) return;
  const name = assetName(id, type);
  if (blackboard.get(name) === undefined) blackboard.add(json, { name, type });
};

/** `Array.isArray` does not narrow a readonly array away from the other half of the union. */
const isList = (tools: AnyTool | readonly AnyTool[]): tools is readonly AnyTool[] => Array.isArray(tools);

/** Something that tools made and that a client may list and show. */
export interface Asset<Value = Json> {
  readonly id: string;
  readonly type?: string | undefined;
  readonly value: Value;
}

/**
 * The assets among the entries of a blackboard (`call.blackboard.entries()`, or a session's state), oldest first and each
 * once; with a type only those, and of a domain type only values that its schema reads. Of two calls of one batch that add
 * the same one, the first in source order counts.
 */
export function assetsOf<Type extends ArtifactType | undefined = undefined>(
  entries: readonly BlackboardEntry[],
  type?: Type,
): readonly Asset<ToolArtifact<AnyTool, Type>>[] {
  const found = new Map<string, Asset<unknown>>();
  for (const { name, type: of, value } of entries) {
    const id = assetId(value);
    if (id === undefined || name !== assetName(id, of) || found.has(name)) continue;
    if (type !== undefined && of !== type.name) continue;
    const read = readAs(value, type);
    if (read) found.set(name, { id, ...(of !== undefined && { type: of }), value: read.value });
  }
  return [...found.values()] as Asset<ToolArtifact<AnyTool, Type>>[]; // as the type has just read them
}

/** Names on the blackboard that begin so are those of assets. */
const PREFIX = 'asset:';

/** The id of an artifact that is an asset: a JSON object whose `id` is text that is not blank, or a number. */
function assetId(json: Json): string | undefined {
  if (!isJsonObject(json)) return undefined;
  const id = Object.hasOwn(json, 'id') ? json.id : undefined;
  if (typeof id === 'number') return String(id);
  return typeof id === 'string' && id.trim() !== '' ? id : undefined;
}

/** The name on the blackboard of the asset of this type and id: two types may both have a '1'. */
const assetName = (id: string, type: string | undefined): string =>
  `${PREFIX}${type === undefined ? '' : JSON.stringify(type)}:${id}`;
