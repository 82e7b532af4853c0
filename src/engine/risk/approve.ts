/** The only place that mints approved calls. */
import type {
  ApprovedCancel,
  ApprovedModify,
  ApprovedOrder,
  CancelToSend,
  ModifyToSend,
  OrderToSend,
} from '../ports/approved.ts';

/* oxlint-disable typescript/no-unsafe-type-assertion -- the one assertion point of approvals: the guard has just checked */
export const approveOrder = (order: OrderToSend): ApprovedOrder => order as ApprovedOrder;
export const approveModify = (modify: ModifyToSend): ApprovedModify => modify as ApprovedModify;
export const approveCancel = (cancel: CancelToSend): ApprovedCancel => cancel as ApprovedCancel;
