import { getRequestedOwner } from '../../worker/operator.ts';
import { defineRoute, type Route } from '../../worker/route.ts';
import { getOwner } from '../../worker/target.ts';
import { readOwnerLimits } from './limits-of.ts';

export const LIMIT_ROUTES: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: '/limits',
    access: 'caller',
    async handle(asked) {
      const { caller, request } = asked;
      const named = new URL(request.url).searchParams.get('owner') ?? undefined;
      return Response.json(
        await readOwnerLimits(asked, getRequestedOwner(caller, named) ?? getOwner(caller)),
      );
    },
  }),
];
