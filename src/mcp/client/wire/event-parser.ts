/** One event of a stream; a server that wants clients to come back for the rest begins with one without data. */
export interface StreamEvent {
  readonly id: string | undefined;
  /** `message` unless the server names it. */
  readonly type: string;
  readonly data: string;
}

/** Events as they come, and the milliseconds that the server wants clients to wait before they ask for the rest. */
export type EventOrRetry = StreamEvent | { readonly retry: number };

/** What the lines since the last event said. */
interface Begun {
  id?: string;
  type?: string;
  readonly data: string[];
}

/**
 * Finds the events in text whose lines end with LF (HTML, server-sent events), however it is cut into pieces. It takes time in
 * proportion to the text: most parsers make an error of every line that they do not know, and streams may have millions.
 */
export function createEventParser(tell: (event: EventOrRetry) => void): (text: string) => void {
  let line: string[] = [];
  let begun: Begun = { data: [] };
  const end = () => {
    const { id, type = 'message', data } = begun;
    begun = { data: [] };
    if (data.length > 0) tell({ id, type, data: data.join('\n') });
  };
  const take = (complete: string) => {
    if (complete === '') return end();
    const [field, value] = fieldOf(complete);
    if (field === 'retry' && /^\d+$/.test(value)) tell({ retry: Number(value) });
    else note(begun, field, value);
  };
  return (text) => {
    let start = 0;
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', start)) {
      line.push(text.slice(start, at));
      take(line.join(''));
      line = [];
      start = at + 1;
    }
    line.push(text.slice(start));
  };
}

function fieldOf(line: string): readonly [field: string, value: string] {
  const colon = line.indexOf(':');
  if (colon === -1) return [line, ''];
  return [line.slice(0, colon), line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)];
}

function note(begun: Begun, field: string, value: string): void {
  if (field === 'data') begun.data.push(value);
  else if (field === 'id' && !value.includes('\0')) begun.id = value;
  else if (field === 'event' && value !== '') begun.type = value;
}
