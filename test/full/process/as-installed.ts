/** Where this repository's entries are found once the package is installed. */
const ENTRIES = [
  [/'[./]+\/(src\/)?index\.ts'/g, "'holdfast'"],
  [/'[./]+\/(src\/)?create-holdfast\.ts'/g, "'holdfast/worker'"],
  [/'[./]+\/durable-objects\/index\.ts'/g, "'holdfast/durable-objects'"],
  [/'[./]+\/(src\/)?testing\/entry\.ts'/g, "'holdfast/testing'"],
  [/'[./]+\/(src\/)?model\/offline\/entry\.ts'/g, "'holdfast/models/offline'"],
  [/'[./]+\/(src\/)?mcp\/entry\.ts'/g, "'holdfast/mcp'"],
  [/'[./]+\/(src\/)?webhooks\/entry\.ts'/g, "'holdfast/webhooks'"],
] as const;

/** A file of ours as a user writes it, who has installed the package and keeps the support agent next to it. */
export function asInstalled(source: string): string {
  const installed = ENTRIES.reduce((text, [ours, theirs]) => text.replace(ours, theirs), source);
  return installed.replace(/'[./]+\/src\/examples\/support\//g, "'./");
}
