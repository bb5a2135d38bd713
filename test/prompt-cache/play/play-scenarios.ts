/** Plays scenarios over wires, and measures the requests that each wire receives. */
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { measureSession } from '../measure/measure-session.ts';
import type { Row } from '../measure/report.ts';
import { type PromptCacheOptions, SCENARIO_NAMES } from '../options.ts';
import { startMcpScenarios } from './mcp-scenarios.ts';
import { playSession } from './play.ts';
import type { Scenario } from './scenario.ts';
import { SCENARIOS } from './scenarios.ts';
import { MEASURED_WIRES } from './wires.ts';

/** Plays the selected scenarios with their wires. @throws Error if a session cannot be played. */
export async function playScenarios(
  { scenario: only, wire: onlyWire }: PromptCacheOptions,
  say: (line: string) => void,
): Promise<readonly Row[]> {
  const isAsked = (name: string): boolean => only === undefined || name === only;
  const wires = MEASURED_WIRES.filter(({ name }) => onlyWire === undefined || name === onlyWire);
  const needsServer = SCENARIO_NAMES.some((name) => name.startsWith('mcp') && isAsked(name));
  const mcp = needsServer ? await startMcpScenarios() : undefined;
  const all = [...SCENARIOS, ...(mcp?.scenarios ?? [])];
  const asked = SCENARIO_NAMES.filter(isAsked).flatMap((name) => all.find((one) => one.name === name) ?? []);
  const rows: Row[] = [];
  try {
    for (const scenario of asked) {
      say(`${scenario.name}: ${scenario.about}`);
      for (const wire of wires) rows.push(await playRow(scenario, wire));
    }
  } finally {
    await mcp?.stop();
  }
  return rows;
}

async function playRow(scenario: Scenario, wire: (typeof MEASURED_WIRES)[number]): Promise<Row> {
  const played = await playSession(scenario, wire).catch((cause: unknown) => {
    throw new Error(`The scenario '${scenario.name}' failed on the wire ${wire.name}.`, { cause });
  });
  return {
    scenario: scenario.name,
    wire: wire.name,
    isPromised: scenario.isPromised === true,
    ...measureSession(played, wire.form, tokenizeText),
  };
}

/** Caches tokens, because many requests contain the same text. */
const tokensByText = new Map<string, readonly number[]>();

/** Returns OpenAI's tokens. The tokens of other providers differ, but their number is similar. */
function tokenizeText(text: string): readonly number[] {
  const tokens = tokensByText.get(text) ?? encode(text, { disallowedSpecial: new Set() });
  tokensByText.set(text, tokens);
  return tokens;
}
