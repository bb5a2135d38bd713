/** What AG-UI says, typed by its own client. */
import type { AGUIEvent } from '@ag-ui/client';

/** An event, with its type as it is on the wire. */
export type AgUiEvent = OnWire<AGUIEvent>;

type OnWire<Event> = Event extends { readonly type: infer Type extends string }
  ? Omit<Event, 'type'> & { readonly type: `${Type}` }
  : never;

/** The frame of an event. Fields that are undefined are left out, as the protocol wants it. */
export const toFrame = (event: AgUiEvent): string => `data: ${JSON.stringify(event)}\n\n`;
