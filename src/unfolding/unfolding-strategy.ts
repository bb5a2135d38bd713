import type { Facade } from '../tools/facades/facade.ts';
import { innerTools } from '../tools/facades/inner-tools.ts';
import { OPENINGS, type Opening, type Openings, openingsIn } from '../tools/facades/openings.ts';
import type { InjectionStrategy, LoopView } from '../tools/injection.ts';
import { sameTools } from '../tools/same-tools.ts';
import type { AnyTool } from '../tools/tool.ts';
import { unfold } from './unfold.ts';

/** Offers what is inside the facades that are open, in their place; in every loop, without being asked for (INJ-03). */
export const unfoldingStrategy: InjectionStrategy = {
  name: 'unfolding',
  offer(tools, view) {
    const all = view.recall(OPENINGS);
    const openings = openingsIn(all, view);
    if (openings.length === 0) return tools;
    const former = offers.get(all)?.get(view.frame);
    if (former && stillHolds(former, tools, view)) return former.offered;
    const asked: Asked[] = [];
    const offered = unfold(tools, openings, (facade, opening) => {
      const answer = inside(facade, opening, view);
      if (facade.brings.by === 'moment') asked.push({ facade, opening, answer });
      return answer;
    });
    keep(all, view, { turn: view.turn, tools, asked, offered });
    return offered;
  },
};

/** What was offered, and all that it was made of beside the openings. */
interface Offered {
  readonly turn: string;
  readonly tools: readonly AnyTool[];
  readonly asked: readonly Asked[];
  readonly offered: readonly AnyTool[];
}

/** What a facade answered that is asked at every offer. */
interface Asked {
  readonly facade: Facade;
  readonly opening: Opening;
  readonly answer: readonly AnyTool[] | undefined;
}

/** By the openings, then by the loop: a list that has not changed stays the same list, and costs the loop nothing. */
const offers = new WeakMap<Openings, Map<string, Offered>>();

function keep(openings: Openings, { frame }: LoopView, offered: Offered): void {
  const ofLoops = offers.get(openings) ?? new Map<string, Offered>();
  offers.set(openings, ofLoops.set(frame, offered));
}

const stillHolds = ({ turn, tools: former, asked }: Offered, tools: readonly AnyTool[], view: LoopView) =>
  turn === view.turn &&
  sameTools(former, tools) &&
  asked.every(({ facade, opening, answer }) => sameTools(inside(facade, opening, view) ?? [], answer ?? []));

/** A facade stays closed when its tools cannot be made again: code may have changed since it was opened. */
function inside(facade: Facade, opening: Opening, view: LoopView): readonly AnyTool[] | undefined {
  try {
    const tools = innerTools(facade.brings, opening, view);
    return tools.length > 0 || facade.brings.by === 'moment' ? tools : undefined;
  } catch (thrown) {
    console.error(
      `holdfast: the facade '${opening.facade}' stays closed: its tools could not be made`,
      thrown,
    );
    return undefined;
  }
}
