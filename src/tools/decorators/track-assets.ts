import { assetId, assetName } from '../assets-of.ts';
import type { Sink } from '../sinks/sink.ts';
import type { AnyTool } from '../tool.ts';
import type { ArtifactType } from '../tool-result.ts';
import { type SinkOptions, sinkArtifacts } from './sink-artifacts.ts';

/** Which assets are tracked: the filter runs after the type is checked. */
export type AssetOptions<T extends AnyTool, Type extends ArtifactType | undefined> = SinkOptions<T, Type>;

/**
 * Tracks the assets that a tool, or each of several, returns: artifacts, and items of lists, that have an `id` (AST-01).
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
