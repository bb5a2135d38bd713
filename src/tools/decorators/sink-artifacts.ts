import { decorate } from '../decorate.ts';
import { listen } from '../listen.ts';
import { type KeptArtifact, keptArtifact, readAs } from '../read-artifact.ts';
import type { Sink, SinkCall } from '../sinks/sink.ts';
import type { AnyTool, CallScope } from '../tool.ts';
import type { ToolArtifactItem } from '../tool-output.ts';
import type { ArtifactType, ToolResult } from '../tool-result.ts';

/** Which artifacts are taken: the type is checked, then the filter (DEC-07). */
export interface SinkOptions<T extends AnyTool, Type extends ArtifactType | undefined> {
  /** Only artifacts of this type, by its name; of a domain type, only values that its schema reads. */
  readonly type?: Type;
  readonly filter?: ((artifact: ToolArtifactItem<T, NoInfer<Type>>) => boolean) | undefined;
}

/** What is made of an artifact that was not filtered out, in its place (DEC-07). */
export interface TransformOptions<T extends AnyTool, Type extends ArtifactType | undefined, Made> {
  readonly transform: (artifact: ToolArtifactItem<T, NoInfer<Type>>) => Made;
  /** The type of what is made, for sinks that keep it. */
  readonly into?: ArtifactType | undefined;
}

/**
 * Gives the artifacts of a tool to a sink; the result is returned unchanged (DEC-04). Texts and errors hold no artifact
 * (DEC-05). A list is taken item by item, never whole (DEC-06). The sink sees what the journal will: JSON, without secrets,
 * read by its type. A sink that fails is logged and takes nothing away from a tool that has done its work, unless it
 * throws a control-flow signal.
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
  return decorate(tool, {
    async call(input, invocation) {
      const result = await tool.call(input, invocation);
      await sinkAll(result, invocation, erased);
      return result;
    },
  });
}

interface Options<Artifact> {
  readonly type?: ArtifactType | undefined;
  readonly filter?: ((artifact: Artifact) => boolean) | undefined;
  readonly transform?: ((artifact: Artifact) => unknown) | undefined;
  readonly into?: ArtifactType | undefined;
}

type AnyOptions = Options<never>;
type ErasedOptions = Options<unknown> & { readonly sink: Sink };

async function sinkAll(result: ToolResult, call: CallScope, options: ErasedOptions): Promise<void> {
  const kept = keptArtifact(result, options.type, call);
  if (!kept) return;
  const items = Array.isArray(kept.json) ? kept.json : [kept.json];
  for (const json of items) {
    await listen(`a sink of tool '${call.tool}'`, call.signal, () =>
      sinkOne({ ...kept, json }, call, options),
    );
  }
}

function sinkOne({ json, type }: KeptArtifact, call: CallScope, options: ErasedOptions): unknown {
  const { sink, filter, transform, into } = options;
  const read = readAs(json, options.type);
  if (!read || filter?.(read.value) === false) return;
  const artifact: SinkCall['artifact'] = transform ? { type: into?.name } : { type, json };
  return sink(transform ? transform(read.value) : read.value, { ...call, artifact });
}
