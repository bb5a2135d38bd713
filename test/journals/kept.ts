/** The files of a version's journals: `{name}.sql` and `{name}.json` in a folder named after the version. */

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import type { Dump } from './dump.ts';
import type { Reading } from './record.ts';
import type { Answer } from './talk.ts';
import type { RecordedEffect } from './world.ts';

const answerSchema = v.strictObject({
  to: v.string(),
  status: v.number(),
  type: v.nullable(v.string()),
  location: v.nullable(v.string()),
  body: v.unknown(),
});

const effectSchema = v.strictObject({
  tool: v.string(),
  input: v.unknown(),
  call: v.string(),
  key: v.string(),
});

const readingSchema = v.strictObject({
  session: answerSchema,
  events: v.array(answerSchema),
  answers: v.array(answerSchema),
  asked: v.array(v.unknown()),
  done: v.array(effectSchema),
  after: answerSchema,
});

/** A reading in its stored form. JSON bodies are parsed if that loses no data. */
export type KeptReading = v.InferOutput<typeof readingSchema>;

/** Returns the parsed value of a text that `JSON.stringify` would reproduce, and any other text unchanged. */
function toReadable(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return JSON.stringify(value) === text ? value : text;
  } catch {
    return text;
  }
}

const toKeptAnswer = (one: Answer) => ({ ...one, body: toReadable(one.body) });

/**
 * Converts a reading to its stored form. Two readings have the same stored form only if their bytes are equal.
 */
export const toKept = ({ session, events, answers, asked, done, after }: Reading): KeptReading => ({
  session: toKeptAnswer(session),
  events: events.map(toKeptAnswer),
  answers: answers.map(toKeptAnswer),
  asked: asked.map(toReadable),
  done: [...done],
  after: toKeptAnswer(after),
});

/** Returns the text of a stored value. */
export const formatValue = (value: unknown): string => `${formatLines(value)}\n`;

/** The maximum length of a value on one line. */
const MAX_LINE = 160;

/** Formats JSON with short values on one line. */
function formatLines(value: unknown, indent = ''): string {
  const flat = JSON.stringify(value);
  if (typeof value !== 'object' || value === null || flat.length <= MAX_LINE) return flat;
  const isList = Array.isArray(value);
  const inner = Object.entries(value).map(([key, one]) => {
    const name = isList ? '' : `${JSON.stringify(key)}: `;
    return `${indent} ${name}${formatLines(one, `${indent} `)}`;
  });
  return [isList ? '[' : '{', inner.join(',\n'), `${indent}${isList ? ']' : '}'}`].join('\n');
}

/** The stored files of a journal. */
export interface KeptJournal {
  readonly dump: Dump;
  /** The effects of its tools when it was stored. */
  readonly before: readonly RecordedEffect[];
  readonly reading: KeptReading;
}

/** The journals of one version. */
export interface Folder {
  /** The time at which the journals were stored, in ms since the epoch. */
  readonly at: number;
  readonly journals: ReadonlyMap<string, KeptJournal>;
}

const ROOT = import.meta.dirname;

/** Returns the versions with stored journals. */
export const listVersions = (): readonly string[] =>
  readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('/written.json'))
    .map((file) => file.replace('/written.json', ''));

const keptSchema = v.strictObject({ before: v.array(effectSchema), reading: readingSchema });
const folderSchema = v.strictObject({ at: v.number(), journals: v.array(v.string()) });

export function readFolder(version: string): Folder {
  const readText = (file: string): string => readFileSync(join(ROOT, version, file), 'utf8');
  const { at, journals } = v.parse(folderSchema, JSON.parse(readText('written.json')));
  const all = journals.map((name) => {
    const dump = parseDump(expandRepeats(readText(`${name}.sql`)));
    return [
      name,
      { dump, ...v.parse(keptSchema, JSON.parse(expandRepeats(readText(`${name}.json`)))) },
    ] as const;
  });
  return { at, journals: new Map(all) };
}

export function writeFolder(version: string, { at, journals }: Folder): void {
  mkdirSync(join(ROOT, version), { recursive: true });
  const write = (file: string, text: string): void => writeFileSync(join(ROOT, version, file), text);
  for (const [name, { dump, ...beside }] of journals) {
    write(`${name}.sql`, shorten(`-- ${dump.file}\n${dump.sql}`));
    write(`${name}.json`, shorten(formatValue(beside)));
  }
  write('written.json', `${JSON.stringify({ at, journals: [...journals.keys()] }, null, 1)}\n`);
}

function parseDump(text: string): Dump {
  const [, file = '', sql = ''] = /^-- (.+)\n([\s\S]*)$/.exec(text) ?? [];
  return { file, sql };
}

/** Replaces long repetitions with one copy and the number of copies. */
const shorten = (text: string): string =>
  text.replace(/([^"⟨⟩]{2,40}?)\1{999,}/g, (all, one: string) => `⟨${one}×${all.length / one.length}⟩`);

const expandRepeats = (text: string): string =>
  text.replace(/⟨([^⟨⟩]+)×(\d+)⟩/g, (_, one: string, times: string) => one.repeat(Number(times)));
