/** The AG-UI events, with the types of its own client. */
import type { AGUIEvent } from '@ag-ui/client';

/** An event, whose type is a string as on the wire. */
export type AgUiEvent = WireEvent<AGUIEvent>;

type WireEvent<Event> = Event extends { readonly type: infer Type extends string }
  ? Omit<Event, 'type'> & { readonly type: `${Type}` }
  : never;

/** Formats an event as a frame. Omits undefined fields, as the protocol requires. */
export const toFrame = (event: AgUiEvent): string => `data: ${JSON.stringify(event)}\n\n`;
