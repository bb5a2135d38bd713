import type { CatalogLeaf } from '../../src/examples/catalog/catalog.ts';
import type { ChatModel, JsonObject } from '../../src/index.ts';
import type { ModelReply, ModelRequest } from '../../src/model/entry.ts';

/** The leaf that a pilot calls, and the path to it. */
export interface Destination {
  readonly leaf: CatalogLeaf;
  readonly input: JsonObject;
  /** The unfolding tools to open. Empty for the flat list, which offers the leaf directly. */
  readonly way: readonly string[];
}

/** A scripted model that opens unfolding tools one after another, calls the leaf, and answers. */
export interface Pilot extends ChatModel {
  /** Sets the target for the next turn. */
  flyTo(destination: Destination): void;
}

/**
 * Creates a pilot. `watch` is called before each reply. If a tool is not offered, the model ends the turn with
 * a text.
 */
export function createPilot(watch: (request: ModelRequest) => void = () => {}): Pilot {
  let calls: readonly { readonly name: string; readonly input: JsonObject }[] = [];
  let place = 0;
  return {
    name: 'pilot',
    flyTo({ leaf, input, way }) {
      calls = [...way.map((name) => ({ name, input: {} })), { name: leaf.tool.name, input }];
      place = 0;
    },
    async ask(request) {
      watch(request);
      const call = calls[place];
      place += 1;
      if (!call) return createTextReply('Done.');
      if (!request.tools.some(({ name }) => name === call.name))
        return createTextReply(`${call.name} is not offered.`);
      const id = `call_${place}`;
      const toolCalls = [{ id, name: call.name, input: JSON.stringify(call.input) }];
      return { text: '', toolCalls, finish: 'tool-calls' };
    },
  };
}

const createTextReply = (text: string): ModelReply => ({ text, toolCalls: [], finish: 'stop' });
