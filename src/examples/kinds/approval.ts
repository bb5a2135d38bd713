import { requireApproval } from '../../modules/decorators/entry.ts';
import { refundOrder } from './shop.ts';

export const approvedRefund = requireApproval(
  refundOrder,
  ({ orderId, amount }) => `Refund ${amount} euro of order ${orderId}?`,
  { by: 'manager', expires: 3 * 24 * 60 * 60_000, onExpiry: 'reject' },
);
