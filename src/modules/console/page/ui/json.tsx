import { useMemo } from 'preact/hooks';
import { Words } from './words.tsx';

/** Shows a value as indented JSON. Also indents a string that contains JSON, such as the input of a call. */
export function JsonView({ value, most = 3_000 }: { readonly value: unknown; readonly most?: number }) {
  const text = useMemo(() => indentJson(value), [value]);
  return <Words text={text} most={most} isCode />;
}

/** The maximum number of characters to parse, since a longer text would block the page. */
const MAX_PARSED_LENGTH = 200_000;

function indentJson(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value, null, 2) ?? String(value);
  if (value.length > MAX_PARSED_LENGTH || !/^\s*[[{]/.test(value)) return value;
  try {
    return JSON.stringify(JSON.parse(value), null, 2);
  } catch {
    return value;
  }
}
