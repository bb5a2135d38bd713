import { ConfigurationError } from '../model/configuration-error.ts';
import { ToolCallContext } from '../tools/tool-call-context.ts';

/** Header name in lower case -> key of the tool-call context. */
export type ContextHeaders = ReadonlyMap<string, string>;

/** @throws ConfigurationError when a header carries credentials, which are never journaled, or cannot be one. */
export function parseContextHeaders(mapped: Readonly<Record<string, string>>): ContextHeaders {
  const headers = new Map(Object.entries(mapped).map(([header, key]) => [header.toLowerCase(), key]));
  for (const header of headers.keys()) {
    if (isCredential(header)) {
      throw new ConfigurationError(`The header '${header}' carries credentials; it is never journaled.`);
    }
    if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(header)) {
      throw new ConfigurationError(`'${header}' is not the name of a header.`);
    }
  }
  return headers;
}

const isCredential = (header: string): boolean =>
  ['authorization', 'cookie', 'set-cookie'].includes(header) || header.startsWith('proxy-');

/** What the mapped headers of a request say. */
export function contextOfHeaders(headers: Headers, mapped: ContextHeaders): ToolCallContext {
  const sent = [...mapped].flatMap(([header, key]): [string, string][] => {
    const value = headers.get(header);
    return value === null ? [] : [[key, value]];
  });
  return ToolCallContext.of(sent);
}
