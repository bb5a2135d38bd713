/** One entry of a list header such as `text/html;q=0.5`, in lower case. */
interface Entry {
  readonly value: string;
  /** From 0, "not this", to 1. */
  readonly weight: number;
}

function entriesOf(headers: Headers, name: string): readonly Entry[] {
  const entries = (headers.get(name) ?? '').toLowerCase().split(',');
  return entries.map((entry) => {
    const [value = '', ...params] = entry.split(';').map((part) => part.trim());
    const weight = Number(params.find((param) => param.startsWith('q='))?.slice(2) ?? 1);
    return { value, weight: Number.isNaN(weight) ? 0 : weight };
  });
}

/** True when a client names event streams in `Accept`, and does not like JSON better. */
export function wantsEvents({ headers }: Request): boolean {
  const accepted = entriesOf(headers, 'accept');
  const weightOf = (type: string): number => accepted.find(({ value }) => value === type)?.weight ?? 0;
  const weight = weightOf('text/event-stream');
  return weight > 0 && weight >= weightOf('application/json');
}

/** True when a client does not want to wait for the answer (RFC 7240). */
export const prefersAsync = ({ headers }: Request): boolean =>
  entriesOf(headers, 'prefer').some(({ value }) => value === 'respond-async');
