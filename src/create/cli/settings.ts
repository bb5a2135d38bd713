import { type ConfigEdit, EditError } from '../../cli/doctor/config-edit.ts';
import { editJsonc } from '../../cli/doctor/edit-jsonc.ts';
import { editToml } from '../../cli/doctor/edit-toml.ts';

/**
 * The settings of a Worker, `wrangler.toml` or `wrangler.jsonc`, with the additions for an agent. Comments
 * stay.
 */
export interface ChangedSettings {
  readonly text: string;
  /** Steps that the user must do by hand, a sentence each. */
  readonly left: readonly string[];
}

/** The compatibility flags of a Worker with agents, as in docs/deploy.md. */
const FLAGS = ['enable_request_signal', 'global_fetch_strictly_public'];
const MIN_DATE = '2025-11-17';
const OBJECT_EDITS: readonly ConfigEdit[] = [
  {
    op: 'append',
    path: ['durable_objects', 'bindings'],
    value: { name: 'SESSIONS', class_name: 'SessionObject' },
  },
  {
    op: 'append',
    path: ['migrations'],
    value: { tag: 'holdfast-v1', new_sqlite_classes: ['SessionObject'] },
  },
];

/** The settings that are read before the change. */
interface KnownSettings {
  readonly main: string | undefined;
  readonly date: string | undefined;
  readonly flags: readonly unknown[];
  readonly hasEnvironments: boolean;
}

/** Returns the main module of the Worker, or `undefined` for a Worker with only assets. */
export const readMain = (name: string, text: string): string | undefined => readSettings(name, text).main;

/** Makes `main` the main module of the Worker, and adds the settings that it needs. */
export function addAgentSettings(name: string, text: string, main: string): ChangedSettings {
  const { date, flags, hasEnvironments } = readSettings(name, text);
  const edits: ConfigEdit[] = [
    { op: 'set', path: ['main'], value: main },
    ...FLAGS.filter((flag) => !flags.includes(flag)).map(
      (value) => ({ op: 'append', path: ['compatibility_flags'], value }) as const,
    ),
    ...(/\bSESSIONS\b/.test(text) ? [] : OBJECT_EDITS),
  ];
  const edit = name.endsWith('.toml') ? editToml : editJsonc;
  const left: string[] = [];
  let changed = text;
  for (const one of edits) {
    try {
      changed = edit(changed, one);
    } catch (problem) {
      if (!(problem instanceof EditError)) throw problem;
      const value = one.op === 'remove' ? undefined : JSON.stringify(one.value);
      left.push(`${name}: ${problem.message} Add ${value} to ${one.path.join('.')} by hand.`);
    }
  }
  if (/\bSESSIONS\b/.test(text) && !/\bSessionObject\b/.test(text))
    left.push(
      `${name}: SESSIONS is the name of another binding, but sessions need this name for their Durable Object. Rename the other binding, then run \`npx holdfast doctor\`.`,
    );
  if (date !== undefined && date < MIN_DATE)
    left.push(`${name}: compatibility_date is ${date}, but sessions need ${MIN_DATE} or later. Raise it.`);
  if (hasEnvironments)
    left.push(
      `${name}: environments under "env" do not inherit bindings. Repeat the binding SESSIONS in each.`,
    );
  return { text: changed, left };
}

const readSettings = (name: string, text: string): KnownSettings =>
  name.endsWith('.toml') ? readToml(text) : readJsonc(text);

function readToml(text: string): KnownSettings {
  const top = text.slice(0, /^[ \t]*\[/m.exec(text)?.index ?? text.length);
  const list = /^compatibility_flags\s*=\s*\[([^\]]*)\]/m.exec(top)?.[1] ?? '';
  return {
    main: /^main\s*=\s*["']([^"']+)["']/m.exec(top)?.[1],
    date: /^compatibility_date\s*=\s*["']?([\d-]+)/m.exec(top)?.[1],
    flags: [...list.matchAll(/["']([^"']+)["']/g)].map(([, flag]) => flag),
    hasEnvironments: /^\s*\[+env\./m.test(text),
  };
}

function readJsonc(text: string): KnownSettings {
  const { main, compatibility_date: date, compatibility_flags: flags, env } = parseJsonc(text);
  return {
    main: typeof main === 'string' ? main : undefined,
    date: typeof date === 'string' ? date : undefined,
    flags: Array.isArray(flags) ? flags : [],
    hasEnvironments: env !== undefined,
  };
}

/** @throws SyntaxError if it is not JSON with comments. */
export function parseJsonc(text: string): Readonly<Record<string, unknown>> {
  const plain = text.replace(/"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (found) =>
    found.startsWith('"') ? found : ' ',
  );
  const strict = plain.replace(/"(?:[^"\\\n]|\\.)*"|,(?=\s*[}\]])/g, (found) =>
    found === ',' ? ' ' : found,
  );
  return Object(JSON.parse(strict));
}
